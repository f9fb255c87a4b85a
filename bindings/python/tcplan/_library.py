"""libtcplan's C interface by ctypes: the headers of include/tcplan."""
import ctypes
import os
import pathlib
import sysconfig
import threading
import weakref

from ._errors import FailedError, InputError, OutOfMemoryError

SONAME = "libtcplan.so.0.2"
MESSAGE_SIZE = 320

# enum tcplan_status
OK, NOT_APPLICABLE, INVALID, OVERFLOW, NO_MEMORY, ENVIRONMENT = range(6)

# enum tcplan_operand
A, B, C, ADDEND = range(4)

# enum tcplan_order
COLUMN_MAJOR, ROW_MAJOR = range(2)

Progress = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_double, ctypes.c_double)


class ErrorRecord(ctypes.Structure):
    """struct tcplan_error"""

    _fields_ = [
        ("status", ctypes.c_int),
        ("line", ctypes.c_size_t),
        ("column", ctypes.c_size_t),
        ("length", ctypes.c_size_t),
        ("message", ctypes.c_char * MESSAGE_SIZE),
    ]


class Dimensions(ctypes.Structure):
    """struct tcplan_dimensions"""

    _fields_ = [
        ("rank", ctypes.c_int),
        ("label", ctypes.POINTER(ctypes.c_int64)),
        ("extent", ctypes.POINTER(ctypes.c_int64)),
        ("stride", ctypes.POINTER(ctypes.c_int64)),
        ("conjugated", ctypes.c_bool),
    ]


class BlockTensor(ctypes.Structure):
    """struct tcplan_block_tensor"""

    _fields_ = [
        ("rank", ctypes.c_int),
        ("label", ctypes.POINTER(ctypes.c_int64)),
        ("sections", ctypes.POINTER(ctypes.c_int)),
        ("extent", ctypes.POINTER(ctypes.c_int64)),
        ("blocks", ctypes.c_int64),
        ("coordinate", ctypes.POINTER(ctypes.c_int32)),
        ("stride", ctypes.POINTER(ctypes.c_int64)),
        ("conjugated", ctypes.c_bool),
    ]


class Scalar(ctypes.Structure):
    """struct tcplan_scalar"""

    _fields_ = [("re", ctypes.c_double), ("im", ctypes.c_double)]


class BlockTerm(ctypes.Structure):
    """struct tcplan_block_term"""

    _fields_ = [("tensor", ctypes.POINTER(BlockTensor)), ("count", ctypes.c_int), ("factor", Scalar)]


class BlockStep(ctypes.Structure):
    """struct tcplan_block_step"""

    _fields_ = [("factor", ctypes.c_int * 2), ("result", ctypes.c_int), ("rank", ctypes.c_int), ("label", ctypes.c_void_p),
                ("product", ctypes.c_void_p), ("plan", ctypes.c_void_p)]


class BlockEmitOptions(ctypes.Structure):
    """struct tcplan_block_emit_options"""

    _fields_ = [("function", ctypes.c_char_p), ("header", ctypes.c_char_p), ("with_main", ctypes.c_bool)]


class Execution(ctypes.Structure):
    """struct tcplan_execution"""

    _fields_ = [
        ("size", ctypes.c_size_t),
        ("A", ctypes.c_void_p),
        ("B", ctypes.c_void_p),
        ("C", ctypes.c_void_p),
        ("D", ctypes.c_void_p),
        ("alpha", ctypes.c_void_p),
        ("beta", ctypes.c_void_p),
        ("workspace", ctypes.c_void_p),
        ("workspace_bytes", ctypes.c_int64),
        ("threads", ctypes.c_int),
    ]


class NetworkTexts(ctypes.Structure):
    """struct tcplan_network_texts."""
    _fields_ = [("notation", ctypes.c_char_p), ("sizes", ctypes.c_char_p), ("path", ctypes.c_char_p), ("order", ctypes.c_int),
                ("frees_result", ctypes.c_bool), ("coarse", ctypes.c_bool)]


