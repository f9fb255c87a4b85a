"""The other contenders of bench/blocks that need no library but numpy and a BLAS, and the arrays that all share."""
import ctypes
import math

import numpy


def addresses(arrays):
    return (ctypes.c_void_p * max(len(arrays), 1))(*(array.ctypes.data for array in arrays))


class Matrices:
    """Returns a tensor's blocks as matrices; pack() transposes those that need it."""

    def __init__(self, labels, rows, columns, blocks):
        self.order = [labels.index(i) for i in rows + columns]
        self.is_in_order = self.order == sorted(self.order)
        self.back = [self.order.index(d) for d in range(len(labels))]
        self.blocks = blocks
        split = lambda array: (math.prod(array.shape[labels.index(i)] for i in rows), math.prod(array.shape[labels.index(i)] for i in columns))
        self.shapes = {key: split(array) for key, array in blocks.items()}
        self.matrix = {key: array.reshape(self.shapes[key]) if self.is_in_order else numpy.empty(self.shapes[key]) for key, array in blocks.items()}
        self.transposed = {key: numpy.transpose(array, self.order) for key, array in blocks.items()}

    def pack(self):
        if self.is_in_order:
            return
        for key, array in self.transposed.items():
            self.matrix[key].reshape(array.shape)[...] = array

    def unpack(self):
        if self.is_in_order:
            return
        for key, array in self.transposed.items():
            array[...] = self.matrix[key].reshape(array.shape)


class Subject:
    """A case with its arrays."""

    def __init__(self, case):
        self.case = case
        random = numpy.random.default_rng(1)
        self.A, self.B = ({key: random.standard_normal(case.extents(labels, key)) for key in blocks}
                          for labels, blocks in zip((case.left, case.right), case.blocks))
        self.C = {key: numpy.zeros(case.extents(case.output, key)) for key in case.pairs}
        summed = [i for i in case.left if i in case.right]
        self.rows = [i for i in case.output if i in case.left]
        self.columns = [i for i in case.output if i in case.right]
        self.matrices = (Matrices(case.left, self.rows, summed, self.A), Matrices(case.right, summed, self.columns, self.B),
                         Matrices(case.output, self.rows, self.columns, self.C))


def loop_of_dgemm(subject, library):
    class Pair(ctypes.Structure):
        _fields_ = [(name, ctypes.c_int32) for name in ("a", "b", "c", "m", "n", "k", "adds")]

    place = [{key: n for n, key in enumerate(matrices.matrix)} for matrices in subject.matrices]
    pairs = []
    for c, of_block in subject.case.pairs.items():
        for n, (a, b) in enumerate(of_block):
            (m, k), (_, columns) = subject.matrices[0].shapes[a], subject.matrices[1].shapes[b]
            pairs.append(Pair(place[0][a], place[1][b], place[2][c], m, columns, k, n > 0))
    listed = (Pair * max(len(pairs), 1))(*pairs)
    pointers = [addresses(list(matrices.matrix.values())) for matrices in subject.matrices]

    def run():
        subject.matrices[0].pack()
        subject.matrices[1].pack()
        library.multiply(ctypes.c_int64(len(pairs)), listed, *pointers)
        subject.matrices[2].unpack()
    return run


def loop_of_numpy(subject):
    left, right, result = subject.matrices
    work = [(result.matrix[c], [(left.matrix[a], right.matrix[b]) for a, b in pairs]) for c, pairs in subject.case.pairs.items()]

    def run():
        left.pack()
        right.pack()
        for out, pairs in work:
            numpy.matmul(*pairs[0], out=out)
            for a, b in pairs[1:]:
                out += a @ b
        result.unpack()
    return run


def sectors_of(case, subject):
    """Returns the connected groups of keys of C, with the parts of the keys for rows, summed indices and columns."""
    part = lambda labels, key, wanted: tuple(key[labels.index(i)] for i in wanted)
    summed = [i for i in case.left if i in case.right]
    parent = {}

    def root(node):
        parent.setdefault(node, node)
        while parent[node] != node:
            node = parent[node]
        return node

    for pairs in case.pairs.values():
        for a, b in pairs:
            nodes = [("row", part(case.left, a, subject.rows)), ("sum", part(case.left, a, summed)), ("column", part(case.right, b, subject.columns))]
            for node in nodes[1:]:
                parent[root(node)] = root(nodes[0])
    groups = {}
    for c in case.pairs:
        groups.setdefault(root(("row", part(case.output, c, subject.rows))), []).append(c)
    return groups.values(), part, summed


def fused_by_numpy(subject):
    """Packs the blocks of each sector into one matrix for each tensor, at positions that were computed before."""
    case, work = subject.case, []
    groups, part, summed = sectors_of(case, subject)
    for keys in groups:
        used = [{a: None for c in keys for a, _ in case.pairs[c]}, {b: None for c in keys for _, b in case.pairs[c]}, {c: None for c in keys}]
        labels, axes = (case.left, case.right, case.output), ((subject.rows, summed), (summed, subject.columns), (subject.rows, subject.columns))
        start, extent = {}, {}
        for t in range(3):
            for key in used[t]:
                for axis, size in zip(axes[t], subject.matrices[t].shapes[key]):
                    name = (tuple(axis), part(labels[t], key, axis))
                    if name not in start:
                        start[name] = extent.get(tuple(axis), 0)
                        extent[tuple(axis)] = start[name] + size
        whole, views = [], []
        for t in range(3):
            shape = [extent[tuple(axis)] for axis in axes[t]]
            whole.append(numpy.zeros(shape))
            places = []
            for key in used[t]:
                r, c = (start[tuple(axis), part(labels[t], key, axis)] for axis in axes[t])
                m, n = subject.matrices[t].shapes[key]
                array = subject.matrices[t].transposed[key]
                view = numpy.lib.stride_tricks.as_strided(whole[t][r:, c:], array.shape, packed_strides(array.shape, len(axes[t][0]), shape[1]))
                places.append((view, array))
            views.append(places)
        work.append((whole, views))

    def run():
        for whole, views in work:
            for places in views[:2]:
                for view, array in places:
                    view[...] = array
            numpy.matmul(whole[0], whole[1], out=whole[2])
            for view, array in views[2]:
                array[...] = view
    return run


def packed_strides(shape, rows, row):
    """Returns the strides in bytes of a block within a matrix with rows of so many elements."""
    strides, step = [0] * len(shape), 8
    for d in range(len(shape) - 1, rows - 1, -1):
        strides[d] = step
        step *= shape[d]
    step = 8 * row
    for d in range(rows - 1, -1, -1):
        strides[d] = step
        step *= shape[d]
    return strides
