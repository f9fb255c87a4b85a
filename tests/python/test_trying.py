"""Tests, on a scripted clock, that the first call of einsum() at default effort tries several ways, and that later calls take the fastest."""
import inspect
import os
import unittest
from unittest import mock

import numpy
import tcplan
from tcplan import _arrays, _einsum, _numpy, _plan, _subscripts, _trying

RNG = numpy.random.default_rng(5)
A, B = RNG.standard_normal((6, 4)), RNG.standard_normal((4, 5))


class Clock:
    """A clock that advances by the times of the ways."""

    def __init__(self):
        self.now = 0.0

    def perf_counter(self):
        return self.now


class Way:
    """A way that takes the given seconds; the last value repeats. NaN raises an error."""

    quick = None

    def __init__(self, clock, *seconds):
        self.clock, self.seconds, self.calls = clock, list(seconds), 0

    def compute(self, arrays, out, alpha, beta):
        self.calls += 1
        seconds = self.seconds.pop(0) if len(self.seconds) > 1 else self.seconds[0]
        if seconds != seconds:
            raise ValueError("too many dimensions")
        self.clock.now += seconds
        return self


class NumpyWay(Way, _numpy.NumpyProduct):
    pass


class Planned(Way):
    shape, dtype = (), numpy.dtype("d")


class Choosing(unittest.TestCase):
    def setUp(self):
        self.clock = Clock()
        patched = mock.patch.object(_trying, "time", self.clock)
        patched.start()
        self.addCleanup(patched.stop)

    def fastest(self, *ways, deadline=1e9):
        return _trying._fastest(list(ways), [A], None, deadline)

    def test_the_way_that_took_least_is_chosen(self):
        ways = [Way(self.clock, 0.03, 0.02), Way(self.clock, 0.05, 0.01), Way(self.clock, 0.04)]
        self.assertIs(self.fastest(*ways), ways[1])

    def test_a_way_that_takes_twice_as_long_is_tried_no_more(self):
        slow, fast, other = Way(self.clock, 5.0), Way(self.clock, 1.0), Way(self.clock, 1.1)
        self.assertIs(self.fastest(slow, fast, other), fast)
        self.assertEqual((slow.calls, fast.calls), (1, _trying.ROUNDS))

    def test_each_is_tried_once_however_late_it_is(self):
        first, second = Way(self.clock, 2.0), Way(self.clock, 1.5)
        self.assertIs(self.fastest(first, second, deadline=0.1), second)
        self.assertEqual((first.calls, second.calls), (1, 1))

    def test_what_numpy_cannot_compute_is_left_out(self):
        own, numpys = Way(self.clock, 2.0), NumpyWay.__new__(NumpyWay)
        Way.__init__(numpys, self.clock, float("nan"))
        self.assertIs(self.fastest(numpys, own), own)
        with self.assertRaises(ValueError):
            self.fastest(Way(self.clock, float("nan")), own)

    def test_a_large_product_is_computed_once(self):
        plan = Planned(self.clock, 3.0)
        chosen, result = _trying.Trying(plan, 4, None, "K", True).choose([A], None)
        self.assertIs(chosen, plan)
        self.assertIs(result, plan)
        self.assertEqual(plan.calls, 1)

    def test_trying_ends_where_it_takes_too_long(self):
        plan = Planned(self.clock, 0.1, 2.0)
        _trying.Trying(plan, 16, None, "K", False).choose([A], None)
        self.assertEqual(plan.calls, 4)  # the first call, one that tries, one of the comparison, one for the result