class Listed(ctypes.Structure):
    """struct tcplan_listed"""

    _fields_ = [
        ("size", ctypes.c_size_t),
        ("algorithm", ctypes.c_char_p),
        ("status", ctypes.c_int),
        ("basis", ctypes.c_int),
        ("seconds", ctypes.c_double),
        ("low", ctypes.c_double),
        ("high", ctypes.c_double),
        ("bound_seconds", ctypes.c_double),
        ("tied", ctypes.c_bool),
        ("compared", ctypes.c_bool),
        ("missed", ctypes.c_bool),
        ("is_baseline", ctypes.c_bool),
        ("threads", ctypes.c_int),
        ("chosen", ctypes.c_bool),
    ]


class ListingSummary(ctypes.Structure):
    """struct tcplan_listing_summary"""

    _fields_ = [
        ("size", ctypes.c_size_t),
        ("lines", ctypes.c_size_t),
        ("algorithms", ctypes.c_double),
        ("pruned", ctypes.c_double),
        ("open", ctypes.c_double),
        ("gemm_gflops", ctypes.c_double),
        ("planning_seconds", ctypes.c_double),
        ("compared", ctypes.c_bool),
        ("out_of_time", ctypes.c_bool),
    ]


_HANDLES = ctypes.POINTER(ctypes.c_void_p)
_ERROR = ctypes.POINTER(ErrorRecord)
_NUMBERS = ctypes.POINTER(ctypes.c_int64)
_TEXTS = ctypes.POINTER(ctypes.c_void_p)  # of texts to be freed
_REALS = ctypes.POINTER(ctypes.c_double)
_SHAPE = ctypes.POINTER(Dimensions)
_BLOCKS = ctypes.POINTER(BlockTensor)
_int, _long, _bool, _double, _text, _pointer = ctypes.c_int, ctypes.c_int64, ctypes.c_bool, ctypes.c_double, ctypes.c_char_p, ctypes.c_void_p

