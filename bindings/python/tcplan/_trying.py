"""The first call of a product with the default effort: tries several ways to compute the product,
and keeps the fastest.

The first call takes longer than later ones. It computes the product with the algorithms that have
the shortest estimated times, which libtcplan times, and by numpy's methods. A large product is
computed only once per call; each of its first calls then tries another algorithm.
"""
import functools
import os
import time

import numpy

from ._numpy import MatmulProduct, NumpyProduct

EXECUTIONS, SMALL_EXECUTIONS = 4, 16  # executions that try algorithms; each algorithm is executed twice
SMALL_SECONDS = 5e-3  # below this time of a product, SMALL_EXECUTIONS is used
LARGE_SECONDS = 0.2  # above this time of a product, one call does not compute it several times
MOST_SECONDS = 1.0  # the time limit of trying
ROUNDS = 7
ROUND_SECONDS = 50e-6  # the least time of one way in one round
SLOWER = 2.0  # a way that takes so many times as long as the fastest is not timed further
MOST_OPERANDS = 10  # with more operands, numpy's ways are not tried
POINT_SECONDS = 0.5e-9  # assumed time of an iteration of numpy's loop over all indices; decides only whether the loop is tried


def tries_ways(effort):
    """Returns whether neither the program nor the environment sets an effort."""
    return effort is None and not os.environ.get("TCPLAN_EFFORT")


def _points(expression):
    return float(numpy.prod([float(extent) for extent in expression.extents.values()]))


class Trying:
    """A product that was planned by estimate and has not been executed yet."""

    direct = quick = quick_into = None

    def __init__(self, plan, executions, expression, order, has_numpys):
        """executions: the number of executions in which the plan tries algorithms
        has_numpys: whether to try numpy's methods, with the threads of numpy's BLAS
        """
        self.plan, self.shape, self.dtype = plan, plan.shape, plan.dtype
        self._executions = executions
        self._expression, self._order, self._has_numpys = expression, order, has_numpys

    def compute(self, arrays, out, alpha, beta):
        """Computes the product once and tries nothing; used for other factors, or for a result that
        overlaps an operand."""
        return self.plan.compute(arrays, out, alpha, beta)

    def choose(self, arrays, out):
        """Tries all ways. Returns (the fastest way, its result): later calls, which use this way, give
        the same result. A product that takes longer than LARGE_SECONDS is computed only once, by the
        plan, which then tries algorithms in later calls."""
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
        """Yields numpy's ways; omits its plain loop over all indices if that is expected to take
        longer than `seconds`."""
        at_once = [tuple(range(len(self._expression.terms)))]
        if len(self._expression.terms) > MOST_OPERANDS:
            return
        try:
            yield self._numpy(at_once, True)
            if MatmulProduct.suits(self._expression):
                yield MatmulProduct(self._expression, self.dtype, self._order)
            if _points(self._expression) * POINT_SECONDS < seconds:
                yield self._numpy(at_once, False)
        except ValueError:  # numpy has a limit on letters and dimensions
            return

    def _numpy(self, path, optimize):
        return NumpyProduct(self._expression, self.dtype, path, self._order, converts=False, optimize=optimize)


def _fastest(ways, arrays, out, deadline):
    """Returns the way with the shortest time. Each round times every way; there is at least one round,
    and at most ROUNDS before the deadline."""
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
    """Returns the mean seconds of `calls` calls; None if numpy cannot compute the product, because it
    has too many dimensions or letters, or memory runs out."""
    given = arrays if out is None else [*arrays, out]
    quick = way.quick if out is None else way.quick_into
    is_quick = quick is not None and all(array.flags.aligned for array in given)
    call = functools.partial(quick, *given) if is_quick else functools.partial(way.compute, arrays, out, None, None)
    start = time.perf_counter()
    try:
        for _ in range(calls):
            call()
    except (ValueError, MemoryError):
        if not isinstance(way, NumpyProduct):
            raise
        return None
    return (time.perf_counter() - start) / calls
