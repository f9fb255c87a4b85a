"""opt_einsum itself with backend="tcplan", from a checkout on PYTHONPATH: https://github.com/dgasmith/opt_einsum. Without one it prints a message.

    PYTHONPATH=opt_einsum:bindings/python TCPLAN_LIBRARY=build/test/lib/libtcplan.so python3 tests/python/checkout.py
"""
import random
import sys
import types
import unittest

import numpy
import tcplan
from rounding import assert_sums_equal

SKIPPED = 77

try:
    version = types.ModuleType("opt_einsum._version")  # a checkout may lack this file
    version.__version__, version.get_versions = "checkout", lambda: {"version": "checkout"}
    sys.modules.setdefault("opt_einsum._version", version)
    import opt_einsum
except ImportError:
    print("SKIPPED: there is no opt_einsum; put a checkout of github.com/dgasmith/opt_einsum on PYTHONPATH")
    sys.exit(SKIPPED)


def expression(chance):
    """Returns (subscripts, operands) with two to six operands and up to eight indices."""
    letters = "abcdefgh"[: chance.randint(2, 8)]
    sizes = {letter: chance.randint(1, 5) for letter in letters}
    terms = ["".join(chance.sample(letters, chance.randint(1, min(3, len(letters))))) for _ in range(chance.randint(2, 6))]
    present = sorted(set("".join(terms)))
    result = "".join(chance.sample(present, chance.randint(0, len(present))))
    rng = numpy.random.default_rng(chance.randint(0, 2**30))
    return f"{','.join(terms)}->{result}", [rng.standard_normal([sizes[letter] for letter in term]) for term in terms]


class Checkout(unittest.TestCase):
    def test_random_expressions(self):
        chance = random.Random(17)
        for number in range(300):
            subscripts, operands = expression(chance)
            optimize = chance.choice(("auto", "greedy", "optimal", "tcplan"))
            with self.subTest(number=number, subscripts=subscripts, optimize=optimize):
                found = opt_einsum.contract(subscripts, *operands, backend="tcplan", optimize=optimize)
                assert_sums_equal(found, subscripts, *operands)

    def test_results_in_given_arrays(self):
        a = numpy.random.default_rng(1).standard_normal((4, 4))
        out = numpy.empty((4, 4))
        opt_einsum.contract("ab,bc,cd->da", a, a, a, backend="tcplan", out=out)
        assert_sums_equal(out, "ab,bc,cd->da", a, a, a)

    def test_expressions_that_are_kept(self):
        a = numpy.random.default_rng(2).standard_normal((4, 5))
        product = opt_einsum.contract_expression("ab,cb,cd->ad", (4, 5), (4, 5), (4, 5))
        assert_sums_equal(product(a, a, a, backend="tcplan"), "ab,cb,cd->ad", a, a, a)

    def test_our_optimizer_finds_its_orders(self):
        chance = random.Random(23)
        for number in range(60):
            subscripts, operands = expression(chance)
            with self.subTest(number=number, subscripts=subscripts):
                found = opt_einsum.contract(subscripts, *operands, optimize=tcplan.optimizer)
                assert_sums_equal(found, subscripts, *operands)
        shapes = ((300, 40), (40, 250), (250, 2))
        self.assertEqual(opt_einsum.contract_path("ab,bc,cd->ad", *shapes, shapes=True, optimize=tcplan.optimizer)[0], [(1, 2), (0, 1)])

    def test_its_paths_and_optimizers_in_our_einsum(self):
        a = numpy.random.default_rng(3).standard_normal((4, 4))
        path, _ = opt_einsum.contract_path("ab,bc,cd,de->ae", a, a, a, a, optimize="optimal")
        for optimize in (path, opt_einsum.RandomGreedy(max_repeats=4), opt_einsum.DynamicProgramming(), opt_einsum.paths.greedy):
            assert_sums_equal(tcplan.einsum("ab,bc,cd,de->ae", a, a, a, a, optimize=optimize), "ab,bc,cd,de->ae", a, a, a, a)


if __name__ == "__main__":
    opt_einsum.paths.register_path_fn("tcplan", tcplan.greedy)
    unittest.main()
