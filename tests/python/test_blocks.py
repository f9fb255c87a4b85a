"""Tests that block_einsum() agrees with numpy.einsum on dense tensors, and rejects wrong blocks."""
import itertools
import os
import tempfile
import unittest
import unittest.mock

import numpy
import tcplan


def blocks_of(labels, sections, random, fill):
    keys = itertools.product(*(range(len(sections[label])) for label in labels))
    shape = lambda key: [sections[label][n] for label, n in zip(labels, key)]
    return {key: random.integers(-4, 5, shape(key)).astype(float) for key in keys if random.random() < fill}


def dense(labels, sections, blocks):
    starts = {label: numpy.cumsum([0] + list(extents)) for label, extents in sections.items()}
    full = numpy.zeros([starts[label][-1] for label in labels])
    for key, block in blocks.items():
        full[tuple(slice(starts[label][n], starts[label][n + 1]) for label, n in zip(labels, key))] = block
    return full


class Blocks(unittest.TestCase):
    def test_agrees_with_numpy(self):
        random = numpy.random.default_rng(1)
        sections = {"a": [3, 2], "b": [1, 4], "i": [2, 3, 2], "j": [5, 1], "k": [2, 2, 3]}
        for expression, way in itertools.product(("ik,kj->ij", "abk,kij->jabi", "aik,akj->aji"), (None, "blocks", "fused")):
            left, right = expression.partition("->")[0].split(",")
            output = expression.partition("->")[2]
            A, B = blocks_of(left, sections, random, 0.6), blocks_of(right, sections, random, 0.6)
            result = tcplan.block_einsum(expression, A, B, sections, effort="estimate", way=way)
            expected = numpy.einsum(expression, dense(left, sections, A), dense(right, sections, B))
            self.assertTrue((dense(output, sections, result) == expected).all(), expression)

    def test_several_tensors_agree_with_numpy(self):
        random = numpy.random.default_rng(2)
        sections = {"a": [3, 2], "b": [1, 4], "c": [2, 2, 1], "i": [2, 3, 2], "j": [5, 1], "k": [2, 2, 3]}
        for expression in ("ab,bc,ci->ai", "ab,bc,ci,ij->ja", "ab,bc,ca,ai->bi", "ai,bj,ck->abcijk", "ab,bc,ad,dc->ac", "ai,bi,ci->abc", "ab,bc,ca->", "ik,k,ab->iab",
                           "abk,kc,ci,ij,jb->a"):
            full = {**sections, "d": [2, 1]}
            *factors, output = expression.replace("->", ",").split(",")
            tensors = [blocks_of(labels, full, random, 0.7) for labels in factors]
            expected = numpy.einsum(expression, *(dense(labels, full, blocks) for labels, blocks in zip(factors, tensors)))
            result = tcplan.block_einsum(expression, *tensors, sections=full, effort="estimate")
            self.assertTrue((dense(output, full, result) == expected).all(), expression)
            plan = tcplan.BlockExpression(expression, *tensors, sections=full, effort="estimate", threads=1, dtype="complex64")
            real = {key: block.real for key, block in plan(*tensors).items()}
            self.assertTrue((dense(output, full, real) == expected).all(), expression)
            self.assertEqual(len(plan.path), len(factors) - 1)

    def test_the_order_follows_the_blocks(self):
        # (A B) has one block of 100 x 100; (B C) is a vector. Without the blocks, the extents do not tell.
        sections = {"i": [100, 100], "j": [100, 100], "k": [100, 100], "l": [1]}
        A, B, C = {(0, 0): numpy.ones((100, 100))}, {(0, 1): numpy.ones((100, 100))}, {(1, 0): numpy.ones((100, 1))}
        plan = tcplan.BlockExpression("ij,jk,kl->il", A, B, C, sections=sections, effort="estimate")
        self.assertEqual(plan.path[0], (1, 2))
        self.assertIn("1 pairs", plan.describe())
        self.assertTrue(plan.seconds > 0)
        self.assertTrue((plan(A, B, C)[0, 0] == 1e4).all())
        out = tcplan.block_einsum("ij,jk,kl->il", A, B, C, sections, out=[(1, 0)], effort="estimate")
        self.assertTrue((out[1, 0] == 0).all())

    def test_expressions_are_refused(self):
        sections = {"i": [2], "k": [3]}
        for expression, tensors, message in (("ik,ki,ik->", [{}, {}], "has 3 tensors, found 2"), ("i,i,i,i,i,i,i,i,i->i", [{}] * 9, "expected an expression"),
                                             ("ik,ki,kj->ij", [{}] * 3, "index 'j' has no sections")):
            with self.assertRaisesRegex(tcplan.InputError, message):
                tcplan.block_einsum(expression, *tensors, sections=sections)

    def test_plan_is_reusable(self):
        plan = tcplan.BlockPlan("ik,kj->ij", {(0, 0): numpy.ones((2, 3))}, {(0, 0): numpy.ones((3, 4))}, {"i": [2], "k": [3], "j": [4]}, effort="estimate")
        result = plan({(0, 0): numpy.full((2, 3), 2.0)}, {(0, 0): numpy.ones((3, 4))})
        self.assertTrue((result[0, 0] == 6).all())
        self.assertIn(plan.way, plan.describe())

    def test_equal_products_are_planned_once(self):
        planned = []

        class Counted(tcplan.BlockPlan):
            def __init__(self, *arguments, **options):
                planned.append(arguments)
                super().__init__(*arguments, **options)

        A, B, sections = {(0, 1): numpy.ones((3, 5))}, {(1, 0): numpy.ones((5, 4))}, {"i": [3], "k": [2, 5], "j": [4]}
        with unittest.mock.patch("tcplan._blocks.BlockPlan", Counted):
            for factor in (1, 2):
                result = tcplan.block_einsum("ik,kj->ij", {(0, 1): factor * A[0, 1]}, B, sections, effort="estimate")
                self.assertTrue((result[0, 0] == 5 * factor).all())
            tcplan.block_einsum("ik,kj->ij", A, B, sections, effort="estimate", dtype="float32")
        self.assertEqual(len(planned), 2)

    def test_sums_agree_with_numpy(self):
        random = numpy.random.default_rng(3)
        sections = {"a": [3, 2], "b": [1, 4], "c": [2, 2, 1], "i": [2, 3, 2], "j": [5, 1]}
        for expressions in (("ai,ib->ab",), ("ai,ib->ab", "aj,jb->ab"), ("ai,ic,cb->ab", "ja,bj->ab", "ai,bi->ab"), ("ab,ci->abci", "ci,ba->abci"), ("ab,ba->", "ij,ij->")):
            for fill, threads, dtype in ((0.4, 1, None), (0.8, 2, "complex128")):
                terms, expected, factors = [], 0, [2, -3, 1][:len(expressions)]
                for expression, factor in zip(expressions, factors):
                    *own, output = expression.replace("->", ",").split(",")
                    tensors = [blocks_of(labels, sections, random, fill) for labels in own]
                    terms.append((expression, *tensors))
                    expected = expected + factor * numpy.einsum(expression, *(dense(labels, sections, blocks) for labels, blocks in zip(own, tensors)))
                plan = tcplan.BlockSum(terms, sections, factors, effort="estimate", threads=threads, dtype=dtype)
                flat = [tensor for term in terms for tensor in term[1:]]
                for _ in range(2):
                    result = {key: block.real for key, block in plan(*flat).items()}
                    self.assertTrue((dense(output, sections, result) == expected).all(), expressions)
        self.assertIn("term 2:\n", plan.describe())
        self.assertGreater(plan.seconds, 0)

    def test_wrong_sums_are_refused(self):
        A, B, sections = {(0, 0): numpy.ones((2, 3))}, {(0, 0): numpy.ones((3, 4))}, {"i": [2], "k": [3], "j": [4]}
        product = ("ik,kj->ij", A, B)
        cases = (([], None, "expected terms as"), ([product, ("ik,kj->ji", A, B)], None, "expected terms with the result 'ij', found 'ji'"),
                 ([product, ("ik,kj->ij", A)], None, "'ik,kj->ij' has 2 tensors, found 1"), ([product], (1, 2), "expected 1 factors, found 2"),
                 ([product], (1j,), "a factor is complex, but the type is float64"), ([product] * 14, None, "expected at most 26 tensors, found 28"))
        for terms, factors, message in cases:
            with self.subTest(message), self.assertRaises(tcplan.InputError) as caught:
                tcplan.BlockSum(terms, sections, factors, effort="estimate")
            self.assertTrue(str(caught.exception).startswith(message), caught.exception)

    def test_stored_plans_are_found_again(self):
        with tempfile.TemporaryDirectory() as folder, unittest.mock.patch.dict(os.environ, {"TCPLAN_STORE": folder}):
            os.environ.pop("TCPLAN_PLANS", None)
            plans = [tcplan.BlockPlan("ik,kj->ij", {(0, 1): numpy.ones((3, 5))}, {(1, 0): numpy.ones((5, 4))},
                                      {"i": [3], "k": [2, 5], "j": [4]}, effort="quick") for _ in range(2)]
        self.assertEqual([plan.is_stored for plan in plans], [False, True])

    def test_emitted_code_has_both_functions(self):
        plan = tcplan.BlockPlan("ik,kj->ij", {(0, 1): numpy.ones((3, 5))}, {(1, 0): numpy.ones((5, 4))},
                                {"i": [3], "k": [2, 5], "j": [4]}, effort="estimate")
        text = plan.emit("multiply")
        self.assertIn("\nint multiply(const double *const A[], const double *const B[],", text)
        self.assertIn("\nint multiply_buffers(const double *A, const double *B, double *C) {", text)
        self.assertNotIn("int main(", text)
        self.assertIn("int main(", plan.emit(main=True))
        with self.assertRaises(tcplan.InputError):
            plan.emit("2multiply")

    def test_wrong_blocks_are_refused(self):
        sections = {"i": [2], "k": [3], "j": [4]}
        for A in ({(0, 0): numpy.ones((2, 2))}, {(0, 1): numpy.ones((2, 3))}, {(0,): numpy.ones(2)}):
            with self.assertRaises(tcplan.InputError):
                tcplan.block_einsum("ik,kj->ij", A, {(0, 0): numpy.ones((3, 4))}, sections)

    def test_errors_name_what_is_expected(self):
        a, b, sections = numpy.ones((2, 3)), numpy.ones((3, 4)), {"i": [2], "k": [3], "j": [4]}
        cases = (
            (a, {(0, 0): b}, sections, "expected A as a dictionary of blocks by their section numbers, {(0, 1): array, ...}, found ndarray"),
            ({(0, 0): a}, [b], sections, "expected B as a dictionary .* found list"),
            ({0: a}, {(0, 0): b}, sections, "block 0 of A: expected a tuple of section numbers such as (0, 1)"),
            ({(0, 1): a}, {(0, 0): b}, sections, "block (0, 1) of A has section 1 of index 'k', which has 1, numbered from 0"),
            ({(0, 0): a}, {(0, 0): b}, {"i": [2], "j": [4]}, "index 'k' has no sections; expected sections={'k': [extent, ...], ...}"),
            ({(0, 0): a}, {(0, 0): b}, {"i": [2], "j": [4], "k": []}, "index 'k' has no sections"),
            ({(0, 0): a}, {(0, 0): b}, [2, 3, 4], "expected sections as {'i': [3, 5], ...}, found list"))
        for A, B, wrong, message in cases:
            with self.subTest(message), self.assertRaises(tcplan.InputError) as caught:
                tcplan.block_einsum("ik,kj->ij", A, B, wrong)
            first, _, rest = message.partition(" .* ")
            self.assertTrue(str(caught.exception).startswith(first) and rest in str(caught.exception), caught.exception)
        plan = tcplan.BlockPlan("ik,kj->ij", {(0, 0): a}, {(0, 0): b}, sections, effort="estimate")
        with self.assertRaisesRegex(tcplan.InputError, "expected B as a dictionary"):
            plan({(0, 0): a}, b)


if __name__ == "__main__":
    unittest.main()
