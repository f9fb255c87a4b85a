"""Describes numpy arrays as libtcplan needs them: an address, extents, strides in elements, and one
of four types."""
import ctypes
import sys

import numpy

from ._errors import InputError

# enum tcplan_dtype, by numpy's letters
TYPES = {"f": 0, "d": 1, "F": 2, "D": 3}


class Layout:
    """The layout of an array that a product reads or writes. is_copied: the layout is that of a
    contiguous copy, which is made for each execution."""

    __slots__ = ("shape", "strides", "is_copied")

    def __init__(self, shape, strides, is_copied=False):
        """strides: in elements."""
        self.shape, self.strides, self.is_copied = shape, strides, is_copied

    def without(self, dropped):
        """Returns the layout of the part in which the given dimensions have index 0. The part lacks
        these dimensions."""
        if not dropped:
            return self
        left = [d for d in range(len(self.shape)) if d not in dropped]
        return Layout(tuple(self.shape[d] for d in left), tuple(self.strides[d] for d in left), self.is_copied)


def dense(shape, order="C", is_copied=False):
    """Returns the layout of an array whose last dimension is contiguous, or whose first dimension
    is with order "F"."""
    strides, elements = [], 1
    for extent in shape if order == "F" else reversed(shape):
        strides.append(elements)
        elements *= max(extent, 1)
    return Layout(tuple(shape), tuple(strides if order == "F" else reversed(strides)), is_copied)


def address(array):
    """Returns the address of the element whose indices are all 0."""
    return array.__array_interface__["data"][0]


def _finds_place():
    """Returns whether the address of an array's data directly follows the object header of CPython,
    as in PyArrayObject_fields of numpy's C interface."""
    array = numpy.zeros(3)[1:]
    return sys.implementation.name == "cpython" and _member(array) == address(array)


def _member(array):
    return _pointer_at(id(array) + _HEAD).value


_HEAD, _pointer_at = object.__basicsize__, ctypes.c_void_p.from_address
place = _member if _finds_place() else address  # ten times as fast as address(), with the same result; only for arrays whose class is numpy.ndarray


def as_array(operand, number):
    """Returns an operand as an array of numbers or objects. number: the operand's number, for the
    message of the InputError that any other type raises."""
    array = numpy.asarray(operand)
    if array.dtype.kind not in "biufcO":
        raise InputError(f"operand {number} has elements of type {array.dtype}, expected numbers")
    return array


def element_type(dtype):
    """Returns a type as one of the four types of libtcplan, in the machine's byte order; raises
    InputError for any other type."""
    found = numpy.dtype(dtype)
    if found.char not in TYPES:
        raise InputError(f"expected float32, float64, complex64 or complex128, found {found}; einsum() also takes other types")
    return found.newbyteorder("=")


def computed_type(arrays, out, dtype, casting):
    """Returns the type of the computation, any of numpy's: `dtype` or, if that is None, the type to
    which numpy promotes the arrays and `out`. Raises InputError if `casting` forbids a conversion
    to or from that type."""
    found = numpy.dtype(dtype) if dtype is not None else numpy.result_type(*arrays, *(() if out is None else (out,)))
    for number, array in enumerate(arrays):
        if not numpy.can_cast(array, found, casting):
            raise InputError(f"operand {number} of type {array.dtype} cannot become {found} by the rule '{casting}'")
    if out is not None and not numpy.can_cast(found, out.dtype, casting):
        raise InputError(f"the result of type {found} cannot become {out.dtype}, the type of out, by the rule '{casting}'")
    return found.newbyteorder("=")


def is_usable(array, dtype):
    """Returns whether libtcplan can use the array in place, or an aligned copy with the same
    strides."""
    return array.dtype == dtype and all(stride % dtype.itemsize == 0 for stride in array.strides)


def layout_of(array, dtype):
    """Returns the layout in which libtcplan reads or writes an array as `dtype`: the array's own, or
    that of a contiguous copy."""
    if is_usable(array, dtype):
        return Layout(array.shape, tuple(stride // dtype.itemsize for stride in array.strides))
    return dense(array.shape, is_copied=True)


def twin(array):
    """Returns an aligned copy that has the same strides."""
    reach = [(extent - 1) * stride for extent, stride in zip(array.shape, array.strides)] if array.size else []
    before = -sum(min(step, 0) for step in reach)
    memory = numpy.empty(before + sum(max(step, 0) for step in reach) + array.itemsize, numpy.uint8)
    copy = numpy.ndarray(array.shape, array.dtype, memory, before, array.strides)
    copy[...] = array
    return copy


def overlap(one, other):
    """Returns whether two arrays may share an element. The answer is exact unless that takes too
    long; then it is True."""
    if not numpy.may_share_memory(one, other):
        return False
    try:
        return numpy.shares_memory(one, other, max_work=10000)
    except numpy.TooHardError:
        return True
