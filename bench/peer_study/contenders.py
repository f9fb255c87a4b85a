"""The contenders other than the peers: tcplan's winner and the ideal gemm or gemv."""
import ctypes
import json
import os
import re
import shlex
import subprocess
import time
import weakref

import numpy

LIBC = ctypes.CDLL(None)
LIBC.malloc.restype = ctypes.c_void_p
LIBC.free.argtypes = [ctypes.c_void_p]
LIBC.free.restype = None


class Failure(Exception):
    """A case cannot be measured; the message describes the failure."""


def pointer(array):
    return ctypes.c_void_p(array.ctypes.data)


def run_command(words, what, environment=None):
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True, env=environment)
    if done.returncode != 0:
        said = (done.stderr or done.stdout).strip().splitlines()
        raise Failure(f"{what} failed (status {done.returncode}): {' | '.join(said[:4])}")
    return done.stdout


class Contender:
    """Something that is timed. run(calls) returns seconds; result() returns the array to check after a call, or None if there is nothing to check."""

    name = ""
    threads = 1  # threads of the BLAS that the contender calls

    def run(self, calls):
        raise NotImplementedError

    def result(self):
        return None


class Timing:
    """The compiled loops of timing.c, and the number of threads of the BLAS they call."""

    def __init__(self, cc, folder, blas_link, clock):
        source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "timing.c")
        shared = os.path.join(folder, "timing.so")
        run_command([cc, "-O2", "-shared", "-fPIC", source, "-o", shared, *shlex.split(blas_link)], "compiling timing.c")
        self.library = ctypes.CDLL(shared)
        self.clock = clock
        for function in ("time_contraction", "time_gemm", "time_gemv"):
            getattr(self.library, function).restype = ctypes.c_double
        self._set = getattr(self.library, "openblas_set_num_threads", None)

    def set_threads(self, threads):
        if self._set:
            self._set(threads)

    def blas(self):
        """Returns name and core type of the BLAS that the ideal uses."""
        config = getattr(self.library, "openblas_get_config", None)
        if not config:
            return "unknown"
        config.restype = ctypes.c_char_p
        return config().decode()


class Gemm(Contender):
    """An ideal gemm: dense matrices in the buffers of the tensors."""

    def __init__(self, timing, name, sizes, operands, threads):
        self.timing, self.name, self.sizes, self.operands, self.threads = timing, name, sizes, operands, threads
        self.letter = ctypes.c_int(ord(name[0]))

    def run(self, calls):
        return self.timing.library.time_gemm(self.letter, *map(ctypes.c_int, self.sizes), *map(pointer, self.operands), ctypes.c_long(calls),
                                             self.timing.clock)


class Gemv(Contender):
    """An ideal gemv: the larger of the operands is the matrix."""

    def __init__(self, timing, name, transposed, sizes, operands, threads):
        self.timing, self.name, self.transposed = timing, name, transposed
        self.sizes, self.operands, self.threads = sizes, operands, threads
        self.letter = ctypes.c_int(ord(name[0]))

    def run(self, calls):
        return self.timing.library.time_gemv(self.letter, ctypes.c_int(self.transposed), *map(ctypes.c_int, self.sizes), *map(pointer, self.operands),
                                             ctypes.c_long(calls), self.timing.clock)


def ideal_contenders(case, timing, A, B, C, threads):
    """Returns the ideal contenders; None for element-wise products."""
    if not case.has_ideal:
        return []
    if not case.is_vector():
        return [Gemm(timing, case.dtype + "gemm_mn", (case.m, case.n, case.k), (A, B, C), threads),
                Gemm(timing, case.dtype + "gemm_nm", (case.n, case.m, case.k), (B, A, C), threads)]
    rows, operands = (case.m, (A, B, C)) if case.n == 1 else (case.n, (B, A, C))
    return [Gemv(timing, case.dtype + "gemv_n", 0, (rows, case.k), operands, threads),
            Gemv(timing, case.dtype + "gemv_t", 1, (rows, case.k), operands, threads)]


