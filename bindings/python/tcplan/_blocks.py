"""Products of block-sparse tensors: dictionaries of blocks by their section numbers."""
import collections
import collections.abc
import ctypes
import threading

import numpy

from . import _library
from ._arrays import TYPES, address, element_type
from ._errors import InputError
from ._planner import Settings, planner_for


def _labels(expression):
    if not isinstance(expression, str):
        raise InputError(f"expected an expression as 'ik,kj->ij', found {type(expression).__name__}")
    inputs, arrow, output = expression.replace(" ", "").partition("->")
    factors = inputs.split(",")
    if not arrow or len(factors) != 2 or not all(label.isalpha() and label.isascii() for label in inputs.replace(",", "") + output):
        raise InputError(f"expected an expression as 'ik,kj->ij', found {expression!r}")
    return factors + [output]


def _sections(labels, sections):
    """The extents of the sections of each index, as a dictionary of lists."""
    if not isinstance(sections, collections.abc.Mapping):
        raise InputError(f"expected sections as {{'i': [3, 5], ...}}, found {type(sections).__name__}")
    for label in sorted(set("".join(labels))):
        extents = sections.get(label)
        if not isinstance(extents, collections.abc.Iterable) or isinstance(extents, str) or not list(extents):
            raise InputError(f"index '{label}' has no sections; expected sections={{'{label}': [extent, ...], ...}}")
    return {label: [int(extent) for extent in extents] for label, extents in sections.items()}


def _numbers(values, kind):
    values = list(values)
    return (kind * max(len(values), 1))(*values)


def _tensor(labels, sections, coordinates):
    """Returns a struct tcplan_block_tensor. coordinates: None for all blocks that the product
    reaches."""
    count = -2 if coordinates is None else len(coordinates)
    return _library.BlockTensor(len(labels), _numbers(map(ord, labels), ctypes.c_int64),
                                _numbers((len(sections[label]) for label in labels), ctypes.c_int),
                                _numbers((extent for label in labels for extent in sections[label]), ctypes.c_int64), count,
                                _numbers((number for key in coordinates or () for number in key), ctypes.c_int32), None, False)


def _check_dictionary(name, labels, blocks):
    """Rejects anything but a dictionary from tuples of numbers."""
    example = tuple(n % 2 for n in range(len(labels)))
    if not isinstance(blocks, collections.abc.Mapping):
        raise InputError(f"expected {name} as a dictionary of blocks by their section numbers, {{{example}: array, ...}}, found {type(blocks).__name__}")
    for key in blocks:
        if not isinstance(key, tuple):
            raise InputError(f"block {key!r} of {name}: expected a tuple of section numbers such as {example}")


def _check(name, labels, sections, blocks):
    _check_dictionary(name, labels, blocks)
    for key, block in blocks.items():
        if len(key) != len(labels):
            raise InputError(f"block {key} of {name} has {len(key)} section numbers, expected {len(labels)}")
        for label, number in zip(labels, key):
            if not 0 <= number < len(sections[label]):
                raise InputError(f"block {key} of {name} has section {number} of index '{label}', which has {len(sections[label])}, numbered from 0")
        shape = tuple(sections[label][number] for label, number in zip(labels, key))
        if numpy.shape(block) != shape:
            raise InputError(f"block {key} of {name} has shape {numpy.shape(block)}, expected {shape}")


def _dtype_of(A, B, dtype):
    """Returns the given type, or the type to which numpy promotes all blocks."""
    if dtype is not None:
        return dtype
    return numpy.result_type(*A.values(), *B.values()) if A or B else numpy.dtype(float)


