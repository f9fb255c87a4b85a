"""The contractions of the study, their sizes, and the ideal matrix product of each."""
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

# Letter: numpy's name, bytes of an element, operations of a product that is added.
TYPES = {"s": ("float32", 4, 2), "d": ("float64", 8, 2), "c": ("complex64", 8, 8), "z": ("complex128", 16, 8)}

NOTATION = re.compile(r"^C_([a-zA-Z]*)=A_([a-zA-Z]+)\*B_([a-zA-Z]+)$")


class BadCase(Exception):
    """A contraction or sizes that the study does not take; the message says why."""


class Case:
    """One contraction at one size: indices of C, A, B as strings of letters, extents by index; column-major, of the type of a letter."""

    def __init__(self, name, group, contraction, sizes, dtype="d"):
        match = NOTATION.match(contraction.replace(" ", ""))
        if not match:
            raise BadCase(f"'{contraction}': expected the form C_abc=A_ai*B_ibc, with letters for indices")
        self.name, self.group, self.contraction = name, group, contraction
        self.C, self.A, self.B = match.groups()
        self.extents = parse_sizes(sizes)
        self._check()
        self.m = self._product(i for i in self.C if i in self.A)
        self.n = self._product(i for i in self.C if i in self.B)
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
                if sum(index in t for t in (self.C, self.A, self.B)) != 2:
                    raise BadCase(f"'{self.contraction}': index '{index}' is not in exactly two tensors; the ideal dgemm is that of free and "
                                  "contracted indices")

    def _product(self, indices):
        return math.prod(self.extents[i] for i in indices)

    def contracted(self):
        return [i for i in self.A if i in self.B]

    def shape(self, indices):
        return tuple(self.extents[i] for i in indices)

    def elements(self, indices):
        return self._product(indices)

    def tensor_bytes(self):
        return self.element_bytes * sum(self.elements(indices) for indices in (self.A, self.B, self.C))

    def bytes_moved(self):
        """Of A and B, and of C: what has to be moved once at least."""
        return self.element_bytes * (self.elements(self.A) + self.elements(self.B)), self.element_bytes * self.elements(self.C)

    def sizes(self):
        """As tcplan takes them."""
        return ",".join(f"{i}={self.extents[i]}" for i in sorted(self.extents))

    def is_vector(self):
        """Whether the ideal is a matrix times a vector."""
        return self.m == 1 or self.n == 1


def parse_sizes(text):
    """'a=b=3,i=8' -> {'a': 3, 'b': 3, 'i': 8}."""
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


def all_cases():
    """The 24 of TCCG, then the dissertation's."""
    return tccg_cases() + dissertation_cases()
