"""Planners: what planning may cost, from arguments and from the environment."""
import contextlib
import ctypes
import os
import signal
import threading
from dataclasses import dataclass, replace

from . import _library
from ._errors import FailedError, InputError

EFFORTS = ("estimate", "quick", "normal", "thorough")
PREFERENCES = ("ease", "speed")
IMPROVING = 16  # executions of improve=True: the library tries up to eight algorithms, each twice


@dataclass(frozen=True)
class Settings:
    """What planning may cost. `effort` None: TCPLAN_EFFORT, or else `default_effort`; `plans` and `store` None: as the command has them, "": none.
    `improve`: executions in which a plan tries other algorithms."""

    threads: int = 1
    effort: str = None
    default_effort: str = "normal"
    time_limit: float = 0
    workspace: int = 0
    prefer: str = "ease"
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
        _number_of(self.prefer, PREFERENCES, "prefer")
        if self.effort is not None:
            _number_of(self.effort, EFFORTS, "effort")
        if not hasattr(self.improve, "__index__"):
            raise TypeError(f"expected improve as True, False or a number of executions, found {type(self.improve).__name__}")
        if not 0 <= self.improve < 2**31:
            raise InputError(f"expected improve as 0 or more executions, found {self.improve}")
        object.__setattr__(self, "improve", IMPROVING if self.improve is True else self.improve.__index__())

    def resolved(self):
        """The same with what the environment says."""
        effort = self.effort or os.environ.get("TCPLAN_EFFORT") or self.default_effort
        _number_of(effort, EFFORTS, "effort" if self.effort else "TCPLAN_EFFORT")
        store = _store() if self.store is None else os.fspath(self.store)
        plans = self.plans if self.plans is not None else os.environ.get("TCPLAN_PLANS")
        plans = os.fspath(plans) if plans is not None else store and os.path.join(store, "")  # a slash at its end: a folder
        return replace(self, effort=effort, plans=plans, store=store)


def _number_of(word, words, what):
    if word not in words:
        raise InputError(f"{what} is {word!r}: expected {', '.join(words[:-1])} or {words[-1]}")
    return words.index(word)


def _store():
    """The folder that the command keeps things in, too."""
    folder, cache, home = (os.environ.get(name) for name in ("TCPLAN_STORE", "XDG_CACHE_HOME", "HOME"))
    if folder is not None:
        return folder
    if cache and cache.startswith("/"):
        return os.path.join(cache, "tcplan")
    return os.path.join(home, ".cache", "tcplan") if home and home.startswith("/") else ""


class Planner:
    """A planner of libtcplan."""

    def __init__(self, settings, progress=None):
        """settings: resolved ones."""
        library, made, error = _library.load(), ctypes.c_void_p(), _library.ErrorRecord()
        _library.check(library.tcplan_planner_new(ctypes.byref(made), ctypes.byref(error)), error)
        self.settings, self.progress, self.raised = settings, progress, None
        self.handle = _library.own(made, "tcplan_planner_free", self)
        self._callback = None
        check, handle = _library.check, self.handle
        check(library.tcplan_planner_set_effort(handle, EFFORTS.index(settings.effort)))
        check(library.tcplan_planner_set_preference(handle, PREFERENCES.index(settings.prefer)))
        check(library.tcplan_planner_set_threads(handle, settings.threads))
        self._check_amount(library.tcplan_planner_set_time_limit(handle, settings.time_limit), "a time limit in seconds", settings.time_limit)
        self._check_amount(library.tcplan_planner_set_workspace(handle, settings.workspace), "a workspace in bytes", settings.workspace)
        check(library.tcplan_planner_set_improving(handle, settings.improve))
        if settings.store:
            check(library.tcplan_planner_set_store(handle, os.fsencode(settings.store)))
        if settings.plans:
            status = library.tcplan_planner_set_plans(handle, os.fsencode(settings.plans))
            if status in (_library.INVALID, _library.ENVIRONMENT):
                found = "holds something else" if status == _library.INVALID else "cannot be read"
                raise (InputError if status == _library.INVALID else FailedError)(f"expected stored plans in '{settings.plans}', which {found}")
            check(status)

    @staticmethod
    def _check_amount(status, what, value):
        if status == _library.INVALID:
            raise InputError(f"expected {what} of 0 or more, found {value}")
        _library.check(status)

    def _tell(self, context, activity, done, total):
        del context
        try:
            if self.progress is not None and self.raised is None:
                self.progress(activity.decode(errors="replace"), done, total)
        except BaseException as raised:  # there is C around: it goes on from where the plan was asked for
            self.raised = raised
            _library.load().tcplan_planner_cancel(self.handle)

    @contextlib.contextmanager
    def attended(self):
        """While something is planned: progress is told, and ^C ends it."""
        library, interrupted = _library.load(), []

        def interrupt(number, frame):
            interrupted.append((number, frame))
            library.tcplan_planner_cancel(self.handle)

        self._callback = _library.Progress(self._tell)
        _library.check(library.tcplan_planner_set_progress(self.handle, self._callback, None))
        takes = threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGINT) is signal.default_int_handler
        if takes:
            signal.signal(signal.SIGINT, interrupt)
        try:
            yield
        except FailedError:
            if self.raised is None and not interrupted:
                raise
        finally:
            if takes:
                signal.signal(signal.SIGINT, signal.default_int_handler)
        if interrupted:
            signal.default_int_handler(*interrupted[0])
        if self.raised is not None:
            raise self.raised


_estimating = {}  # planners that time nothing, by settings: several threads may use them at once


def planner_for(settings, progress=None):
    """A planner, and what to be in while it plans."""
    settings = settings.resolved()
    if settings.effort == "estimate" and progress is None:
        planner = _estimating.get(settings)
        if planner is None:
            planner = _estimating.setdefault(settings, Planner(settings))
        return planner, contextlib.nullcontext()
    planner = Planner(settings, progress)
    return planner, planner.attended()
