"""Planners, and their settings from arguments and the environment."""
import contextlib
import ctypes
import os
import signal
import threading
import warnings
from dataclasses import dataclass, replace

from . import _library
from ._errors import FailedError, InputError

EFFORTS = ("estimate", "quick", "normal", "thorough")
PREFERENCES = ("simple", "speed")
IMPROVING = 16  # executions of improve=True: the library tries up to eight algorithms, each twice


@dataclass(frozen=True)
class Settings:
    """Settings of planning.

    effort: None: TCPLAN_EFFORT, or else `default_effort`
    plans, store: None: those of the command; "": none
    improve: the number of executions in which a plan tries other algorithms
    """

    threads: int = 1
    effort: str = None
    default_effort: str = "normal"
    time_limit: float = 0
    workspace: int = 0
    prefer: str = "simple"
    plans: str = None
    store: str = None
    improve: int = 0

    def __post_init__(self):
        if isinstance(self.threads, bool) or not hasattr(self.threads, "__index__"):
            raise TypeError(f"expected a number of threads, found {type(self.threads).__name__}")
        if not 1 <= self.threads <= 4096:
            raise InputError(f"expected 1 to 4096 threads, found {self.threads}")
        object.__setattr__(self, "threads", self.threads.__index__())
        object.__setattr__(self, "time_limit", float(self.time_limit))
        if self.prefer == "ease":
            warnings.warn("prefer='ease' is deprecated: use 'simple'", DeprecationWarning, stacklevel=4)
            object.__setattr__(self, "prefer", "simple")
        _number_of(self.prefer, PREFERENCES, "prefer")
        if self.effort is not None:
            _number_of(self.effort, EFFORTS, "effort")
        if not hasattr(self.improve, "__index__"):
            raise TypeError(f"expected improve as True, False or a number of executions, found {type(self.improve).__name__}")
        if not 0 <= self.improve < 2**31:
            raise InputError(f"expected improve as 0 or more executions, found {self.improve}")
        object.__setattr__(self, "improve", IMPROVING if self.improve is True else self.improve.__index__())

    def resolved(self):
        """Returns the settings with values of the environment instead of None."""
        effort = self.effort or os.environ.get("TCPLAN_EFFORT") or self.default_effort
        _number_of(effort, EFFORTS, "effort" if self.effort else "TCPLAN_EFFORT")
        store = _store() if self.store is None else os.fspath(self.store)
        plans = self.plans if self.plans is not None else os.environ.get("TCPLAN_PLANS")
        plans = os.fspath(plans) if plans is not None else store and os.path.join(store, "")  # the slash at the end marks a folder
        return replace(self, effort=effort, plans=plans, store=store)


def _number_of(word, words, what):
    if word not in words:
        raise InputError(f"{what} is {word!r}: expected {', '.join(words[:-1])} or {words[-1]}")
    return words.index(word)


def _store():
    """Returns the folder of the store, which is the same as the command's."""
    return os.fsdecode(_library.take_bytes(_library.load().tcplan_store_folder(_library.getenv)))


def blas_advice(store=None):
    """Returns advice about the BLAS libraries of tcplan's plans, as a list of sentences. They name
    libraries that selected slow kernels or compute wrong results, and the environment variable that
    selects better kernels. The list is empty if no problem is known.

    store: the folder with the trials that `tcplan machine` made; None: the command's; "": no trials,
        so that only the vector width of the selected kernels is compared with the processor's
    """
    folder = _store() if store is None else os.fspath(store)
    return _library.take_text(_library.load().tcplan_blas_advice(os.fsencode(folder), _library.getenv)).splitlines()


def open_tapp(name, file):
    """Opens a library that has the interface TAPP. Plans made from now on may use it for whole
    contractions, by the algorithm `tapp@NAME`. A child process tries the library first; if the
    library cannot be used, raises FailedError or InputError. Later calls run in this process: if the
    library crashes, Python ends."""
    number, error = ctypes.c_int(), _library.ErrorRecord()
    status = _library.load().tcplan_provider_open_tapp(ctypes.byref(number), _library.encode(name), os.fsencode(file), ctypes.byref(error))
    _library.check(status, error)


