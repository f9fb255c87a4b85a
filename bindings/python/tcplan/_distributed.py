"""Plans of products whose tensors are distributed over the ranks of an MPI communicator. Calls
libtcplan-mpi by ctypes, with communicators of mpi4py."""
import ctypes
import os
import pathlib
import threading

import numpy

from . import _library, _subscripts
from ._arrays import TYPES, address, element_type
from ._errors import FailedError, InputError
from ._planner import EFFORTS
from ._product import sizes_text

SONAME = "libtcplan-mpi.so.0.2"


class _Options(ctypes.Structure):
    """struct tcplan_mpi_options"""

    _fields_ = [
        ("size", ctypes.c_size_t),
        ("grid", ctypes.c_char_p),
        ("distribute", ctypes.c_char_p),
        ("algorithm", ctypes.c_char_p),
        ("max_memory_bytes", ctypes.c_int64),
        ("ranks_per_node", ctypes.c_int),
        ("most_elements", ctypes.c_int64),
        ("effort", ctypes.c_int),
        ("time_limit_seconds", ctypes.c_double),
        ("store", ctypes.c_char_p),
        ("plans", ctypes.c_char_p),
    ]


_COMM = object()  # replaced by the C type of MPI_Comm, which depends on the MPI library
_ERROR, _NUMBERS = ctypes.POINTER(_library.ErrorRecord), ctypes.POINTER(ctypes.c_int64)
_int, _text, _pointer = ctypes.c_int, ctypes.c_char_p, ctypes.c_void_p

# The functions called: return type, argument types.
_FUNCTIONS = {
    "tcplan_mpi_plan_new": (_int, ctypes.POINTER(_pointer), _COMM, _text, _text, _int, _int, ctypes.POINTER(_Options), _ERROR),
    "tcplan_mpi_plan_block": (ctypes.c_int64, _pointer, _int, _NUMBERS, _NUMBERS),
    "tcplan_mpi_plan_cycle": (None, _pointer, _int, _NUMBERS, _NUMBERS),
    "tcplan_mpi_plan_algorithm": (_text, _pointer),
    "tcplan_mpi_plan_seconds": (ctypes.c_double, _pointer),
    "tcplan_mpi_plan_execute": (_int, _pointer, _pointer, _pointer, _pointer, _ERROR),
    "tcplan_mpi_plan_free": (None, _pointer),
    "tcplan_mpi_network_plan_new": (_int, ctypes.POINTER(_pointer), _COMM, ctypes.POINTER(_library.NetworkTexts), _int, ctypes.POINTER(_Options), _ERROR),
    "tcplan_mpi_network_plan_block": (ctypes.c_int64, _pointer, _int, _NUMBERS, _NUMBERS),
    "tcplan_mpi_network_plan_cycle": (None, _pointer, _int, _NUMBERS, _NUMBERS),
    "tcplan_mpi_network_plan_algorithm": (_text, _pointer),
    "tcplan_mpi_network_plan_order": (_text, _pointer),
    "tcplan_mpi_network_plan_seconds": (ctypes.c_double, _pointer),
    "tcplan_mpi_network_plan_execute": (_int, _pointer, ctypes.POINTER(_pointer), _pointer, _ERROR),
    "tcplan_mpi_network_plan_free": (None, _pointer),
}


# Loading.

_loading = threading.Lock()
_opened = None


def _find():
    """Opens libtcplan-mpi: the file that TCPLAN_MPI_LIBRARY names, or the one in the folder of
    libtcplan, or the one on the system's search path. Raises FailedError if it cannot be loaded."""
    named = os.environ.get("TCPLAN_MPI_LIBRARY")
    beside = pathlib.Path(_library.load()._name).with_name(SONAME)
    file = named or (str(beside) if beside.exists() else SONAME)
    try:
        return ctypes.CDLL(file)
    except OSError as failure:
        raise FailedError(f"libtcplan-mpi cannot be loaded ({failure}): build tcplan with -DTCPLAN_MPI=ON, or set TCPLAN_MPI_LIBRARY") from None


def _version(library):
    """Returns the version text of the MPI library that a library calls."""
    text, length = ctypes.create_string_buffer(8192), ctypes.c_int()
    library.MPI_Get_library_version(text, ctypes.byref(length))
    return text.raw[: length.value].rstrip(b"\0").decode(errors="replace")


def _open(MPI):
    library = _find()
    ours, theirs = _version(library), MPI.Get_library_version().rstrip("\0")
    if ours != theirs:
        raise FailedError(f"libtcplan-mpi uses {ours.split(',')[0]}, mpi4py uses {theirs.split(',')[0]}: both must use the same MPI library")
    handle = ctypes.c_int if MPI._sizeof(MPI.Comm) == ctypes.sizeof(ctypes.c_int) else ctypes.c_void_p
    functions = {name: [handle if one is _COMM else one for one in types] for name, types in _FUNCTIONS.items()}
    return _library.declare(library, functions), handle


