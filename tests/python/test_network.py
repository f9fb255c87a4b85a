"""Tests products of several operands: searched orders, plans of all steps, the optimizer for opt_einsum."""
import itertools
import random
import sys
import threading
import types
import unittest

import numpy
import tcplan
from expressions import values
from rounding import assert_sums_equal

RNG = numpy.random.default_rng(17)
A, B, C = RNG.standard_normal((30, 4)), RNG.standard_normal((4, 25)), RNG.standard_normal((25, 3))


def planned(*arguments, **options):
    return tcplan.plan(*arguments, **{"effort": "estimate", **options})


def naive(subscripts, operands):
    """Returns numpy's result, computed two operands at a time in numpy's greedy order; numbers are exact in any order."""
    return numpy.einsum(subscripts, *operands, optimize="greedy")


class Expressions(unittest.TestCase):
    def test_random_expressions_are_exact(self):
        chance = random.Random(2211)
        for number in range(150):
            letters = "abcdefghijkl"[: chance.randint(2, 12)]
            sizes = {letter: chance.choice((1, 2, 2, 3, 3, 4)) for letter in letters}
            terms = ["".join(chance.choice(letters) for _ in range(chance.randint(0, 4))) for _ in range(chance.randint(3, 9))]
            present = sorted(set("".join(terms)))
            result = "".join(chance.sample(present, chance.randint(0, min(len(present), 5))))
            dtype = numpy.dtype(chance.choice(("float64", "complex128")))
            operands = [values(chance, [sizes[letter] for letter in term], dtype) for term in terms]
            operands = [numpy.asfortranarray(operand) if operand.ndim > 0 and chance.random() < 0.3 else operand for operand in operands]
            subscripts = f"{','.join(terms)}->{result}"
            options = {"optimize": chance.choice((True, True, False, "greedy", tcplan.optimizer)), "order": chance.choice("CFK")}
            with self.subTest(number=number, subscripts=subscripts, sizes=sizes, **options):
                numpy.testing.assert_array_equal(tcplan.einsum(subscripts, *operands, **options), naive(subscripts, operands))

    def test_an_alpha_of_0_reads_no_operand(self):
        lost = numpy.full((2, 2), numpy.nan)
        for subscripts in ("ij->ij", "ii->i", "ij->", "ij,jk->ik", "ij,jk,kl->il", "ij,jk,kl,lm->"):
            operands = [lost] * (subscripts.count(",") + 1)
            shape = (2,) * len(subscripts.split("->")[1])
            for beta in (0, 1, 2.5):
                out = numpy.full(shape, 5.0 if beta else numpy.nan)
                with self.subTest(subscripts=subscripts, beta=beta):
                    tcplan.einsum(subscripts, *operands, out=out, alpha=0, beta=beta)
                    numpy.testing.assert_array_equal(out, numpy.full(shape, 5.0 * beta))

    def test_hyper_indices_outer_products_and_scalars(self):
        chance = random.Random(5)
        for subscripts in ("ai,i,i->a", "ij,ij,ij->", "a,b,c->cab", "ab,,bc->ac", "aab,bc,cd->d", "abc,a,b,c->abc"):
            operands = [values(chance, (4,) * len(term), numpy.dtype("float64")) for term in subscripts.split("->")[0].split(",")]
            numpy.testing.assert_array_equal(tcplan.einsum(subscripts, *operands), numpy.einsum(subscripts, *operands))

    def test_many_operands_with_more_labels_than_letters(self):
        count = 70
        arrays = [numpy.full((2, 2), 0.5) for _ in range(count)]
        labels = [chr(0x4E00 + number) for number in range(count + 1)]
        subscripts = ",".join(labels[n] + labels[n + 1] for n in range(count)) + f"->{labels[0]}{labels[-1]}"
        numpy.testing.assert_array_equal(tcplan.einsum(subscripts, *arrays), numpy.full((2, 2), 0.5))

    def test_one_array_several_times(self):
        a = RNG.standard_normal((5, 5))
        assert_sums_equal(tcplan.einsum("ab,bc,cd->ad", a, a, a), "ab,bc,cd->ad", a, a, a)


