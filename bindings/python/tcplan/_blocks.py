"""Products of block-sparse tensors. A tensor is a dictionary from tuples of section numbers, one for
each index, counted from 0, to arrays."""
import collections
import collections.abc
import ctypes
import string
import threading

import numpy

from . import _library
from ._arrays import TYPES, address, element_type
from ._errors import InputError
from ._planner import Settings, planner_for


_NAMES = string.ascii_uppercase  # of the tensors, in messages
_MOST_FACTORS = 8


def _labels(expression, most=2):
    """Returns the labels of each factor, then those of the result, as strings. Raises InputError if
    the expression is malformed or has more than `most` factors."""
    if not isinstance(expression, str):
        raise InputError(f"expected an expression as 'ik,kj->ij', found {type(expression).__name__}")
    inputs, arrow, output = expression.replace(" ", "").partition("->")
    factors = inputs.split(",")
    if not arrow or not 2 <= len(factors) <= most or not all(label.isalpha() and label.isascii() for label in inputs.replace(",", "") + output):
        raise InputError(f"expected an expression as 'ik,kj->ij', found {expression!r}")
    return factors + [output]


def _sections(labels, sections):
    """Returns the extents of the sections of each index, as a dictionary of lists. Raises InputError
    if an index of the labels has none."""
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


def _dtype_of(tensors, dtype):
    """Returns the given type, or the type to which numpy promotes all blocks."""
    if dtype is not None:
        return dtype
    blocks = [block for tensor in tensors for block in tensor.values()]
    return numpy.result_type(*blocks) if blocks else numpy.dtype(float)


class _Planned:
    """Base class of plans of two tensors and of several. `labels` and `keys` have an entry for each
    factor and one for the result: the indices of a tensor, and the section numbers of its blocks."""

    labels = keys = sections = dtype = None

    def _begin(self, labels, tensors, sections, dtype):
        self.labels, self.sections = labels, _sections(labels, sections)
        for name, own, blocks in zip(_NAMES, labels, tensors):
            _check(name, own, self.sections, blocks)
        self.keys = [list(blocks) for blocks in tensors]
        self.dtype = element_type(_dtype_of(tensors, dtype))

    def _tensors(self, out):
        """Returns a struct tcplan_block_tensor for each factor and for the result."""
        keys = self.keys + [None if out is None else [tuple(key) for key in out]]
        return [_tensor(labels, self.sections, own) for labels, own in zip(self.labels, keys)]

    def _note_result(self, library, product):
        """Appends the section numbers of the blocks of a product's result to `keys`."""
        rank = len(self.labels[-1])
        self.keys.append([tuple(library.tcplan_block_product_coordinate(product, 2, n)[:rank])
                          for n in range(library.tcplan_block_product_blocks(product, 2))])

    def _execute(self, lists, result, error):
        raise NotImplementedError

    def __call__(self, *tensors):
        """Computes the product of tensors with the planned blocks, in any of their types. Returns the
        blocks of the result: a dictionary from section numbers to new arrays."""
        if len(tensors) != len(self.labels) - 1:
            raise InputError(f"expected {len(self.labels) - 1} tensors, found {len(tensors)}")
        lists, kept = [], []
        for name, labels, keys, blocks in zip(_NAMES, self.labels, self.keys, tensors):
            _check_dictionary(name, labels, blocks)
            if set(keys) != set(blocks):
                raise InputError(f"{name} has other blocks than the plan: expected {len(keys)}, found {len(blocks)}")
            _check(name, labels, self.sections, blocks)
            arrays = [numpy.ascontiguousarray(blocks[key], self.dtype) for key in keys]
            kept.append(arrays)
            lists.append(_numbers(map(address, arrays), ctypes.c_void_p))
        result = {key: numpy.zeros([self.sections[label][n] for label, n in zip(self.labels[-1], key)], self.dtype) for key in self.keys[-1]}
        error = _library.ErrorRecord()
        _library.check(self._execute(lists, _numbers(map(address, result.values()), ctypes.c_void_p), ctypes.byref(error)), error)
        return result