def _load():
    """Returns (libtcplan-mpi, the C type of a communicator)."""
    global _opened
    from mpi4py import MPI  # pylint: disable=import-outside-toplevel  (initialises MPI)

    with _loading:
        if _opened is None:
            _opened = _open(MPI)
    return _opened


# Plans.


def _tensor(name, labels):
    return f"{name}_{''.join(labels)}" if labels else name


def _names(count):
    """Returns the names of `count` operands and of the result, as the notation names them."""
    if count == 2:
        return ["A", "B"], "C"
    if count < 26:
        return [chr(ord("A") + number) for number in range(count)], chr(ord("A") + count)
    return [f"A{number + 1}" for number in range(count)], "R"


def _notation_of(subscripts, shapes):
    """Converts einsum subscripts and shapes to libtcplan's notation. Returns (notation, extents by
    index); raises InputError for products that libtcplan-mpi cannot compute."""
    expression = _subscripts.parse(subscripts, shapes)
    if len(shapes) < 2:
        raise InputError(f"a distributed plan needs at least two operands, found {len(shapes)}")
    unused = [letter for letter in expression.extents if letter not in _subscripts.LETTERS]
    if unused or any(term.dropped for term in expression.terms):
        raise InputError("a distributed plan takes no extents of 1 that are broadcast, and only the letters a to z and A to Z")
    names, result = _names(len(shapes))
    factors = "*".join(_tensor(name, term.labels) for name, term in zip(names, expression.terms))
    return f"{_tensor(result, expression.output)}={factors}", {letter: expression.extents[letter] for letter in expression.extents}


def _together(comm, prepare):
    """Calls prepare() on every rank and returns its result. If it raises on some rank, raises on all
    ranks, so that no rank waits for another."""
    made, raised = None, None
    try:
        made = prepare()
    except Exception as exception:  # pylint: disable=broad-exception-caught
        raised = exception
    failures = comm.allreduce(raised is not None)
    if raised is not None:
        raise raised
    if failures:
        raise FailedError("another rank failed")
    return made


def _encoded(value):
    return None if value is None else _library.encode(value)


