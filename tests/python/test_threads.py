"""Tests several threads that execute one plan at the same time, that plan separately, and that share the work of one product."""
import ctypes
import threading
import unittest

import numpy
import tcplan
from rounding import assert_sums_equal

RNG = numpy.random.default_rng(11)


def in_threads(count, work):
    """Calls work(0), work(1), ... in concurrent threads; raises an exception of one of them."""
    failures, start = [], threading.Barrier(count)

    def run(number):
        try:
            start.wait()
            work(number)
        except BaseException as failure:
            failures.append(failure)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


class Threads(unittest.TestCase):
    def test_one_plan_in_several_threads(self):
        shapes = (12, 7), (7, 9, 8)
        plan = tcplan.plan("ai,ibc->cab", *shapes, effort="estimate")
        operands = [[RNG.standard_normal(shape) for shape in shapes] for _ in range(4)]

        def work(number):
            for turn in range(100):
                found = plan(*operands[number], out=numpy.zeros((8, 12, 9)), alpha=1 + turn % 2, beta=1)
                assert_sums_equal(found, "ai,ibc->cab", *operands[number], alpha=1 + turn % 2)

        in_threads(4, work)

    def test_einsum_in_several_threads_plans_at_once(self):
        arrays = [RNG.standard_normal((size, size)) for size in range(1, 40)]

        def work(number):
            for turn in range(len(arrays)):
                a = arrays[(turn + number) % len(arrays)]
                assert_sums_equal(tcplan.einsum("ij,jk,lk->il", a, a, a), "ij,jk,lk->il", a, a, a)

        tcplan.clear()
        in_threads(4, work)

    def test_two_threads_share_the_work(self):
        a, b = RNG.standard_normal((60, 50)), RNG.standard_normal((50, 40, 30))
        assert_sums_equal(tcplan.einsum("ai,ibc->abc", a, b, threads=2), "ai,ibc->abc", a, b)
        plan = tcplan.plan("ai,ibc->abc", a, b, threads=2, effort="estimate")
        self.assertEqual(plan.threads, 2)
        assert_sums_equal(plan(a, b), "ai,ibc->abc", a, b)

    def test_the_threads_of_numpys_blas_stay(self):
        try:
            blas = ctypes.CDLL("libopenblas.so.0")
        except OSError:
            self.skipTest("there is no libopenblas.so.0")
        a = RNG.standard_normal((200, 200))
        for before in (2, 1):
            blas.openblas_set_num_threads(before)
            for threads in (1, 2):
                tcplan.einsum("ij,jk->ik", a, a, threads=threads)
                self.assertEqual(blas.openblas_get_num_threads(), before)
                tcplan.plan("ij,jk->ik", a, a, threads=threads, effort="quick")
                self.assertEqual(blas.openblas_get_num_threads(), before)


if __name__ == "__main__":
    unittest.main()
