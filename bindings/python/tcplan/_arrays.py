"""Arrays of numpy as libtcplan takes them: an address, extents, strides in elements, one of four
types."""
import ctypes
import sys

import numpy

from ._errors import InputError

# enum tcplan_dtype, by numpy's letters
TYPES = {"f": 0, "d": 1, "F": 2, "D": 3}


class Layout:
    """How an array lies that is computed on: as it is, or as the copy that is made of it."""

    __slots__ = ("shape", "strides", "is_copied")

    def __init__(self, shape, strides, is_copied=False):
        """strides: in elements."""
        self.shape, self.strides, self.is_copied = shape, strides, is_copied

    def without(self, dropped):
        """The same array where index 0 of these dimensions is taken."""
        if not dropped:
            return self
        left = [d for d in range(len(self.shape)) if d not in dropped]
        return Layout(tuple(self.shape[d] for d in left), tuple(self.strides[d] for d in left), self.is_copied)


def dense(shape, order="C", is_copied=False):
    """The layout of an array whose last dimension is contiguous, or with order "F" the first."""
    strides, elements = [], 1
    for extent in shape if order == "F" else reversed(shape):
        strides.append(elements)
        elements *= max(extent, 1)
    return Layout(tuple(shape), tuple(strides if order == "F" else reversed(strides)), is_copied)


def address(array):
    """Where the element lies whose indices are all 0."""
    return array.__array_interface__["data"][0]


def _finds_place():
    """Whether an array's address is the first member after the head that every object of CPython
    has, as numpy's C interface has it (PyArrayObject_fields)."""
    array = numpy.zeros(3)[1:]
    return sys.implementation.name == "cpython" and _member(array) == address(array)


def _member(array):
    return _pointer_at(id(array) + _HEAD).value


_HEAD, _pointer_at = object.__basicsize__, ctypes.c_void_p.from_address
place = _member if _finds_place() else address  # address(), in a tenth of the time, of an array of numpy's own class


def as_array(operand, number):
    array = numpy.asarray(operand)
    if array.dtype.kind not in "biufcO":
        raise InputError(f"operand {number} has elements of type {array.dtype}, expected numbers")
    return array


def element_type(dtype):
    """One of the four types, in the byte order of the machine."""
    found = numpy.dtype(dtype)
    if found.char not in TYPES:
        raise InputError(f"expected float32, float64, complex64 or complex128, found {found}; einsum() also takes other types")
    return found.newbyteorder("=")


def computed_type(arrays, out, dtype, casting):
    """Returns the type of the computation, any of numpy's: the requested one, or the promoted
    type."""
    found = numpy.dtype(dtype) if dtype is not None else numpy.result_type(*arrays, *(() if out is None else (out,)))
    for number, array in enumerate(arrays):
        if not numpy.can_cast(array, found, casting):
            raise InputError(f"operand {number} of type {array.dtype} cannot become {found} by the rule '{casting}'")
    if out is not None and not numpy.can_cast(found, out.dtype, casting):
        raise InputError(f"the result of type {found} cannot become {out.dtype}, the type of out, by the rule '{casting}'")
    return found.newbyteorder("=")


def is_usable(array, dtype):
    """Whether libtcplan can work on the array itself, or on one that lies as it and is aligned."""
    return array.dtype == dtype and all(stride % dtype.itemsize == 0 for stride in array.strides)


def layout_of(array, dtype):
    if is_usable(array, dtype):
        return Layout(array.shape, tuple(stride // dtype.itemsize for stride in array.strides))
    return dense(array.shape, is_copied=True)


def twin(array):
    """A copy whose strides are the same, aligned."""
    reach = [(extent - 1) * stride for extent, stride in zip(array.shape, array.strides)] if array.size else []
    before = -sum(min(step, 0) for step in reach)
    memory = numpy.empty(before + sum(max(step, 0) for step in reach) + array.itemsize, numpy.uint8)
    copy = numpy.ndarray(array.shape, array.dtype, memory, before, array.strides)
    copy[...] = array
    return copy


def overlap(one, other):
    """Returns whether two arrays may share an element; exact unless that takes long."""
    if not numpy.may_share_memory(one, other):
        return False
    try:
        return numpy.shares_memory(one, other, max_work=10000)
    except numpy.TooHardError:
        return True
