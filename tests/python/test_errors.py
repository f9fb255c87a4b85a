"""Tests errors: rejected input, messages, and the position of the caret."""
import os
import pickle
import subprocess
import sys
import unittest

import numpy
import tcplan

A, B = numpy.ones((2, 3)), numpy.ones((3, 4))


class Refused(unittest.TestCase):
    def refuse(self, *arguments, message, marked=None, kind=tcplan.InputError, call=tcplan.einsum, **options):
        """Asserts that a call raises the error. `marked`: the part of the text that the carets mark."""
        with self.assertRaises(kind) as caught:
            call(*arguments, **options)
        error = caught.exception
        self.assertIn(message, str(error))
        if marked is not None:
            self.assertEqual(error.text[error.column - 1 : error.column - 1 + error.length], marked)
            *_, text, carets = str(error).split("\n")
            self.assertEqual(text, "  " + error.text)
            self.assertEqual(carets, "  " + " " * (error.column - 1) + "^" * error.length)
        return error

    def test_notation(self):
        self.refuse("ab=ai*ib", sizes="a=b=i=4", message="no indices", marked="ab=ai*ib", call=tcplan.plan)
        self.refuse("C_ab=A_ai*B_ib", sizes="a=b=i=4", threads=4096, message="the processing units of this machine, found 4096", call=tcplan.plan)

    def test_subscripts(self):
        self.refuse("ij,jk->iq", A, B, message="index 'q' of the result is in no operand", marked="q")
        self.refuse("ij,jk->iki", A, B, message="index 'i' is twice in the result", marked="i")
        self.refuse("ij,j1->i", A, B, message="expected a letter for an index, found '1'", marked="1")
        self.refuse("ij,jk-i", A, B, message="expected '->', found '-'", marked="-")
        self.refuse("ij,jk->i->k", A, B, message="expected '->', found '-'", marked="-")
        self.refuse("ij,jk->i,k", A, B, message="expected one result, found ','", marked=",")
        self.refuse("i..,jk->ik", A, B, message="expected '...', found '.'", marked=".")
        self.refuse("...i...,jk", A, B, message="found a second one", marked="...")
        self.refuse("ij", A, B, message="the subscripts have 1 operand, found 2")
        self.refuse("ij,jk,kl", A, B, message="the subscripts have 3 operands, found 2", marked="ij,jk,kl")
        for call in (tcplan.einsum, tcplan.plan, tcplan.einsum_path):
            self.refuse("ij,jk", call=call, message="the subscripts have 2 operands, found none", marked="ij,jk")
            self.refuse(A, call=call, message="expected subscripts as a string, or each operand followed by its labels")
        self.refuse(A, 0, B, [1], kind=TypeError, message="expected a list of labels after its operand, found int")
        self.refuse("...j,jk->k", A, B, message="the operands' ellipsis matches 1 dimension, the result has none", marked="k")

    def test_shapes(self):
        self.refuse("ij,ik", A, B, message="operand 1 has extent 3 where others have 2", marked="i")
        self.refuse("ijk,jk", A, B, message="operand 0 has 2 dimensions, its subscripts have 3", marked="ijk")
        self.refuse("...ijk,jk", A, B, message="operand 0 has 2 dimensions, its subscripts have at least 3", marked="...ijk")
        self.refuse("ii,ik", A, B, message="a diagonal of operand 0 has extents 2 and 3", marked="i")
        self.refuse(" ij, ...j", A, B, message="operand 1 has extent 4 where others have 3", marked="j")

    def test_types(self):
        self.refuse("ij,jk", A.astype(int), B.astype(int), call=tcplan.plan, message="expected float32, float64, complex64 or complex128, found int64")
        self.refuse("ij,jk", A.astype("float16"), B.astype("float16"), call=tcplan.rank, message="found float16; einsum() also takes other types")
        self.refuse("ij,jk", A.astype(int), B.astype(int), alpha=0.5, message="alpha is 0.5, which is no whole number")
        self.refuse("ij,jk", A.astype(int), B, dtype=int, message="operand 1 of type float64 cannot become int64 by the rule 'safe'")
        self.refuse("ij,jk", A, numpy.full((3, 4), "x"), message="operand 1 has elements of type <U1, expected numbers")
        self.refuse("ij,jk", A, B, dtype="float32", message="operand 0 of type float64 cannot become float32 by the rule 'safe'")
        self.refuse("ij,jk->ik", A, B * 1j, out=numpy.empty((2, 4)), message="cannot become float64, the type of out")
        self.refuse("ij,jk", A, B, out=numpy.empty((2, 4)), alpha=1j, message="alpha is 1j, which is complex")

    def test_results(self):
        self.refuse("ij,jk", A, B, out=numpy.empty((4, 2)), message="out has shape (4, 2), the result has (2, 4)")
        self.refuse("ij,jk", A, B, beta=1, message="beta scales the old values of out, which is missing")
        fixed = numpy.zeros((2, 4))
        fixed.flags.writeable = False
        self.refuse("ij,jk", A, B, out=fixed, message="out is read-only")
        still = numpy.lib.stride_tricks.as_strided(numpy.zeros(4), (2, 4), (0, 8))
        self.refuse("ij,jk", A, B, out=still, message="elements of the result must not coincide")
        self.refuse("ij,jk", A, B, out=[0], kind=TypeError, message="expected out as an array of numpy, found list")

    def test_options(self):
        self.refuse("ij,jk", A, B, threads=0, message="expected 1 to 4096 threads, found 0")
        self.refuse("ij,jk", A, B, threads="2", kind=TypeError, message="expected a number of threads, found str")
        self.refuse("ij,jk", A, B, effort="much", message="effort is 'much': expected estimate, quick, normal or thorough")
        self.refuse("ij,jk", A, B, order="Q", message="expected the order 'C', 'F', 'A' or 'K', found 'Q'")
        self.refuse("ij,jk", A, B, conjugate=2, message="from 0 to 1, found 2")
        self.refuse("ij,jk,kl", A, B, B.T, optimize="best", message="expected the order 'greedy' or 'optimal', found 'best'")
        self.refuse("ij,jk,kl", A, B, B.T, optimize=3, kind=TypeError, message="expected an order of the operands, found int")
        self.refuse("ij,jk,kl", A, B, B.T, optimize=[(0, 3)], message="step (0, 3) of the order: expected different places below 3")
        self.refuse("ij,jk,kl", A, B, B.T, optimize=[(0, 1)], message="the order ends with 2 operands, expected one")
        self.refuse("ij,jk", A, B, unknown=1, kind=TypeError, message="unknown")
        self.refuse(3, A, kind=TypeError, message="")
        self.refuse(A, [0, 52], B, [52, 1], message="expected labels from 0 to 51, found 52")
        self.refuse(A, ["a", 1], B, [1, 2], kind=TypeError, message="expected an integer or Ellipsis as a label, found str")

    def test_plans(self):
        self.refuse("ij,jk", A, B, call=tcplan.plan, algorithm="k-dgemmm", message="algorithm", effort="estimate")
        self.refuse("C_ab=A_ai*B_ib", call=tcplan.plan, sizes="a=3,b=4", message="sizes")
        self.refuse("C_ab=A_ai*B_iq", call=tcplan.plan, sizes="a=3,b=4,i=2,q=2", message="b", marked="b")
        self.refuse("ij,jk", A, B, call=tcplan.plan, sizes="i=3", message="expected operands or sizes, found both")
        self.refuse("ij", A, call=tcplan.plan, message="a plan needs two operands or more, found one; einsum computes it")
        self.refuse("ij,jk", (2, -3), (3, 4), call=tcplan.plan, message="an extent is negative")
        self.refuse("ij,jk", (2, 3), (3, 2**40), call=tcplan.plan, message="extent")
        self.refuse("ij,jk,kl", A, B, B.T, call=tcplan.rank, message="a ranking needs two operands, found 3")
        self.refuse("ij,jk", A, B, call=tcplan.plan, time_limit=-1, message="expected a time limit of 0 or more seconds, found -1", effort="estimate")

    def test_executions(self):
        plan = tcplan.plan("ij,jk->ik", A, B, effort="estimate")
        self.refuse(A, call=plan, message="the plan is for 2 operands, found 1")
        self.refuse(A, B.T, call=plan, message="operand 1 has shape (4, 3), the plan is for (3, 4)")
        self.refuse(A, numpy.asfortranarray(B), call=plan, message="operand 1 has strides of (8, 24) bytes, the plan is for (32, 8) bytes")
        self.refuse(A, B.astype("float32"), call=plan, message="operand 1 has type float32, the plan is for float64")
        self.refuse(A, B, call=plan, beta=1, message="beta scales the old values of out, which is missing")
        self.refuse(A, B, call=plan, out=numpy.empty((2, 4), order="F"), message="out has strides of (8, 16) bytes")
        room = numpy.zeros((4, 8))[::2, ::2]
        strided = tcplan.plan("ij,jk->ik", A, B, out=room, effort="estimate")
        self.refuse(A, B, call=strided, message="out is missing")

    def test_axes_of_tensordot(self):
        self.refuse(A, B, call=tcplan.tensordot, axes=3, message="expected 0 to 2 dimensions to sum over, found 3")
        self.refuse(A, B, call=tcplan.tensordot, axes=((0,), (5,)), message="no dimension 5")
        self.refuse(A, B, call=tcplan.tensordot, axes=((0,), (0,)), message="dimension 0 of the first array has extent 2, dimension 0 of the second 3")
        self.refuse(A, B, call=tcplan.tensordot, axes=((0, 0), (0, 1)), message="expected two lists of as many different dimensions")

    def test_errors_are_built_in_ones_too(self):
        self.assertTrue(issubclass(tcplan.InputError, tcplan.Error) and issubclass(tcplan.InputError, ValueError))
        self.assertTrue(issubclass(tcplan.OutOfMemoryError, tcplan.Error) and issubclass(tcplan.OutOfMemoryError, MemoryError))
        self.assertTrue(issubclass(tcplan.FailedError, tcplan.Error) and issubclass(tcplan.FailedError, RuntimeError))

    def test_an_error_survives_being_pickled(self):
        error = self.refuse("ij,jk->iq", A, B, message="index 'q'")
        self.assertEqual(str(pickle.loads(pickle.dumps(error))), str(error))