# The functions called: return type, argument types.
_FUNCTIONS = {
    "tcplan_product_make": (_int, _HANDLES, _SHAPE, _SHAPE, _SHAPE, _SHAPE, _int, _int, _ERROR),
    "tcplan_product_parse": (_int, _HANDLES, _text, _text, _text, _int, _int, _ERROR),
    "tcplan_product_text": (_pointer, _pointer),
    "tcplan_product_flops": (_double, _pointer),
    "tcplan_product_rank": (_int, _pointer, _int),
    "tcplan_product_shape": (_int, _pointer, _int, _NUMBERS, _NUMBERS),
    "tcplan_product_free": (None, _pointer),
    "tcplan_planner_new": (_int, _HANDLES, _ERROR),
    "tcplan_planner_set_effort": (_int, _pointer, _int, _ERROR),
    "tcplan_planner_set_time_limit": (_int, _pointer, _double, _ERROR),
    "tcplan_planner_set_threads": (_int, _pointer, _int, _ERROR),
    "tcplan_planner_set_workspace": (_int, _pointer, _long, _ERROR),
    "tcplan_planner_set_preference": (_int, _pointer, _int, _ERROR),
    "tcplan_planner_set_store": (_int, _pointer, _text, _ERROR),
    "tcplan_planner_set_plans": (_int, _pointer, _text, _ERROR),
    "tcplan_planner_set_improving": (_int, _pointer, _int, _ERROR),
    "tcplan_planner_set_progress": (_int, _pointer, Progress, _pointer, _ERROR),
    "tcplan_store_folder": (_pointer, _pointer),
    "tcplan_blas_advice": (_pointer, _text, _pointer),
    "tcplan_provider_open_tapp": (_int, ctypes.POINTER(_int), _text, _text, _ERROR),
    "tcplan_planner_cancel": (None, _pointer),
    "tcplan_planner_free": (None, _pointer),
    "tcplan_plan_new": (_int, _HANDLES, _pointer, _pointer, _ERROR),
    "tcplan_plan_named": (_int, _HANDLES, _pointer, _pointer, _text, _ERROR),
    "tcplan_plan_execute": (_int, _pointer, _pointer, _pointer, _pointer, _ERROR),
    "tcplan_plan_run": (_int, _pointer, ctypes.POINTER(Execution), _ERROR),
    "tcplan_plan_workspace": (_long, _pointer, _int),
    "tcplan_plan_algorithm": (_text, _pointer),
    "tcplan_plan_threads": (_int, _pointer),
    "tcplan_plan_seconds": (_double, _pointer, _REALS, _REALS),
    "tcplan_plan_origin": (_int, _pointer),
    "tcplan_plan_describe": (_pointer, _pointer),
    "tcplan_plan_emit": (_int, _TEXTS, _pointer, _text, _bool, _ERROR),
    "tcplan_plan_free": (None, _pointer),
    "tcplan_network_order_new": (_int, _HANDLES, _pointer, ctypes.POINTER(NetworkTexts), _int, _ERROR),
    "tcplan_network_order_tree": (_pointer, _pointer),
    "tcplan_network_order_seconds": (_double, _pointer),
    "tcplan_network_order_flops": (_double, _pointer),
    "tcplan_network_order_free": (None, _pointer),
    "tcplan_step_seconds": (_int, _REALS, _pointer, _pointer, _int, _ERROR),
    "tcplan_tree_path": (_pointer, _pointer),
    "tcplan_tree_text": (_pointer, _pointer),
    "tcplan_network_plan_new": (_int, _HANDLES, _pointer, _pointer, _ERROR),
    "tcplan_network_plan_workspace": (_long, _pointer),
    "tcplan_network_plan_step_count": (_int, _pointer),
    "tcplan_network_plan_step": (_pointer, _pointer, _int),
    "tcplan_network_execute": (_int, _pointer, _HANDLES, _pointer, _pointer, _long, _ERROR),
    "tcplan_network_emit": (_int, _TEXTS, _pointer, _pointer, _text, _ERROR),
    "tcplan_network_plan_free": (None, _pointer),
    "tcplan_block_product_make": (_int, _HANDLES, _BLOCKS, _BLOCKS, _BLOCKS, _int, _int, _ERROR),
    "tcplan_block_product_blocks": (_long, _pointer, _int),
    "tcplan_block_product_coordinate": (ctypes.POINTER(ctypes.c_int32), _pointer, _int, _long),
    "tcplan_block_product_free": (None, _pointer),
    "tcplan_block_expression_new": (_int, _HANDLES, _pointer, _BLOCKS, _int, _BLOCKS, _int, _int, _ERROR),
    "tcplan_block_expression_step": (ctypes.c_bool, _pointer, _int, ctypes.POINTER(BlockStep)),
    "tcplan_block_expression_seconds": (_double, _pointer),
    "tcplan_block_expression_describe": (_pointer, _pointer),
    "tcplan_block_expression_execute": (_int, _pointer, _HANDLES, _HANDLES, _ERROR),
    "tcplan_block_expression_free": (None, _pointer),
    "tcplan_block_sum_new": (_int, _HANDLES, _pointer, ctypes.POINTER(BlockTerm), _int, _BLOCKS, Scalar, _int, _int, _ERROR),
    "tcplan_block_sum_term": (_pointer, _pointer, _int),
    "tcplan_block_sum_seconds": (_double, _pointer),
    "tcplan_block_sum_describe": (_pointer, _pointer),
    "tcplan_block_sum_execute": (_int, _pointer, _HANDLES, _HANDLES, _ERROR),
    "tcplan_block_sum_free": (None, _pointer),
    "tcplan_block_plan_new": (_int, _HANDLES, _pointer, _pointer, _ERROR),
    "tcplan_block_plan_named": (_int, _HANDLES, _pointer, _pointer, _text, _ERROR),
    "tcplan_block_plan_execute": (_int, _pointer, _HANDLES, _HANDLES, _HANDLES, _ERROR),
    "tcplan_block_plan_way": (_text, _pointer),
    "tcplan_block_plan_is_stored": (ctypes.c_bool, _pointer),
    "tcplan_block_plan_seconds": (_double, _pointer),
    "tcplan_block_plan_describe": (_pointer, _pointer),
    "tcplan_block_plan_emit": (_int, _HANDLES, _pointer, ctypes.POINTER(BlockEmitOptions), _ERROR),
    "tcplan_block_plan_free": (None, _pointer),
    "tcplan_listing_new": (_int, _HANDLES, _pointer, _pointer, _ERROR),
    "tcplan_listing_summarize": (_int, _pointer, ctypes.POINTER(ListingSummary)),
    "tcplan_listing_line": (_int, _pointer, ctypes.c_size_t, ctypes.POINTER(Listed)),
    "tcplan_listing_free": (None, _pointer),
}

