#!/usr/bin/env python3
"""Distributed contractions on two ranks: errors of predictions, loss of the choice, ScaLAPACK.

usage: bench/mpi/compare.py TCPLAN [--seconds S] [--cases N] [--effort EFFORT] [--ctf PROGRAM]
                             [--output FILE.json]

Needs mpicc, mpirun and a tcplan with ScaLAPACK (Debian: libscalapack-openmpi-dev). Run
tcplan-mpi-sample first. The last index of every tensor is split over the ranks. ScaLAPACK gets the
same layout; the faster of two ways counts: pdgemm on this layout, or pdgemr2d to another layout,
pdgemm, and pdgemr2d back. All algorithms of a case run alternately in one program. The choice is the
algorithm with the shortest predicted time, without ScaLAPACK. Each case takes at most --seconds to
time its local products, and as long to run. --ctf adds the times of the Cyclops Tensor Framework;
PROGRAM is ctf.cxx of this folder, compiled with a CTF that you have built.
"""
import argparse
import csv
import io
import json
import pathlib
import statistics
import subprocess

RANKS = 2
MOST_ALGORITHMS = 24
DIRECT, MOVED = "pdgemm:1x2", "pdgemm:1x2/128"
CASES = [
    ("C_ab=A_ai*B_ib", "a=b=i=1000"),
    ("C_ab=A_ai*B_ib", "a=b=i=2000"),
    ("C_ab=A_ai*B_ib", "a=b=3000,i=100"),
    ("C_ab=A_ai*B_ib", "a=b=200,i=20000"),
    ("C_ab=A_ai*B_ib", "a=8000,b=100,i=1000"),
    ("C_ab=A_ai*B_ib", "a=100,b=8000,i=1000"),
    ("C_ab=A_ia*B_ib", "a=b=i=1500"),
    ("C_ab=A_ai*B_bi", "a=b=i=1500"),
    ("C_abc=A_ai*B_ibc", "a=i=400,b=c=50"),
    ("C_abcd=A_abij*B_ijcd", "a=b=c=d=40,i=j=30"),
    ("C_abcd=A_ijab*B_ijcd", "a=b=c=d=40,i=j=20"),
    ("C_abij=A_abcd*B_cdij", "a=b=c=d=45,i=j=20"),
]


def distribution(contraction):
    """Returns the distribution with the last index of each tensor on axis 0."""
    result, factors = contraction.split("=")
    return " ".join(f"{t[0]}={t[-1]}:0" for t in factors.split("*") + [result])


def run_tcplan(options, contraction, sizes, *wanted):
    command = [options.tcplan, "measure", contraction, "--sizes", sizes, "--processes", str(RANKS),
               "--grid", str(RANKS), "--distribute", distribution(contraction),
               "--effort", options.effort, "--time-limit", str(options.seconds), *wanted,
               "--format", "csv", "--quiet"]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    keys = "name", "seconds", "measured_seconds", "bytes_as_predicted", "scalapack"
    return [{key: row[key] for key in keys}
            for row in csv.DictReader(io.StringIO(text)) if row["measured_seconds"]]


def run_ctf(options, contraction, sizes):
    """Returns the seconds of an execution by CTF."""
    result, factors = contraction.split("=")
    words = [t[2:] for t in [result, *factors.split("*")]] + [str(options.seconds)]
    for part in sizes.split(","):
        *indices, extent = part.split("=")
        words += [f"{index}={extent}" for index in indices]
    command = ["mpirun", "-n", str(RANKS), options.ctf, *words]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()[-1])


def measure(options):
    for contraction, sizes in CASES[:options.cases]:
        rows = run_tcplan(options, contraction, sizes, "--top", str(MOST_ALGORITHMS))
        found = {row["name"]: row for row in rows}
        ways = [found.get(name) or run_tcplan(options, contraction, sizes, "--algorithm", name)[0]
                for name in (DIRECT, MOVED)]
        yield {"contraction": contraction, "sizes": sizes, "scalapack": ways,
               "algorithms": [row for row in rows if row["scalapack"] == "false"],
               **({"ctf": run_ctf(options, contraction, sizes)} if options.ctf else {})}


def print_table(results):
    errors, losses, factors, scalapack_errors = [], [], [], []
    print(f"{'contraction':22} {'sizes':20} {'choice':14} {'predicted':>9} {'measured':>9} "
          f"{'error':>7} {'loss':>5} {'direct':>9} {'moved':>9} {'over':>5}"
          + (f" {'CTF':>9} {'over CTF':>8}" if any("ctf" in result for result in results) else ""))
    for result in results:
        rows = [(float(r["seconds"]), float(r["measured_seconds"]), r["name"])
                for r in result["algorithms"]]
        predicted, measured, name = min(rows)
        errors += [p / m - 1 for p, m, _ in rows]
        losses.append(measured / min(m for _, m, _ in rows))
        direct, moved = (float(row["measured_seconds"]) for row in result["scalapack"])
        scalapack_errors += [float(row["seconds"]) / float(row["measured_seconds"]) - 1
                             for row in result["scalapack"]]
        factors.append(min(direct, moved) / measured)
        print(f"{result['contraction']:22} {result['sizes']:20} {name:14} {1e3 * predicted:9.2f} "
              f"{1e3 * measured:9.2f} {100 * (predicted / measured - 1):+6.1f}% {losses[-1]:5.2f} "
              f"{1e3 * direct:9.2f} {1e3 * moved:9.2f} {factors[-1]:5.2f}"
              + (f" {1e3 * result['ctf']:9.2f} {result['ctf'] / measured:8.2f}" if "ctf" in result else ""))
    exact = all(r["bytes_as_predicted"] == "true" for x in results for r in x["algorithms"])
    print(f"\ntimes in ms; median error of {len(errors)} predictions "
          f"{100 * statistics.median(map(abs, errors)):.1f} %; loss of the choice "
          f"{statistics.geometric_mean(losses):.2f}, at most {max(losses):.2f}; over ScaLAPACK "
          f"{statistics.geometric_mean(factors):.2f} in the mean, {min(factors):.2f} to "
          f"{max(factors):.2f}, whose times were predicted with a median error of "
          f"{100 * statistics.median(map(abs, scalapack_errors)):.1f} %; "
          f"bytes {'as predicted' if exact else 'NOT as predicted'}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tcplan")
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--cases", type=int, default=len(CASES))
    parser.add_argument("--effort", default="normal")
    parser.add_argument("--ctf")
    parser.add_argument("--output")
    options = parser.parse_args()
    results = list(measure(options))
    if options.output:
        pathlib.Path(options.output).write_text(json.dumps(results, indent=1) + "\n")
    print_table(results)


if __name__ == "__main__":
    main()
