"""Tests einsum() on arrays of every type that numpy's takes: the same types and values."""
import itertools
import unittest

import numpy
import tcplan

TYPES = ("?", "b", "h", "i", "q", "B", "H", "I", "Q", "e", "f", "d", "g", "F", "D", "G")
EXPRESSIONS = (
    ("ij,jk->ik", (3, 4), (4, 5)),
    ("ij,jk->k", (3, 4), (4, 5)),
    ("i,i", (6,), (6,)),
    ("i,j->ij", (3,), (4,)),
    ("iij,j->i", (3, 3, 2), (2,)),
    ("zij,zjk->zik", (2, 3, 4), (2, 4, 2)),
    ("...ij,...j", (2, 3, 4), (1, 4)),
    (",ij->ji", (), (3, 2)),
    ("ij,jk->ik", (3, 0), (0, 2)),
    ("ij,jk,kl->il", (2, 3), (3, 4), (4, 2)),
    ("ij,ij,ik", (2, 3), (2, 3), (2, 4)),
    ("ij->j", (3, 4)),
    ("ii", (3, 3)),
)


def values(rng, shape, dtype):
    """Returns integers in the whole range of the type, whose products wrap around, or other numbers whose sums do not overflow."""
    dtype = numpy.dtype(dtype)
    if dtype.kind == "b":
        return rng.random(shape) < 0.5
    if dtype.kind in "iu":
        return rng.integers(numpy.iinfo(dtype).min, numpy.iinfo(dtype).max, shape, dtype, endpoint=True)
    array = rng.standard_normal(shape) + (1j * rng.standard_normal(shape) if dtype.kind == "c" else 0)
    return numpy.asarray(array).astype(dtype)


class Types(unittest.TestCase):
    def check(self, found, expected, size):
        """size: of the sums, by which they are exact."""
        self.assertEqual((type(found), found.dtype, found.shape), (type(expected), expected.dtype, expected.shape))
        if expected.dtype.kind in "biu":
            numpy.testing.assert_array_equal(found, expected)
        else:
            unit = float(numpy.finfo(expected.dtype).eps)
            numpy.testing.assert_allclose(found, expected, rtol=0, atol=64 * unit * size)

    def compare(self, subscripts, arrays, **options):
        with self.subTest(subscripts=subscripts, types=[array.dtype.char for array in arrays], **options):
            sizes = [float(abs(array.astype("D")).max()) if array.size else 0.0 for array in arrays]
            terms = max(float(numpy.prod([array.size for array in arrays])), 1.0)
            self.check(tcplan.einsum(subscripts, *arrays, **options), numpy.einsum(subscripts, *arrays, **options), terms * numpy.prod(sizes))

    def test_each_type_alone(self):
        rng = numpy.random.default_rng(3)
        for dtype, (subscripts, *shapes) in itertools.product(TYPES, EXPRESSIONS):
            self.compare(subscripts, [values(rng, shape, dtype) for shape in shapes])

    def test_two_types_together(self):
        rng = numpy.random.default_rng(4)
        for one, other in itertools.product(TYPES, TYPES):
            self.compare("ij,jk->ik", [values(rng, (2, 3), one), values(rng, (3, 2), other)])

    def test_integers_above_those_that_a_double_holds(self):
        big = numpy.array([[2**53 + 1, 1]])
        self.assertEqual(tcplan.einsum("ij,kj->ik", big, numpy.ones_like(big))[0, 0], 2**53 + 2)
        self.assertEqual(tcplan.einsum("i,i", numpy.array([2**62, 2**62]), numpy.array([2, 2])), 0)

    def test_the_value_of_a_number_decides_as_numpy_lets_it(self):
        small = numpy.ones(3, "int8")
        for number in (1, 300, 100000):
            self.compare(",i->i", [numpy.array(number), small])
        for number in (1.0, 1e300):
            self.compare(",i->i", [numpy.array(number), numpy.ones(3, "float32")])

    def test_options(self):
        rng = numpy.random.default_rng(5)
        a, b = values(rng, (3, 4), "i"), values(rng, (4, 2), "h")
        self.compare("ij,jk", [a, b], dtype="q")
        self.compare("ij,jk", [a, b], dtype="b", casting="unsafe")
        self.compare("ij,jk", [a, b], dtype="d")
        self.compare("ij,jk", [values(rng, (3, 4), "d"), values(rng, (4, 2), "d")], dtype="q", casting="unsafe")
        for order in "CFAK":
            found, expected = (module.einsum("ij,jk", a, b, order=order) for module in (tcplan, numpy))
            self.assertEqual(found.strides, expected.strides)
        for optimize in (True, False, "greedy", "optimal", ["einsum_path", (0, 1), (0, 1)]):
            numpy.testing.assert_array_equal(tcplan.einsum("ij,jk,kl", a, b, a[:2], optimize=optimize), numpy.einsum("ij,jk,kl", a, b, a[:2]))

    def test_results_in_given_arrays(self):
        rng = numpy.random.default_rng(6)
        a, b = values(rng, (3, 4), "h").astype("i"), values(rng, (4, 2), "h").astype("i")  # a double holds their products exactly
        for dtype in ("i", "q", "d"):
            out, expected = numpy.ones((3, 2), dtype), numpy.ones((3, 2), dtype)
            self.assertIs(tcplan.einsum("ij,jk->ik", a, b, out=out), out)
            numpy.einsum("ij,jk->ik", a, b, out=expected)
            numpy.testing.assert_array_equal(out, expected)
        out = numpy.full((3, 2), 7, "q")
        tcplan.einsum("ij,jk->ik", a, b, out=out, alpha=-2, beta=3)
        numpy.testing.assert_array_equal(out, -2 * numpy.einsum("ij,jk->ik", a, b, dtype="q") + 21)
        tcplan.einsum("ij,jk->ik", a, b, out=out, alpha=0, beta=0)
        self.assertFalse(out.any())
        with self.assertRaisesRegex(tcplan.InputError, "cannot become int16, the type of out"):
            tcplan.einsum("ij,jk->ik", a, b, out=numpy.empty((3, 2), "h"))
        square = values(rng, (3, 3), "i")
        expected = numpy.einsum("ij,jk->ki", square, square)
        numpy.testing.assert_array_equal(tcplan.einsum("ij,jk->ki", square, square, out=square), expected)

    def test_objects_are_numpys(self):
        a = numpy.array([[1, 2**70], [3, 4]], dtype=object)
        try:
            expected = numpy.einsum("ij,jk->ik", a, a)
        except TypeError:  # before numpy 1.25
            with self.assertRaises(TypeError):
                tcplan.einsum("ij,jk->ik", a, a)
            return
        numpy.testing.assert_array_equal(tcplan.einsum("ij,jk->ik", a, a), expected)
        numpy.testing.assert_array_equal(tcplan.einsum("ij,jk->ik", a, a, out=a.copy(), alpha=2, beta=1), 2 * expected + a)


if __name__ == "__main__":
    unittest.main()
