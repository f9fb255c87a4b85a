"""Compares einsum() with numpy's, on random expressions and on those of numpy's tests."""
import unittest

import numpy
import tcplan
from expressions import Generator, values

EXPRESSIONS = 2000
SEED = 20261


def numpys(case):
    order = case.options.get("order", "K")
    return numpy.einsum(case.subscripts, *case.operands, order=order)


class Random(unittest.TestCase):
    def test_two_thousand_expressions_give_what_numpy_gives(self):
        generator, kinds = Generator(SEED), {}
        for number in range(EXPRESSIONS):
            case = generator.case()
            for kind in case.kinds:
                kinds[kind] = kinds.get(kind, 0) + 1
            with self.subTest(number=number, case=case):
                before = [operand.copy() for operand in case.operands]
                expected = numpys(case)
                effort = None if number % 10 == 0 else "estimate"  # None tries several ways, which takes longer
                found = tcplan.einsum(case.subscripts, *case.operands, **case.options, effort=effort)
                self.assertEqual(type(found), type(expected))
                self.assertEqual((found.shape, found.dtype), (expected.shape, expected.dtype))
                numpy.testing.assert_array_equal(found, expected)
                for operand, earlier in zip(case.operands, before):
                    numpy.testing.assert_array_equal(operand, earlier)
        for kind in ("diagonal", "ellipsis", "implicit", "broadcast", "empty", "mixed types", "still", "bytes", "unaligned", "swapped", "reversed"):
            self.assertGreaterEqual(kinds.get(kind, 0), 20, kind)

    def test_results_in_given_arrays_are_scaled_and_added(self):
        generator, tried = Generator(SEED + 1), 0
        for number in range(400):
            case = generator.case()
            expected = numpy.asarray(numpys(case))
            if expected.dtype.name not in ("float32", "float64", "complex64", "complex128"):
                continue
            chance = generator.chance
            alpha, beta = chance.choice((1, 2, -0.5, 0)), chance.choice((0, 0, 1, -2, 0.5))
            room = numpy.full([2 * extent for extent in expected.shape], 7, expected.dtype)
            out = room[(Ellipsis, *(slice(None, None, 2) for _ in expected.shape))]
            if number % 3 == 0:
                out = values(chance, expected.shape, expected.dtype)
            start = out.copy()
            with self.subTest(number=number, case=case, alpha=alpha, beta=beta):
                found = tcplan.einsum(case.subscripts, *case.operands, out=out, alpha=alpha, beta=beta, optimize=case.options.get("optimize", True))
                self.assertIs(found, out)
                numpy.testing.assert_array_equal(out, alpha * expected + beta * start)
                odd = room[tuple(slice(1, None, 2) for _ in expected.shape)]
                if room.ndim:
                    self.assertTrue((odd == 7).all(), "it wrote between the elements")
            tried += 1
        self.assertGreater(tried, 300)