_loading = threading.Lock()
_library = None


def _candidates():
    """Returns possible locations of the library near the package: in the package, or in the lib
    folder of the prefix into which the package was installed."""
    package = pathlib.Path(__file__).resolve().parent
    yield package / SONAME
    for folder in package.parents:
        if folder.name in ("lib", "lib64"):
            yield folder / SONAME
            yield folder / (sysconfig.get_config_var("MULTIARCH") or "") / SONAME


def _open():
    named = os.environ.get("TCPLAN_LIBRARY")
    if named:
        files = [named]
    else:
        files = [str(file) for file in _candidates() if file.exists()] + [SONAME]
    tried = []
    for file in files:
        try:
            return ctypes.CDLL(file)
        except OSError as failure:
            tried.append(str(failure))
    reasons = "; ".join(tried)
    if named:
        raise FailedError(f"TCPLAN_LIBRARY is '{named}', which cannot be loaded: {reasons}")
    raise FailedError(f"{SONAME} not found ({reasons}); set TCPLAN_LIBRARY to its path, such as PREFIX/lib/{SONAME}")


def declare(library, functions):
    """Sets the types of a library's functions; returns the library. `functions`: return type and
    argument types by name."""
    for name, (result, *arguments) in functions.items():
        try:
            function = getattr(library, name)
        except AttributeError:
            raise FailedError(f"libtcplan has another version than this package: {library._name} has no {name}()") from None
        function.restype, function.argtypes = result, arguments
    return library


def load():
    """Returns the library, which is found and opened by the first call."""
    global _library
    if _library is None:
        with _loading:
            if _library is None:
                _library = declare(_open(), _FUNCTIONS)
    return _library


def encode(text):
    if not isinstance(text, str):
        raise TypeError(f"expected a string, found {type(text).__name__}")
    if "\0" in text:
        raise InputError("expected a text without NUL")
    return text.encode()


def check(status, error=None, text=None):
    """Raises the exception for a status, if it is not OK. `text` is the text to which the column in
    the error refers."""
    if status == OK:
        return
    message = error.message.decode(errors="replace") if error is not None and error.message else f"libtcplan answered with status {status}"
    kind = {NOT_APPLICABLE: InputError, INVALID: InputError, OVERFLOW: InputError, NO_MEMORY: OutOfMemoryError}.get(status, FailedError)
    if error is None or text is None or error.column < 1:
        raise kind(message)
    before = len(text.encode()[: error.column - 1].decode(errors="replace"))  # columns count bytes
    raise kind(message, text, before + 1, error.length)


def own(handle, free, owner):
    """Returns the value of a handle, which is freed when its owner is."""
    finalizer = weakref.finalize(owner, getattr(load(), free), handle.value)
    finalizer.atexit = False  # the system frees the memory of a process that ends
    return handle.value


def take_bytes(pointer):
    """Returns a string that the library allocated as bytes, and frees it."""
    if not pointer:
        raise OutOfMemoryError("out of memory")
    text = ctypes.string_at(pointer)
    _free(pointer)
    return text


def take_text(pointer):
    """Returns a string that the library allocated as str, and frees it."""
    return take_bytes(pointer).decode(errors="replace")


getenv = ctypes.cast(ctypes.CDLL(None).getenv, _pointer)  # sees the changes of os.environ
_free = ctypes.CDLL(None).free
_free.restype, _free.argtypes = None, [_pointer]