class DistributedPlan:
    """A product of two or more tensors that are distributed over the ranks of a communicator: plan
    once, execute often. All ranks must call plan(), execute() and free() with the same arguments,
    apart from the arrays.

    `algorithm` is the name of the distributed algorithm; of more than two tensors the names for all
    steps, whose `order` is a text; None: a product of two. `seconds` is the predicted time of an
    execution, `dtype` the type of the arrays.
    """

    def __init__(self, subscripts, shapes, sizes, comm, dtype, order, settings, algorithm, grid, distribute, ranks_per_node, max_memory):
        """shapes: of the whole operands
        sizes: the extents if `subscripts` are libtcplan's own notation; None: they are einsum's
        settings: the result of Settings.resolved()
        """
        from mpi4py import MPI  # pylint: disable=import-outside-toplevel

        if not isinstance(comm, MPI.Intracomm):
            raise TypeError(f"expected comm as an intracommunicator of mpi4py, found {type(comm).__name__}")
        self._comm, self._handle = comm, None
        self._adds = sizes is not None  # libtcplan's notation may add to the old result
        self._count = 2 if sizes is not None else len(shapes)

        def prepare():
            if order not in ("C", "F"):
                raise InputError(f"expected the order 'C' or 'F' of distributed tensors, found {order!r}")
            notation, extents = _notation_of(subscripts, shapes) if sizes is None else (subscripts, sizes)
            options = _Options(size=ctypes.sizeof(_Options), grid=_encoded(grid), distribute=_encoded(distribute), algorithm=_encoded(algorithm),
                               max_memory_bytes=max_memory, ranks_per_node=ranks_per_node, effort=EFFORTS.index(settings.effort),
                               time_limit_seconds=settings.time_limit, store=os.fsencode(settings.store) if settings.store else None,
                               plans=os.fsencode(settings.plans) if settings.plans else None)
            return _load(), element_type(dtype), _library.encode(notation), _library.encode(sizes_text(extents)), options

        (self._library, handle), self.dtype, notation, extents, options = _together(comm, prepare)
        self._order = order
        made, error = ctypes.c_void_p(), _library.ErrorRecord()
        communicator, stored = handle.from_address(MPI._addressof(comm)), _library.COLUMN_MAJOR if order == "F" else _library.ROW_MAJOR
        if self._count == 2:
            status = self._library.tcplan_mpi_plan_new(ctypes.byref(made), communicator, notation, extents, TYPES[self.dtype.char], stored,
                                                       ctypes.byref(options), ctypes.byref(error))
        else:
            texts = _library.NetworkTexts(notation, extents, None, stored, False, False)
            status = self._library.tcplan_mpi_network_plan_new(ctypes.byref(made), communicator, ctypes.byref(texts), TYPES[self.dtype.char],
                                                               ctypes.byref(options), ctypes.byref(error))
        _library.check(status, error)
        self._handle = made.value
        self.algorithm = self._call("algorithm").decode()
        self.seconds = self._call("seconds")
        self.order = None if self._count == 2 else self._call("order").decode()
        numbers = {0: _library.A, 1: _library.B, "result": _library.C} if self._count == 2 else {
            **{number: number for number in range(self._count)}, "result": self._count}
        self._blocks = {operand: self._find_block(number) for operand, number in numbers.items()}

    def _call(self, name, *arguments):
        """Calls the function of plans of two tensors, or of more."""
        kind = "plan" if self._count == 2 else "network_plan"
        return getattr(self._library, f"tcplan_mpi_{kind}_{name}")(self._handle, *arguments)

    def _find_block(self, number):
        first, extent = (ctypes.c_int64 * 64)(), (ctypes.c_int64 * 64)(*[-1] * 64)
        cyclic, period = (ctypes.c_int64 * 64)(), (ctypes.c_int64 * 64)()
        self._call("block", number, first, extent)
        self._call("cycle", number, cyclic, period)
        rank = sum(length >= 0 for length in extent)
        if not any(cyclic):
            return tuple(slice(first[d], first[d] + extent[d]) for d in range(rank)), tuple(extent[:rank])
        local = [numpy.arange(extent[d]) for d in range(rank)]
        places = [first[d] + (at if cyclic[d] == 0 else at // cyclic[d] * period[d] + at % cyclic[d]) for d, at in enumerate(local)]
        return numpy.ix_(*places), tuple(extent[:rank])

    def block(self, operand):
        """Returns the part of a whole tensor that this rank holds, as a tuple of slices, so that
        `whole[plan.block(0)]` is the array to pass. In block-cyclic layouts it is a tuple of arrays
        of positions.

        operand: the number of an operand, from 0, or "result"
        """
        if operand not in self._blocks:
            numbers = ", ".join(str(number) for number in range(self._count))
            raise InputError(f"expected the operand {numbers} or 'result', found {operand!r}")
        return self._blocks[operand][0]

    def shape(self, operand):
        """Returns the shape of this rank's block of a tensor: of an operand, from 0, or "result"."""
        self.block(operand)  # refuses unknown operands
        return self._blocks[operand][1]

    def __call__(self, *operands, out=None):
        return self.execute(*operands, out=out)

    def execute(self, *operands, out=None):
        """Multiplies the distributed tensors; returns this rank's block of the result. All ranks must
        call it. If it raises on one rank, it raises on all.

        operands: this rank's blocks of the operands, with any strides, and with types that can be
            converted to `dtype` without loss
        out: an array for this rank's block of the result, contiguous in the planned order; None: a
            new array
        """

        def prepare():
            if self._handle is None:
                raise InputError("the plan was freed")
            if len(operands) != self._count:
                raise InputError(f"the plan is for {self._count} operands, found {len(operands)}")
            blocks = [self._as_block(array, number) for number, array in enumerate(operands)]
            fresh = (numpy.zeros if self._adds else numpy.empty)(self.shape("result"), self.dtype, self._order) if out is None else out
            self._check_out(fresh)
            return blocks, fresh

        blocks, result = _together(self._comm, prepare)
        error = _library.ErrorRecord()
        addresses = [address(block) for block in blocks]
        given = addresses if self._count == 2 else [(ctypes.c_void_p * self._count)(*addresses)]
        status = self._call("execute", *given, address(result), ctypes.byref(error))
        _library.check(status, error)
        return result

    def _as_block(self, array, number):
        block = numpy.asarray(array)
        if block.shape != self.shape(number):
            raise InputError(f"operand {number} has shape {block.shape}, this rank's block has {self.shape(number)}")
        if not numpy.can_cast(block.dtype, self.dtype, "safe"):
            raise InputError(f"operand {number} has type {block.dtype}, the plan is for {self.dtype}")
        return numpy.require(block, self.dtype, ["A", self._order])

    def _check_out(self, out):
        flags = out.flags
        if out.shape != self.shape("result") or out.dtype != self.dtype:
            raise InputError(f"out has shape {out.shape} and type {out.dtype}, this rank's block has {self.shape('result')} and {self.dtype}")
        if not (flags.writeable and flags.aligned and flags[f"{self._order}_CONTIGUOUS"]):
            raise InputError(f"out is not writeable, aligned and contiguous in order '{self._order}'")

    def free(self):
        """Frees the plan. All ranks must call it; a plan that is not freed keeps its memory and its
        communicators until the process ends."""
        if self._handle is not None:
            self._call("free")
            self._handle = None

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.free()

    def __repr__(self):
        return f"<tcplan.DistributedPlan {self.algorithm}>"
