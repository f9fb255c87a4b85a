"""Products: two tensors to multiply, with extents, strides and a type."""
import ctypes

from . import _library
from ._arrays import TYPES, Layout
from ._errors import InputError


def _numbers(values):
    return (ctypes.c_int64 * max(len(values), 1))(*values)


def _dimensions(labels, layout, conjugated):
    return _library.Dimensions(len(labels), _numbers([ord(label) for label in labels]), _numbers(layout.shape), _numbers(layout.strides), conjugated)


class Product:
    """A product of libtcplan, D := alpha * A * B + beta * C."""

    def __init__(self, handle, dtype):
        self.dtype = dtype
        self.handle = _library.own(handle, "tcplan_product_free", self)

    @classmethod
    def of_arrays(cls, labels, layouts, dtype, conjugated=(False, False)):
        """Makes a product from the labels and the layouts of two operands and of the result."""
        library, made, error = _library.load(), ctypes.c_void_p(), _library.ErrorRecord()
        tensors = [_dimensions(*tensor) for tensor in zip(labels, layouts, (*conjugated, False))]
        status = library.tcplan_product_make(ctypes.byref(made), ctypes.byref(tensors[0]), ctypes.byref(tensors[1]), None, ctypes.byref(tensors[2]),
                                             TYPES[dtype.char], _library.ROW_MAJOR, ctypes.byref(error))
        _library.check(status, error)
        return cls(made, dtype)

    @classmethod
    def of_text(cls, notation, sizes, dtype, order):
        """Makes a product of dense tensors from libtcplan's notation and the extents of indices:
        {"a": 400, "i": 8} or "a=400,i=8"."""
        library, made, error = _library.load(), ctypes.c_void_p(), _library.ErrorRecord()
        sizes = sizes_text(sizes)
        status = library.tcplan_product_parse(ctypes.byref(made), _library.encode(notation), _library.encode(sizes), None, TYPES[dtype.char],
                                              _library.COLUMN_MAJOR if order == "F" else _library.ROW_MAJOR, ctypes.byref(error))
        _library.check(status, error, sizes if error.message.startswith(b"sizes:") else notation)
        return cls(made, dtype)

    def layout(self, operand):
        """Returns the layout of an operand, or None if the product has no such operand."""
        library = _library.load()
        rank = library.tcplan_product_rank(self.handle, operand)
        if rank < 0:
            return None
        extent, stride = _numbers([0] * rank), _numbers([0] * rank)
        _library.check(library.tcplan_product_shape(self.handle, operand, extent, stride))
        return Layout(tuple(extent[:rank]), tuple(stride[:rank]))

    @property
    def text(self):
        """The canonical notation of the product."""
        return _library.take_text(_library.load().tcplan_product_text(self.handle))

    @property
    def flops(self):
        return _library.load().tcplan_product_flops(self.handle)


def sizes_text(sizes):
    """Returns extents as text, "a=400,i=8". sizes: a dictionary from names of indices to extents, or
    such a text, which is returned unchanged."""
    if isinstance(sizes, str):
        return sizes
    for name, extent in sizes.items():
        if not isinstance(name, str) or not hasattr(extent, "__index__"):
            raise InputError(f"expected extents by the names of indices, found {name!r}: {extent!r}")
    return ",".join(f"{name}={extent.__index__()}" for name, extent in sizes.items())
