"""Tests plans: they are made, described, emitted and executed."""
import os
import subprocess
import sys
import tempfile
import unittest

import numpy
import tcplan
from rounding import assert_sums_equal

RNG = numpy.random.default_rng(7)
A, B = RNG.standard_normal((14, 5)), RNG.standard_normal((5, 12, 13))
PRODUCT = "ai,ibc->abc"


def planned(*arguments, **options):
    return tcplan.plan(*arguments, **{"effort": "estimate", **options})


class Making(unittest.TestCase):
    def test_a_plan_says_what_it_is_for_and_what_was_chosen(self):
        plan = planned("ai,ibc->abc", A, B)
        self.assertEqual((plan.subscripts, plan.dtype, plan.shape, plan.threads), ("ai,ibc->abc", numpy.dtype("float64"), (14, 12, 13), 1))
        self.assertEqual(plan.origin, "estimated")
        self.assertEqual(plan.algorithms, (plan.algorithm,))
        self.assertEqual(plan.flops, 2 * 14 * 5 * 12 * 13)
        self.assertGreater(plan.seconds, 0)
        self.assertLessEqual(plan.interval[0], plan.seconds)
        self.assertGreaterEqual(plan.interval[1], plan.seconds)
        self.assertGreaterEqual(plan.workspace, 0)
        self.assertIn(plan.algorithm, repr(plan))

    def test_a_plan_by_measuring(self):
        plan = tcplan.plan("ai,ibc->abc", A, B, effort="quick")
        self.assertIn(plan.origin, ("timed", "compared"))
        assert_sums_equal(plan(A, B), PRODUCT, A, B)

    def test_the_name_of_an_algorithm_gives_that_algorithm(self):
        plan = planned("ai,ibc->abc", A, B, algorithm="b-dgemm")
        self.assertEqual((plan.algorithm, plan.origin, plan.seconds), ("b-dgemm", "named", 0.0))
        assert_sums_equal(plan(A, B), PRODUCT, A, B)

    def test_shapes_stand_for_dense_arrays(self):
        assert_sums_equal(planned(PRODUCT, (14, 5), (5, 12, 13))(A, B), PRODUCT, A, B)
        by_columns = planned("ai,ibc->abc", (14, 5), (5, 12, 13), order="F")
        found = by_columns(numpy.asfortranarray(A), numpy.asfortranarray(B))
        self.assertTrue(found.flags.f_contiguous)
        assert_sums_equal(found, PRODUCT, A, B)
        self.assertEqual(planned("i,i", (3,), (3,), dtype="complex64").dtype, numpy.dtype("complex64"))

    def test_the_librarys_own_notation(self):
        plan = planned("C_abc=A_ai*B_ibc", sizes="a=14,b=12,c=13,i=5")
        assert_sums_equal(plan(A, B), PRODUCT, A, B)
        a = A + 1j * A[::-1]
        plan = planned("C_ab=2*conj(A)_ai*B_ib", sizes={"a": 14, "b": 12, "i": 5}, dtype="complex128")
        assert_sums_equal(plan(a, B[:, :, 0].astype(complex)), "ai,ib->ab", a.conj(), B[:, :, 0], alpha=2)

    def test_a_notation_that_adds(self):
        b, out = numpy.ascontiguousarray(B[:, :, 0]), numpy.ones((14, 12))
        plan = planned("C_ab+=A_ai*B_ib", sizes="a=14,b=12,i=5")
        assert_sums_equal(plan(A, b, out=out), "ai,ib->ab", A, b, added=1)
        assert_sums_equal(plan(A, b), "ai,ib->ab", A, b)  # added to zeros
        c = RNG.standard_normal((12, 14))
        plan = planned("D_ab=A_ai*B_ib+2*C_ba", sizes="a=14,b=12,i=5")
        assert_sums_equal(plan(A, b, c), "ai,ib->ab", A, b, added=2 * c.T)
        assert_sums_equal(plan(A, b, c, alpha=3, beta=-1), "ai,ib->ab", A, b, alpha=3, added=-c.T)

    def test_several_operands(self):
        c = RNG.standard_normal((13, 3))
        for optimize in (True, False, [(1, 2), (0, 1)], numpy.einsum_path("ai,ibc,cd->abd", A, B, c)[0]):
            plan = planned("ai,ibc,cd->abd", A, B, c, optimize=optimize)
            self.assertEqual(len(plan.algorithms), 2)
            self.assertEqual(plan.describe().count("algorithm:"), 2)
            assert_sums_equal(plan(A, B, c), "ai,ibc,cd->abd", A, B, c)

    def test_a_plan_for_a_result_that_lies_somewhere(self):
        room = numpy.zeros((28, 24, 26))[::2, ::-2, 1::2]
        plan = planned("ai,ibc->abc", A, B, out=room)
        self.assertIs(plan(A, B, out=room), room)
        assert_sums_equal(room, PRODUCT, A, B)

    def test_progress_is_told_and_what_it_raises_arrives(self):
        told = []
        tcplan.plan("ai,ibc->abc", (60, 8), (8, 60, 60), effort="quick", progress=lambda *what: told.append(what))
        self.assertTrue(told)
        self.assertTrue(all(isinstance(activity, str) and done <= total for activity, done, total in told), told)

        def stop(*_):
            raise KeyError("enough")

        with self.assertRaises(KeyError):
            tcplan.plan("ai,ibc->abc", (60, 8), (8, 60, 60), effort="normal", progress=stop)

    def test_an_interrupt_ends_planning(self):
        script = ("import os, signal, threading, tcplan\n"
                  "threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()\n"
                  "try:\n    tcplan.plan('aib,jicb->jac', (300, 60, 40), (50, 60, 40, 40), effort='thorough')\n    print('planned')\n"
                  "except KeyboardInterrupt:\n    print('interrupted')\n")
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
        self.assertEqual((done.stdout.strip(), done.stderr), ("interrupted", ""))

    def test_an_interrupt_ends_the_search_of_an_order(self):
        script = ("import os, signal, threading, tcplan\n"
                  "n = 20\n"
                  "label = lambda row, column, way: f'{row % n}.{column % n}.{way}'\n"
                  "lattice = [[label(r, c, 0), label(r, c + 1, 0), label(r, c, 1), label(r + 1, c, 1)] for r in range(n) for c in range(n)]\n"
                  "threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()\n"
                  "try:\n    tcplan.optimizer(lattice, [], {name: 2 for term in lattice for name in term})\n    print('planned')\n"
                  "except KeyboardInterrupt:\n    print('interrupted')\n"
                  "print(signal.getsignal(signal.SIGINT) is signal.default_int_handler, signal.set_wakeup_fd(-1))\n")
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, timeout=300)
        self.assertEqual((done.stdout.split("\n"), done.stderr), (["interrupted", "True -1", ""], ""))

    def test_a_plan_improves_itself_where_it_is_asked_to(self):
        plan, still = planned("ai,ibc->abc", A, B, improve=5, plans=""), planned("ai,ibc->abc", A, B, plans="")
        for execution in range(7):
            self.assertEqual(plan.origin, "estimated" if execution < 5 else "improved")
            assert_sums_equal(plan(A, B), PRODUCT, A, B)
            assert_sums_equal(plan(A, B, alpha=2), PRODUCT, A, B, alpha=2)  # tries nothing
            assert_sums_equal(still(A, B), PRODUCT, A, B)
        self.assertEqual(still.origin, "estimated")
        self.assertIn("the fastest algorithm that executions tried", plan.describe())
        out = numpy.zeros((14, 12, 13), order="F")
        adding = planned("C_abc+=A_ai*B_ibc", sizes="a=14,b=12,c=13,i=5", improve=True, plans="", order="F")
        for _ in range(19):
            before = out.copy()
            assert_sums_equal(adding(numpy.asfortranarray(A), numpy.asfortranarray(B), out=out), PRODUCT, A, B, added=before)
        self.assertEqual(adding.origin, "improved")
        shapes = ((40, 50), (50, 60), (60, 70))  # with smaller shapes no algorithm is nearly as fast as one call of gemm
        chain = planned("ab,bc,cd->ad", *shapes, improve=4, plans="")
        factors = [RNG.standard_normal(shape) for shape in shapes]
        for _ in range(5):
            assert_sums_equal(chain(*factors), "ab,bc,cd->ad", *factors)
        self.assertEqual(chain.origin, "improved")

    def test_how_plans_improve_is_checked(self):
        with self.assertRaisesRegex(TypeError, "improve"):
            planned("ai,ibc->abc", A, B, improve="much")
        with self.assertRaisesRegex(tcplan.InputError, "0 or more executions, found -1"):
            planned("ai,ibc->abc", A, B, improve=-1)

    def test_stored_plans_are_found_again(self):
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "plans")
            first = tcplan.plan("ai,ibc->abc", A, B, effort="quick", plans=file)
            again = planned("ai,ibc->abc", A, B, plans=file)
            self.assertEqual((again.origin, again.algorithm), ("stored", first.algorithm))
            os.environ["TCPLAN_PLANS"] = file
            try:
                self.assertEqual(planned("ai,ibc->abc", A, B).origin, "stored")
                self.assertEqual(planned("ai,ibc->abc", A, B, plans="").origin, "estimated")
            finally:
                del os.environ["TCPLAN_PLANS"]
            self.assertEqual(planned("ai,ibc->abc", A, B).origin, "estimated")

    def test_plans_are_stored_with_what_is_kept_of_the_machine(self):
        with tempfile.TemporaryDirectory() as folder:
            tcplan.plan("ai,ibc->abc", A, B, effort="quick", store=folder)
            self.assertEqual(planned("ai,ibc->abc", A, B, store=folder).origin, "stored")
            self.assertEqual(planned("ai,ibc->abc", A, B, store=folder, plans="").origin, "estimated")

    def test_a_file_of_something_else_is_refused_and_left_alone(self):
        with tempfile.NamedTemporaryFile("w+") as file:
            file.write("no plans\n")
            file.flush()
            with self.assertRaisesRegex(tcplan.InputError, "'.*': it is not a file of plans"):
                planned("ai,ibc->abc", A, B, plans=file.name)
            file.seek(0)
            self.assertEqual(file.read(), "no plans\n")