class Calls(unittest.TestCase):
    def setUp(self):
        tcplan.clear()

    def only_way(self):
        (way,) = _einsum._plans.values()
        return way

    def test_later_calls_take_the_way_that_the_first_has_found(self):
        for subscripts, *arrays in (("ij,jk->ik", A, B), ("ij,jk->", A, B), ("ij,jk,kl->il", A, B, RNG.standard_normal((5, 3)))):
            tcplan.clear()
            first = tcplan.einsum(subscripts, *arrays)
            way = self.only_way()
            self.assertIsInstance(way, (_plan.Plan, _numpy.NumpyProduct))
            for _ in range(3):
                again = tcplan.einsum(subscripts, *arrays)
                self.assertEqual((type(again), again.dtype, again.shape), (type(first), first.dtype, first.shape))
                numpy.testing.assert_allclose(again, first, rtol=0, atol=1e-12)
                self.assertIs(self.only_way(), way)

    def test_effort_that_is_given_tries_nothing(self):
        with mock.patch.object(_trying.Trying, "choose", side_effect=AssertionError):
            tcplan.einsum("ij,jk->ik", A, B, effort="estimate")
            with mock.patch.dict(os.environ, TCPLAN_EFFORT="estimate"):
                tcplan.einsum("ij,jk->ik", A, B)
        self.assertTrue(all(isinstance(way, _plan.Plan) for way in _einsum._plans.values()))

    def test_threads_that_are_given_are_not_left_to_numpy(self):
        with mock.patch.object(_trying.Trying, "_numpys", side_effect=AssertionError):
            numpy.testing.assert_allclose(tcplan.einsum("ij,jk->ik", A, B, threads=1), A @ B, atol=1e-12)

    def test_a_result_that_overlaps_is_computed_once(self):
        a = RNG.standard_normal((5, 5))
        expected = a @ a
        found = a.copy()
        tcplan.einsum("ij,jk->ik", found, found, out=found)
        numpy.testing.assert_allclose(found, expected, atol=1e-12)
        self.assertIsInstance(self.only_way(), _trying.Trying)

    def test_factors_are_applied_once(self):
        out = numpy.ones((6, 5))
        tcplan.einsum("ij,jk->ik", A, B, out=out, alpha=2, beta=3)
        numpy.testing.assert_allclose(out, 2 * A @ B + 3, atol=1e-12)
        tcplan.einsum("ij,jk->ik", A, B, out=out)
        numpy.testing.assert_allclose(out, A @ B, atol=1e-12)
        tcplan.einsum("ij,jk->ik", A, B, out=out, alpha=2, beta=3)
        numpy.testing.assert_allclose(out, 5 * A @ B, atol=1e-12)

    def test_each_way_gives_the_product(self):
        expected = numpy.einsum("zij,zjk->kz", *(arrays := [RNG.standard_normal(shape) for shape in ((3, 4, 5), (3, 5, 2))]))
        for index in range(4):
            tcplan.clear()
            with mock.patch.object(_trying, "_fastest", lambda ways, *_, index=index: ways[min(index, len(ways) - 1)]):
                for _ in range(2):
                    numpy.testing.assert_allclose(tcplan.einsum("zij,zjk->kz", *arrays), expected, atol=1e-12)

    def test_products_with_an_index_everywhere_are_tried_by_matmul(self):
        extents = {"z": 2, "y": 3, "i": 4, "j": 5, "k": 6, "l": 7}
        for subscripts, suits in (("yzij,yzkj->yzik", True), ("izj,jlzk->kilz", True), ("zi,zi->z", True), ("ziyj,jz->zyi", True),
                                  ("ij,jk->ik", False), ("zzj,zj->z", False), ("zij,zk->zk", False), ("zi,zi,zi->z", False)):
            for memory_order in "CF":
                shapes = [[extents[letter] for letter in term] for term in subscripts.partition("->")[0].split(",")]
                arrays = [numpy.asarray(RNG.standard_normal(shape), order=memory_order) for shape in shapes]
                expression = _subscripts.parse(subscripts, shapes)
                with self.subTest(subscripts, order=memory_order):
                    self.assertEqual(_numpy.MatmulProduct.suits(expression), suits)
                    if not suits:
                        continue
                    expected = numpy.einsum(subscripts, *arrays)
                    for order in "KCF":
                        found = _numpy.MatmulProduct(expression, numpy.dtype("d"), order).compute(arrays, None, None, None)
                        numpy.testing.assert_allclose(found, expected, atol=1e-12)
                        self.assertTrue(found.flags.f_contiguous if order == "F" or order == "K" and memory_order == "F" and found.ndim > 1 and
                                        all(array.flags.fnc for array in arrays) else found.flags.c_contiguous)

    def test_an_array_that_is_not_aligned(self):
        tcplan.einsum("ij,jk->ik", A, B)
        memory = numpy.zeros(A.nbytes + 1, numpy.uint8)
        moved = numpy.frombuffer(memory, A.dtype, A.size, 1).reshape(A.shape)
        moved[...] = A
        numpy.testing.assert_allclose(tcplan.einsum("ij,jk->ik", moved, B), A @ B, atol=1e-12)

    def test_where_arrays_lie(self):
        for array in (A, A[1:, 2:], A[::-1], A.T, numpy.array(1.0), numpy.empty((0, 3))):
            self.assertEqual(_arrays.place(array), array.__array_interface__["data"][0])

    def test_the_options_are_known_to_tools(self):
        self.assertIn("optimize", inspect.signature(tcplan.einsum).parameters)


if __name__ == "__main__":
    unittest.main()