class Fixed(unittest.TestCase):
    def check(self, subscripts, *shapes, dtype="float64"):
        generator = Generator(subscripts)
        arrays = [values(generator.chance, shape, numpy.dtype(dtype)) for shape in shapes]
        numpy.testing.assert_array_equal(tcplan.einsum(subscripts, *arrays), numpy.einsum(subscripts, *arrays))

    def test_expressions_of_numpys_own_tests(self):
        for subscripts, *shapes in (
            ("ai,ibc->abc", (4, 3), (3, 5, 6)),
            ("...ij,...jk->...ik", (2, 1, 3, 4), (5, 4, 2)),
            ("ij...,j...->ij...", (2, 3, 4), (3,)),
            ("ij...,...j->ij...", (2, 3, 4), (4, 3)),
            ("ik...,k...->i...", (2, 3), (3, 4)),
            ("...k,kj", (2, 3), (3, 4)),
            ("...lmn,...lmno->...o", (2, 3, 4), (2, 3, 4, 5)),
            ("ij,ij->j", (5, 2), (1, 2)),
            ("i,i", (1,), (5,)),
            (",i->i", (), (4,)),
            (",", (), ()),
            ("i,j", (3,), (4,)),
            ("ijk, jil -> kl", (2, 3, 4), (3, 2, 5)),
            ("z,mz,zm->", (2,), (3, 2), (2, 3)),
            ("x,yx,zx->xzy", (2,), (3, 2), (4, 2)),
            ("cl, cpxy->lpxy", (7, 3), (7, 4, 5, 2)),
            ("aabb,ab->ab", (3, 3, 2, 2), (3, 2)),
            ("ijij,k->k", (2, 3, 2, 3), (4,)),
        ):
            with self.subTest(subscripts=subscripts):
                self.check(subscripts, *shapes)

    def test_operands_and_lists_of_labels_in_turns(self):
        a, b = numpy.arange(6.0).reshape(2, 3), numpy.arange(12.0).reshape(3, 4)
        numpy.testing.assert_array_equal(tcplan.einsum(a, [0, 20], b, [20, 2], [0, 2]), a @ b)
        numpy.testing.assert_array_equal(tcplan.einsum(a, [30, 20], b, [20, 2]), numpy.einsum(a, [30, 20], b, [20, 2]))
        numpy.testing.assert_array_equal(tcplan.einsum(a, [Ellipsis, 0], b, [0, 1], [Ellipsis, 1]), a @ b)

    def test_lists_and_numbers_become_arrays(self):
        self.assertEqual(tcplan.einsum("i,i", [1.0, 2.0], [3.0, 4.0]), 11.0)
        numpy.testing.assert_array_equal(tcplan.einsum(",i->i", 2, numpy.array([1, 2], "f4")), numpy.array([2, 4], "f4"))

    def test_every_form_of_subscripts(self):
        x, y, c = numpy.arange(24.0).reshape(2, 3, 4), numpy.arange(6.0).reshape(2, 3), numpy.arange(6.0).reshape(2, 3)
        expected = numpy.einsum("ij...,ij->i...", x, y)
        for call in (tcplan.einsum, lambda *arguments: tcplan.plan(*arguments, effort="estimate")(x, y)):
            numpy.testing.assert_array_equal(call(x, [0, 1, Ellipsis], y, [0, 1], [0, Ellipsis]), expected)
            numpy.testing.assert_array_equal(call(b"ij...,ij->i...", x, y), expected)
        numpy.testing.assert_array_equal(tcplan.plan(",pi->pi", 1, c.shape, effort="estimate")(3, c), 3 * c)
        self.assertIn("dgemm", str(tcplan.rank(y, [0, 1], x, [0, 1, 2], effort="estimate").text()))

    def test_options_in_every_spelling_of_numpys(self):
        a, b, c = numpy.ones((2, 3)), numpy.ones((3, 4)), numpy.ones((4, 5))
        for optimize in (True, False, None, "greedy", "optimal", ("greedy", 100), ("optimal", 1e3), ["einsum_path", (0, 1), (0, 1)], ["einsum_path", (0, 1, 2)]):
            numpy.testing.assert_array_equal(tcplan.einsum("ij,jk,kl", a, b, c, optimize=optimize), a @ b @ c)
        for order in ("C", "F", "A", "K", "c", "f", None):
            found, expected = (module.einsum("ij,jk", a, b, order=order) for module in (tcplan, numpy))
            self.assertEqual((found.flags.c_contiguous, found.flags.f_contiguous), (expected.flags.c_contiguous, expected.flags.f_contiguous))

    def test_more_letters_than_the_alphabet_has(self):
        labels = [chr(code) for code in range(0x3B1, 0x3C9) if code != 0x3C2] + list("abcdefghijklmnopqrstuvwxyzABCDEFG")
        left, right = labels[:28], labels[26:]
        a = numpy.ones([2 if n in (26, 27) else 1 for n in range(28)])
        b = numpy.ones([2 if n in (0, 1) else 1 for n in range(len(right))])
        out = labels[:26] + labels[28:]
        self.assertEqual(len(labels), 56)
        found = tcplan.einsum(f"{''.join(left)},{''.join(right)}->{''.join(out[:20])}", a, b)
        self.assertEqual(found.shape, (1,) * 20)
        self.assertEqual(found.ravel()[0], 4.0)

    def test_conjugates(self):
        generator = Generator(3)
        a, b, c = (values(generator.chance, shape, numpy.dtype("complex128")) for shape in ((3, 4), (4, 5), (5, 2)))
        numpy.testing.assert_array_equal(tcplan.einsum("ij,jk->ik", a, b, conjugate=0), a.conj() @ b)
        numpy.testing.assert_array_equal(tcplan.einsum("ij,jk->ik", a, b, conjugate=[0, 1]), (a @ b).conj())
        numpy.testing.assert_array_equal(tcplan.einsum("ij,jk,kl->il", a, b, c, conjugate=(2,)), a @ b @ c.conj())
        numpy.testing.assert_array_equal(tcplan.einsum("ij->ji", a, conjugate=0), a.conj().T)

    def test_the_type_that_is_asked_for(self):
        a = numpy.arange(6, dtype="float32").reshape(2, 3)
        self.assertEqual(tcplan.einsum("ij,kj->ik", a, a, dtype="complex128").dtype, numpy.dtype("complex128"))
        self.assertEqual(tcplan.einsum("ij,kj->ik", a.astype("float64"), a, dtype="float32", casting="same_kind").dtype, numpy.dtype("float32"))

    def test_orders_of_new_results(self):
        a, b = numpy.ones((3, 4)), numpy.ones((4, 5))
        self.assertTrue(tcplan.einsum("ij,jk->ik", a, b).flags.c_contiguous)
        self.assertTrue(tcplan.einsum("ij,jk->ik", a, b, order="F").flags.f_contiguous)
        self.assertTrue(tcplan.einsum("ij,jk->ik", numpy.asfortranarray(a), numpy.asfortranarray(b)).flags.f_contiguous)

    def test_one_operand_is_numpys(self):
        a = numpy.arange(9.0).reshape(3, 3)
        numpy.testing.assert_array_equal(tcplan.einsum("ii->i", a), [0, 4, 8])
        self.assertEqual(tcplan.einsum("ij->", numpy.arange(4).reshape(2, 2)), 6)
        out = numpy.ones(3)
        tcplan.einsum("ij->i", a, out=out, alpha=2, beta=10)
        numpy.testing.assert_array_equal(out, 2 * a.sum(1) + 10)

    def test_the_short_way_into_an_array_respects_overlap_alignment_and_flags(self):
        generator = Generator("out")
        a, v = (values(generator.chance, shape, numpy.dtype("float64")) for shape in ((20, 20), (20,)))
        expected, out = numpy.einsum("ij,i->ij", a, v), numpy.empty((20, 20))
        plan = tcplan._einsum._plan_arrays("ij,i->ij", [a, v], out, 1, "estimate", *tcplan._einsum.DEFAULTS[2:])
        tcplan.clear()
        tcplan._einsum._keep(tcplan._einsum._key("ij,i->ij", [a, v], out, tcplan._einsum.DEFAULTS), plan)
        self.assertIs(plan.quick_into(a, v, out), out)
        numpy.testing.assert_array_equal(out, expected)
        out[...] = 7
        self.assertIs(tcplan.einsum("ij,i->ij", a, v, out=out), out)
        numpy.testing.assert_array_equal(out, expected)
        odd = numpy.empty(out.nbytes + 1, "b")[1:].view("float64").reshape(out.shape)
        self.assertIsNone(plan.quick_into(a, v, odd))
        tcplan.einsum("ij,i->ij", a, v, out=odd)
        numpy.testing.assert_array_equal(odd, expected)
        self.assertIsNone(plan.quick_into(out, v, out))
        tcplan.einsum("ij,i->ij", out, v, out=out)
        numpy.testing.assert_array_equal(out, numpy.einsum("ij,i->ij", expected, v))
        out.flags.writeable = False
        with self.assertRaisesRegex(ValueError, "read-only"):
            tcplan.einsum("ij,i->ij", a, v, out=out)

    def test_what_is_forgotten_is_planned_again(self):
        a = numpy.ones((2, 3))
        first = tcplan.einsum("ij,kj->ik", a, a)
        tcplan.clear()
        numpy.testing.assert_array_equal(tcplan.einsum("ij,kj->ik", a, a), first)


if __name__ == "__main__":
    unittest.main()
