"""Tests arrays that are used in place, results that overlap operands, memory that is released."""
import gc
import tracemalloc
import unittest
import weakref

import numpy
import tcplan
from rounding import assert_sums_equal
from tcplan import _einsum


class Copies(unittest.TestCase):
    def test_arrays_are_not_copied(self):
        a, b = numpy.ones((300, 400)), numpy.ones((800, 500))[::2, ::-1]
        out = numpy.zeros((500, 300)).T
        # With the default effort, numpy may be chosen, which copies.
        options = {"out": out, "effort": "estimate"}
        tcplan.einsum("ij,jk->ik", a, b, **options)
        tracemalloc.start()
        tcplan.einsum("ij,jk->ik", a, b, alpha=2, beta=1, **options)
        _, peak = tracemalloc.get_traced_memory()  # numpy reports its allocations to it
        tracemalloc.stop()
        self.assertLess(peak, 100000)
        self.assertEqual(out[7, 7], 1200)

    def test_arrays_of_another_type_are(self):
        a, b = numpy.ones((300, 400), "float32"), numpy.ones((400, 500))
        tcplan.einsum("ij,jk->ik", a, b)
        tracemalloc.start()
        tcplan.einsum("ij,jk->ik", a, b)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        self.assertGreater(peak, 8 * (300 * 400 + 300 * 500))

    def test_memory_does_not_grow(self):
        a, b = numpy.ones((20, 30)), numpy.ones((30, 40))
        tcplan.einsum("ij,jk->ik", a, b)
        gc.collect()
        tracemalloc.start()
        for _ in range(200):
            tcplan.einsum("ij,jk->ik", a, b)
        gc.collect()
        left, _ = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        self.assertLess(left, 20000)

    def test_plans_are_freed_with_their_owners(self):
        freed, a = [], numpy.ones((3, 4))
        plan = tcplan.plan("ij,kj->ik", a, a, effort="estimate")
        weakref.finalize(plan, freed.append, True)
        del plan
        gc.collect()
        self.assertEqual(freed, [True])

    def test_many_plans_are_not_kept(self):
        for extent in range(1, _einsum.MOST_PLANS + 40):
            tcplan.einsum("i,i", numpy.ones(extent), numpy.ones(extent))
        self.assertLessEqual(len(_einsum._plans), _einsum.MOST_PLANS)
        tcplan.clear()
        self.assertEqual(len(_einsum._plans), 0)


class Overlaps(unittest.TestCase):
    def check(self, subscripts, left, right, out, alpha=1, beta=0):
        before = left.copy(), right.copy()
        added = beta * out
        self.assertIs(tcplan.einsum(subscripts, left, right, out=out, alpha=alpha, beta=beta), out)
        assert_sums_equal(out, subscripts, *before, alpha=alpha, added=added)

    def setUp(self):
        self.memory = numpy.random.default_rng(5).standard_normal(200)

    def test_the_result_is_an_operand(self):
        a = self.memory[:36].reshape(6, 6)
        self.check("ij,jk->ik", a, self.memory[50:86].reshape(6, 6), a)
        self.check("ij,jk->ik", a, a, a)
        self.check("ij,jk->ik", a, a.T, a, 2.0, -1.0)

    def test_the_result_lies_across_operands(self):
        self.check("ij,jk->ik", self.memory[:30].reshape(5, 6), self.memory[20:50].reshape(6, 5), self.memory[10:35].reshape(5, 5), 1.0, 1.0)
        self.check("i,j->ij", self.memory[::20], self.memory[5:9], self.memory[:40].reshape(10, 4))
        self.check("ij,jk->ik", self.memory[59:23:-1].reshape(6, 6), self.memory[:72:2].reshape(6, 6), self.memory[30:66].reshape(6, 6).T)

    def test_elements_between_each_other_are_no_overlap(self):
        even, odd = self.memory[::2], self.memory[1::2]
        before = even[:50].copy()
        self.check("i,i->i", even[:50], even[50:], odd[:50])
        numpy.testing.assert_array_equal(even[:50], before)

    def test_several_operands(self):
        a = self.memory[:36].reshape(6, 6)
        before = a.copy()
        tcplan.einsum("ij,jk,kl->il", a, a, a, out=a)
        assert_sums_equal(a, "ij,jk,kl->il", before, before, before)

    def test_results_that_libtcplan_cannot_write(self):
        a, b = numpy.arange(6.0).reshape(2, 3), numpy.arange(12.0).reshape(3, 4)
        records = numpy.zeros((2, 4), [("before", "i1"), ("value", "f8")])
        unaligned = numpy.zeros(65, numpy.uint8)[1:].view("f8").reshape(2, 4)
        for out in (records["value"], unaligned, numpy.zeros((2, 4), ">f8"), numpy.zeros((2, 4), "complex128")):
            with self.subTest(out=str(out.dtype), strides=out.strides):
                out[...] = 1
                tcplan.einsum("ij,jk->ik", a, b, out=out, alpha=2, beta=3)
                numpy.testing.assert_array_equal(out, 2 * (a @ b) + 3)
        self.assertTrue((records["before"] == 0).all())


if __name__ == "__main__":
    unittest.main()
