"""The cases of bench/blocks: sections, charges and blocks of products of tensors with symmetries.

`tuning_cases()` are half of a fixed list, chosen by the hash of their names; constants of tcplan are
chosen on them. `drawn_cases()` are random cases of the same families, for judging only: a seed that
was not used before draws cases that tcplan was not tuned on.
"""
import hashlib
import itertools
import math
import random
import statistics

BOND_DIMENSIONS = (128, 256, 512, 1024, 2048)


class Case:
    """A product of two block-sparse matrices or tensors. `blocks`: the section numbers of the blocks of A and of B.

    `irreps`: the order of a group Z_2 x Z_2 x ... from which the blocks follow, 0 if there is none; `irrep` then has the representation of each
    section of an index.
    """

    def __init__(self, name, expression, sections, blocks):
        self.name, self.expression, self.sections = name, expression, sections
        self.irreps, self.irrep = 0, {}
        inputs, _, self.output = expression.partition("->")
        self.left, self.right = inputs.split(",")
        self.blocks = blocks
        self.held_out = hashlib.sha256(name.encode()).digest()[0] % 2 == 1
        self.pairs = self._find_pairs()

    def _find_pairs(self):
        """Returns tuples (key of A, key of B, key of C), sorted by the key of C."""
        shared = [i for i in self.left if i in self.right]
        at = lambda labels, key: tuple(key[labels.index(i)] for i in shared)
        meeting = {}
        for key in self.blocks[1]:
            meeting.setdefault(at(self.right, key), []).append(key)
        found = {}
        for a in self.blocks[0]:
            for b in meeting.get(at(self.left, a), ()):
                number = {**dict(zip(self.right, b)), **dict(zip(self.left, a))}
                found.setdefault(tuple(number[i] for i in self.output), []).append((a, b))
        return found

    def extents(self, labels, key):
        return tuple(self.sections[i][n] for i, n in zip(labels, key))

    def pair_count(self):
        return sum(map(len, self.pairs.values()))

    def flops(self):
        summed = [i for i in self.left if i in self.right and i not in self.output]
        total = 0
        for c, pairs in self.pairs.items():
            for a, _ in pairs:
                depth = math.prod(self.sections[i][a[self.left.index(i)]] for i in summed)
                total += 2 * math.prod(self.extents(self.output, c)) * depth
        return total


def conserving(labels, charges, signs, modulus=0):
    """Returns the section numbers of the blocks whose charges, with signs, add up to zero."""
    blocks = []
    for key in itertools.product(*(range(len(charges[i])) for i in labels)):
        sums = [sum(sign * charges[i][n][q] for i, n, sign in zip(labels, key, signs)) for q in range(len(charges[labels[0]][0]))]
        if all((s % modulus if modulus else s) == 0 for s in sums):
            blocks.append(key)
    return blocks


def bond(dimension, charges, width):
    """Returns the sections of a bond, whose extents follow a normal distribution over the charges, as in truncated states. Empty sections are
    omitted."""
    weight = {q: math.exp(-sum(x * x for x in q) / (2 * width * width)) for q in charges}
    total = sum(weight.values())
    kept = {q: round(dimension * w / total) for q, w in weight.items()}
    return [(q, e) for q, e in kept.items() if e > 0]


def symmetric(name, expression, indices, signs, modulus=0):
    """Returns a Case with conserved charges. `indices`: a list of (charge, extent) for each index; `signs`: of the indices of A and of B."""
    sections = {i: [extent for _, extent in parts] for i, parts in indices.items()}
    charges = {i: [charge for charge, _ in parts] for i, parts in indices.items()}
    left, right = expression.partition("->")[0].split(",")
    case = Case(name, expression, sections, (conserving(left, charges, signs[0], modulus), conserving(right, charges, signs[1], modulus)))
    if modulus == 2:
        case.irreps = 2 ** len(next(iter(charges.values()))[0])
        case.irrep = {i: [sum(bit << n for n, bit in enumerate(charge)) for charge in of_index] for i, of_index in charges.items()}
    return case


