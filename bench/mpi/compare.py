#!/usr/bin/env python3
"""Distributed contractions on two ranks: errors of predictions, loss of the choice, ScaLAPACK.

usage: bench/mpi/compare.py TCPLAN [--seconds S] [--cases N] [--effort EFFORT] [--output FILE.json]

Needs mpicc, mpirun and Debian's libscalapack-openmpi-dev. Run tcplan-mpi-sample first. Every tensor
lies with its last index split over the ranks; ScaLAPACK gets the same layout, and the faster of
pdgemm on it and of pdgemr2d, pdgemm, pdgemr2d counts. The choice is the fastest by prediction.
"""
import argparse
import csv
import io
import json
import os
import pathlib
import statistics
import subprocess
import tempfile

RANKS = 2
# contraction, sizes, and the matrices: m, n, k, transpositions
CASES = [
    ("C_ab=A_ai*B_ib", "a=b=i=1000", (1000, 1000, 1000, "N", "N")),
    ("C_ab=A_ai*B_ib", "a=b=i=2000", (2000, 2000, 2000, "N", "N")),
    ("C_ab=A_ai*B_ib", "a=b=3000,i=100", (3000, 3000, 100, "N", "N")),
    ("C_ab=A_ai*B_ib", "a=b=200,i=20000", (200, 200, 20000, "N", "N")),
    ("C_ab=A_ai*B_ib", "a=8000,b=100,i=1000", (8000, 100, 1000, "N", "N")),
    ("C_ab=A_ai*B_ib", "a=100,b=8000,i=1000", (100, 8000, 1000, "N", "N")),
    ("C_ab=A_ia*B_ib", "a=b=i=1500", (1500, 1500, 1500, "T", "N")),
    ("C_ab=A_ai*B_bi", "a=b=i=1500", (1500, 1500, 1500, "N", "T")),
    ("C_abc=A_ai*B_ibc", "a=i=400,b=c=50", (400, 2500, 400, "N", "N")),
    ("C_abcd=A_abij*B_ijcd", "a=b=c=d=40,i=j=30", (1600, 1600, 900, "N", "N")),
    ("C_abcd=A_ijab*B_ijcd", "a=b=c=d=40,i=j=20", (1600, 1600, 400, "T", "N")),
    ("C_abij=A_abcd*B_cdij", "a=b=c=d=45,i=j=20", (2025, 400, 2025, "N", "N")),
]


def distribution(contraction):
    """The last index of each tensor on axis 0."""
    result, factors = contraction.split("=")
    return " ".join(f"{t[0]}={t[-1]}:0" for t in factors.split("*") + [result])


def run_tcplan(options, contraction, sizes):
    command = [options.tcplan, "measure", contraction, "--sizes", sizes, "--processes", str(RANKS),
               "--grid", str(RANKS), "--distribute", distribution(contraction),
               "--effort", options.effort, "--time-limit", str(options.seconds), "--top", "6",
               "--format", "csv", "--quiet"]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return [{key: row[key] for key in ("name", "seconds", "measured_seconds", "bytes_as_predicted")}
            for row in csv.DictReader(io.StringIO(text)) if row["measured_seconds"]]


def run_scalapack(program, seconds, matrices):
    mpirun = os.environ.get("MPIRUN", "mpirun").split()
    words = mpirun + ["-n", str(RANKS), program] + [str(x) for x in matrices] + [str(seconds)]
    text = subprocess.run(words, check=True, capture_output=True, text=True).stdout.split()
    return float(text[1]), float(text[3])


def measure(options, program):
    for contraction, sizes, matrices in CASES[:options.cases]:
        rows = run_tcplan(options, contraction, sizes)
        yield {"contraction": contraction, "sizes": sizes, "algorithms": rows,
               "scalapack": run_scalapack(program, options.seconds, matrices)}


def print_table(results):
    errors, losses, factors = [], [], []
    print(f"{'contraction':22} {'sizes':20} {'choice':14} {'predicted':>9} {'measured':>9} "
          f"{'error':>7} {'loss':>5} {'direct':>9} {'moved':>9} {'over':>5}")
    for result in results:
        rows = [(float(r["seconds"]), float(r["measured_seconds"]), r["name"])
                for r in result["algorithms"]]
        predicted, measured, name = min(rows)
        errors += [p / m - 1 for p, m, _ in rows]
        losses.append(measured / min(m for _, m, _ in rows))
        direct, moved = result["scalapack"]
        factors.append(min(direct, moved) / measured)
        print(f"{result['contraction']:22} {result['sizes']:20} {name:14} {1e3 * predicted:9.2f} "
              f"{1e3 * measured:9.2f} {100 * (predicted / measured - 1):+6.1f}% {losses[-1]:5.2f} "
              f"{1e3 * direct:9.2f} {1e3 * moved:9.2f} {factors[-1]:5.2f}")
    exact = all(r["bytes_as_predicted"] == "true" for x in results for r in x["algorithms"])
    print(f"\ntimes in ms; median error of {len(errors)} predictions "
          f"{100 * statistics.median(map(abs, errors)):.1f} %; loss of the choice "
          f"{statistics.geometric_mean(losses):.2f}, at most {max(losses):.2f}; over ScaLAPACK "
          f"{statistics.geometric_mean(factors):.2f} in the mean, {min(factors):.2f} to "
          f"{max(factors):.2f}; bytes {'as predicted' if exact else 'NOT as predicted'}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tcplan")
    parser.add_argument("--seconds", type=float, default=3)
    parser.add_argument("--cases", type=int, default=len(CASES))
    parser.add_argument("--effort", default="quick")
    parser.add_argument("--output")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        program = str(pathlib.Path(folder) / "scalapack")
        source = pathlib.Path(__file__).with_name("scalapack.c")
        mpicc = os.environ.get("MPICC", "mpicc").split()
        subprocess.run(mpicc + ["-O2", "-std=c11", str(source), "-o", program, "-lopenblas",
                                "-lscalapack-openmpi", "-lm"], check=True)
        results = list(measure(options, program))
    if options.output:
        pathlib.Path(options.output).write_text(json.dumps(results, indent=1) + "\n")
    print_table(results)


if __name__ == "__main__":
    main()
