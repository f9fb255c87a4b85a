"""Tests predicted seconds of pairwise products, for searches of orders by opt_einsum and cotengra."""
import itertools
import math
import pickle
import unittest

import tcplan

EXTENTS = {"a": 40, "b": 30, "c": 20, "d": 50, "e": 7}


def sets(*terms):
    return tuple(map(frozenset, terms))


def rated(left, right, product, extents=EXTENTS, **options):
    def size(term):
        return math.prod(extents[label] for label in term)

    return tcplan.cost(extents, store="", **options)(size(product), size(left), size(right), *sets(product, left, right))


class Cost(unittest.TestCase):
    def test_every_extent_adds_seconds(self):
        for label, (left, right, product) in itertools.product("abc", (("ab", "bc", "ac"), ("ab", "abc", "ac"), ("abc", "abc", "abc"))):
            larger = EXTENTS | {label: 100 * EXTENTS[label]}
            self.assertGreater(rated(left, right, product, larger), rated(left, right, product), (label, left, right))

    def test_the_order_of_factors_and_labels_does_not_count(self):
        self.assertEqual(rated("ab", "bc", "ac"), rated("cb", "ba", "ca"))

    def test_an_index_summed_in_one_factor_alone_does_not_count(self):
        self.assertEqual(rated("abe", "bc", "ac"), rated("ab", "bc", "ac"))

    def test_vectors_are_not_rated_as_matrices(self):
        """The products have equally many multiplications, but kernels of different speed."""
        long = {"a": 1, "b": 1, "c": 10**6}
        square = {"a": 100, "b": 100, "c": 100}
        self.assertGreater(rated("ac", "cb", "ab", long), rated("ac", "cb", "ab", square))

    def test_a_product_above_the_memory_limit_costs_infinity(self):
        self.assertEqual(rated("ab", "bc", "ac", memory_limit=799), math.inf)
        self.assertLess(rated("ab", "bc", "ac", memory_limit=800), math.inf)

    def test_types_are_those_of_tensors(self):
        with self.assertRaises(tcplan.InputError):
            tcplan.cost(EXTENTS, dtype="int64")
        self.assertGreater(rated("ab", "bc", "ac", dtype="complex128"), rated("ab", "bc", "ac"))

    def test_negative_extents_are_refused(self):
        with self.assertRaises(tcplan.InputError):
            rated("ab", "bc", "ac", EXTENTS | {"a": -1})

    def test_huge_products_cost_a_positive_number(self):
        huge = dict.fromkeys("abc", 10**150)
        self.assertGreater(rated("ab", "bc", "ac", huge), 1e100)


class Tree:
    """The members of cotengra's ContractionTree that objectives use, for the chain ab,bc,cd computed as (A*B)*C."""

    def __init__(self, extents=EXTENTS, slices=1):
        self.size_dict, self.nslices = extents, slices
        self.children = {"AB": ("A", "B"), "ABC": ("AB", "C")}
        self.legs = {"A": "ab", "B": "bc", "C": "cd", "AB": "ac", "ABC": "ad"}

    def traverse(self):
        for node, (left, right) in self.children.items():
            yield node, left, right

    def get_legs(self, node):
        return dict.fromkeys(self.legs[node], 1)

    def get_flops(self, node):
        left, right = self.children[node]
        return math.prod(self.size_dict[label] for label in {*self.legs[left], *self.legs[right]})

    def get_size(self, node):
        return math.prod(self.size_dict[label] for label in self.legs[node])

    def max_size(self):
        return max(map(self.get_size, self.legs))


class Objective(unittest.TestCase):
    def setUp(self):
        self.objective = tcplan.objective(store="")

    def test_a_tree_scores_the_seconds_of_its_products(self):
        seconds = rated("ab", "bc", "ac") + rated("ac", "cd", "ad")
        self.assertAlmostEqual(self.objective({"tree": Tree()}), math.log2(seconds * 1e9))
        self.assertAlmostEqual(self.objective({"tree": Tree(slices=8)}), math.log2(seconds * 1e9) + 3)

    def test_a_tree_above_the_memory_limit_scores_infinity(self):
        most = Tree().max_size()
        self.assertEqual(tcplan.objective(store="", memory_limit=most - 1)({"tree": Tree()}), math.inf)
        self.assertEqual(tcplan.objective(store="", memory_limit=most)({"tree": Tree()}), self.objective({"tree": Tree()}))

    def test_scores_are_no_negative_numbers(self):
        self.assertGreaterEqual(self.objective({"tree": Tree(dict.fromkeys("abcd", 1))}), 0)

    def test_nodes_are_rated_in_the_unit_of_dynamic_programming(self):
        name, factor = self.objective.get_dynamic_programming_minimize().split("-")
        self.assertEqual(name, "combo")
        self.assertEqual(self.objective.cost_local_tree_node(Tree(), "AB"), 40 * 30 * 20 + int(factor) * 40 * 20)
        self.assertEqual(self.objective.score_local(flops=[3, 4], size=[1, 2]), math.log2(7 + 3 * int(factor)))
        self.assertEqual(self.objective.score_local(flops=3, size=1), math.log2(3 + int(factor)))

    def test_a_copy_in_another_process_is_equal(self):
        copy = pickle.loads(pickle.dumps(self.objective))
        self.assertEqual(copy, self.objective)
        self.assertEqual(hash(copy), hash(self.objective))
        self.assertEqual(copy({"tree": Tree()}), self.objective({"tree": Tree()}))
        self.assertNotEqual(copy, tcplan.objective(store="", memory_limit=5))


if __name__ == "__main__":
    unittest.main()