class Plans(unittest.TestCase):
    def test_the_order_is_searched(self):
        plan = planned("ab,bc,cd->ad", A, B, C)
        self.assertEqual(plan.path, [(1, 2), (0, 1)])
        self.assertEqual(plan.origin, "estimated")
        self.assertEqual(plan.flops, 2 * (4 * 25 * 3 + 30 * 4 * 3))
        self.assertGreater(plan.seconds, 0)
        self.assertEqual(plan.interval, (0.0, float("inf")))
        self.assertEqual(len(plan.algorithms), 2)
        for words in ("order: ", "path:        [(1, 2), (0, 1)]", "workspace: "):
            self.assertIn(words, plan.describe())
        self.assertEqual(planned("ab,bc,cd->ad", A, B, C, optimize=False).path, [(0, 1), (0, 1)])

    def test_emitted_c_is_one_function(self):
        text = planned("ab,bc,cd->ad", A, B, C).emit("chain")
        self.assertIn("int chain(const double *A1, const double *A2, const double *A3, double *R)", text)
        with self.assertRaisesRegex(tcplan.InputError, "a driver is there for products of two operands only"):
            planned("ab,bc,cd->ad", A, B, C).emit(main=True)

    def test_steps_are_measured_where_that_is_asked_for(self):
        plan = tcplan.plan("ab,bc,cd->ad", A, B, C, effort="quick", plans="")
        self.assertIn(plan.origin, ("timed", "compared"))
        assert_sums_equal(plan(A, B, C), "ab,bc,cd->ad", A, B, C)

    def test_arrays_that_lie_in_pieces(self):
        wide = numpy.zeros((60, 8))
        wide[::2, ::-2] = A
        room = numpy.full((60, 9), 7.0)
        for a, out in ((wide[::2, ::-2], None), (A, room[::2, ::3]), (wide[::2, ::-2], numpy.empty((3, 30)).T)):
            plan = planned("ab,bc,cd->ad", a, B, C, out=out)
            for _ in range(2):
                assert_sums_equal(plan(a, B, C, out=out), "ab,bc,cd->ad", A, B, C)
        self.assertTrue((room[1::2] == 7).all() and (room[:, 1::3] == 7).all())

    def test_results_lie_as_is_fastest_where_nobody_says_how(self):
        a, b, c = RNG.standard_normal((9, 60, 9)), RNG.standard_normal((60, 60)), RNG.standard_normal((60, 7, 7, 7))
        subscripts = "axe,xi,ibcd->baced"
        shape = (7, 9, 7, 9, 7)
        plan = planned(subscripts, a, b, c)
        self.assertFalse(plan(a, b, c).flags.c_contiguous)
        for out in (None, plan(a, b, c), numpy.empty(shape), numpy.empty(shape, order="F"), numpy.empty((14, 9, 7, 18, 7))[::2, :, :, ::2]):
            for _ in range(2):
                assert_sums_equal(plan(a, b, c, out=out), subscripts, a, b, c)
        out = numpy.ones(shape)
        assert_sums_equal(plan(a, b, c, out=out, alpha=2, beta=3), subscripts, a, b, c, alpha=2, added=3)
        for order in "CF":
            found = tcplan.einsum(subscripts, a, b, c, order=order)
            self.assertTrue(found.flags[f"{order}_CONTIGUOUS"])
            assert_sums_equal(found, subscripts, a, b, c)
        f = [numpy.asfortranarray(array) for array in (a, b, c)]
        assert_sums_equal(tcplan.einsum(subscripts, *f), subscripts, a, b, c)

    def test_factors_and_results_in_given_arrays(self):
        out = numpy.ones((30, 3))
        self.assertIs(tcplan.einsum("ab,bc,cd->ad", A, B, C, out=out, alpha=2, beta=-3), out)
        assert_sums_equal(out, "ab,bc,cd->ad", A, B, C, alpha=2, added=-3)
        out[:] = numpy.nan
        tcplan.einsum("ab,bc,cd->ad", A, B, C, out=out)
        assert_sums_equal(out, "ab,bc,cd->ad", A, B, C)
        same = RNG.standard_normal((6, 6))
        before = same.copy()
        tcplan.einsum("ab,bc,cd->ad", same, same, same, out=same)
        assert_sums_equal(same, "ab,bc,cd->ad", before, before, before)

    def test_conjugates(self):
        a, b, c = (array + 1j * array[::-1] for array in (A, B, C))
        assert_sums_equal(tcplan.einsum("ab,bc,cd->ad", a, b, c, conjugate=(0, 2)), "ab,bc,cd->ad", a.conj(), b, c.conj())

    def test_one_plan_in_several_threads(self):
        plan, failures = planned("ab,bc,cd->ad", A, B, C), []

        def execute():
            try:
                for _ in range(100):
                    assert_sums_equal(plan(A, B, C), "ab,bc,cd->ad", A, B, C)
            except BaseException as failure:
                failures.append(failure)

        threads = [threading.Thread(target=execute) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])


