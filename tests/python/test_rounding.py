"""Tests that sums in another order count as equal, and other sums do not."""
import unittest

import numpy
from rounding import assert_sums_equal

# 1 - 1 + 2**-60: the result depends on the order.
LEFT, RIGHT = numpy.array([[1.0, 2.0**-60, -1.0]]), numpy.array([[1.0], [1.0], [1.0]])


class Rounding(unittest.TestCase):
    def test_the_order_of_sums_does_not_matter(self):
        for order in ([0, 1, 2], [0, 2, 1]):
            found = sum(LEFT[:, i : i + 1] * RIGHT[i : i + 1] for i in order)
            assert_sums_equal(found, "ij,jk->ik", LEFT, RIGHT)

    def test_wrong_elements_are_found(self):
        rng = numpy.random.default_rng(3)
        a, b = rng.standard_normal((5, 40)), rng.standard_normal((40, 7))
        for wrong in (1e-9, numpy.nan, numpy.inf):
            found = a @ b
            found[3, 2] += wrong
            with self.assertRaisesRegex(AssertionError, r"at \(3, 2\)"):
                assert_sums_equal(found, "ij,jk->ik", a, b)
        with self.assertRaisesRegex(AssertionError, "shape"):
            assert_sums_equal((a @ b).T, "ij,jk->ik", a, b)

    def test_single_precision_has_its_own_unit(self):
        a = numpy.linspace(-1, 1, 35, dtype="float32").reshape(5, 7)
        assert_sums_equal((a.astype("float64") @ a.T).astype("float32"), "ij,kj->ik", a, a)
        with self.assertRaises(AssertionError):
            wide = a.astype("float64")
            assert_sums_equal(wide @ wide.T + 1e-9, "ij,kj->ik", wide, wide)


if __name__ == "__main__":
    unittest.main()
