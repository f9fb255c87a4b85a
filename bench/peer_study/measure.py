"""Measures one case: buffers, contenders, check of every result, interleaved timing."""
import json
import math
import os
import signal
import statistics
import sys
import time

import numpy

from .contenders import Failure, Planned, Winner, allocated, ideal_contenders

SMALL_SECONDS = 5e-3       # shorter calls are repeated within one timed stretch
WARM_UP_SHARE = 0.25       # share of a stretch that is made before it: the first calls after another contender load the caches and wake threads
TOLERANCE = {"s": 5e-5, "d": 1e-11, "c": 5e-5, "z": 1e-11}  # relative errors of sums of products
SAMPLED_PRODUCTS = 2000000  # products computed by the check of sampled elements
MIN_REPETITIONS, MAX_REPETITIONS = 5, 15
MOST_SECONDS = 1800        # bound on the time of a case; a process that hangs is ended
GRACE_SECONDS = 2          # time for a process group to end by itself
PAGE = 4096


def available_bytes():
    with open("/proc/meminfo", encoding="ascii") as file:
        for line in file:
            if line.startswith("MemAvailable:"):
                return 1024 * int(line.split()[1])
    return 0


class Reference:
    """The expected result: sampled elements, among them those at the ends of every index, and the sum of all elements."""

    def __init__(self, case, A, B):
        self.wide = numpy.result_type(A.dtype, numpy.float64)
        random = numpy.random.default_rng(1)
        count = max(16, SAMPLED_PRODUCTS // case.k)
        self.places = tuple(self._places(random, extent, count) for extent in case.shape(case.C))
        free = dict(zip(case.C, self.places))
        contracted = case.contracted()
        grid = dict(zip(contracted, numpy.unravel_index(numpy.arange(case.k), case.shape(contracted)))) if contracted else {}

        def gather(array, indices):
            return array[tuple(free[i][:, None] if i in free else grid[i][None, :] for i in indices)].astype(self.wide)

        self.values = case.factor * (gather(A, case.A) * gather(B, case.B)).sum(axis=-1)
        self.sum = self._sum(case, A, B)

    @staticmethod
    def _places(random, extent, count):
        """Returns random places; the first and the last are frequent, because errors of tiles occur there."""
        kind = random.integers(0, 4, count)
        return numpy.where(kind == 0, 0, numpy.where(kind == 1, extent - 1, random.integers(0, extent, count)))

    def _sum(self, case, A, B):
        def reduced(array, indices, others):
            """Returns an array summed over the indices that the other factor does not have, and its remaining indices."""
            own = tuple(axis for axis, i in enumerate(indices) if i not in others)
            return array.sum(axis=own, dtype=self.wide), "".join(i for i in indices if i in others)

        (a, in_a), (b, in_b) = reduced(A, case.A, case.B), reduced(B, case.B, case.A)
        return case.factor * complex(numpy.einsum(f"{in_a},{in_b}->", a, b))

    def error(self, C):
        """Returns the largest relative error; infinity if an element was not written."""
        errors = numpy.abs(C[self.places] - self.values) / numpy.abs(self.values)
        error = max(float(errors.max()), abs(complex(C.sum(dtype=self.wide)) - self.sum) / abs(self.sum))
        return error if math.isfinite(error) else math.inf


class Tensors:
    """A, B and C of a case: vectors at addresses that malloc chooses, or aligned, and column-major views of them."""

    def __init__(self, case, seed, align):
        if case.tensor_bytes() > 0.9 * available_bytes():
            raise Failure(f"the tensors take {case.tensor_bytes() / 2**30:.1f} GiB, {available_bytes() / 2**30:.1f} GiB are available")
        random = numpy.random.default_rng(seed)
        self.vectors = [allocated(case.elements(indices), align, case.numpy_type) for indices in (case.A, case.B, case.C)]
        for vector in self.vectors[:2]:
            numbers = vector.view(numpy.float32 if case.dtype in "sc" else numpy.float64)  # the real and imaginary parts of complex elements
            random.random(out=numbers, dtype=numbers.dtype)
            numbers += 0.5
        self.vectors[2].fill(0)
        self.views = [vector.reshape(case.shape(indices), order="F") for vector, indices in zip(self.vectors, (case.A, case.B, case.C))]


def quartiles(samples):
    if len(samples) < 2:
        return samples[0], samples[0]
    q1, _, q3 = statistics.quantiles(samples, n=4, method="inclusive")
    return q1, q3


class Timed:
    """A contender and its samples."""

    def __init__(self, contender):
        self.contender, self.samples, self.calls, self.error = contender, [], 1, None

    def prepare(self, study, C, reference):
        """Checks the result of one call; further calls warm up and determine how many calls a timed stretch has."""
        self._begin(study)
        C.fill(numpy.nan)
        seconds = self.contender.run(1)
        result = self.contender.result()
        if result is not None:
            self.error = reference.error(result)
            del result
            if self.error > TOLERANCE[study.dtype]:
                raise Failure(f"wrong result of {self.contender.name}: relative error {self.error:.1e}, at most {TOLERANCE[study.dtype]:.0e} expected")
        for _ in range(3):  # the first calls take several times as long as later ones
            seconds = min(seconds, self.contender.run(self.calls) / self.calls)
            self.contender.result()
            self.calls = max(1, math.ceil(SMALL_SECONDS / max(seconds, 1e-7)))
            if self.calls == 1:
                break
        return seconds * self.calls

    def sample(self, study):
        self._begin(study)
        if self.calls > 1:
            self.contender.run(math.ceil(WARM_UP_SHARE * self.calls))
        self.samples.append(self.contender.run(self.calls) / self.calls)
        self.contender.result()

    def _begin(self, study):
        study.note(self.contender.name)
        study.timing.set_threads(self.contender.threads)
        study.settle()

    def record(self, flops):
        median = statistics.median(self.samples)
        q1, q3 = quartiles(self.samples)
        return {"median_seconds": median, "gflops": flops / median * 1e-9, "spread": (q3 - q1) / median, "calls": self.calls,
                "error": self.error, "samples": self.samples}


def peer_contenders(case, study, tensors, ended):
    """Returns the peers that fit into memory, and the reasons why the others do not run. @param ended  names of the peers that ended the process
    before"""
    if case.tensor_bytes() > 0.9 * available_bytes():  # a peer needs at most a copy of every tensor
        return [], {name: "no memory for its copies" for peer in study.peers for name in peer.names}
    contenders, skipped = [], {}
    for peer in study.peers:
        if set(peer.names) & set(ended):
            continue
        if case.dtype not in peer.types:
            skipped.update({name: f"not of type {case.dtype}" for name in peer.names})
            continue
        study.note(peer.names[0])
        try:
            contenders += peer.contenders(case, *tensors.views, study)
        except Failure as reason:
            skipped.update({name: str(reason) for name in peer.names})
    return contenders, skipped


def prepare_all(timed, peers, study, C, reference):
    """Returns the seconds of one round, and {name: reason} of peers that fail, which are removed from `timed`. Raises Failure if tcplan or the ideal
    fails."""
    seconds, failed = 0, {}
    for entry in list(timed):
        try:
            seconds += entry.prepare(study, C, reference)
        except Failure as reason:
            if entry.contender not in peers:
                raise
            failed[entry.contender.name] = str(reason)
            timed.remove(entry)
    return seconds, failed


def interleave(timed, study, round_seconds):
    """Times all contenders in rounds; every round starts with another contender."""
    repetitions = study.repetitions or min(MAX_REPETITIONS, max(MIN_REPETITIONS, int(study.case_seconds / round_seconds)))
    for repetition in range(repetitions):
        first = repetition % len(timed)
        for entry in timed[first:] + timed[:first]:
            entry.sample(study)


def plan(case, study):
    plans = {"winner": Planned(case, study, study.threads, study.environment)}
    if study.threads > 1:
        plans["winner_1"] = Planned(case, study, 1, study.environment)
    if study.without_compiler:
        plans["no_compiler"] = Planned(case, study, study.threads, study.without_compiler)
    return plans


def measure_case(case, study, plans, ended):
    """Returns the record of one case. Raises Failure if it cannot be run or a result is wrong. @param ended  {name: reason} of peers that are left
    out"""
    tensors = Tensors(case, study.seed, study.align)
    A, B, C = tensors.vectors
    contenders = ideal_contenders(case, study.timing, A, B, C, study.threads)
    for name, planned in plans.items():
        contenders.append(Winner(study.timing, name, planned, (A, B, C), tensors.views[2], planned.ranking["threads"]))
    peers, skipped = peer_contenders(case, study, tensors, ended)
    timed = [Timed(contender) for contender in contenders + peers]
    round_seconds, failed = prepare_all(timed, peers, study, C, Reference(case, *tensors.views[:2]))
    interleave(timed, study, round_seconds)
    ranking = plans["winner"].ranking
    return {"name": case.name, "set": case.group, "contraction": case.contraction, "sizes": case.sizes(), "m": case.m, "n": case.n,
            "k": case.k, "flops": case.flops, "dtype": case.dtype, "tensor_bytes": [case.element_bytes * case.elements(indices) for indices in (case.A, case.B, case.C)],
            "offsets": [vector.ctypes.data % PAGE for vector in tensors.vectors], "threads": study.threads, "space": study.space, "effort": study.effort,
            **{key: ranking.get(key) for key in ("machine", "blas", "tcplan", "limit_seconds")},
            "plans": {name: planned.record() for name, planned in plans.items()}, "skipped": skipped, "failed_peers": {**ended, **failed},
            "contenders": {entry.contender.name: entry.record(case.flops) for entry in timed}}


def in_a_process(study, function, seconds=MOST_SECONDS):
    """Calls a function without arguments in a process of its own.

    Returns {"done": its result}, {"failure": text}, or the signal that ended the process: SIGALRM after `seconds`.
    The process leads a group, which ends with this process's wait, whatever ends the wait.
    """
    path = os.path.join(study.folder, "said.json")
    child = os.fork()
    if child == 0:
        run_in_child(path, function, seconds)
    try:
        os.setpgid(child, child)  # parent and child both call this, as either may be first
        status = os.waitpid(child, 0)[1]
    except BaseException:
        end_group(child)
        raise
    if os.WIFSIGNALED(status):
        end_group(child)
        return os.WTERMSIG(status)
    if os.WEXITSTATUS(status) != 0:
        return {"failure": f"it ended with status {os.WEXITSTATUS(status)}"}
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def run_in_child(path, function, seconds):
    """Writes the outcome of a function to a file and ends the process."""
    status = 1
    try:
        os.setpgid(0, 0)
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, signal.SIG_DFL)
        signal.alarm(seconds)
        try:
            outcome = {"done": function()}
        except (Failure, MemoryError) as reason:
            outcome = {"failure": str(reason) or "out of memory"}
        with open(path, "w", encoding="utf-8") as file:
            json.dump(outcome, file)
        status = 0
    except BaseException:  # pylint: disable=broad-except
        sys.excepthook(*sys.exc_info())
    finally:
        os._exit(status)


def end_group(leader):
    """Ends a process group and waits for its leader."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(leader, number)
        except ProcessLookupError:
            pass
        ends = time.monotonic() + GRACE_SECONDS
        while time.monotonic() < ends:
            try:
                if os.waitpid(leader, os.WNOHANG)[0]:
                    break
            except ChildProcessError:
                break
            time.sleep(0.02)


def measure_apart(case, study):
    """Runs measure_case() in a process of its own. If a peer ends the process, it is left out and the others run again. Raises Failure."""
    plans, ended = plan(case, study), {}
    while True:
        said = in_a_process(study, lambda: measure_case(case, study, plans, ended))
        if isinstance(said, dict):
            break
        name, reason = study.noted(), "it took too long" if said == signal.SIGALRM else f"it ended with signal {said}"
        if name in ended or name not in [n for peer in study.peers for n in peer.names]:
            raise Failure(f"{name}: {reason}")
        ended[name] = reason
    if "failure" in said:
        raise Failure(said["failure"])
    return said["done"]
