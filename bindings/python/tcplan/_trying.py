"""The first call of a product at default effort: tries several ways to compute it, and keeps the
fastest.

The first execution costs more than the others. It computes the product by each of the algorithms
with the shortest estimated times, which libtcplan times, and by numpy's ways. A large product is
computed once per call; each of its first executions then tries another algorithm.
"""
import functools
import os
import time

import numpy

from ._numpy import MatmulProduct, NumpyProduct

EXECUTIONS, SMALL_EXECUTIONS = 4, 16  # that try algorithms, two executions for each
SMALL_SECONDS = 5e-3  # of a product that is worth the larger number
LARGE_SECONDS = 0.2  # of a product that one call does not compute several times
MOST_SECONDS = 1.0  # of trying
ROUNDS = 7
ROUND_SECONDS = 50e-6  # at least, of one way in one round
SLOWER = 2.0  # a way that takes so many times as long once is tried no more
MOST_OPERANDS = 10  # of a product whose order numpy is asked for
POINT_SECONDS = 0.5e-9  # of numpy's loop over all indices, per iteration; only decides whether it is tried


def tries_ways(effort):
    """Whether neither the program nor the environment names an effort."""
    return effort is None and not os.environ.get("TCPLAN_EFFORT")


def _points(expression):
    return float(numpy.prod([float(extent) for extent in expression.extents.values()]))


class Trying:
    """A product that was planned by estimate and whose first execution is still to come."""

    direct = quick = None

    def __init__(self, plan, executions, expression, order, has_numpys):
        """executions: in how many the plan tries algorithms
        has_numpys: whether to try numpy's ways, with the threads of its BLAS
        """
        self.plan, self.shape, self.dtype = plan, plan.shape, plan.dtype
        self._executions = executions
        self._expression, self._order, self._has_numpys = expression, order, has_numpys

    def compute(self, arrays, out, alpha, beta):
        """Computes once and tries nothing: for other factors, or a result that overlaps an
        operand."""
        return self.plan.compute(arrays, out, alpha, beta)

    def choose(self, arrays, out):
        """Returns (the fastest way, its result), so that later calls give the same result."""
        start = time.perf_counter()
        result = self.plan.compute(arrays, out, None, None)
        spent = time.perf_counter() - start
        if spent > LARGE_SECONDS:
            return self.plan, result
        for _ in range(self._executions):
            if time.perf_counter() - start > MOST_SECONDS:
                break
            began = time.perf_counter()
            self.plan.compute(arrays, out, None, None)
            spent = min(spent, time.perf_counter() - began)
        ways = [self.plan, *(self._numpys(SLOWER * spent) if self._has_numpys else ())]
        best = _fastest(ways, arrays, out, start + MOST_SECONDS)
        return best, best.compute(arrays, out, None, None)

    def _numpys(self, seconds):
        """Yields numpy's ways, without its plain loop if that would take longer than the
        seconds."""
        at_once = [tuple(range(len(self._expression.terms)))]
        if len(self._expression.terms) > MOST_OPERANDS:
            return
        try:
            yield self._numpy(at_once, True)
            if MatmulProduct.suits(self._expression):
                yield MatmulProduct(self._expression, self.dtype, self._order)
            if _points(self._expression) * POINT_SECONDS < seconds:
                yield self._numpy(at_once, False)
        except ValueError:  # more letters or dimensions than numpy has
            return

    def _numpy(self, path, optimize):
        return NumpyProduct(self._expression, self.dtype, path, self._order, converts=False, optimize=optimize)


def _fastest(ways, arrays, out, deadline):
    """Returns the way that takes the least time. Each has a turn in each round; there is one round,
    and more of them until the deadline."""
    least, calls = dict.fromkeys(ways, float("inf")), 1
    for _ in range(ROUNDS):
        for way in list(least):
            seconds = _time(way, arrays, out, calls)
            if seconds is None:
                del least[way]
            else:
                least[way] = min(least[way], seconds)
        best = min(least.values())
        least = {way: seconds for way, seconds in least.items() if seconds <= SLOWER * best}
        if len(least) == 1 or time.perf_counter() > deadline:
            break
        calls = max(int(ROUND_SECONDS / max(best, 1e-9)), 1)
    return min(least, key=least.get)


def _time(way, arrays, out, calls):
    """Returns the seconds of a call, or None if numpy cannot compute the product: it has fewer
    dimensions and letters, and needs more memory."""
    is_quick = out is None and way.quick is not None and all(array.flags.aligned for array in arrays)
    call = functools.partial(way.quick, *arrays) if is_quick else functools.partial(way.compute, arrays, out, None, None)
    start = time.perf_counter()
    try:
        for _ in range(calls):
            call()
    except (ValueError, MemoryError):
        if not isinstance(way, NumpyProduct):
            raise
        return None
    return (time.perf_counter() - start) / calls
