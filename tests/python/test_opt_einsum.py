"""Tests the protocols of opt_einsum by a small imitation that calls a backend and a path finder as opt_einsum does. checkout.py tests opt_einsum
itself."""
import importlib
import unittest

import numpy
import tcplan
from rounding import assert_sums_equal

RNG = numpy.random.default_rng(13)


def is_tensordot(left, right, removed, kept):
    """Returns whether a product has no diagonals, no sums over an index of one operand, and no batch indices."""
    plain = all(len(set(term)) == len(term) for term in (left, right))
    return plain and all(label in left and label in right for label in removed) and not set(left) & set(right) & set(kept)


def contract(subscripts, *operands, backend, find_path, out=None):
    """Does what opt_einsum.contract() does: finds a path from sets of indices, then calls tensordot and transpose if these suffice, otherwise
    einsum."""
    library = importlib.import_module(backend)
    terms, result = subscripts.split("->")
    terms, operands = terms.split(","), list(operands)
    extents = {label: extent for term, operand in zip(terms, operands) for label, extent in zip(term, operand.shape)}
    calls = []
    path = find_path([frozenset(term) for term in terms], frozenset(result), extents, None)
    for number, places in enumerate(path):
        taken = [terms[place] for place in places]
        arrays = [operands[place] for place in places]
        for place in sorted(places, reverse=True):
            del terms[place], operands[place]
        is_last = number == len(path) - 1
        left = result if is_last else "".join(sorted(set("".join(taken)) & set(result + "".join(terms))))
        removed = sorted(set("".join(taken)) - set(left))
        if len(taken) == 2 and is_tensordot(*taken, removed, left):
            calls.append("tensordot")
            axes = tuple(zip(*sorted((taken[0].find(label), taken[1].find(label)) for label in removed))) or ((), ())
            value = library.tensordot(*arrays, axes=axes)
            have = "".join(label for label in taken[0] + taken[1] if label not in removed)
            if have != left or (is_last and out is not None):
                calls.append("transpose")
                value = library.transpose(value, tuple(have.index(label) for label in left))
                if is_last and out is not None:
                    out[:] = value
        else:
            calls.append("einsum")
            value = library.einsum(f"{','.join(taken)}->{left}", *arrays, out=out if is_last else None)
        terms.append(left)
        operands.append(value)
    return operands[0] if out is None else out, calls


class Protocols(unittest.TestCase):
    def check(self, subscripts, *shapes, calls, find_path=tcplan.greedy):
        arrays = [RNG.standard_normal(shape) for shape in shapes]
        found, called = contract(subscripts, *arrays, backend="tcplan", find_path=find_path)
        assert_sums_equal(found, subscripts, *arrays)
        self.assertEqual(set(called), calls)
        out = numpy.empty(found.shape)
        contract(subscripts, *arrays, backend="tcplan", find_path=find_path, out=out)
        assert_sums_equal(out, subscripts, *arrays)

    def test_products_of_matrices(self):
        self.check("ab,bc,cd->ad", (3, 4), (4, 5), (5, 6), calls={"tensordot"})
        self.check("ab,bc,cd->da", (3, 4), (4, 5), (5, 6), calls={"tensordot", "transpose"})

    def test_batches_sums_and_diagonals(self):
        self.check("zab,zbc->zac", (2, 3, 4), (2, 4, 5), calls={"einsum"})
        self.check("aab,bc,ced->ad", (3, 3, 4), (4, 5), (5, 2, 6), calls={"einsum"}, find_path=lambda *_: [(0, 1), (0, 1)])
        self.check("aab,bc,ced->aed", (3, 3, 4), (4, 5), (5, 2, 6), calls={"einsum", "tensordot"}, find_path=lambda *_: [(0, 1), (1, 0)])

    def test_outer_products(self):
        self.check("ab,cd->abcd", (2, 3), (4, 5), calls={"tensordot"})

    def test_one_operand(self):
        self.check("abc->ca", (2, 3, 4), calls={"einsum"})


class Finding(unittest.TestCase):
    def test_the_cheapest_pair_comes_first(self):
        inputs, extents = [{"a", "b"}, {"b", "c"}, {"c", "d"}], {"a": 100, "b": 100, "c": 100, "d": 2}
        self.assertEqual(tcplan.greedy(inputs, {"a", "d"}, extents), [(1, 2), (0, 1)])

    def test_outer_products_come_last(self):
        self.assertEqual(tcplan.greedy([{"a"}, {"b"}, {"a", "c"}], {"b", "c"}, {"a": 5, "b": 1, "c": 9})[0], (0, 2))

    def test_einsum_takes_a_finder_and_gives_it_what_opt_einsum_gives(self):
        seen = []

        def finder(inputs, output, sizes, memory_limit=None):
            seen.append((inputs, output, sizes, memory_limit))
            return [(0, 2), (0, 1)]

        a, b, c = (RNG.standard_normal(shape) for shape in ((2, 3), (3, 4), (4, 2)))
        found = tcplan.einsum("ij,jk,ki->", a, b, c, optimize=finder)
        assert_sums_equal(found, "ij,jk,ki->", a, b, c)
        self.assertEqual(seen, [([{"i", "j"}, {"j", "k"}, {"k", "i"}], set(), {"i": 2, "j": 3, "k": 4}, None)])

    def test_steps_of_several_operands_become_pairs(self):
        arrays = [RNG.standard_normal((3, 3)) for _ in range(4)]
        for path in ([(0, 1, 2, 3)], [(1, 2, 3), (0, 1)], ["einsum_path", (0, 1), (0, 1, 2)], [(0,), (0, 1, 2, 3)]):
            assert_sums_equal(tcplan.einsum("ab,bc,cd,de->ae", *arrays, optimize=path), "ab,bc,cd,de->ae", *arrays)


if __name__ == "__main__":
    unittest.main()
