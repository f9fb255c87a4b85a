"""Random contractions similar to TCCG's: one for each of its 24, seeded with the hash of the commit before the one that added this file.

A drawn contraction has as many free indices of A, free indices of B and contracted indices as its
model, in random order in each tensor. Its extents are those of the model in random order, each times
a random factor and rounded to a multiple of 8, as TCCG's are. The contractions are for judging only:
no constant is tuned on them. Another seed, which may be any text, draws others.
"""
import importlib.machinery
import importlib.util
import math
import os
import random
import string

from .cases import Case, tccg_cases

GROUP = "drawn"
MOST_FACTOR = 1.5          # bound on the factor of an extent, up or down
GRAIN = 8                  # extents are multiples of this
FLOPS = (0.5, 1.5)         # relative to the model's operations
BYTES = (0.5, 1.25)


def default_seed():
    path = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "drawn_cases")
    loader = importlib.machinery.SourceFileLoader("drawn_cases", path)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("drawn_cases", loader))
    loader.exec_module(module)
    return module.parent_of_first(__file__)


def deal(source, indices, extents):
    """Returns the model's extents in random order, each times a random factor and rounded to a multiple of GRAIN, at least GRAIN."""
    dealt = source.sample(extents, len(extents))
    factors = [math.exp(source.uniform(-math.log(MOST_FACTOR), math.log(MOST_FACTOR))) for _ in dealt]
    return {i: max(GRAIN, GRAIN * round(extent * factor / GRAIN)) for i, extent, factor in zip(indices, dealt, factors)}


def attempt(source, model, name):
    """Returns one random case, whatever its size is."""
    free_a = sum(i in model.A for i in model.C)
    count = len(model.extents)
    letters = string.ascii_lowercase[:count]
    result, contracted = letters[:len(model.C)], letters[len(model.C):]
    of_a = source.sample(result, free_a)
    tensors = [source.sample(part, len(part)) for part in (of_a + list(contracted), [i for i in result if i not in of_a] + list(contracted))]
    extents = deal(source, letters, [model.extents[i] for i in sorted(model.extents)])
    sizes = ",".join(f"{i}={e}" for i, e in extents.items())
    return Case(name, GROUP, f"C_{result}=A_{''.join(tensors[0])}*B_{''.join(tensors[1])}", sizes)


def is_like(case, model):
    """Returns whether the case has about as many operations and as much data as its model."""
    flops, size = case.flops / model.flops, case.tensor_bytes() / model.tensor_bytes()
    return FLOPS[0] <= flops <= FLOPS[1] and BYTES[0] <= size <= BYTES[1]


def drawn_cases(seed=None):
    """Returns 24 cases of the set `drawn`, named after their models. @param seed  any text; None: the commit's hash"""
    source = random.Random(seed if seed is not None else default_seed())
    cases = []
    for model in tccg_cases():
        case = attempt(source, model, f"like_{model.name}")
        while not is_like(case, model):
            case = attempt(source, model, f"like_{model.name}")
        cases.append(case)
    return cases