SPIN = [((1,), 1), ((-1,), 1)]
ELECTRON = [((0, 0), 1), ((1, 1), 1), ((1, -1), 1), ((2, 0), 1)]
OPERATOR = [((0,), 3), ((2,), 1), ((-2,), 1)]
IRREPS = list(itertools.product((0, 1), repeat=3))


def two_site(name, dimension, width=2.5):
    even, odd = bond(dimension, [(q,) for q in range(-12, 13, 2)], width), bond(dimension, [(q,) for q in range(-13, 14, 2)], width)
    return symmetric(name, "lsm,mtr->lstr", {"l": even, "s": SPIN, "m": odd, "t": SPIN, "r": even}, ((1, 1, -1), (1, 1, -1)))


def environment(name, dimension, width=2.5):
    even, odd = bond(dimension, [(q,) for q in range(-12, 13, 2)], width), bond(dimension, [(q,) for q in range(-13, 14, 2)], width)
    return symmetric(name, "xwl,lsr->xwsr", {"x": even, "w": OPERATOR, "l": even, "s": SPIN, "r": odd}, ((1, 1, -1), (1, 1, -1)))


def two_charges(name, dimension, width=1.6):
    full = bond(dimension, [(n, s) for n in range(-5, 6) for s in range(-5, 6) if (n + s) % 2 == 0], width)
    return symmetric(name, "lsm,mtr->lstr", {"l": full, "s": ELECTRON, "m": full, "t": ELECTRON, "r": full}, ((1, 1, -1), (1, 1, -1)))


def peps(name, dimension, virtual=(2, 3, 2)):
    inner = [((q,), e) for q, e in zip((-1, 0, 1), virtual)]
    both, odd = [((2 * q,), e) for (q,), e in inner], [((2 * q + 1,), e) for (q,), e in inner]
    even = [((2 * q,), e) for (q,), e in bond(dimension, [(q,) for q in range(-6, 7)], 1.5)]
    return symmetric(name, "xuy,uldrs->xyldrs", {"x": even, "u": both, "y": even, "l": both, "d": both, "r": odd, "s": SPIN},
                     ((1, 1, -1), (1, 1, -1, -1, 1)))


def coupled_cluster(name, is_ring, occupied, virtual, signs=None):
    """`occupied` and `virtual`: (charge, extent) of the sections. `signs`: of the charges; None: the charges are those of a group Z_2 x Z_2 x ..."""
    indices = {**{i: virtual for i in "abcd"}, **{i: occupied for i in "ijkl"}}
    return symmetric(name, "acik,kbcj->abij" if is_ring else "abcd,cdij->abij", indices, signs or ((1, 1, 1, 1), (1, 1, 1, 1)), 0 if signs else 2)


def spins(extent):
    return [((1,), extent), ((-1,), extent)]


SPIN_SIGNS = {False: ((1, 1, -1, -1), (1, 1, -1, -1)), True: ((1, -1, -1, 1), (-1, 1, 1, -1))}


def matrices(name, extents, counts, fill):
    """Returns a product of block matrices with random blocks. `extents`: those that sections may have; `counts`: number of sections of i, k and j."""
    draw = random.Random(name)
    sections = {i: [draw.choice(extents) if len(extents) > 1 else extents[0] for _ in range(count)] for i, count in zip("ikj", counts)}
    blocks = [[key for key in itertools.product(range(rows), range(columns)) if draw.random() < fill] for rows, columns in zip(counts, counts[1:])]
    return Case(name, "ik,kj->ij", sections, blocks)


