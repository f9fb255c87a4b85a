"""Products of several operands: libtcplan searches the order and plans the steps."""
import ctypes
import sys

import numpy

from . import _library
from ._arrays import TYPES, address, dense
from ._errors import InputError
from ._planner import Settings, planner_for
from ._subscripts import LETTERS

ALIGNMENT = 64  # of the workspace in bytes; allocations are larger by this to be aligned


def memory_order(layout):
    """Returns the dimensions of an array from the slowest to the fastest if its elements are
    contiguous and distinct, else None."""
    if 0 in layout.shape:
        return list(range(len(layout.shape)))
    order = sorted(range(len(layout.shape)), key=lambda dimension: (layout.shape[dimension] != 1, -layout.strides[dimension]))
    elements = 1
    for dimension in reversed(order):
        if layout.shape[dimension] != 1 and layout.strides[dimension] != elements:
            return None
        elements *= layout.shape[dimension]
    return order


def in_one_piece(layout):
    """Returns the layout, or the layout of a copy if the array is not contiguous."""
    return layout if memory_order(layout) is not None else dense(layout.shape, is_copied=True)


class Order:
    """The order in which to multiply several tensors, and the layouts of intermediates: a tree of
    libtcplan."""

    def __init__(self, tensors, output, extents, dtype, planner, path=None, conjugated=(), frees_result=False, coarse=False):
        """tensors: the labels of the dimensions of each operand, the slowest dimension first
        output: the labels of the result
        path: the order; None: searches for one
        conjugated: the numbers of the operands to be conjugated
        frees_result: whether the dimensions of the result may have another order, see `output`
        coarse: whether to rate orders by sizes alone, without estimating products
        """
        names = {label: label if label in LETTERS else f"i{number}" for number, label in enumerate(extents)}
        library, made, error = _library.load(), ctypes.c_void_p(), _library.ErrorRecord()
        terms = [f"conj(A{number})" if number - 1 in conjugated else f"A{number}" for number in range(1, len(tensors) + 1)]
        factors = "*".join(f"{name}[{','.join(names[label] for label in labels)}]" for name, labels in zip(terms, tensors))
        self.notation = f"R[{','.join(names[label] for label in output)}]={factors}"
        used = dict.fromkeys(label for labels in tensors for label in labels)
        sizes = ",".join(f"{names[label]}={extents[label]}" for label in used)
        texts = _library.NetworkTexts(_library.encode(self.notation), _library.encode(sizes),
                                      None if path is None else _library.encode(str(path)), _library.ROW_MAJOR, frees_result, coarse)
        status = library.tcplan_network_order_new(ctypes.byref(made), planner.handle, ctypes.byref(texts), TYPES[dtype.char],
                                                  ctypes.byref(error))
        _library.check(status, error)
        self._labels = {name: label for label, name in names.items()}
        self.planner, self.library = planner, library
        self.handle = _library.own(made, "tcplan_network_order_free", self)
        self.tree = library.tcplan_network_order_tree(self.handle)

    @property
    def path(self):
        """The order as a path of opt_einsum and numpy.einsum_path: pairs of positions."""
        text = _library.take_text(self.library.tcplan_tree_path(self.tree))
        numbers = [int(word) for word in text.translate(str.maketrans("[](),", "     ")).split()]
        return list(zip(numbers[0::2], numbers[1::2]))

    @property
    def output(self):
        """The labels of the result, slowest dimension first."""
        result = self.text.rpartition("; ")[2].partition("=")[0]
        if "[" in result:
            return tuple(self._labels[name] for name in result.partition("[")[2].rstrip("]").split(",") if name)
        return tuple(self._labels[name] for name in result.partition("_")[2])

    @property
    def text(self):
        """The steps as text, with the layouts of intermediates."""
        return _library.take_text(self.library.tcplan_tree_text(self.tree))

    @property
    def seconds(self):
        return self.library.tcplan_network_order_seconds(self.handle)

    @property
    def flops(self):
        return self.library.tcplan_network_order_flops(self.handle)

    def emit(self, function):
        text, error = ctypes.c_void_p(), _library.ErrorRecord()
        status = self.library.tcplan_network_emit(ctypes.byref(text), self.tree, self.planner.handle, _library.encode(function), ctypes.byref(error))
        _library.check(status, error)
        return _library.take_text(text.value)


