"""The cases of bench/blocks: sections, charges and blocks of products of tensors with symmetries."""
import hashlib
import itertools
import math
import random

BOND_DIMENSIONS = (128, 256, 512, 1024, 2048)


class Case:
    """A product of two block-sparse matrices or tensors. `blocks`: the section numbers of the blocks of A and of B."""

    def __init__(self, name, expression, sections, blocks):
        self.name, self.expression, self.sections = name, expression, sections
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
    return Case(name, expression, sections, (conserving(left, charges, signs[0], modulus), conserving(right, charges, signs[1], modulus)))


def dmrg_cases():
    spin = [((1,), 1), ((-1,), 1)]
    electron = [((0, 0), 1), ((1, 1), 1), ((1, -1), 1), ((2, 0), 1)]
    operator = [((0,), 3), ((2,), 1), ((-2,), 1)]
    for dimension in BOND_DIMENSIONS:
        even = bond(dimension, [(q,) for q in range(-12, 13, 2)], 2.5)
        odd = bond(dimension, [(q,) for q in range(-13, 14, 2)], 2.5)
        yield symmetric(f"dmrg_u1_two_site_{dimension}", "lsm,mtr->lstr", {"l": even, "s": spin, "m": odd, "t": spin, "r": even}, ((1, 1, -1), (1, 1, -1)))
        yield symmetric(f"dmrg_u1_environment_{dimension}", "xwl,lsr->xwsr", {"x": even, "w": operator, "l": even, "s": spin, "r": odd},
                        ((1, 1, -1), (1, 1, -1)))
        full = bond(dimension, [(n, s) for n in range(-5, 6) for s in range(-5, 6) if (n + s) % 2 == 0], 1.6)
        yield symmetric(f"dmrg_u1xu1_two_site_{dimension}", "lsm,mtr->lstr", {"l": full, "s": electron, "m": full, "t": electron, "r": full},
                        ((1, 1, -1), (1, 1, -1)))


def peps_cases():
    virtual, physical = [((-1,), 2), ((0,), 3), ((1,), 2)], [((1,), 1), ((-1,), 1)]
    both = [((2 * q,), e) for (q,), e in virtual]
    for dimension in (32, 96):
        edge = bond(dimension, [(q,) for q in range(-6, 7)], 1.5)
        even = [((2 * q,), e) for (q,), e in edge]
        yield symmetric(f"peps_{dimension}", "xuy,uldrs->xyldrs", {"x": even, "u": both, "y": even, "l": both, "d": both, "r": [((2 * q + 1,), e) for (q,), e in virtual],
                                                                    "s": physical}, ((1, 1, -1), (1, 1, -1, -1, 1)))


def chemistry_cases():
    for occupied, virtual in ((6, 20), (12, 36)):
        spin = lambda extent: [((1,), extent), ((-1,), extent)]
        indices = {**{i: spin(virtual) for i in "abcd"}, **{i: spin(occupied) for i in "ijkl"}}
        signs = ((1, 1, -1, -1), (1, 1, -1, -1))
        yield symmetric(f"ccsd_spin_ladder_{virtual}", "abcd,cdij->abij", indices, signs)
        yield symmetric(f"ccsd_spin_ring_{virtual}", "acik,kbcj->abij", indices, ((1, -1, -1, 1), (-1, 1, 1, -1)))
    irreps = list(itertools.product((0, 1), repeat=3))
    for scale in (1, 2):
        occupied = [(q, scale * e) for q, e in zip(irreps, (3, 1, 1, 1, 0, 2, 1, 1)) if e > 0]
        virtual = [(q, scale * e) for q, e in zip(irreps, (6, 3, 3, 4, 2, 5, 4, 3))]
        indices = {**{i: virtual for i in "abcd"}, **{i: occupied for i in "ijkl"}}
        yield symmetric(f"ccsd_d2h_ladder_{scale}", "abcd,cdij->abij", indices, ((1, 1, 1, 1), (1, 1, 1, 1)), 2)
        yield symmetric(f"ccsd_d2h_ring_{scale}", "acik,kbcj->abij", indices, ((1, 1, 1, 1), (1, 1, 1, 1)), 2)


def random_cases():
    for extent, count in ((4, 60), (8, 60), (13, 48), (23, 40), (32, 32), (64, 20)):
        for fill in (0.01, 0.1, 0.5):
            name = f"random_{extent}_{round(100 * fill)}"
            draw = random.Random(name)
            blocks = [[key for key in itertools.product(range(count), repeat=2) if draw.random() < fill] for _ in range(2)]
            yield Case(name, "ik,kj->ij", {i: [extent] * count for i in "ikj"}, blocks)
    for fill in (0.01, 0.1, 0.5):  # as for atoms of several kinds
        name = f"random_mixed_{round(100 * fill)}"
        draw = random.Random(name)
        sections = {i: [draw.choice((5, 13, 23)) for _ in range(40)] for i in "ikj"}
        blocks = [[key for key in itertools.product(range(40), repeat=2) if draw.random() < fill] for _ in range(2)]
        yield Case(name, "ik,kj->ij", sections, blocks)


GROUPS = (dmrg_cases, peps_cases, chemistry_cases, random_cases)


def all_cases():
    return [case for group in GROUPS for case in group()]