def fixed_cases():
    for dimension in BOND_DIMENSIONS:
        yield two_site(f"dmrg_u1_two_site_{dimension}", dimension)
        yield environment(f"dmrg_u1_environment_{dimension}", dimension)
        yield two_charges(f"dmrg_u1xu1_two_site_{dimension}", dimension)
    for dimension in (32, 96):
        yield peps(f"peps_{dimension}", dimension)
    for occupied, virtual in ((6, 20), (12, 36)):
        yield coupled_cluster(f"ccsd_spin_ladder_{virtual}", False, spins(occupied), spins(virtual), SPIN_SIGNS[False])
        yield coupled_cluster(f"ccsd_spin_ring_{virtual}", True, spins(occupied), spins(virtual), SPIN_SIGNS[True])
    for scale in (1, 2):
        occupied = [(q, scale * e) for q, e in zip(IRREPS, (3, 1, 1, 1, 0, 2, 1, 1)) if e > 0]
        virtual = [(q, scale * e) for q, e in zip(IRREPS, (6, 3, 3, 4, 2, 5, 4, 3))]
        yield coupled_cluster(f"ccsd_d2h_ladder_{scale}", False, occupied, virtual)
        yield coupled_cluster(f"ccsd_d2h_ring_{scale}", True, occupied, virtual)
    for extent, count in ((4, 60), (8, 60), (13, 48), (23, 40), (32, 32), (64, 20)):
        for fill in (0.01, 0.1, 0.5):
            yield matrices(f"random_{extent}_{round(100 * fill)}", (extent,), (count, count, count), fill)
    for fill in (0.01, 0.1, 0.5):  # as for atoms of several kinds
        yield matrices(f"random_mixed_{round(100 * fill)}", (5, 13, 23), (40, 40, 40), fill)


def tuning_cases():
    return [case for case in fixed_cases() if not case.held_out and case.pair_count() > 0]


MOST_FLOPS, LEAST_PAIRS = 4e9, 8  # of a drawn case


def drawn_cases(seed):
    """Returns cases with random extents, numbers of sections and fills, of every family."""
    draw = random.Random(seed)
    log_uniform = lambda low, high: math.exp(draw.uniform(math.log(low), math.log(high)))
    some = lambda low, high: [(q, draw.randint(low, high)) for q in IRREPS]

    def random_matrices(name, extents):
        size = log_uniform(300, 1200) / statistics.mean(extents)  # sections of an index
        counts = [max(3, min(70, round(size * draw.uniform(0.7, 1.4)))) for _ in range(3)]
        return matrices(f"{name}_{seed}", extents, counts, log_uniform(0.01, 0.6))

    families = [
        ("dmrg_u1_two_site", 3, lambda name: two_site(name, round(log_uniform(100, 1500)), draw.uniform(1.5, 3.5))),
        ("dmrg_u1_environment", 3, lambda name: environment(name, round(log_uniform(100, 1000)), draw.uniform(1.5, 3.5))),
        ("dmrg_u1xu1_two_site", 3, lambda name: two_charges(name, round(log_uniform(100, 1500)), draw.uniform(1.1, 2.2))),
        ("peps", 2, lambda name: peps(name, round(log_uniform(24, 120)), [draw.randint(1, 4) for _ in range(3)])),
        ("ccsd_spin_ladder", 2, lambda name: coupled_cluster(name, False, spins(draw.randint(4, 12)), spins(draw.randint(12, 32)), SPIN_SIGNS[False])),
        ("ccsd_spin_ring", 2, lambda name: coupled_cluster(name, True, spins(draw.randint(4, 12)), spins(draw.randint(12, 32)), SPIN_SIGNS[True])),
        ("ccsd_d2h_ladder", 2, lambda name: coupled_cluster(name, False, some(1, 4), some(2, 9))),
        ("ccsd_d2h_ring", 2, lambda name: coupled_cluster(name, True, some(1, 4), some(2, 9))),
        ("random", 6, lambda name: random_matrices(name, (draw.randint(4, 64),))),
        ("random_mixed", 2, lambda name: random_matrices(name, tuple(draw.sample(range(4, 40), 3))))]
    cases = []
    for family, count, make in families:
        number = 0
        while number < count:
            case = make(f"{family}_{'abcdefgh'[number]}")
            if case.pair_count() >= LEAST_PAIRS and case.flops() <= MOST_FLOPS:
                case.name, number = f"{family}_{'abcdefgh'[number]}", number + 1
                cases.append(case)
    return cases
