"""The peers: other contraction libraries. Each is a class with find(), and a line in PEERS.

find(options) returns an object with contenders(case, A, B, C, study), or raises Absent. Arrays are
column-major views of the tensors.
"""
import ctypes
import ctypes.util
import hashlib
import os
import re
import time
import types
import weakref

import numpy

from .cases import Case
from .contenders import Contender, Failure, ideal_contenders
from .measure import in_a_process

TRIAL_SECONDS = 60
# Products whose speed reveals a build: matrices for the kernel, thin slices for the code around it.
KNOWN = (("matrices of 512", "C_ab=A_ai*B_ib", "a=b=i=512"), ("slices of 64 x 8", "C_abc=A_ai*B_ibc", "a=b=c=64,i=8"))
KNOWN_SECONDS, KNOWN_ROUNDS = 0.3, 5
LEAST_OF_GEMM, LEAST_OF_LARGE = 0.5, 0.1


class Absent(Exception):
    """A peer is not installed; the message gives the reason."""


def find_library(name, options, symbol):
    """Returns the shared library NAME, or the one that --peer-library NAME=FILE names, and its path. Raises Absent."""
    path = options.get(name) or ctypes.util.find_library(name)
    if not path:
        raise Absent(f"no lib{name}.so found (--peer-library {name}=FILE names one)")
    if os.path.exists(path):
        path = os.path.abspath(path)
    try:
        library = ctypes.CDLL(path)
    except OSError as error:
        raise Absent(f"{path} cannot be loaded: {error}") from None
    if not hasattr(library, symbol):
        raise Absent(f"{path} has no {symbol}")
    return library, loaded_file(path)


def loaded_file(path):
    """Returns the file that the dynamic loader mapped for `path`; `path` itself if that is unknown."""
    name = os.path.basename(path)
    with open("/proc/self/maps", encoding="utf-8", errors="replace") as maps:
        mapped = {words[5].strip() for words in (line.split(None, 5) for line in maps) if len(words) == 6}
    return next((file for file in sorted(mapped) if file == os.path.realpath(path) or os.path.basename(file).startswith(name)), path)


def described_file(path):
    """Returns what the file reveals of a build: version in its name, processor kernels of a BLIS inside, checksum.

    Kernels: BLIS names a function per configuration, bli_cntx_init_NAME; a stripped library keeps none.
    """
    try:
        with open(path, "rb") as file:
            data = file.read()
    except OSError:
        return os.path.basename(path)
    version = re.search(r"\.so\.(\d[\d.]*)$", path)
    kernels = sorted({name.decode() for name in re.findall(rb"\0bli_cntx_init_([a-z0-9]+)(?=\0)", data)} - {"ref"})
    facts = [f"version {version.group(1)}"] if version else []
    facts += [f"kernels for {', '.join(kernels)}"] if kernels else []
    return ", ".join([os.path.basename(path), *facts, f"sha256 {hashlib.sha256(data).hexdigest()[:12]}"])


class Call(Contender):
    """A function without arguments, timed by Python with the same clock; its result is its return value or `output`."""

    def __init__(self, name, call, clock, threads, output=None):
        self.name, self.call, self.clock, self.threads, self.output = name, call, clock, threads, output
        self.returned = None

    def run(self, calls):
        self.returned = None
        start = time.clock_gettime(self.clock)
        for _ in range(calls - 1):
            self.call()
        returned = self.call()
        seconds = time.clock_gettime(self.clock) - start
        self.returned = returned
        return seconds

    def result(self):
        result = self.output if self.output is not None else self.returned
        self.returned = None
        return result


class Numpy:
    """
    numpy.einsum(optimize=True): np_out writes into the prescribed tensor, np_free into a new one whose layout numpy chooses. For products without an ideal
    gemm, np_out is numpy's function for them: multiply(), sum(), or einsum() for sums of products.
    """

    names = ("np_out", "np_free")
    title = "numpy"
    types = "sdcz"

    @classmethod
    def find(cls, options):
        peer = cls()
        peer.description = f"numpy {numpy.__version__}"
        return peer

    @staticmethod
    def _elementwise(case, A, B, C):
        def transposed(array, indices):
            """Returns a view with the indices in the order of the result's, and extents of 1 for missing indices."""
            own = array.transpose([indices.index(i) for i in case.C if i in indices])
            return own.reshape([case.extents[i] if i in indices else 1 for i in case.C])

        if case.contracted() and case.B:
            return lambda: numpy.einsum(f"{case.A},{case.B}->{case.C}", A, B, out=C, optimize=True)
        if case.contracted():
            axes = tuple(axis for axis, i in enumerate(case.A) if i not in case.C)

            def total():
                numpy.sum(A, axis=axes, out=C)
                numpy.multiply(C, case.factor * B, out=C)
            return total
        a, b = transposed(A, case.A), transposed(B, case.B) if case.B else case.factor * B[()]
        return lambda: numpy.multiply(a, b, out=C)

    def contenders(self, case, A, B, C, study):
        if not case.has_ideal:
            return [Call("np_out", self._elementwise(case, A, B, C), study.clock, study.threads, C)]
        subscripts = f"{case.A},{case.B}->{case.C}"
        return [Call("np_out", lambda: numpy.einsum(subscripts, A, B, out=C, optimize=True), study.clock, study.threads, C),
                Call("np_free", lambda: numpy.einsum(subscripts, A, B, optimize=True), study.clock, study.threads)]