class BlockPlan(_Planned):
    """A planned product of two block-sparse tensors: plan(A, B) computes it for tensors whose blocks
    have the same section numbers and shapes. The arguments are those of block_einsum()."""

    def __init__(self, expression, A, B, sections, out=None, dtype=None, effort=None, threads=1, way=None):
        self._begin(_labels(expression), (A, B), sections, dtype)
        library, error, product, made = _library.load(), _library.ErrorRecord(), ctypes.c_void_p(), ctypes.c_void_p()
        _library.check(library.tcplan_block_product_make(ctypes.byref(product), *map(ctypes.byref, self._tensors(out)), TYPES[self.dtype.char],
                                                         _library.ROW_MAJOR, ctypes.byref(error)), error)
        self._product = _library.own(product, "tcplan_block_product_free", self)
        self._note_result(library, self._product)
        planner, attended = planner_for(Settings(threads=threads, effort=effort))
        with attended:
            arguments = (ctypes.byref(made), planner.handle, self._product)
            status = (library.tcplan_block_plan_new(*arguments, ctypes.byref(error)) if way is None else
                      library.tcplan_block_plan_named(*arguments, _library.encode(way), ctypes.byref(error)))
        _library.check(status, error)
        self.handle, self.library = _library.own(made, "tcplan_block_plan_free", self), library

    def _execute(self, lists, result, error):
        return self.library.tcplan_block_plan_execute(self.handle, *lists, result, error)

    @property
    def way(self):
        """The chosen way to compute the product: blocks, grouped, fused, mixed, dense or packed."""
        return self.library.tcplan_block_plan_way(self.handle).decode()

    @property
    def seconds(self):
        """Expected seconds of an execution."""
        return self.library.tcplan_block_plan_seconds(self.handle)

    @property
    def is_stored(self):
        """Whether a stored plan of the same blocks was used, so that nothing was timed."""
        return self.library.tcplan_block_plan_is_stored(self.handle)

    def describe(self):
        """Returns a few lines of text about the plan."""
        return _library.take_text(self.library.tcplan_block_plan_describe(self.handle))

    def emit(self, function="contract", main=False):
        """Returns C11 for the plan with two functions: FUNCTION(A, B, C) takes arrays of pointers to
        blocks, in the order of `keys`; FUNCTION_buffers(A, B, C) takes arrays in which the blocks of
        a tensor follow each other. Plans with several threads raise InputError.

        main: adds a driver that compares the result with the sums that define it
        """
        text, error = ctypes.c_void_p(), _library.ErrorRecord()
        options = _library.BlockEmitOptions(_library.encode(function), None, main)
        _library.check(self.library.tcplan_block_plan_emit(ctypes.byref(text), self.handle, ctypes.byref(options), ctypes.byref(error)), error)
        return _library.take_text(text.value)


class BlockExpression(_Planned):
    """A planned product of two to eight block-sparse tensors, which are multiplied in pairs, in the
    order with the shortest predicted time: plan(A, B, C). The arguments are those of
    block_einsum()."""

    def __init__(self, expression, *tensors, sections, out=None, dtype=None, effort=None, threads=1):
        labels = _labels(expression, _MOST_FACTORS)
        if len(labels) - 1 != len(tensors):
            raise InputError(f"'{expression}' has {len(labels) - 1} tensors, found {len(tensors)}")
        self._begin(labels, tensors, sections, dtype)
        library, error, made = _library.load(), _library.ErrorRecord(), ctypes.c_void_p()
        *factors, result = self._tensors(out)
        planner, attended = planner_for(Settings(threads=threads, effort=effort))
        with attended:
            status = library.tcplan_block_expression_new(ctypes.byref(made), planner.handle, (_library.BlockTensor * len(factors))(*factors), len(factors),
                                                         ctypes.byref(result), TYPES[self.dtype.char], _library.ROW_MAJOR, ctypes.byref(error))
        _library.check(status, error)
        self.handle, self.library = _library.own(made, "tcplan_block_expression_free", self), library
        step = _library.BlockStep()
        library.tcplan_block_expression_step(self.handle, len(factors) - 2, ctypes.byref(step))
        self._note_result(library, step.product)

    def _execute(self, lists, result, error):
        pointers = (ctypes.c_void_p * len(lists))(*map(ctypes.addressof, lists))
        return self.library.tcplan_block_expression_execute(self.handle, pointers, result, error)

    @property
    def path(self):
        """The pairs of tensors that are multiplied, in order of execution. Tensors are numbered from 0;
        the result of each pair has the next number."""
        step, path = _library.BlockStep(), []
        while self.library.tcplan_block_expression_step(self.handle, len(path), ctypes.byref(step)):
            path.append(tuple(step.factor))
        return path

    @property
    def seconds(self):
        """Expected seconds of an execution."""
        return self.library.tcplan_block_expression_seconds(self.handle)

    def describe(self):
        """Returns a line of text for each product of two tensors."""
        return _library.take_text(self.library.tcplan_block_expression_describe(self.handle))


