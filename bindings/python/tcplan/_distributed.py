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
OPERANDS = {0: _library.A, 1: _library.B, "result": _library.C}


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


def _notation_of(subscripts, shapes):
    """Converts einsum subscripts and shapes to libtcplan's notation. Returns (notation, extents by
    index); raises InputError for products that libtcplan-mpi cannot compute."""
    expression = _subscripts.parse(subscripts, shapes)
    if len(shapes) != 2:
        raise InputError(f"a distributed plan needs two operands, found {len(shapes)}")
    unused = [letter for letter in expression.extents if letter not in _subscripts.LETTERS]
    if unused or any(term.dropped for term in expression.terms):
        raise InputError("a distributed plan takes no extents of 1 that are broadcast, and only the letters a to z and A to Z")
    left, right = (term.labels for term in expression.terms)
    notation = f"{_tensor('C', expression.output)}={_tensor('A', left)}*{_tensor('B', right)}"
    return notation, {letter: expression.extents[letter] for letter in expression.extents}


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
    """A product of two tensors that are distributed over the ranks of a communicator: plan once,
    execute often. All ranks must call plan(), execute() and free() with the same arguments, apart
    from the arrays.

    `algorithm` is the name of the distributed algorithm, and `seconds` the predicted time of an
    execution. `dtype` is the type of the arrays.
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
        status = self._library.tcplan_mpi_plan_new(
            ctypes.byref(made), handle.from_address(MPI._addressof(comm)), notation, extents, TYPES[self.dtype.char],
            _library.COLUMN_MAJOR if order == "F" else _library.ROW_MAJOR, ctypes.byref(options), ctypes.byref(error))
        _library.check(status, error)
        self._handle = made.value
        self.algorithm = self._library.tcplan_mpi_plan_algorithm(self._handle).decode()
        self.seconds = self._library.tcplan_mpi_plan_seconds(self._handle)
        self._blocks = {operand: self._find_block(number) for operand, number in OPERANDS.items()}

    def _find_block(self, number):
        first, extent = (ctypes.c_int64 * 64)(), (ctypes.c_int64 * 64)(*[-1] * 64)
        cyclic, period = (ctypes.c_int64 * 64)(), (ctypes.c_int64 * 64)()
        self._library.tcplan_mpi_plan_block(self._handle, number, first, extent)
        self._library.tcplan_mpi_plan_cycle(self._handle, number, cyclic, period)
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

        operand: 0, 1 or "result"
        """
        if operand not in self._blocks:
            raise InputError(f"expected the operand 0, 1 or 'result', found {operand!r}")
        return self._blocks[operand][0]

    def shape(self, operand):
        """Returns the shape of this rank's block of a tensor: of operand 0, 1 or "result"."""
        self.block(operand)  # refuses unknown operands
        return self._blocks[operand][1]

    def __call__(self, left, right, out=None):
        return self.execute(left, right, out)

    def execute(self, left, right, out=None):
        """Multiplies the distributed tensors; returns this rank's block of the result. All ranks must
        call it. If it raises on one rank, it raises on all.

        left, right: this rank's blocks of the operands, with any strides, and with types that can be
            converted to `dtype` without loss
        out: an array for this rank's block of the result, contiguous in the planned order; None: a
            new array
        """

        def prepare():
            if self._handle is None:
                raise InputError("the plan was freed")
            blocks = [self._as_block(array, number) for number, array in enumerate((left, right))]
            fresh = (numpy.zeros if self._adds else numpy.empty)(self.shape("result"), self.dtype, self._order) if out is None else out
            self._check_out(fresh)
            return blocks, fresh

        operands, result = _together(self._comm, prepare)
        error = _library.ErrorRecord()
        status = self._library.tcplan_mpi_plan_execute(self._handle, *map(address, operands), address(result), ctypes.byref(error))
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
            self._library.tcplan_mpi_plan_free(self._handle)
            self._handle = None

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.free()

    def __repr__(self):
        return f"<tcplan.DistributedPlan {self.algorithm}>"