class LibraryPeer:
    """A peer that is a shared library, called `title` in tables, with the function `symbol`."""

    def __init__(self, library, path):
        self.library, self.description = library, f"{self.title} ({described_file(path)})"

    @classmethod
    def find(cls, options):
        return cls(*find_library(cls.names[0], options, cls.symbol))


class Tblis(LibraryPeer):
    """tblis_tensor_mult() of TBLIS, built with 64-bit lengths and strides and labels of one byte, its defaults."""

    names = ("tblis",)
    title, symbol = "TBLIS", "tblis_tensor_mult"
    types = "sd"
    STRUCT_BYTES = 256  # at least the size of struct tblis_tensor, whose members only TBLIS accesses

    def _describe(self, tensor, scalar, array, lengths, strides):
        is_single = array.dtype == numpy.float32
        describe = self.library.tblis_init_tensor_scaled_s if is_single else self.library.tblis_init_tensor_scaled_d
        number = ctypes.c_float(scalar) if is_single else ctypes.c_double(scalar)
        describe(tensor, number, ctypes.c_uint(array.ndim), lengths, ctypes.c_void_p(array.ctypes.data), strides)

    def _tensor(self, array, scalar):
        tensor = ctypes.create_string_buffer(self.STRUCT_BYTES)
        lengths = (ctypes.c_int64 * array.ndim)(*array.shape)
        strides = (ctypes.c_int64 * array.ndim)(*(s // array.itemsize for s in array.strides))
        self._describe(tensor, scalar, array, lengths, strides)
        return tensor, lengths, strides

    def contenders(self, case, A, B, C, study):
        if any(sum(i in indices for indices in (case.A, case.B, case.C)) < 2 for i in case.extents):
            raise Failure("it ends a process that sums one tensor")
        a, b, c = self._tensor(A, case.factor), self._tensor(B, 1), self._tensor(C, 0)
        labels = [ctypes.c_char_p(text.encode()) for text in (case.A, case.B, case.C)]
        if hasattr(self.library, "tblis_set_num_threads"):
            self.library.tblis_set_num_threads(ctypes.c_uint(study.threads))

        def call():
            # The call may have changed the scalar of the result: after it is applied, TBLIS sets it to 1.
            self._describe(c[0], 0, C, c[1], c[2])
            self.library.tblis_tensor_mult(None, None, a[0], labels[0], b[0], labels[1], c[0], labels[2])

        return [Call("tblis", call, study.clock, study.threads, C)]


class Tcl(LibraryPeer):
    """dTensorMult() and sTensorMult() of the Tensor Contraction Library (the scripting language has a library of the same name)."""

    names = ("tcl",)
    title, symbol = "TCL", "dTensorMult"
    types = "sd"

    def contenders(self, case, A, B, C, study):
        if not case.has_ideal:
            raise Failure("it has no products of elements")

        def tensor(array, indices):
            sizes = (ctypes.c_long * array.ndim)(*array.shape)
            return ctypes.c_void_p(array.ctypes.data), sizes, None, ctypes.c_char_p(",".join(indices).encode())

        a, b, c = tensor(A, case.A), tensor(B, case.B), tensor(C, case.C)

        is_single = C.dtype == numpy.float32
        multiply, number = (self.library.sTensorMult, ctypes.c_float) if is_single else (self.library.dTensorMult, ctypes.c_double)

        def call():
            multiply(number(1), *a, *b, number(0), *c, ctypes.c_int(0))

        return [Call("tcl", call, study.clock, study.threads, C)]


class EinsumIr(LibraryPeer):
    """einsum_ir's backend on libxsmm behind the C interface of einsum_ir.cpp. Compiling a contraction is not timed."""

    names = ("einsum_ir",)
    title, symbol = "einsum_ir", "peer_plan"
    types = "d"

    def __init__(self, library, path):
        super().__init__(library, path)
        library.peer_plan.restype = ctypes.c_void_p

    def contenders(self, case, A, B, C, study):
        if not case.has_ideal:
            raise Failure("it has no products of elements")
        letters = sorted(case.extents)
        extents = (ctypes.c_int64 * len(letters))(*(case.extents[i] for i in letters))
        texts = [ctypes.c_char_p(text.encode()) for text in (case.A, case.B, case.C, "".join(letters))]
        planned = ctypes.c_void_p(self.library.peer_plan(*texts, extents, ctypes.c_int(study.threads)))
        if not planned:
            raise Failure("it compiles no contraction")
        weakref.finalize(extents, self.library.peer_free, planned)
        arguments = [planned, *(ctypes.c_void_p(array.ctypes.data) for array in (A, B, C))]

        def call(kept=extents):
            self.library.peer_run(*arguments)

        return [Call("einsum_ir", call, study.clock, study.threads, C)]


PEERS = (Numpy, Tblis, Tcl, EinsumIr)


NAMED_BY_USERS = tuple(peer.names[0] for peer in PEERS if issubclass(peer, LibraryPeer))


def passes_trial(peer):
    """Returns whether the peer multiplies two matrices of 4 by 4 correctly."""
    A, B, C = (numpy.ones((4, 4), order="F") for _ in range(3))
    study = types.SimpleNamespace(clock=time.CLOCK_MONOTONIC, threads=1)
    for contender in peer.contenders(Case("trial", "", "C_ab=A_ai*B_ib", "a=b=i=4"), A, B, C, study):
        contender.run(1)
        if not numpy.all(contender.result() == 4):
            return False
    return True


def try_out(peer, study):
    """Runs the trial in a process of its own, which a library for another processor may end. Raises Absent."""
    outcome = in_a_process(study, lambda: passes_trial(peer), TRIAL_SECONDS)
    if not isinstance(outcome, dict):
        raise Absent(f"{peer.description} ends a trial with signal {outcome}")
    if not outcome.get("done"):
        raise Absent(f"{peer.description} fails a trial or computes a wrong result")


def speeds_of_known_products(peer, study):
    """Returns [GFLOP/s of the peer, of an ideal gemm] for each of KNOWN, on one thread, the best of several calls."""
    found = []
    for _, contraction, sizes in KNOWN:
        case = Case("known", "", contraction, sizes)
        operands = [numpy.ones(case.shape(indices), order="F") for indices in (case.A, case.B, case.C)]
        one = types.SimpleNamespace(clock=study.clock, threads=1)
        contenders = peer.contenders(case, *operands, one)[:1] + ideal_contenders(case, study.timing, *operands, 1)[:1]
        best = [float("inf")] * len(contenders)
        study.timing.set_threads(1)
        ends = time.monotonic() + KNOWN_SECONDS
        rounds = 0
        while time.monotonic() < ends or rounds < KNOWN_ROUNDS:
            best = [min(seconds, contender.run(1)) for seconds, contender in zip(best, contenders)]
            rounds += 1
        found.append([1e-9 * case.flops / seconds for seconds in best])
    return found


def speed_report(peer, study):
    """Returns a line on the peer's speed on KNOWN, and a warning if it suggests an unoptimised build, else None."""
    outcome = in_a_process(study, lambda: speeds_of_known_products(peer, study), TRIAL_SECONDS)
    if not isinstance(outcome, dict) or "done" not in outcome:
        reason = outcome["failure"] if isinstance(outcome, dict) else f"it ended with signal {outcome}"
        return f"{peer.title}: no speed of known products: {reason}", None
    speeds = outcome["done"]
    line = ", ".join(f"{speed:.1f} GFLOP/s on {name} (gemm {gemm:.1f})" for (name, _, _), (speed, gemm) in zip(KNOWN, speeds))
    (large, gemm), (small, _) = speeds
    warning = None
    if large < LEAST_OF_GEMM * gemm:
        warning = f"{100 * large / gemm:.0f} % of gemm's speed on {KNOWN[0][0]}: it may use kernels for another processor"
    elif small < LEAST_OF_LARGE * large:
        warning = f"{100 * small / large:.0f} % of its own speed on {KNOWN[0][0]} for {KNOWN[1][0]}: it may be built without optimisation"
    return f"{peer.title}: {line}", warning


def find_peers(named, study):
    """Returns the peers that are present and work, and {name: reason} of the others.

    @param named  {name: file} that the user gave
    Raises Failure if one of those is missing or fails its trial.
    """
    found, absent = [], {}
    for peer in PEERS:
        try:
            there = peer.find(named)
            try_out(there, study)
            found.append(there)
        except Absent as reason:
            if peer.names[0] in named:
                raise Failure(f"--peer-library {peer.names[0]}: {reason}") from None
            absent.update({name: str(reason) for name in peer.names})
    return found, absent
