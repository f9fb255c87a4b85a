"""The peers of bench/blocks: libraries for block-sparse tensors, behind the C interface of peer.h.

A peer keeps its tensors in its own form between executions, so that its times include neither import
nor export of blocks.
"""
import ctypes
import os
import subprocess

import numpy

HERE = os.path.dirname(os.path.abspath(__file__))


class PeerTensor(ctypes.Structure):
    _fields_ = [("rank", ctypes.c_int), ("index", ctypes.POINTER(ctypes.c_int)), ("count", ctypes.c_int64), ("key", ctypes.POINTER(ctypes.c_int)),
                ("block", ctypes.POINTER(ctypes.c_void_p))]


class PeerProduct(ctypes.Structure):
    _fields_ = [("indices", ctypes.c_int), ("threads", ctypes.c_int), ("sections", ctypes.POINTER(ctypes.c_int)),
                ("extent", ctypes.POINTER(ctypes.POINTER(ctypes.c_int))), ("irrep", ctypes.POINTER(ctypes.POINTER(ctypes.c_int))),
                ("irreps", ctypes.c_int), ("tensor", PeerTensor * 3)]


def numbers(values):
    values = list(values)
    return (ctypes.c_int * max(len(values), 1))(*values)


def lists(values):
    rows = [numbers(row) for row in values]
    return (ctypes.POINTER(ctypes.c_int) * len(rows))(*(ctypes.cast(row, ctypes.POINTER(ctypes.c_int)) for row in rows))


class Peer:
    """A library: `name`; `source`, which implements peer.h with it; `order` of the elements of its blocks; flags of the compiler."""

    def __init__(self, name, source, order, compiler, flags, variables):
        self.name, self.source, self.order, self.compiler, self.flags, self.variables = name, source, order, compiler, flags, variables
        self.library = None

    def build(self, path, folder):
        """Compiles the source with the library at `path`, whose headers are in ../include."""
        where = os.path.dirname(os.path.abspath(path))
        shared = os.path.join(folder, f"{self.name}.so")
        subprocess.run([self.compiler, "-O2", "-shared", "-fPIC", *self.flags, os.path.join(HERE, self.source), "-o", shared, path,
                        "-I" + os.path.join(where, "..", "include"), f"-Wl,--disable-new-dtags,-rpath,{where}"], check=True)
        removed = {name: os.environ.pop(name) for name in self.variables if name in os.environ}  # meant for other libraries
        self.library = ctypes.CDLL(shared, mode=os.RTLD_LOCAL | os.RTLD_NOW)
        os.environ.update(removed)
        self.library.peer_make.restype = ctypes.c_void_p
        for function in (self.library.peer_run, self.library.peer_read, self.library.peer_free):
            function.argtypes, function.restype = [ctypes.c_void_p], None

    def contender(self, subject, threads):
        """Returns a Product, or None if the library's tensors cannot represent the case."""
        removed = {name: os.environ.pop(name) for name in self.variables if name in os.environ}
        made = Product(self, subject, threads)
        os.environ.update(removed)
        return made if made.handle else None


PEERS = {peer.name: peer for peer in (
    Peer("dbcsr", "dbcsr.cpp", "F", "mpicxx", (), ()),
    Peer("tblis", "tblis.cpp", "C", "c++", ("-std=c++20", "-w"), ("BLIS_ARCH_TYPE",)))}


class Product:
    """A case as tensors of a peer."""

    def __init__(self, peer, subject, threads):
        case, self.peer, self.subject = subject.case, peer, subject
        indices = sorted(case.sections)
        tensors = (subject.A, subject.B, subject.C)
        # numpy.array() copies, so that results do not depend on the arrays of other contenders
        self.blocks = [[numpy.array(block, order=peer.order) for block in blocks.values()] for blocks in tensors]
        self.parts = []  # keeps the memory that the structures refer to
        self.given = PeerProduct(len(indices), threads, self.kept(numbers(len(case.sections[i]) for i in indices)),
                                 self.kept(lists(case.sections[i] for i in indices)),
                                 self.kept(lists(case.irrep[i] for i in indices)) if case.irreps else None, case.irreps)
        for t, (labels, blocks) in enumerate(zip((case.left, case.right, case.output), tensors)):
            self.given.tensor[t] = PeerTensor(len(labels), self.kept(numbers(map(indices.index, labels))), len(blocks),
                                              self.kept(numbers(n for key in blocks for n in key)),
                                              self.kept((ctypes.c_void_p * max(len(blocks), 1))(*(array.ctypes.data for array in self.blocks[t]))))
        self.handle = peer.library.peer_make(ctypes.byref(self.given))
        self.run, self.argument = peer.library.peer_run, ctypes.c_void_p(self.handle)

    def kept(self, part):
        self.parts.append(part)
        return part

    def __call__(self):
        self.run(self.argument)

    def read(self):
        """Copies the result to the arrays of the subject."""
        self.peer.library.peer_read(self.argument)
        for array, block in zip(self.subject.C.values(), self.blocks[2]):
            array[...] = block

    def free(self):
        self.peer.library.peer_free(self.argument)
        self.handle = None