class Emitting(unittest.TestCase):
    def test_a_description(self):
        text = planned("ai,ibc->abc", A, B, algorithm="b-dgemm").describe()
        for expected in ("C_abc=A_ai*B_ibc", "a=14,b=12,c=13,i=5", "b-dgemm", "for b = 1:b"):
            self.assertIn(expected, text)

    def test_emitted_c(self):
        text = planned("ai,ibc->abc", A, B).emit("my_product")
        self.assertIn("int my_product(const double *A, const double *B, double *C)", text)
        self.assertIn("int main(", planned("ai,ibc->abc", A, B).emit(main=True))


class Executing(unittest.TestCase):
    def test_results_in_given_arrays(self):
        plan, out = planned("ai,ibc->abc", A, B), numpy.ones((14, 12, 13))
        self.assertIs(plan.execute(A, B, out=out, alpha=2, beta=-3), out)
        assert_sums_equal(out, PRODUCT, A, B, alpha=2, added=-3)

    def test_results_that_overlap_or_are_read_only(self):
        a = RNG.standard_normal((6, 6))
        plan = planned("ij,jk->ik", a, a)
        fixed = numpy.zeros((6, 6))
        fixed.flags.writeable = False
        with self.assertRaisesRegex(tcplan.InputError, "out is read-only"):
            plan(a, a, out=fixed)
        b = a.copy()
        self.assertIs(plan(a, b, out=b), b)
        assert_sums_equal(b, "ij,jk->ik", a, a)
        unaligned = numpy.zeros(6 * 6 * 8 + 1, numpy.uint8)[1:].view("f8").reshape(6, 6)
        assert_sums_equal(plan(a, a, out=unaligned), "ij,jk->ik", a, a)

    def test_a_number(self):
        found = planned("i,i", (4,), (4,))(numpy.ones(4), numpy.ones(4))
        self.assertEqual((found, type(found)), (4.0, numpy.float64))

    def test_what_was_converted_is_converted_again(self):
        a = A.astype("float32")
        plan = planned("ai,ibc->abc", a, B)
        assert_sums_equal(plan(a, B), PRODUCT, a, B)


if __name__ == "__main__":
    unittest.main()
