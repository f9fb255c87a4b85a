"""The contractions of the study, their sizes, and the ideal matrix product of each. Element-wise products have no ideal."""
import math
import os
import re
import xml.etree.ElementTree as ElementTree

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TCCG = os.path.join(ROOT, "contractions", "libraries", "tccg.xml")

# Sizes that would take more than five seconds a run: smaller here, as where the peers were measured.
SCALED = {
    "ccsd0": "a=2568,b=2560,c=2568",
    "ccsd6": "a=b=c=d=e=f=48",
    "ccsd7": "a=b=c=d=e=f=48",
    "ccsd8": "a=b=c=d=e=f=48",
}

# The three contractions of the dissertation: set, contraction, sizes, extents.
DISSERTATION = (
    ("S1", "C_abc=A_ai*B_ibc", "a=b=c={},i=8", (64, 200, 400, 800)),
    ("S2", "C_abc=A_ija*B_jbic", "a=b=c={},i=j=8", (64, 128, 256)),
    ("S3", "C_a=A_iaj*B_ji", "a=i=j={}", (64, 256, 512)),
)

# Products of elements, sums and scalings: name, contraction, sizes in memory, sizes in a second cache of 512 KiB.
ELEMENTWISE = (
    ("product", "C_ab=A_ab*B_ab", "a=3000,b=2900", "a=128,b=120"),
    ("product_turned", "C_ab=A_ab*B_ba", "a=3000,b=2900", "a=128,b=120"),
    ("product_both", "C_ab=A_ba*B_ba", "a=3000,b=2900", "a=128,b=120"),
    ("product_three", "C_abc=A_cba*B_bac", "a=210,b=200,c=205", "a=26,b=24,c=25"),
    ("columns", "C_ab=A_ab*B_b", "a=3000,b=2900", "a=128,b=120"),
    ("columns_turned", "C_ab=A_ba*B_b", "a=3000,b=2900", "a=128,b=120"),
    ("scale", "C_ab=2*A_ab*B", "a=3000,b=2900", "a=128,b=120"),
    ("scale_turned", "C_ab=2*A_ba*B", "a=3000,b=2900", "a=128,b=120"),
    ("scale_three", "C_abc=2*A_cab*B", "a=210,b=200,c=205", "a=26,b=24,c=25"),
    ("row_sums", "C_a=A_ai*B", "a=3000,i=2900", "a=128,i=120"),
    ("column_sums", "C_a=A_ia*B", "a=3000,i=2900", "a=128,i=120"),
    ("row_dots", "C_a=A_ai*B_ai", "a=3000,i=2900", "a=128,i=120"),
)
IN_MEMORY, IN_CACHE = "elements, memory", "elements, cache"

# Letter: numpy's name, bytes of an element, operations of a product that is added.
TYPES = {"s": ("float32", 4, 2), "d": ("float64", 8, 2), "c": ("complex64", 8, 8), "z": ("complex128", 16, 8)}

NOTATION = re.compile(r"^C(?:_([a-zA-Z]*))?=(?:(\d+)\*)?A_([a-zA-Z]+)\*B(?:_([a-zA-Z]+))?$")


class BadCase(Exception):
    """A contraction or sizes that the study does not support; the message gives the reason."""


class Case:
    """
    One contraction at one size: indices of C, A, B as strings of letters, extents by index, the factor in front; column-major, of the type of a letter.
    Where it has an ideal, every index is in two tensors and there is no factor.
    """

    def __init__(self, name, group, contraction, sizes, dtype="d", has_ideal=True):
        match = NOTATION.match(contraction.replace(" ", ""))
        if not match:
            raise BadCase(f"'{contraction}': expected the form C_abc=A_ai*B_ibc, with letters for indices")
        self.name, self.group, self.contraction = name, group, contraction
        self.C, factor, self.A, self.B = (part or "" for part in match.groups())
        self.factor, self.has_ideal = int(factor or 1), has_ideal
        self.extents = parse_sizes(sizes)
        self._check()
        self.m = self._product(i for i in self.C if i in self.A)
        self.n = self._product(i for i in self.C if i not in self.A)
        self.k = self._product(self.contracted())
        self.set_type(dtype)

    def set_type(self, dtype):
        self.dtype = dtype
        self.numpy_type, self.element_bytes, operations = TYPES[dtype]
        self.flops = float(operations) * self.m * self.n * self.k

    def _check(self):
        for tensor in (self.C, self.A, self.B):
            for index in tensor:
                if tensor.count(index) > 1:
                    raise BadCase(f"'{self.contraction}': index '{index}' twice in one tensor; diagonals have no ideal dgemm")
                if index not in self.extents:
                    raise BadCase(f"'{self.contraction}': index '{index}' has no extent in the sizes")
                if self.has_ideal and sum(index in t for t in (self.C, self.A, self.B)) != 2:
                    raise BadCase(f"'{self.contraction}': index '{index}' is not in exactly two tensors; the ideal dgemm is that of free and "
                                  "contracted indices")
        if self.has_ideal and self.factor != 1:
            raise BadCase(f"'{self.contraction}': expected no factor; the ideal dgemm has none")

    def _product(self, indices):
        return math.prod(self.extents[i] for i in indices)

    def contracted(self):
        """The contracted indices."""
        return [i for i in self.extents if i not in self.C]

    def shape(self, indices):
        return tuple(self.extents[i] for i in indices)

    def elements(self, indices):
        return self._product(indices)

    def tensor_bytes(self):
        return self.element_bytes * sum(self.elements(indices) for indices in (self.A, self.B, self.C))

    def sizes(self):
        """The extents in the notation of tcplan."""
        return ",".join(f"{i}={self.extents[i]}" for i in sorted(self.extents))

    def is_vector(self):
        """Whether the ideal is a product of a matrix and a vector."""
        return self.m == 1 or self.n == 1


def parse_sizes(text):
    """Returns the extents of a text: 'a=b=3,i=8' -> {'a': 3, 'b': 3, 'i': 8}."""
    extents = {}
    for group in text.replace(" ", "").split(","):
        *indices, value = group.split("=")
        if not indices or not value.isdigit() or int(value) < 1 or not all(len(i) == 1 and i.isalpha() for i in indices):
            raise BadCase(f"'{group}' in sizes '{text}': expected something like a=64 or a=b=64")
        extents.update({index: int(value) for index in indices})
    return extents


def tccg_cases():
    cases = []
    for group in ElementTree.parse(TCCG).getroot().iter("group"):
        for entry in group.iter("contraction"):
            name = entry.get("name")
            sizes = next(s.text for s in entry.iter("sizes") if s.get("class") == "large")
            cases.append(Case(name, group.get("name"), entry.get("formula"), SCALED.get(name, sizes)))
    return cases


def dissertation_cases():
    return [Case(f"{group}_{e}", group, contraction, sizes.format(e)) for group, contraction, sizes, extents in DISSERTATION for e in extents]


def elementwise_cases():
    return [Case(f"{name}_{where}", group, contraction, sizes, has_ideal=False)
            for where, group, column in (("memory", IN_MEMORY, 2), ("cache", IN_CACHE, 3))
            for name, contraction, sizes in ((row[0], row[1], row[column]) for row in ELEMENTWISE)]


def all_cases():
    """Returns the 24 cases of TCCG, then those of the dissertation, then element-wise products."""
    return tccg_cases() + dissertation_cases() + elementwise_cases()
