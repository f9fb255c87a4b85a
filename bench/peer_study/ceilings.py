"""Measures the machine's ceilings in the same run as the contenders, and compares them with the values of likwid-bench and of the study's own loops."""
import ctypes
import json
import math
import os
import subprocess

import numpy

from .cases import TYPES
from .contenders import Failure, pointer, run_command
from .limit import INDEPENDENT, ceilings_of

OWN = "own loops"
WINDOW_SECONDS = 2e-3
REAL = {"s": "s", "d": "d", "c": "s", "z": "d"}  # the real type whose gemm gives the ceiling of a type, by operations
GEMM_EXTENT = 1000      # extent of the study's own gemm, in addition to the extents at which tcplan found the ceiling
GEMM_CALLS = 10
LIKWID_RUNS = 5         # the best run counts
LIKWID_SECONDS = 120
# Kernels of likwid-bench without the suffix of their vectors, and of streams.c, for each of ours; the best counts.
LIKWID_KERNELS = {"load": ("load", "ddot"), "store": ("store",), "store_nt": ("store_mem",)}
OWN_KERNELS = {"load": (0, 1), "store": (2,), "store_nt": (3,)}


def vector_suffix():
    """Returns the suffix of likwid-bench's kernels for the widest vectors of this processor."""
    with open("/proc/cpuinfo", encoding="ascii", errors="replace") as file:
        flags = next((line for line in file if line.startswith("flags")), "").split()
    return "_avx512" if "avx512f" in flags else "_avx" if "avx" in flags else "_sse"


def likwid_rate(program, kernel, size, threads):
    """Returns GB/s of all threads, each with a working set of `size` bytes, on huge pages if malloc provides them, as for the ceilings; None if the
    program does not run."""
    total = max(1, size * threads // 1000)
    iterations = min(500000, max(3, int(1e9 / size)))
    words = [program, "-t", kernel + vector_suffix(), "-W", f"N:{total}kB:{threads}", "-i", str(iterations)]
    environment = dict(os.environ, GLIBC_TUNABLES="glibc.malloc.hugetlb=1")
    best = None
    for _ in range(LIKWID_RUNS):
        try:
            done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, universal_newlines=True, env=environment, timeout=LIKWID_SECONDS)
        except (OSError, subprocess.TimeoutExpired):
            return best
        for line in done.stdout.splitlines():
            if line.startswith("MByte/s:"):
                best = max(best or 0, 1e-3 * float(line.split()[1]))
    return best


class OwnLoops:
    """The loops of streams.c and the study's own gemm."""

    def __init__(self, study):
        source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "streams.c")
        shared = os.path.join(study.folder, "streams.so")
        flags = ["-O3", "-march=native", "-funroll-loops", "-fno-tree-loop-distribute-patterns", "-fopenmp", "-shared", "-fPIC"]
        run_command([study.cc, *flags, source, "-o", shared], "compiling streams.c")
        self.library, self.study = ctypes.CDLL(shared), study
        self.library.best_rate.restype = ctypes.c_double

    def rate(self, kernel, size):
        """Returns the rate of a kernel in GB/s."""
        return max(1e-9 * self.library.best_rate(n, ctypes.c_size_t(size), ctypes.c_int(self.study.threads), ctypes.c_double(WINDOW_SECONDS))
                   for n in OWN_KERNELS[kernel])

    def gemm(self, extents):
        """Returns GFLOP/s of the fastest of some calls, in real arithmetic."""
        m, n, k = extents
        numpy_type, _, operations = TYPES[REAL[self.study.dtype]]
        operands = [numpy.ones(count, numpy_type) for count in (m * k, k * n, m * n)]
        self.study.timing.set_threads(self.study.threads)
        arguments = [ctypes.c_int(ord(REAL[self.study.dtype])), *map(ctypes.c_int, extents), *map(pointer, operands)]
        seconds = min(self.study.timing.library.time_gemm(*arguments, ctypes.c_long(1), self.study.timing.clock) for _ in range(GEMM_CALLS))
        return 1e-9 * operations * math.prod(extents) / max(seconds, 1e-9)


def check(found, study):
    """Returns the values of other tools for each ceiling."""
    own, checks = OwnLoops(study), []

    def add(ceiling, name, by, rate):
        if rate:
            checks.append({"ceiling": ceiling, "name": name, "by": by, "rate": rate})

    if found["peak"] and found["gemm"]:  # gemm cannot be faster than the peak
        extents = [found["gemm"]["extents"], [GEMM_EXTENT] * 3]
        add(found["peak"]["name"], "gemm", OWN, max(own.gemm(e) for e in extents))
    for rate in found["rates"]:
        name = f"{rate['kernel']} {rate['level']}"
        if study.likwid:
            for kernel in LIKWID_KERNELS[rate["kernel"]]:
                add(name, kernel, INDEPENDENT, likwid_rate(study.likwid, kernel, rate["working_set_bytes"], study.threads))
        add(name, "streams.c", OWN, own.rate(rate["kernel"], rate["working_set_bytes"]))
    return checks


def measured(study):
    """Returns the ceilings of this run, with their checks. `tcplan roofline` also stores them, and rankings use them as limits."""
    words = [study.tcplan, "roofline", "--dtype", study.dtype, "--threads", str(study.threads), "--remeasure", "--format", "json", "--quiet"]
    if study.quick_ceilings:
        words.append("--quick")
    try:
        found = ceilings_of(json.loads(run_command(words, "measuring the ceilings", study.environment)), study.threads, REAL[study.dtype])
    except (ValueError, KeyError, TypeError) as error:
        raise Failure(f"tcplan roofline says what is not understood: {error!r}") from None
    found["checks"] = check(found, study)
    return found
