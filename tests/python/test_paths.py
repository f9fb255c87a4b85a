"""Tests orders of several operands: the greedy one, and einsum_path()."""
import random
import unittest

import numpy
import tcplan
from tcplan import _path


def size(labels, extents):
    return int(numpy.prod([extents[label] for label in labels], dtype=object))


def steps(path, inputs, output):
    """Returns the labels of the factors and of the product of each step."""
    left = [frozenset(labels) for labels in inputs]
    for one, other in path:
        factors = left[one], left[other]
        left = [labels for place, labels in enumerate(left) if place not in (one, other)]
        left.append((factors[0] | factors[1]) & frozenset(output).union(*left))
        yield *factors, left[-1]


def cost(path, inputs, output, extents):
    return sum(size(left | right, extents) for left, right, _ in steps(path, inputs, output))


def by_trying_all(inputs, output, extents):
    """Returns the greedy order, with each step found by rating every pair."""
    left, path = [frozenset(labels) for labels in inputs], []
    while len(left) > 1:
        best = None
        for one in range(len(left)):
            for other in range(one + 1, len(left)):
                rest = [labels for place, labels in enumerate(left) if place not in (one, other)]
                both = left[one] | left[other]
                kept = both & frozenset(output).union(*rest)
                growth = size(kept, extents) - size(left[one], extents) - size(left[other], extents)
                rating = not left[one] & left[other], growth, size(both, extents), one, other
                if best is None or rating < best[0]:
                    best = rating, rest + [kept]
        path.append(best[0][-2:])
        left = best[1]
    return path


def connected(chance, count):
    """Returns operands each of which shares a label with an earlier one."""
    extents = {label: chance.choice((1, 2, 2, 3, 5, 6)) for label in range(count + 4)}
    inputs = [{0, 1}]
    for _ in range(count - 1):
        known = sorted(set().union(*inputs))
        inputs.append({chance.choice(known), *chance.sample(sorted(extents), chance.randint(0, 3))})
    known = sorted(set().union(*inputs))
    return inputs, set(chance.sample(known, chance.randint(0, min(3, len(known))))), extents


class Counted(_path._Operands):
    rated = 0

    def rating(self, one, other):
        Counted.rated += 1
        return super().rating(one, other)


class Greedy(unittest.TestCase):
    def test_each_step_is_the_one_that_trying_all_pairs_finds(self):
        chance = random.Random(17)
        for _ in range(300):
            inputs, output, extents = connected(chance, chance.randint(2, 9))
            with self.subTest(inputs=inputs, output=output, extents=extents):
                self.assertEqual(tcplan.greedy(inputs, output, extents), by_trying_all(inputs, output, extents))

    def test_parts_that_share_no_label_are_multiplied_last(self):
        chance = random.Random(18)
        total = {"found": 0, "expected": 0}
        for _ in range(100):
            first, second = connected(chance, 3), connected(chance, 3)
            inputs = [*first[0], *({label + 100 for label in labels} for labels in second[0])]
            output = {*first[1], *(label + 100 for label in second[1])}
            extents = {**first[2], **{label + 100: extent for label, extent in second[2].items()}}
            total["found"] += cost(tcplan.greedy(inputs, output, extents), inputs, output, extents)
            total["expected"] += cost(by_trying_all(inputs, output, extents), inputs, output, extents)
        self.assertLessEqual(total["found"], total["expected"])

    def check_ratings(self, shared):
        """Checks that the number of ratings of a chain, whose operands also have the labels
        `shared`, grows as its length."""
        rated, own = {}, _path._Operands
        _path._Operands = Counted
        try:
            for count in (100, 200, 400, 800):
                Counted.rated = 0
                inputs = [{number, number + 1} | shared for number in range(count)]
                path = tcplan.greedy(inputs, {0, count} | shared, dict.fromkeys({*range(count + 1), *shared}, 2))
                self.assertEqual(len(path), count - 1)
                rated[count] = Counted.rated
        finally:
            _path._Operands = own
        for count in (100, 200, 400):
            self.assertLess(rated[2 * count], 2.2 * rated[count])

    def test_a_chain_takes_a_number_of_ratings_that_grows_as_its_length(self):
        self.check_ratings(set())

    def test_a_label_of_all_operands_does_not_make_pairs_of_all(self):
        self.check_ratings({"batch"})

    def test_a_chain_of_two_hundred_matrices(self):
        rng, count = numpy.random.default_rng(1), 200
        matrices = [numpy.linalg.qr(rng.standard_normal((2, 2)))[0] for _ in range(count)]
        labels = [[chr(0x4E00 + number), chr(0x4E01 + number)] for number in range(count)]
        subscripts = ",".join("".join(pair) for pair in labels) + f"->{labels[0][0]}{labels[-1][1]}"
        found = tcplan.einsum(subscripts, *matrices, optimize="greedy")
        numpy.testing.assert_allclose(found, numpy.linalg.multi_dot(matrices), atol=1e-12)


class EinsumPath(unittest.TestCase):
    ARRAYS = [numpy.ones(shape) for shape in ((3, 40), (40, 50), (50, 2))]

    def test_it_returns_what_numpys_returns_and_numpys_einsum_takes(self):
        for optimize in (True, "greedy", "optimal", False, ("greedy", 10**6), ["einsum_path", (1, 2), (0, 1)]):
            path, text = tcplan.einsum_path("ij,jk,kl->il", *self.ARRAYS, optimize=optimize)
            self.assertEqual(path[0], "einsum_path")
            self.assertTrue(all(isinstance(step, tuple) for step in path[1:]))
            self.assertIn("Complete contraction:  ij,jk,kl->il", text)
            self.assertEqual(numpy.einsum_path("ij,jk,kl->il", *self.ARRAYS, optimize=path), (path, text))
            for module in (numpy, tcplan):
                found = module.einsum("ij,jk,kl->il", *self.ARRAYS, optimize=path)
                numpy.testing.assert_array_equal(found, numpy.full((3, 2), 2000.0))

    def test_it_is_the_order_of_the_plan(self):
        path, _ = tcplan.einsum_path("ij,jk,kl->il", *self.ARRAYS)
        self.assertEqual(path[1:], tcplan.plan("ij,jk,kl->il", *self.ARRAYS, effort="estimate", plans="").path)

    def test_every_form_of_operands(self):
        a, b = self.ARRAYS[:2]
        expected = ["einsum_path", (0, 1)]
        self.assertEqual(tcplan.einsum_path(a, [0, 1], b, [1, 2])[0], expected)
        self.assertEqual(tcplan.einsum_path(b"ij,jk", a, b)[0], expected)
        self.assertEqual(tcplan.einsum_path("...j,jk", a.tolist(), b.astype(int))[0], expected)
        self.assertEqual(tcplan.einsum_path("ij->ji", a)[0], ["einsum_path", (0,)])


if __name__ == "__main__":
    unittest.main()
