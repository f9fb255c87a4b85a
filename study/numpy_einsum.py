"""What numpy takes for a contraction: for each line that is read, the seconds of one execution are written.

The first line written says which numpy it is, or `missing`, or `error` and why.

plain is numpy.einsum, best that with optimize=True, matmul numpy.matmul on matrices that transposing and reshaping give.

Arguments: plain|best|matmul THREADS DTYPE C|F SUBSCRIPTS ALPHA BETA CONJUGATED A B C [INDICES D], where CONJUGATED has the letters of operands and A, B and C
are extents with commas between them; D those of what beta is applied to, where that is not C, and INDICES its letters.
"""
import os
import sys
import time

LEAST_SECONDS = 2e-3  # of a sample
WARM_UP_SECONDS = 5e-3  # before a short one, as something else ran in between
WARMED_SECONDS = 0.1


def say(text):
    print(text, flush=True)


def scalar(text):
    value = complex(text)
    return value.real if value.imag == 0 else value


def matmul(numpy, subscripts, order):
    """A function of the operands that multiplies matrices: in numpy's order of dimensions, the last one contiguous."""
    terms = subscripts.replace("->", ",").split(",")
    if order == "F":  # what is contiguous comes last in the transposed arrays
        terms = [term[::-1] for term in terms]
    left, right, result = terms
    if any(len(set(term)) < len(term) for term in terms):
        raise ValueError("numpy.matmul takes no diagonals")
    if set(left) - set(right) - set(result) or set(right) - set(left) - set(result):
        raise ValueError("numpy.matmul sums over no index of one operand only")
    batch = [index for index in result if index in left and index in right]
    summed = [index for index in left if index in right and index not in result]
    rows = [index for index in result if index not in right]
    columns = [index for index in result if index not in left]

    def matrices(array, term, first, second):
        array = array.T if order == "F" else array
        array = array.transpose([term.index(index) for index in batch + first + second])
        shape = array.shape
        count = int(numpy.prod(shape[len(batch):len(batch) + len(first)]))
        return array.reshape(shape[:len(batch)] + (count, int(numpy.prod(shape[len(batch) + len(first):])))), shape

    def once(a, b):
        a, extents = matrices(a, left, rows, summed)
        b, others = matrices(b, right, summed, columns)
        made = numpy.matmul(a, b)
        made = made.reshape(extents[:len(batch) + len(rows)] + others[len(batch) + len(summed):])
        made = made.transpose([(batch + rows + columns).index(index) for index in result])
        return made.T if order == "F" else made

    return once


def contraction(numpy, mode, dtype, order, subscripts, alpha, beta, conjugated, extents, addend):
    """A function that computes it once, on arrays that are there."""
    shapes = [tuple(int(e) for e in text.split(",") if e) for text in extents]
    a, b, c = (numpy.full(shape, 0.5, dtype, order) for shape in shapes)
    alpha, beta = scalar(alpha), scalar(beta)
    multiply = matmul(numpy, subscripts, order) if mode == "matmul" else lambda a, b: numpy.einsum(subscripts, a, b, optimize=mode == "best")
    indices = addend[0] if addend else None
    d = numpy.full(tuple(int(e) for e in addend[1].split(",") if e), 0.5, dtype, order) if addend else None

    def added():
        if indices is None:
            return c.conj() if "C" in conjugated else c
        return numpy.einsum(indices + subscripts[subscripts.index("->"):], d.conj() if "D" in conjugated else d)

    def once():
        nonlocal c
        operands = [x.conj() if name in conjugated else x for name, x in (("A", a), ("B", b))]
        result = multiply(*operands)
        if result.shape != c.shape:
            raise ValueError(f"expected the shape {c.shape}, found {result.shape}")
        if alpha != 1:
            result = alpha * result
        if beta != 0:
            result = result + beta * added()
        c = result

    return once


def seconds_of(once, runs):
    start = time.perf_counter()
    for _ in range(runs):
        once()
    return (time.perf_counter() - start) / runs


def answer(once):
    once()  # the first meets cold caches and finds its path
    expected = seconds_of(once, 1)
    runs = max(1, int(LEAST_SECONDS / max(expected, 1e-7)))
    say("ready")
    for _ in sys.stdin:
        start = time.perf_counter()
        while expected < WARMED_SECONDS and time.perf_counter() - start < WARM_UP_SECONDS:
            once()
        say(repr(seconds_of(once, runs)))


def main(mode, threads, *rest):
    for library in ("OPENBLAS", "OMP", "MKL", "BLIS", "VECLIB"):  # read when the BLAS is loaded
        os.environ[f"{library}_NUM_THREADS"] = threads
    sys.path[:] = [folder for folder in sys.path if folder not in ("", ".")]
    try:
        import numpy
    except ImportError:
        say("missing")
        return
    say(f"numpy {numpy.__version__}")
    try:
        answer(contraction(numpy, mode, *rest[:6], rest[6:9], rest[9:]))
    except (MemoryError, ValueError) as error:
        say("error " + " ".join(str(error).split())[:200])


main(*sys.argv[1:])
