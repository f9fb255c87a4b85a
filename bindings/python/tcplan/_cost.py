"""Predicted seconds of pairwise products, for searches of orders by opt_einsum and cotengra."""
import ctypes
import math

import numpy

from . import _library
from ._arrays import TYPES
from ._errors import InputError
from ._planner import Settings, planner_for

MOST_SHAPES = 1 << 16
NANOSECOND = 1e-9


class Extents(ctypes.Structure):
    """struct tcplan_step_extents"""

    _fields_ = [(name, ctypes.c_double) for name in ("batch", "left", "right", "contracted")]


class Seconds:
    """Predicts the seconds of products. An object is called with four numbers: the products of the
    extents of the batch, left, right and contracted indices. It caches up to 65,536 predictions."""

    def __init__(self, dtype="float64", threads=1, store=None):
        self.dtype, self.threads, self.store = numpy.dtype(dtype), threads, store
        if self.dtype.char not in TYPES:
            raise InputError(f"dtype is {self.dtype}: expected float32, float64, complex64 or complex128")
        self._known, self._planner = {}, None

    def __reduce__(self):  # a pickled object does not include the stored predictions
        return Seconds, (self.dtype.str, self.threads, self.store)

    def __call__(self, *extents):
        seconds = self._known.get(extents)
        if seconds is None:
            seconds = self._predict(extents)
            if len(self._known) >= MOST_SHAPES:
                self._known.clear()
            self._known[extents] = seconds
        return seconds

    def _predict(self, extents):
        if self._planner is None:
            settings = Settings(threads=self.threads, effort="estimate", plans="", store=self.store)
            self._planner, _ = planner_for(settings)
        seconds, error = ctypes.c_double(), _library.ErrorRecord()
        status = _library.load().tcplan_step_seconds(ctypes.byref(seconds), self._planner.handle, ctypes.byref(Extents(*extents)),
                                                     TYPES[self.dtype.char], ctypes.byref(error))
        _library.check(status, error)
        return seconds.value

    def of_product(self, left, right, product, size_dict):
        """Returns the seconds of a product, given the indices of its factors and of its result. An
        index that only one factor has is ignored, as if summed over before."""
        batch = rows = columns = contracted = 1
        for label in left:
            if label not in right:
                rows *= size_dict[label] if label in product else 1
            elif label in product:
                batch *= size_dict[label]
            else:
                contracted *= size_dict[label]
        for label in right:
            if label not in left and label in product:
                columns *= size_dict[label]
        return self(float(batch), float(rows), float(columns), float(contracted))


def cost(size_dict, dtype="float64", threads=1, store=None, memory_limit=None):
    """Returns the cost function of opt_einsum's greedy searches that rates a product by its
    predicted seconds on this machine:

        opt_einsum.RandomGreedy(cost_fn=tcplan.cost(size_dict))

    size_dict: the extent of each index
    dtype, threads, store: as in einsum()
    memory_limit: the largest number of elements of a result; larger ones cost infinity. None: no
        limit

    A prediction takes some microseconds. It adds the time of a kernel at the speed of the stored
    ceilings (`tcplan roofline`; without these, at nominal speeds) and the time to move and pack the
    three tensors. A single greedy search finds better orders with opt_einsum's own "memory-removed",
    because the cheapest product first often leads to an expensive last one. Predicted seconds help if
    many orders are compared.
    """
    seconds = Seconds(dtype, threads, store)

    def predicted(size12, size1, size2, k12, k1, k2):
        if memory_limit is not None and size12 > memory_limit:
            return math.inf
        return seconds.of_product(k1, k2, k12, size_dict)

    return predicted


class objective:  # pylint: disable=invalid-name; it is called like a function
    """An objective for cotengra (an ExactObjective): the predicted seconds on this machine.

        cotengra.HyperOptimizer(minimize=tcplan.objective(),
                                reconf_opts={"optimize": tcplan.Optimizer(coarse=True)})

    dtype, threads, store: as in einsum()
    memory_limit: the largest number of elements of an intermediate; trees with a larger one score
        infinity. None: no limit

    A tree's score is the binary logarithm of the predicted nanoseconds of all its products. The
    coarse optimizer reorders parts of trees by the same seconds, about twice as fast as cotengra
    without cotengrust.

    Three methods of cotengra cannot use seconds, because they do not have the indices of a product:
    dynamic programming, which takes the name of a built-in objective; simulated annealing, which has
    the numbers of multiplications and elements; and slicing, which has sums of these. They minimise
    multiplications plus `factor` times the elements of results.
    """

    __slots__ = ("seconds", "memory_limit", "_factor")

    def __init__(self, dtype="float64", threads=1, store=None, memory_limit=None):
        self.seconds, self.memory_limit, self._factor = Seconds(dtype, threads, store), memory_limit, None

    def __reduce__(self):
        return objective, (self.seconds.dtype.str, self.seconds.threads, self.seconds.store, self.memory_limit)

    def __repr__(self):
        return (f"objective(dtype={self.seconds.dtype.name!r}, threads={self.seconds.threads}, store={self.seconds.store!r}, "
                f"memory_limit={self.memory_limit})")

    def __hash__(self):
        return hash(repr(self))

    def __eq__(self, other):
        return isinstance(other, objective) and repr(self) == repr(other)

    @property
    def factor(self):
        """The time to move an element, divided by the time of a multiplication in a large matrix
        product."""
        if self._factor is None:
            large, all_moved = 2048.0, 1 << 24
            multiplication = self.seconds(1.0, large, large, large) / large**3
            moved = self.seconds(1.0, float(all_moved), 1.0, 1.0) / (2 * all_moved)  # an axpy moves each element in and out
            self._factor = max(1, round(moved / multiplication))
        return self._factor

    def __call__(self, trial):
        tree = trial["tree"]
        if self.memory_limit is not None and tree.max_size() > self.memory_limit:
            return math.inf
        total = sum(self._seconds(tree, node) for node, _, _ in tree.traverse())
        return math.log2(max(1, total * tree.nslices / NANOSECOND))  # cotengra takes roots of scores

    def _seconds(self, tree, node):
        left, right = tree.children[node]
        return self.seconds.of_product(tree.get_legs(left), tree.get_legs(right), tree.get_legs(node), tree.size_dict)

    def cost_local_tree_node(self, tree, node):
        return tree.get_flops(node) + self.factor * tree.get_size(node)

    def score_local(self, flops, size, **_):
        many = hasattr(flops, "__iter__")
        return math.log2((sum(flops) if many else flops) + self.factor * (sum(size) if many else size))

    def score_slice_index(self, costs, ix):
        return math.log(costs._flop_reductions[ix] + self.factor * costs._write_reductions[ix] + 1)

    def get_dynamic_programming_minimize(self):
        return f"combo-{self.factor}"
