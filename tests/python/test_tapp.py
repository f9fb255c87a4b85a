"""Tests TAPP libraries as providers of plans."""
import os
import shutil
import tempfile
import unittest

import numpy
import tcplan
from rounding import assert_sums_equal

LIBRARY = os.path.join(os.path.dirname(os.environ["TCPLAN_LIBRARY"]), "libtcplan-tapp.so")
RNG = numpy.random.default_rng(7)
A, B = RNG.standard_normal((14, 5)), RNG.standard_normal((5, 12, 13))
PRODUCT = "ai,ibc->abc"


@unittest.skipUnless(os.path.exists(LIBRARY), "libtcplan-tapp is not built")
class Opening(unittest.TestCase):
    def test_a_library_computes_whole_contractions(self):
        tcplan.open_tapp("ours", LIBRARY)
        plan = tcplan.plan(PRODUCT, A, B, effort="estimate", algorithm="tapp@ours")
        self.assertEqual(plan.algorithm, "tapp@ours")
        assert_sums_equal(plan(A, B), PRODUCT, A, B)
        ranking = tcplan.rank(PRODUCT, A, B, effort="quick")
        self.assertIn("tapp@ours", [line.name for line in ranking])

    def test_a_library_that_needs_libtcplan_finds_the_loaded_one(self):
        with tempfile.TemporaryDirectory() as folder:
            moved = shutil.copy(os.path.realpath(LIBRARY), os.path.join(folder, "moved.so"))
            tcplan.open_tapp("moved", moved)
            plan = tcplan.plan(PRODUCT, A, B, effort="estimate", algorithm="tapp@moved")
            assert_sums_equal(plan(A, B), PRODUCT, A, B)

    def test_what_is_no_library_is_refused(self):
        with self.assertRaisesRegex(tcplan.FailedError, "cannot open the TAPP library"):
            tcplan.open_tapp("none", "none.so")
        with self.assertRaisesRegex(tcplan.InputError, "cannot be opened|lacks a function"):
            tcplan.open_tapp("text", __file__)
        with self.assertRaisesRegex(tcplan.InputError, "cannot name a TAPP library"):
            tcplan.open_tapp("not a name", LIBRARY)


if __name__ == "__main__":
    unittest.main()