class Planner:
    """A planner of libtcplan."""

    def __init__(self, settings, progress=None):
        """settings: the result of Settings.resolved()."""
        library, made, error = _library.load(), ctypes.c_void_p(), _library.ErrorRecord()
        _library.check(library.tcplan_planner_new(ctypes.byref(made), ctypes.byref(error)), error)
        self.settings, self.progress, self.raised = settings, progress, None
        self.handle = _library.own(made, "tcplan_planner_free", self)
        self._callback = None
        self._set("effort", EFFORTS.index(settings.effort))
        self._set("preference", PREFERENCES.index(settings.prefer))
        self._set("threads", settings.threads)
        self._set("time_limit", settings.time_limit)
        self._set("workspace", settings.workspace)
        self._set("improving", settings.improve)
        if settings.store:
            self._set("store", os.fsencode(settings.store))
        if settings.plans:
            self._set("plans", os.fsencode(settings.plans))

    def _set(self, what, *value):
        error = _library.ErrorRecord()
        _library.check(getattr(_library.load(), f"tcplan_planner_set_{what}")(self.handle, *value, ctypes.byref(error)), error)

    def _tell(self, context, activity, done, total):
        del context
        try:
            if self.progress is not None and self.raised is None:
                self.progress(activity.decode(errors="replace"), done, total)
        except BaseException as raised:  # an exception cannot pass through C code: attended() raises it again after the call
            self.raised = raised
            self.cancel()

    @contextlib.contextmanager
    def attended(self):
        """Returns a context for a call that plans: progress is reported, and ^C cancels the
        call."""
        if self.progress is not None and self._callback is None:
            self._callback = _library.Progress(self._tell)
            self._set("progress", self._callback, None)
        try:
            with _interrupts.cancelling(self):
                yield
        except FailedError:
            if self.raised is None:
                raise
        if self.raised is not None:
            raise self.raised

    def cancel(self):
        _library.load().tcplan_planner_cancel(self.handle)


class _Interrupts:
    """Cancels a planner as soon as ^C is pressed.

    Python runs signal handlers only between its own instructions, not while the library plans. But
    Python's handler in C immediately writes the number of the signal to a file descriptor
    (signal.set_wakeup_fd()). This class sets it to a pipe that a thread reads. The thread passes the
    numbers on to the earlier descriptor, if there was one, for example that of asyncio.
    """

    def __init__(self):
        self._changing = threading.Lock()
        self._planner, self._process, self._pipe, self._earlier = None, None, None, -1

    def _start(self):
        """Makes the pipe and its thread if this process has none; a forked child has none. Returns
        whether they exist."""
        if self._process == os.getpid():
            return True
        pipe = os.pipe()
        os.set_blocking(pipe[1], False)
        try:
            threading.Thread(target=self._watch, args=(pipe[0],), name="tcplan interrupts", daemon=True).start()
        except RuntimeError:  # the system has no more threads
            os.close(pipe[0])
            os.close(pipe[1])
            return False
        self._changing, self._planner, self._process, self._pipe = threading.Lock(), None, os.getpid(), pipe
        return True

    def _watch(self, pipe):
        while True:
            signals = os.read(pipe, 64)
            with self._changing:
                if self._planner is not None and signal.SIGINT in signals:
                    self._planner.cancel()
                if self._earlier >= 0:
                    with contextlib.suppress(OSError):
                        os.write(self._earlier, signals)

    @contextlib.contextmanager
    def cancelling(self, planner):
        """Returns a context in which ^C raises KeyboardInterrupt, also while the library plans."""
        is_main = threading.current_thread() is threading.main_thread()
        if not is_main or signal.getsignal(signal.SIGINT) is not signal.default_int_handler or not self._start():
            yield
            return
        interrupted = []

        def interrupt(number, frame):
            while frame is not None and frame.f_code is not Planner._tell.__code__:
                frame = frame.f_back
            if frame is None:
                signal.default_int_handler(number, frame)
            interrupted.append(number)  # an exception cannot pass through C code
            planner.cancel()

        signal.signal(signal.SIGINT, interrupt)
        outer, self._planner = self._planner, planner
        self._earlier = signal.set_wakeup_fd(self._pipe[1], warn_on_full_buffer=False)
        try:
            yield
        except FailedError:
            if not interrupted:
                raise
        finally:
            signal.signal(signal.SIGINT, signal.default_int_handler)
            signal.set_wakeup_fd(self._earlier)
            with self._changing:
                self._planner, self._earlier = outer, -1
        if interrupted:
            signal.default_int_handler(signal.SIGINT, None)


_interrupts = _Interrupts()
_estimating = {}  # planners that time nothing, by settings; several threads may use one at the same time


def planner_for(settings, progress=None):
    """Returns (planner, context): a planner with these settings, and the context in which its calls
    must be made (Planner.attended())."""
    settings = settings.resolved()
    if settings.effort != "estimate" or progress is not None:
        planner = Planner(settings, progress)
    else:
        key = settings, threading.current_thread() is threading.main_thread()  # ^C cancels planning in the main thread only
        planner = _estimating.get(key)
        if planner is None:
            planner = _estimating.setdefault(key, Planner(settings))
    return planner, planner.attended()
