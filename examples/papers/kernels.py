#!/usr/bin/env python3
"""Writes the experiments of figures 3.1 to 3.8 of Peise's dissertation: how arguments of kernels
influence their times.

    python3 kernels.py [LIBRARY ...] [--repetitions N]

Each library has a folder with one file for each figure; without names, these are openblas and
blis. docs/papers.md has the commands that run and draw them.
"""
import argparse
import itertools
import pathlib
import sys

try:
    from tcplan.experiments import Experiment
except ImportError:  # a checkout without numpy: the module needs neither it nor the library
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "python" / "tcplan"))
    from experiments import Experiment


def solve(experiment, name="dtrsm", side="L", uplo="L", trans="N", diag="N", m=256, n=256, alpha=1, ld=None):
    """Adds a triangular solve, after calls that make A well conditioned and fill B: repeated solves
    in place would overflow."""
    lda, ldb = (ld, ld) if ld else (m if side == "L" else n, m)
    experiment.call("dporand", uplo=uplo, n=m if side == "L" else n, A="A", ldA=lda)
    experiment.call("dgerand", m=m, n=n, A="B", ldA=ldb)
    return experiment.call("dtrsm", name=name, side=side, uplo=uplo, transA=trans, diag=diag, m=m, n=n, alpha=alpha, A="A", ldA=lda,
                           B="B", ldB=ldb)


def experiments(settings):
    flags = Experiment("flags", title="Figure 3.1: dtrsm, flags", **settings)
    for letters in itertools.product("LR", "LU", "NT", "NU"):
        solve(flags, "".join(letters), *letters)
    yield "3.1", flags

    scalars = Experiment("scalars", title="Figure 3.2: dtrsm, alpha", **settings)
    for name, alpha in (("general", "0.6"), ("zero", "0"), ("minus-one", "-1"), ("one", "1")):
        solve(scalars, name, m=100, n=800, alpha=alpha)
    yield "3.2", scalars

    for figure, values in (("3.3", "256:320:1"), ("3.4", "256:8320:128")):
        leading = Experiment("leading", title=f"Figure {figure}: dtrsm, leading dimensions", **settings).range("ld", values)
        yield figure, solve(leading, ld="ld")

    increments = Experiment("increments", title="Figure 3.5a: daxpy, increments", **settings).range("inc", "1:100:1")
    yield "3.5a", increments.call("daxpy", n=1024, alpha=2, x="x", incx="inc", y="y", incy="inc")

    increments = Experiment("increments", title="Figure 3.5b: dtrsv, increments", **settings).range("inc", "1:100:1")
    increments.call("dporand", uplo="L", n=512, A="A", ldA=1000)
    increments.call("dgerand", m="512*inc", n=1, A="x", ldA="512*inc")
    yield "3.5b", increments.call("dtrsv", uplo="L", transA="N", diag="N", n=512, A="A", ldA=1000, x="x", incx="inc")

    for figure, values, ld in (("3.6", "256:320:1", 400), ("3.7", "24:536:16", 1000)):
        sizes = Experiment("sizes", title=f"Figure {figure}: dtrsm, sizes", **settings).range("n", values)
        yield figure, solve(sizes, m="n", n="n", ld=ld)

    for cold in ("", "A", "B", "AB"):  # operands out of cache have new memory in each repetition
        caches = Experiment("caches", title="Figure 3.8: dtrsm, operands in and out of cache", **settings)
        caches.call("dtrsm", side="L", uplo="L", transA="N", diag="N", m=256, n=256, alpha=1, A="A", ldA=256, B="B", ldB=256)
        for operand in cold:
            caches.operand(operand, "rep")
        yield "3.8" + cold, caches


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("library", nargs="*", default=["openblas", "blis"])
    parser.add_argument("--repetitions", type=int, default=100)
    options = parser.parse_args()
    for library in options.library:
        folder = pathlib.Path(library)
        folder.mkdir(exist_ok=True)
        for figure, experiment in experiments({"library": library, "repetitions": options.repetitions}):
            experiment.write(folder / f"{figure}.xml")


if __name__ == "__main__":
    main()