class Optimizers(unittest.TestCase):
    INPUTS, EXTENTS = [frozenset("ab"), frozenset("bc"), frozenset("cd")], {"a": 300, "b": 40, "c": 250, "d": 2}

    def test_a_path(self):
        for _ in range(2):  # the second call finds the stored one
            self.assertEqual(tcplan.optimizer(self.INPUTS, frozenset("ad"), self.EXTENTS), [(1, 2), (0, 1)])
        self.assertEqual(tcplan.optimizer(self.INPUTS, frozenset("ad"), {**self.EXTENTS, "a": 1, "d": 900}, 10), [(0, 1), (0, 1)])
        self.assertEqual(tcplan.Optimizer(threads=2, dtype="complex64", store="")(self.INPUTS, {"a", "d"}, self.EXTENTS), [(1, 2), (0, 1)])

    def test_a_coarse_path_has_the_least_cost_of_all(self):
        chance = random.Random(5)
        for number in range(20):
            left = [set() for _ in range(chance.randint(3, 5))]
            extents = {label: chance.choice((1, 2, 7, 40, 90)) for label in "abcdefg"}
            for label in extents:
                for place in chance.sample(range(len(left)), chance.choice((2, 2, 3))):
                    left[place].add(label)
            output = set(chance.sample(sorted(extents), number % 3))
            cost = tcplan.cost(extents, store="")

            def rated(operands, pair):
                """The cost of multiplying a pair, and the operands after that."""
                others = [labels for place, labels in enumerate(operands) if place not in pair]
                one, other = (operands[place] for place in pair)
                made = (one | other) & output.union(*others)
                return cost(0, 0, 0, made, one, other), [*others, made]

            def least(operands):
                pairs = itertools.combinations(range(len(operands)), 2)
                return min((seconds + least(rest) for seconds, rest in (rated(operands, pair) for pair in pairs)), default=0)

            operands, total = left, 0
            for pair in tcplan.Optimizer(store="", coarse=True)(left, output, extents):
                seconds, operands = rated(operands, pair)
                total += seconds
            self.assertAlmostEqual(total / least(left), 1, 9, (left, output, extents))

    def test_few_operands(self):
        self.assertEqual(tcplan.optimizer([{"a"}], set(), {"a": 3}), [(0,)])
        self.assertEqual(tcplan.optimizer([{"a"}, {"a"}], set(), {"a": 3}), [(0, 1)])

    def test_it_is_what_opt_einsum_asks_for(self):
        self.assertIsInstance(tcplan.optimizer, tcplan.Optimizer)
        known = sys.modules.get("opt_einsum.paths")
        paths = sys.modules["opt_einsum.paths"] = types.ModuleType("opt_einsum.paths")
        try:
            paths.PathOptimizer = type("PathOptimizer", (), {})
            self.assertIsInstance(tcplan.optimizer, paths.PathOptimizer)
            self.assertIsInstance(tcplan.optimizer, tcplan.Optimizer)
        finally:
            del sys.modules["opt_einsum.paths"]
            if known is not None:
                sys.modules["opt_einsum.paths"] = known


if __name__ == "__main__":
    unittest.main()
