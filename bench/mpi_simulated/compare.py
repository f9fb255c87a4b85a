#!/usr/bin/env python3
"""Distributed contractions on simulated networks: errors of predicted communication, and the choice.

usage: bench/mpi_simulated/compare.py TCPLAN SAMPLE.c [--networks N...] [--fitted R] [--ranks R...]
                                      [--case CONTRACTION SIZES]... [--algorithms N]
                                      [--output FILE.json]

Needs SimGrid's smpicc and smpirun (Debian: libsimgrid-dev). SAMPLE.c is bindings/mpi/sample.c. It is
compiled with smpicc and run on 16 simulated nodes (--fitted); its times predict the communication
of each case on more nodes. The programs that `tcplan measure` emits then run on those nodes, one
rank on each. ScaLAPACK is omitted, because it is built for another MPI. Computation takes no
simulated time: all times are *simulated, communication only*.
The fastest algorithm is chosen after adding the predicted local time of each.
"""
import argparse
import csv
import io
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

MOST_RANKS = 256
CASES = [
    ("C_ab=A_ai*B_ib", "a=b=i=1024"),
    ("C_ab=A_ai*B_ib", "a=b=2048,i=64"),
    ("C_ab=A_ai*B_ib", "a=b=128,i=32768"),
    ("C_ab=A_ai*B_ib", "a=32768,b=64,i=128"),
    ("C_abc=A_ai*B_ibc", "a=i=256,b=c=64"),
    ("C_abij=A_abcd*B_cdij", "a=b=c=d=32,i=j=16"),
]
# name: attributes of SimGrid's <cluster>
NETWORKS = {
    "10 GbE": 'bw="1.25GBps" lat="25us"',
    "100 Gb/s fat tree": 'bw="12.5GBps" lat="1us" topology="FAT_TREE" topo_parameters="2;16,16;1,8;1,1"',
}
PLATFORM = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="c" prefix="n" suffix="" radical="0-{last}" speed="1Gf" {network}/>
</platform>
"""


def run(words, **variables):
    done = subprocess.run(words, capture_output=True, text=True, check=False, env={**os.environ, "TCPLAN_STORE": "", **variables})
    if done.returncode != 0:
        sys.exit(f"{' '.join(words)}: {done.stdout}{done.stderr}")
    return done.stdout


def smpirun(folder, network):
    """Writes a platform; returns the words that run a program on it."""
    platform, hosts = folder / "platform.xml", folder / "hosts"
    platform.write_text(PLATFORM.format(last=MOST_RANKS - 1, network=NETWORKS[network]))
    hosts.write_text("".join(f"n{rank}\n" for rank in range(MOST_RANKS)))
    return ["smpirun", "-platform", str(platform), "-hostfile", str(hosts), "--cfg=smpi/simulate-computation:no",
            "--cfg=smpi/coll-selector:mpich", "--log=root.thres:error"]


def sample(folder, options, words):
    """Measures the simulated network; returns the file of times."""
    root = pathlib.Path(options.sample).resolve().parents[2]
    library = pathlib.Path(options.tcplan).resolve().parents[1] / "lib"
    program, times = str(folder / "sample"), folder / "times"
    run(["smpicc", "-O2", f"-I{root}/include", f"-I{root}/include/unstable", options.sample, f"-L{library}", "-ltcplan",
         f"-Wl,-rpath,{library}", "-o", program])
    run([*words, "-np", str(options.fitted), program, "--once", "-o", str(times)])
    return times


def measure(options, words, times, ranks, contraction, sizes):
    text = run([options.tcplan, "measure", contraction, "--sizes", sizes, "--processes", str(ranks), "--ranks-per-node", "1",
                "--communication", str(times), "--effort", "estimate", "--top", str(options.algorithms), "--time-limit", "1e-6",
                "--format", "csv", "--quiet"], MPICC="smpicc", MPIRUN=" ".join(words))
    keys = ("name", "local_seconds", "communication_seconds", "measured_seconds", "bytes_as_predicted")
    return [{key: row[key] for key in keys} for row in csv.DictReader(io.StringIO(text)) if row["measured_seconds"]]


def results(options):
    for network in options.networks:
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            words = smpirun(folder, network)
            times = sample(folder, options, words)
            for ranks in options.ranks:
                for contraction, sizes in options.case or CASES:
                    yield {"network": network, "ranks": ranks, "contraction": contraction, "sizes": sizes,
                           "algorithms": measure(options, words, times, ranks, contraction, sizes)}


def print_row(result):
    """Prints a case; returns the errors of its predictions and the place of the choice."""
    rows = [(float(r["local_seconds"]), float(r["communication_seconds"]), float(r["measured_seconds"]), r["name"])
            for r in result["algorithms"]]
    errors = [predicted / simulated - 1 for _, predicted, simulated, _ in rows]
    local, predicted, simulated, name = min(rows, key=lambda row: row[0] + row[1])
    totals = sorted(row[0] + row[2] for row in rows)
    place = totals.index(local + simulated) + 1
    print(f"{result['network']:18} {result['ranks']:5} {result['contraction']:22} {result['sizes']:20} {name:22} {1e3 * predicted:9.3f} "
          f"{1e3 * simulated:9.3f} {100 * (predicted / simulated - 1):+6.1f}% {100 * statistics.median(map(abs, errors)):6.1f}% "
          f"{place:5} {(local + simulated) / totals[0]:5.2f}", flush=True)
    return errors, place


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tcplan")
    parser.add_argument("sample")
    parser.add_argument("--networks", nargs="+", default=list(NETWORKS), choices=list(NETWORKS))
    parser.add_argument("--fitted", type=int, default=16)
    parser.add_argument("--ranks", nargs="+", type=int, default=[16, 64, 256])
    parser.add_argument("--case", nargs=2, action="append", metavar=("CONTRACTION", "SIZES"))
    parser.add_argument("--algorithms", type=int, default=8)
    parser.add_argument("--output")
    options = parser.parse_args()
    print("simulated, communication only; times in ms\n")
    print(f"{'network':18} {'ranks':>5} {'contraction':22} {'sizes':20} {'choice':22} {'predicted':>9} {'simulated':>9} {'error':>7} "
          f"{'median':>7} {'place':>5} {'loss':>5}")
    found, errors, places = [], {}, []
    for result in results(options):
        found.append(result)
        case, place = print_row(result)
        errors.setdefault((result["network"], result["ranks"]), []).extend(case)
        places.append(place)
    print()
    for (network, ranks), values in errors.items():
        print(f"{network}, {ranks} ranks: median error {100 * statistics.median(map(abs, values)):.1f} % of {len(values)} predictions, "
              f"largest {100 * max(map(abs, values)):.1f} %")
    exact = all(row["bytes_as_predicted"] == "true" for result in found for row in result["algorithms"])
    print(f"the choice is among the five best of {options.algorithms} in {sum(place <= 5 for place in places)} of {len(places)} cases, "
          f"the best in {places.count(1)}; bytes {'as predicted' if exact else 'NOT as predicted'}")
    if options.output:
        pathlib.Path(options.output).write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