class Network:
    """A planned product of several operands, with the methods of _Pair."""

    def __init__(self, order, dtype):
        library, made, error = order.library, ctypes.c_void_p(), _library.ErrorRecord()
        _library.check(library.tcplan_network_plan_new(ctypes.byref(made), order.tree, order.planner.handle, ctypes.byref(error)), error)
        self.order, self.library, self.dtype = order, library, dtype
        self.handle = _library.own(made, "tcplan_network_plan_free", self)
        steps = [library.tcplan_network_plan_step(self.handle, step) for step in range(library.tcplan_network_plan_step_count(self.handle))]
        self.steps = [step for step in steps if step]  # a step that adds up tensors has no plan
        self._has_sums = len(self.steps) < len(steps)
        self._workspace_bytes = library.tcplan_network_plan_workspace(self.handle)
        self._workspaces = []  # workspaces that no thread uses at the moment

    def _compute(self, operands, result):
        try:
            workspace = self._workspaces.pop()
        except IndexError:
            workspace = numpy.empty(self._workspace_bytes + ALIGNMENT, numpy.uint8)
        error = _library.ErrorRecord()
        pointers = (ctypes.c_void_p * len(operands))(*map(address, operands))
        status = self.library.tcplan_network_execute(self.handle, pointers, address(result), address(workspace), workspace.size, ctypes.byref(error))
        self._workspaces.append(workspace)
        _library.check(status, error)

    def execute_arrays(self, operands, result, alpha, beta):
        """Stores alpha * product + beta * result in `result`; None means alpha = 1 and beta = 0. If
        alpha is 0 no operand is read; if beta is 0 the old result is not read."""
        if alpha == 0:
            result[...] = self.dtype.type(beta) * result if beta else 0
            return
        if alpha is None and not beta:
            self._compute(operands, result)
            return
        product = numpy.empty_like(result)  # has the layout of `result`, except for dimensions of extent 1
        self._compute(operands, product)
        if alpha is not None:
            product *= self.dtype.type(alpha)
        if beta:
            product += self.dtype.type(beta) * result
        result[...] = product

    # Properties.

    @property
    def workspace(self):
        """Bytes for intermediates and the steps' temporaries."""
        return self._workspace_bytes

    @property
    def algorithms(self):
        return tuple(self.library.tcplan_plan_algorithm(step).decode() for step in self.steps)

    @property
    def origins(self):
        """The enum tcplan_plan_origin of each step; a step whose algorithm is named counts as an
        estimate."""
        return [max(self.library.tcplan_plan_origin(step), 1) for step in self.steps]

    @property
    def seconds(self):
        """(expected, lowest, highest) seconds of an execution. The bounds are 0 and infinity if the
        order named the algorithm of some step, which was then estimated, or a step adds up tensors."""
        parts, low, high = [], ctypes.c_double(), ctypes.c_double()
        for step in self.steps:
            parts.append((self.library.tcplan_plan_seconds(step, ctypes.byref(low), ctypes.byref(high)), low.value, high.value))
        if all(part[0] for part in parts) and not self._has_sums:
            return tuple(map(sum, zip(*parts)))
        return self.order.seconds, 0.0, float("inf")

    @property
    def flops(self):
        return self.order.flops

    def describe(self):
        steps = [_library.take_text(self.library.tcplan_plan_describe(step)) for step in self.steps]
        return "\n".join([f"order:       {self.order.text}", f"path:        {self.order.path}", f"workspace:   {self.workspace} bytes", *steps])

    def emit(self, function, main):
        if main:
            raise InputError("a driver is there for products of two operands only")
        return self.order.emit(function)


MOST_PATHS = 512


class Optimizer:
    """Finds the order with the shortest predicted time. opt_einsum accepts it:
    `opt_einsum.contract(..., optimize=tcplan.optimizer)`.

    The last 512 paths are cached by indices and sizes. opt_einsum requires an instance of its
    PathOptimizer. An Optimizer reports that class as its own but does not inherit from it, so that
    opt_einsum need not be installed.

    threads, store: as in einsum()
    dtype: the type of the computation
    coarse: whether to rate products by their sizes alone, as cost() does, instead of estimating the
        products of the best few orders: this takes less than a millisecond for eight operands
    """

    def __init__(self, threads=1, dtype="float64", store=None, coarse=False):
        self.threads, self.dtype, self.store, self.coarse = threads, numpy.dtype(dtype), store, coarse
        self._paths = {}

    @property
    def __class__(self):
        return getattr(sys.modules.get("opt_einsum.paths"), "PathOptimizer", Optimizer)

    def __call__(self, inputs, output, size_dict, memory_limit=None):
        """Returns the path: a list of pairs of positions.

        inputs: the indices of each operand
        output: the indices of the result
        size_dict: the extent of each index
        memory_limit: ignored
        """
        del memory_limit
        tensors = [tuple(sorted(labels)) for labels in inputs]
        output = tuple(sorted(output))
        if len(tensors) < 3:
            return [tuple(range(len(tensors)))]
        used = dict.fromkeys(label for labels in tensors for label in labels)
        key = (tuple(tensors), output, tuple(size_dict[label] for label in used))
        path = self._paths.get(key)
        if path is None:
            path = self._search(tensors, output, {label: size_dict[label] for label in used})
            while len(self._paths) >= MOST_PATHS:
                self._paths.pop(next(iter(self._paths)), None)
            self._paths[key] = path
        return list(path)

    def _search(self, tensors, output, extents):
        planner, attended = planner_for(Settings(threads=self.threads, effort="estimate", plans="", store=self.store))
        with attended:
            return Order(tensors, output, extents, self.dtype, planner, coarse=self.coarse).path
