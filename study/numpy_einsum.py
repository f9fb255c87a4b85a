"""What numpy.einsum takes for a contraction: for each line that is read, the seconds of one execution are written.

The first line written says which numpy it is, or `missing`, or `error` and why.

Arguments: plain|best THREADS DTYPE C|F SUBSCRIPTS ALPHA BETA CONJUGATED A B C [INDICES D], where CONJUGATED has the letters of operands and A, B and C
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


def contraction(numpy, mode, dtype, order, subscripts, alpha, beta, conjugated, extents, addend):
    """A function that computes it once, on arrays that are there."""
    shapes = [tuple(int(e) for e in text.split(",") if e) for text in extents]
    a, b, c = (numpy.full(shape, 0.5, dtype, order) for shape in shapes)
    alpha, beta = scalar(alpha), scalar(beta)
    indices = addend[0] if addend else None
    d = numpy.full(tuple(int(e) for e in addend[1].split(",") if e), 0.5, dtype, order) if addend else None

    def added():
        if indices is None:
            return c.conj() if "C" in conjugated else c
        return numpy.einsum(indices + subscripts[subscripts.index("->"):], d.conj() if "D" in conjugated else d)

    def once():
        nonlocal c
        operands = [x.conj() if name in conjugated else x for name, x in (("A", a), ("B", b))]
        result = numpy.einsum(subscripts, *operands, optimize=mode == "best")
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