class Environment(unittest.TestCase):
    def run_with(self, script, **variables):
        """Returns the output of a new process, followed by its errors."""
        environment = {**os.environ, **variables}
        done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=False)
        return done.stdout + done.stderr

    def test_a_library_that_is_not_there(self):
        said = self.run_with("import tcplan\ntcplan.einsum('i,i', [1.0], [2.0])", TCPLAN_LIBRARY="/nowhere/libtcplan.so")
        self.assertIn("FailedError: TCPLAN_LIBRARY is '/nowhere/libtcplan.so', which cannot be loaded", said)

    def test_no_library_says_which_variable_names_one(self):
        script = "import tcplan._library as library\nlibrary.SONAME = 'libtcplan.so.none'\nlibrary.load()"
        said = self.run_with(script, TCPLAN_LIBRARY="")
        self.assertIn("FailedError: libtcplan.so.none not found", said)
        self.assertIn("set TCPLAN_LIBRARY to its path", said)

    def test_a_library_that_is_another_one(self):
        said = self.run_with("import tcplan\ntcplan.einsum('i,i', [1.0], [2.0])", TCPLAN_LIBRARY="libm.so.6")
        self.assertIn("FailedError: libtcplan has another version than this package", said)

    def test_an_effort_that_there_is_not(self):
        said = self.run_with("import tcplan\ntcplan.einsum('i,i', [1.0], [2.0])", TCPLAN_EFFORT="much")
        self.assertIn("InputError: TCPLAN_EFFORT is 'much': expected estimate, quick, normal or thorough", said)

    def test_the_effort_of_the_environment(self):
        script = "import tcplan\nprint(tcplan.plan('ij,jk', (4, 4), (4, 4)).origin)"
        self.assertEqual(self.run_with(script, TCPLAN_EFFORT="estimate").strip(), "estimated")

    def test_the_effort_of_the_program_comes_first(self):
        script = "import tcplan\nprint(tcplan.plan('ij,jk', (4, 4), (4, 4), effort='estimate').origin)"
        self.assertEqual(self.run_with(script, TCPLAN_EFFORT="thorough").strip(), "estimated")


if __name__ == "__main__":
    unittest.main()
