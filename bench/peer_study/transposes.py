"""Transpositions of whole tensors: tcplan's emitted code, HPTT, numpy.copyto() and plain copies, interleaved in one process."""
import ctypes
import math
import os
import random
import re
import shlex
import statistics
import time

import numpy

from .cases import TYPES
from .contenders import Failure, allocated, pointer, run_command
from .peers import Absent, find_library

SEED, DRAWN = 7, 4                  # of the drawn permutations, and how many
LEAST_MIB, MOST_MIB = 10, 200       # of a drawn tensor of doubles
STRETCH_SECONDS, REPETITIONS = 5e-3, 9
FIXED = (("ab->ba", (1000, 1000)), ("ab->ba", (4000, 4000)), ("abij->abji", (60, 60, 60, 60)), ("abcd->dcba", (48, 48, 48, 48)),
         ("abc->cab", (200, 200, 200)), ("abc->bac", (200, 200, 200)))


def drawn():
    """Returns permutations of three to six dimensions, the same in each run."""
    draw, found = random.Random(SEED), []
    for _ in range(DRAWN):
        letters = "abcdef"[:draw.randint(3, 6)]
        permuted = letters
        while permuted == letters:
            permuted = "".join(draw.sample(letters, len(letters)))
        elements = draw.uniform(LEAST_MIB, MOST_MIB) * 2**20 / 8
        weights = [draw.uniform(0.4, 1.6) for _ in letters]
        found.append((f"{letters}->{permuted}", tuple(max(2, round(elements**(w / sum(weights)))) for w in weights)))
    return found


def chosen(pattern):
    """Returns (name, einsum subscripts, shape) of the cases whose names match; arrays are row-major."""
    named = [(f"{subscripts} {'x'.join(map(str, shape))}", subscripts, shape) for subscripts, shape in (*FIXED, *drawn())]
    return [case for case in named if re.search(pattern, case[0])]


class Emitted:
    """The function that tcplan emits for a transposition."""

    def __init__(self, options, folder, environment, before, after, shape):
        sizes = ",".join(f"{index}={extent}" for index, extent in zip(before, shape))
        base = os.path.join(folder, f"transpose_{time.time_ns()}")
        run_command([options.tcplan, "emit", f"B_{after}=A_{before}", "--row-major", "--sizes", sizes, "--dtype", options.dtype, "--threads",
                     str(options.threads), "--effort", options.effort, "--quiet", "--output", base + ".c", *options.plan_options], "emitting", environment)
        with open(base + ".c", encoding="utf-8") as file:
            source = file.read()
        self.is_pass = "in one pass over memory" in source
        link = re.search(r"^ \* link: (.*)$", source, re.MULTILINE)
        run_command([options.cc, "-O2", "-shared", "-fPIC", base + ".c", "-o", base + ".so", *shlex.split(link.group(1) if link else "")], "compiling")
        self.function = ctypes.CDLL(base + ".so").contract

    def run(self, source, target):
        if self.function(pointer(source), pointer(target)) != 0:
            raise Failure("the emitted function did not return 0")


def hptt_call(library, options, source, target, axes):
    """Returns a call of HPTT's C interface."""
    is_single = options.dtype == "s"
    function, number = (library.sTensorTranspose, ctypes.c_float) if is_single else (library.dTensorTranspose, ctypes.c_double)
    order, sizes = (ctypes.c_int * len(axes))(*axes), (ctypes.c_int * len(axes))(*source.shape)
    return lambda: function(order, len(axes), number(1), pointer(source), sizes, None, number(0), pointer(target), None, options.threads, 1)


def interleaved(calls, repetitions):
    """Returns the median seconds of each call, timed in rounds."""
    times, samples = {}, {name: [] for name in calls}
    for name, call in calls.items():
        start = time.perf_counter()
        call()
        times[name] = max(1, math.ceil(STRETCH_SECONDS / max(time.perf_counter() - start, 1e-7)))
    for _ in range(repetitions):
        for name, call in calls.items():
            start = time.perf_counter()
            for _ in range(times[name]):
                call()
            samples[name].append((time.perf_counter() - start) / times[name])
    return {name: statistics.median(taken) for name, taken in samples.items()}


def measured(case, options, folder, environment, library):
    """Returns ({contender: seconds}, MiB of a tensor, whether tcplan passes memory once). Raises Failure if a result is wrong."""
    _, subscripts, shape = case
    before, after = subscripts.split("->")
    axes = [before.index(index) for index in after]
    numpy_type = TYPES[options.dtype][0]
    source, copied, target = (allocated(math.prod(shape), 64, numpy_type) for _ in range(3))
    source[:] = numpy.arange(source.size) % 8191
    copied[:] = target[:] = 0
    source, copied, target = source.reshape(shape), copied.reshape(shape), target.reshape([shape[axis] for axis in axes])
    transpose, copy = Emitted(options, folder, environment, before, after, shape), Emitted(options, folder, environment, before, before, shape)
    calls = {"tcplan": lambda: transpose.run(source, target)}
    if library is not None and options.dtype in "sd":
        calls["hptt"] = hptt_call(library, options, source, target, axes)
    calls["numpy"] = lambda: numpy.copyto(target, source.transpose(axes))
    for name, call in calls.items():
        target[...] = -1
        call()
        if not numpy.array_equal(target, source.transpose(axes)):
            raise Failure(f"wrong result of {name}")
    calls["copy"] = lambda: copy.run(source, copied)
    calls["memcpy"] = lambda: numpy.copyto(copied, source)
    return interleaved(calls, options.repetitions or REPETITIONS), source.nbytes / 2**20, transpose.is_pass


def row(name, seconds, mib, is_pass):
    def ratio(other):
        return f"{seconds[other] / seconds['tcplan']:.2f}" if other in seconds else "-"

    share = min(seconds["copy"], seconds["memcpy"]) / seconds["tcplan"]
    mark = "" if is_pass else " (kernels)"
    return f"| {name}{mark} | {mib:.0f} | {1e3 * seconds['tcplan']:.2f} | {share:.2f} | {ratio('hptt')} | {ratio('numpy')} |"


def study(options, folder, environment):
    """Measures and yields the lines of a Markdown table."""
    try:
        library = None if options.no_peers else find_library("hptt", dict(options.peer_library), "dTensorTranspose")[0]
    except Absent as reason:
        library = None
        yield f"HPTT is absent: {reason}"
        yield ""
    yield "| transposition | MiB | ms | speed over the copy's | over HPTT's | over numpy's |"
    yield "|---|---:|---:|---:|---:|---:|"
    end = time.monotonic() + 60 * options.minutes
    for case in chosen(options.cases):
        if time.monotonic() > end:
            break
        yield row(case[0], *measured(case, options, folder, environment, library))