class BlockSum(_Planned):
    """A planned sum of products of block-sparse tensors, each with a factor:

        plan = tcplan.BlockSum([("ai,ib->ab", A, B), ("aj,jb->ab", D, E)], sections, factors=(1, -0.5))
        C = plan(A, B, D, E)

    terms: tuples of an expression and its tensors, two to eight; all expressions have the same result
    factors: a number for each term; None: 1

    The other arguments are those of block_einsum().
    """

    def __init__(self, terms, sections, factors=None, out=None, dtype=None, effort=None, threads=1):
        terms = [tuple(term) for term in terms]
        if not terms or not all(terms):
            raise InputError("expected terms as [('ik,kj->ij', A, B), ...]")
        labels = [_labels(expression, _MOST_FACTORS) for expression, *_ in terms]
        tensors = [tensor for term in terms for tensor in term[1:]]
        factors = [1] * len(terms) if factors is None else [complex(factor) for factor in factors]
        for own, term in zip(labels, terms):
            if len(own) != len(term):
                raise InputError(f"'{term[0]}' has {len(own) - 1} tensors, found {len(term) - 1}")
            if own[-1] != labels[0][-1]:
                raise InputError(f"expected terms with the result '{labels[0][-1]}', found '{own[-1]}'")
        if len(factors) != len(terms):
            raise InputError(f"expected {len(terms)} factors, found {len(factors)}")
        if len(tensors) > len(_NAMES):
            raise InputError(f"expected at most {len(_NAMES)} tensors, found {len(tensors)}")
        self._begin([label for own in labels for label in own[:-1]] + [labels[0][-1]], tensors, sections, dtype)
        if self.dtype.kind != "c" and any(complex(factor).imag for factor in factors):
            raise InputError(f"a factor is complex, but the type is {self.dtype}")
        self._make(terms, factors, out, Settings(threads=threads, effort=effort))

    def _make(self, terms, factors, out, settings):
        library, error, made, step = _library.load(), _library.ErrorRecord(), ctypes.c_void_p(), _library.BlockStep()
        *given, result = self._tensors(out)
        listed = []
        for term, factor in zip(terms, factors):
            own, given = given[:len(term) - 1], given[len(term) - 1:]
            listed.append(_library.BlockTerm((_library.BlockTensor * len(own))(*own), len(own), _library.Scalar(complex(factor).real, complex(factor).imag)))
        planner, attended = planner_for(settings)
        with attended:
            status = library.tcplan_block_sum_new(ctypes.byref(made), planner.handle, (_library.BlockTerm * len(listed))(*listed), len(listed), ctypes.byref(result),
                                                  _library.Scalar(0, 0), TYPES[self.dtype.char], _library.ROW_MAJOR, ctypes.byref(error))
        _library.check(status, error)
        self.handle, self.library = _library.own(made, "tcplan_block_sum_free", self), library
        library.tcplan_block_expression_step(library.tcplan_block_sum_term(self.handle, 0), len(terms[0]) - 3, ctypes.byref(step))
        self._note_result(library, step.product)

    def _execute(self, lists, result, error):
        pointers = (ctypes.c_void_p * len(lists))(*map(ctypes.addressof, lists))
        return self.library.tcplan_block_sum_execute(self.handle, pointers, result, error)

    @property
    def seconds(self):
        """Expected seconds of an execution."""
        return self.library.tcplan_block_sum_seconds(self.handle)

    def describe(self):
        """Returns the lines of BlockExpression.describe() for each term."""
        return _library.take_text(self.library.tcplan_block_sum_describe(self.handle))


# Plans of the last calls of block_einsum(), per thread: a plan runs in one thread at a time.
_recent = threading.local()
_MOST_RECENT = 64


def block_einsum(expression, *tensors, sections=None, **options):
    """Multiplies two to eight block-sparse tensors, each a dictionary from section numbers to arrays.
    Returns the result as such a dictionary.

        tcplan.block_einsum("ik,kj->ij", {(0, 1): a}, {(1, 0): b},
                            sections={"i": [3], "k": [2, 5], "j": [4]})

    sections: the extents of each index's sections; may also be the last positional argument
    out: the section numbers of the result's blocks; None: all blocks to which a pair of blocks
        contributes
    dtype: the type of the computation and the result; None: the type to which numpy promotes all
        blocks
    effort: of planning, as in plan()
    threads: number of threads
    way: for two tensors only: how to compute the product, "blocks", "grouped", "fused", "mixed",
        "dense" or "packed"; None: the fastest way

    Three and more tensors are multiplied in pairs, in the order with the shortest predicted time. Each
    thread keeps the plans of its last 64 products; a call with the same expression, sections, section
    numbers and options reuses its plan.
    """
    if options.get("out") is not None:
        options["out"] = tuple(tuple(key) for key in options["out"])
    if sections is None:
        *tensors, sections = tensors or (None,)
    labels = _labels(expression, _MOST_FACTORS)
    if len(labels) - 1 != len(tensors):
        raise InputError(f"'{expression}' has {len(labels) - 1} tensors, found {len(tensors)}")
    sections = _sections(labels, sections)
    for name, own, blocks in zip(_NAMES, labels, tensors):
        _check_dictionary(name, own, blocks)
    dtype = _dtype_of(tensors, options.get("dtype"))
    key = (expression, tuple((label, tuple(extents)) for label, extents in sorted(sections.items())), tuple(map(tuple, tensors)), dtype,
           tuple(sorted((name, value) for name, value in options.items() if name != "dtype")))
    plans = _recent.__dict__.setdefault("plans", collections.OrderedDict())
    plan = plans.pop(key, None)
    if plan is None:
        plan = BlockPlan(expression, *tensors, sections, **options) if len(tensors) == 2 else BlockExpression(expression, *tensors, sections=sections, **options)
    plans[key] = plan
    if len(plans) > _MOST_RECENT:
        plans.popitem(last=False)
    return plan(*tensors)
