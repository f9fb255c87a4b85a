"""Tests plans over the ranks of MPI: run by mpirun, on any number of ranks."""
import os
import sys
import unittest

import numpy
import tcplan

LIBRARY = os.path.join(os.path.dirname(os.environ["TCPLAN_LIBRARY"]), "libtcplan-mpi.so")
if not os.path.exists(LIBRARY):
    print("skipped: libtcplan-mpi is not built")
    sys.exit(77)
try:
    from mpi4py import MPI
except ImportError as reason:
    print(f"skipped: {reason}")
    sys.exit(77)

COMM = MPI.COMM_WORLD
RNG = numpy.random.default_rng(5)  # the same numbers on all ranks
A, B = RNG.standard_normal((24, 18)), RNG.standard_normal((18, 7, 20))
PRODUCT = "ai,ibc->abc"


def whole(plan, block, shape):
    """Returns the whole tensor of which each rank holds a block."""
    tensor = numpy.zeros(shape, block.dtype)
    for part, values in COMM.allgather((plan.block("result"), block)):
        tensor[part] = values
    return tensor


class Distributed(unittest.TestCase):
    def test_blocks_of_all_ranks_give_the_product(self):
        for effort in ("estimate", "quick"):
            with tcplan.plan(PRODUCT, A.shape, B.shape, comm=COMM, effort=effort, time_limit=1) as plan:
                block = plan(A[plan.block(0)], B[plan.block(1)])
                self.assertEqual(block.shape, plan.shape("result"))
                self.assertGreater(plan.seconds, 0)
                numpy.testing.assert_allclose(whole(plan, block, (24, 7, 20)), numpy.einsum(PRODUCT, A, B))

    def test_a_distribution_and_an_algorithm_can_be_named(self):
        grid = str(COMM.size)
        with tcplan.plan("C_abc=A_ai*B_ibc", sizes={"a": 24, "i": 18, "b": 7, "c": 20}, comm=COMM, effort="estimate", grid=grid,
                         distribute="A=i:0 C=a:0", algorithm=f"{grid}:a", order="F", dtype=numpy.complex64) as plan:
            self.assertEqual(plan.algorithm, f"{grid}:a")
            self.assertEqual(plan.shape(0)[0], 24)
            out = numpy.empty(plan.shape("result"), numpy.complex64, "F")
            left, right = (array.astype(numpy.complex64) * (1 + 1j) for array in (A, B))
            self.assertIs(plan(left[plan.block(0)], right[plan.block(1)], out=out), out)
            numpy.testing.assert_allclose(whole(plan, out, (24, 7, 20)), 2j * numpy.einsum(PRODUCT, A, B), rtol=1e-4, atol=1e-4)

    def test_tensors_may_lie_block_cyclic(self):
        with tcplan.plan(PRODUCT, A.shape, B.shape, comm=COMM, effort="estimate", grid=str(COMM.size), distribute="A=a:0/2 C=c:0/3") as plan:
            held = [a for a in range(24) if a // 2 % COMM.size == COMM.rank]
            left = A[plan.block(0)]
            self.assertEqual(plan.shape(0), (len(held), 18))
            numpy.testing.assert_array_equal(left, A[held])
            block = plan(left, B[plan.block(1)])
            numpy.testing.assert_allclose(whole(plan, block, (24, 7, 20)), numpy.einsum(PRODUCT, A, B))

    def test_several_tensors_are_multiplied_step_by_step(self):
        D = RNG.standard_normal((7, 5))
        expected = numpy.einsum("ai,ibc,bd->adc", A, B, D)
        for arguments in ({}, {"grid": str(COMM.size), "distribute": "D=a:0", "order": "F"}):
            if COMM.size == 1 and "grid" in arguments:
                continue
            with tcplan.plan("ai,ibc,bd->adc", A.shape, B.shape, D.shape, comm=COMM, effort="estimate", **arguments) as plan:
                self.assertEqual(plan.algorithm.count(";"), 1)
                self.assertIn("; D", plan.order)
                self.assertGreater(plan.seconds, 0)
                block = plan(*(tensor[plan.block(number)] for number, tensor in enumerate((A, B, D))))
                numpy.testing.assert_allclose(whole(plan, block, (24, 5, 20)), expected)
                with self.assertRaisesRegex(tcplan.InputError, "the plan is for 3 operands, found 2"):
                    plan(A, B)
                with self.assertRaisesRegex(tcplan.InputError, "expected the operand 0, 1, 2 or 'result', found 3"):
                    plan.block(3)

    def test_the_old_result_is_added_to(self):
        with tcplan.plan("C_ab=2*A_ai*B_ib+C_ab", sizes="a=b=i=12", comm=COMM, effort="estimate") as plan:
            out = numpy.ones(plan.shape("result"))
            plan(numpy.ones(plan.shape(0)), numpy.ones(plan.shape(1)), out=out)
            numpy.testing.assert_array_equal(out, 25)

    def test_all_ranks_raise_if_one_has_wrong_arrays(self):
        with tcplan.plan(PRODUCT, A.shape, B.shape, comm=COMM, effort="estimate") as plan:
            left = A[plan.block(0)] if COMM.rank > 0 else numpy.ones((1, 2, 3))
            with self.assertRaisesRegex(tcplan.Error, "operand 0 has shape" if COMM.rank == 0 else "another rank failed"):
                plan(left, B[plan.block(1)])
            with self.assertRaisesRegex(tcplan.InputError, "expected the operand 0, 1 or 'result', found 'C'"):
                plan.block("C")
        with self.assertRaisesRegex(tcplan.InputError, "the plan was freed"):
            plan(left, B)

    def test_wrong_arguments_are_refused_on_all_ranks(self):
        for pattern, arguments in (
            ("the ranks pass different arguments", {"sizes": f"a=b=i={8 + COMM.rank}"} if COMM.size > 1 else {"grid": "3x5"}),
            ("expected the order 'C' or 'F'", {"order": "A"}),
            ("takes no out, threads", {"threads": 2}),
            ("processes", {"grid": "3x5"}),
        ):
            arguments = {"sizes": "a=b=i=8", **arguments}
            with self.assertRaisesRegex(tcplan.InputError, pattern if COMM.size > 1 or "different" not in pattern else "processes"):
                tcplan.plan("C_ab=A_ai*B_ib", comm=COMM, effort="estimate", **arguments)
        with self.assertRaisesRegex(tcplan.InputError, "needs at least two operands, found 1"):
            tcplan.plan("ab->a", (2, 2), comm=COMM)
        with self.assertRaisesRegex(TypeError, "intracommunicator of mpi4py, found int"):
            tcplan.plan(PRODUCT, A.shape, B.shape, comm=3)


if __name__ == "__main__":
    unittest.main()