class BlockPlan:
    """A planned product of block-sparse tensors: plan(A, B) computes it for blocks of the same
    sections and coordinates."""

    def __init__(self, expression, A, B, sections, out=None, dtype=None, effort=None, threads=1, way=None):
        self.labels = _labels(expression)
        self.sections = _sections(self.labels, sections)
        for name, labels, blocks in zip("AB", self.labels, (A, B)):
            _check(name, labels, self.sections, blocks)
        self.keys = [list(A), list(B)]
        self.dtype = element_type(_dtype_of(A, B, dtype))
        library, error, product, made = _library.load(), _library.ErrorRecord(), ctypes.c_void_p(), ctypes.c_void_p()
        tensors = [_tensor(labels, self.sections, keys)
                   for labels, keys in zip(self.labels, self.keys + [None if out is None else [tuple(key) for key in out]])]
        _library.check(library.tcplan_block_product_make(ctypes.byref(product), *map(ctypes.byref, tensors), TYPES[self.dtype.char],
                                                         _library.ROW_MAJOR, ctypes.byref(error)), error)
        self._product = _library.own(product, "tcplan_block_product_free", self)
        rank = len(self.labels[2])
        self.keys.append([tuple(library.tcplan_block_product_coordinate(self._product, 2, n)[:rank])
                          for n in range(library.tcplan_block_product_blocks(self._product, 2))])
        planner, attended = planner_for(Settings(threads=threads, effort=effort))
        with attended:
            arguments = (ctypes.byref(made), planner.handle, self._product)
            status = (library.tcplan_block_plan_new(*arguments, ctypes.byref(error)) if way is None else
                      library.tcplan_block_plan_named(*arguments, _library.encode(way), ctypes.byref(error)))
        _library.check(status, error)
        self.handle, self.library = _library.own(made, "tcplan_block_plan_free", self), library

    def __call__(self, A, B):
        """Returns the blocks of the result: a dictionary from section numbers to arrays."""
        lists, kept = [], []
        for name, labels, keys, blocks in zip("AB", self.labels, self.keys, (A, B)):
            _check_dictionary(name, labels, blocks)
            if set(keys) != set(blocks):
                raise InputError(f"{name} has other blocks than the plan: expected {len(keys)}, found {len(blocks)}")
            _check(name, labels, self.sections, blocks)
            arrays = [numpy.ascontiguousarray(blocks[key], self.dtype) for key in keys]
            kept.append(arrays)
            lists.append(_numbers(map(address, arrays), ctypes.c_void_p))
        result = {key: numpy.zeros([self.sections[label][n] for label, n in zip(self.labels[2], key)], self.dtype) for key in self.keys[2]}
        lists.append(_numbers(map(address, result.values()), ctypes.c_void_p))
        error = _library.ErrorRecord()
        _library.check(self.library.tcplan_block_plan_execute(self.handle, *lists, ctypes.byref(error)), error)
        return result

    @property
    def way(self):
        """The chosen way to compute the product: blocks, grouped, fused, mixed, dense or packed."""
        return self.library.tcplan_block_plan_way(self.handle).decode()

    @property
    def seconds(self):
        return self.library.tcplan_block_plan_seconds(self.handle)

    @property
    def is_stored(self):
        """Whether an earlier process planned the same blocks, so that nothing was timed."""
        return self.library.tcplan_block_plan_is_stored(self.handle)

    def describe(self):
        return _library.take_text(self.library.tcplan_block_plan_describe(self.handle))

    def emit(self, function="contract", main=False):
        """Returns C for the plan: FUNCTION(A, B, C) takes pointers to blocks, in the order of `keys`,
        FUNCTION_buffers(A, B, C) the blocks of a tensor one after the other."""
        text, error = ctypes.c_void_p(), _library.ErrorRecord()
        options = _library.BlockEmitOptions(_library.encode(function), None, main)
        _library.check(self.library.tcplan_block_plan_emit(ctypes.byref(text), self.handle, ctypes.byref(options), ctypes.byref(error)), error)
        return _library.take_text(text.value)


# Plans of the last calls of block_einsum(), per thread: a plan runs in one thread at a time.
_recent = threading.local()
_MOST_RECENT = 64


def block_einsum(expression, A, B, sections, **options):
    """Multiplies two block-sparse tensors, each a dictionary from section numbers to arrays.

    tcplan.block_einsum("ik,kj->ij", {(0, 1): a}, {(1, 0): b}, sections={"i": [3], "k": [2, 5], "j": [4]})

    sections: the extents of each index's sections; out: the section numbers of the result's blocks,
        default: all that are reached; dtype, effort, threads; way: blocks, grouped, fused,
        mixed or dense
    The plan of the last products with the same sections and coordinates is used again.
    """
    if options.get("out") is not None:
        options["out"] = tuple(tuple(key) for key in options["out"])
    labels = _labels(expression)
    sections = _sections(labels, sections)
    for name, own, blocks in zip("AB", labels, (A, B)):
        _check_dictionary(name, own, blocks)
    dtype = _dtype_of(A, B, options.get("dtype"))
    key = (expression, tuple((label, tuple(extents)) for label, extents in sorted(sections.items())), tuple(A), tuple(B), dtype,
           tuple(sorted((name, value) for name, value in options.items() if name != "dtype")))
    plans = _recent.__dict__.setdefault("plans", collections.OrderedDict())
    plan = plans.pop(key, None) or BlockPlan(expression, A, B, sections, **options)
    plans[key] = plan
    if len(plans) > _MOST_RECENT:
        plans.popitem(last=False)
    return plan(A, B)