class Planned:
    """tcplan's result for a case: its ranking and the compiled C code of the winner. @param environment  of the planning command"""

    def __init__(self, case, study, threads, environment):
        self.environment = environment
        source = os.path.join(study.folder, f"{case.name}_{threads}{'_no_compiler' if environment is study.without_compiler else ''}.c")
        start = time.monotonic()
        ranking = self._rank(case, study, threads, source)
        self.command_seconds = time.monotonic() - start
        self.winner = next(a for a in ranking["algorithms"] if a["chosen"])
        self.ranking = {key: value for key, value in ranking.items() if key != "algorithms"}
        with open(source, encoding="utf-8") as file:
            self.source = file.read()
        self.shared = self._compile(study.cc, source)

    def _rank(self, case, study, threads, source):
        """Ranks; if the default bound on memory is too small, with up to a quarter of the machine's memory, as `tcplan batch` does."""
        words = [study.tcplan, case.contraction, "--sizes", case.sizes(), "--dtype", case.dtype, "--threads", str(threads), "--space", study.space, "--effort",
                 study.effort, "--emit", source, "--format", "json", "--quiet", *study.plan_options]
        self.larger_bound = False
        try:
            return json.loads(run_command(words, "planning", self.environment))
        except Failure:
            if any(option.startswith("--max-memory") for option in study.plan_options):
                raise
        self.larger_bound = True
        quarter = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 4
        return json.loads(run_command([*words, "--max-memory", str(quarter)], "planning", self.environment))

    def _compile(self, cc, source):
        link = re.search(r"^ \* link: (.*)$", self.source, re.MULTILINE)
        if not link:
            raise Failure(f"the emitted C of {self.winner['name']} has no 'link:' line")
        shared = source[:-2] + ".so"
        run_command([cc, "-O2", "-shared", "-fPIC", source, "-o", shared, *shlex.split(link.group(1))],
                    f"compiling {self.winner['name']}")
        return shared

    def record(self):
        return {"name": self.winner["name"], "kernel": self.winner.get("kernel"), "predicted_seconds": self.winner["predicted_seconds"],
                "predicted_low": self.winner.get("predicted_low"), "predicted_high": self.winner.get("predicted_high"),
                "planning_seconds": self.ranking["planning_seconds"], "command_seconds": self.command_seconds,
                "larger_memory_bound": self.larger_bound, "algorithm_count": self.ranking.get("algorithm_count"),
                "threads": self.ranking["threads"]}


class Winner(Contender):
    """The emitted function of the first algorithm of the ranking."""

    def __init__(self, timing, name, planned, operands, output, threads):
        self.timing, self.name, self.operands, self.output = timing, name, operands, output
        library = ctypes.CDLL(planned.shared)
        self.function = library.contract
        # The calls in a parallel loop use one thread each; without a parallel loop the BLAS uses all threads.
        self.threads = 1 if "team_run(" in planned.source else threads

    def run(self, calls):
        seconds = self.timing.library.time_contraction(self.function, *map(pointer, self.operands), ctypes.c_long(calls), self.timing.clock)
        if seconds < 0:
            raise Failure("the emitted function did not return 0: no memory for its temporaries")
        return seconds

    def result(self):
        return self.output


def allocated(elements, align, numpy_type="float64"):
    """Returns a vector at the address that malloc chooses, or at a multiple of `align` bytes, on pages of the usual size."""
    size = numpy.dtype(numpy_type).itemsize * elements
    address = ctypes.c_void_p()
    if align:
        LIBC.posix_memalign(ctypes.byref(address), ctypes.c_size_t(max(align, ctypes.sizeof(ctypes.c_void_p))), ctypes.c_size_t(size))
    else:
        address.value = LIBC.malloc(ctypes.c_size_t(size))
    if not address.value:
        raise Failure(f"no memory for {size} bytes")
    block = (ctypes.c_char * size).from_address(address.value)
    weakref.finalize(block, LIBC.free, address.value)
    return numpy.frombuffer(block, dtype=numpy_type)
