"""Libraries with the functions of TAPP, as contenders: a product is made once, which is timed separately, and then executed."""
import ctypes
import time

from .contenders import Contender, Failure

F64, DEFAULT_PREC = 1, -1
EFFORT, THREADS, ALGORITHM = 0x1000, 0x1002, 0x1100  # keys of tapp/tcplan.h


class Tapp:
    """A shared library with TAPP's functions; `ours`: it has the attributes of libtcplan-tapp. An executor number selects the library that the reference
    implementation of TAPP calls (2: TBLIS, if the implementation was built with it), which takes the number's address as the executor."""

    def __init__(self, name, path, ours=False, executor_number=None):
        self.name, self.path, self.ours = name, path, ours
        try:
            self.library = ctypes.CDLL(path)
        except OSError as error:
            raise Failure(f"{path} cannot be loaded: {error}") from None
        for function in ("TAPP_create_tensor_info", "TAPP_create_tensor_product", "TAPP_execute_product"):
            if not hasattr(self.library, function):
                raise Failure(f"{path} has no {function}")
        self.number = ctypes.c_int(executor_number or 0)
        self.executor = ctypes.c_ssize_t(ctypes.addressof(self.number)) if executor_number else self._made("TAPP_create_executor")

    def _made(self, function, *arguments):
        """Returns the value that a function stores at the address in its first argument."""
        out = ctypes.c_ssize_t(0)
        self.check(getattr(self.library, function)(ctypes.byref(out), *arguments), function)
        return out

    def check(self, error, what):
        if error == 0:
            return
        text = ctypes.create_string_buffer(512)
        self.library.TAPP_explain_error(ctypes.c_int(error), ctypes.c_size_t(len(text)), text)
        raise Failure(f"{self.name}: {what} returned {error}: {text.value.decode(errors='replace')}")

    def set_attribute(self, thing, key, value):
        self.check(self.library.TAPP_attr_set(thing, ctypes.c_int(key), value), f"setting the attribute {key:#x}")

    def text_attribute(self, thing, key):
        value = ctypes.c_void_p()
        self.check(self.library.TAPP_attr_get(thing, ctypes.c_int(key), ctypes.byref(value)), f"reading the attribute {key:#x}")
        return ctypes.string_at(value).decode()

    def handle(self, effort, threads):
        handle = self._made("TAPP_create_handle")
        if self.ours:
            self.set_attribute(handle, EFFORT, ctypes.create_string_buffer(effort.encode()))
            self.set_attribute(handle, THREADS, ctypes.byref(ctypes.c_int(threads)))
        return handle

    def contender(self, case, views, study, effort=None):
        return TappContender(self, case, views, study, effort)


class TappContender(Contender):
    """A product of two double-precision tensors."""

    def __init__(self, library, case, views, study, effort):
        self.library, self.clock, self.threads = library, study.clock, study.threads
        self.name = f"{library.name}, {effort}" if effort else library.name
        self.views, self.infos = views, []
        A, B, C = (self._tensor(view, indices) for view, indices in zip(views, (case.A, case.B, case.C)))
        handle = library.handle(effort or "estimate", study.threads)
        start = time.monotonic()
        self.product = library._made("TAPP_create_tensor_product", handle, ctypes.c_int(0), *A, ctypes.c_int(0), *B, ctypes.c_int(0), *C,
                                     ctypes.c_int(0), *C, ctypes.c_int(DEFAULT_PREC))
        self.planning_seconds = time.monotonic() - start
        self.algorithm = library.text_attribute(self.product, ALGORITHM) if library.ours else ""
        one, zero = (ctypes.c_double(x) for x in (1, 0))
        pointers = [ctypes.c_void_p(view.ctypes.data) for view in views]
        self.kept = (one, zero, handle)
        self.arguments = (self.product, library.executor, None, ctypes.byref(one), pointers[0], pointers[1], ctypes.byref(zero), None, pointers[2])

    def _tensor(self, view, indices):
        rank = view.ndim
        extents = (ctypes.c_int64 * rank)(*view.shape)
        strides = (ctypes.c_int64 * rank)(*(stride // view.itemsize for stride in view.strides))
        info = self.library._made("TAPP_create_tensor_info", ctypes.c_int(F64), ctypes.c_int(rank), extents, strides)
        self.infos.append(info)
        return info, (ctypes.c_int64 * rank)(*map(ord, indices))

    def run(self, calls):
        execute, arguments, error = self.library.library.TAPP_execute_product, self.arguments, 0
        start = time.clock_gettime(self.clock)
        for _ in range(calls):
            error |= execute(*arguments)
        seconds = time.clock_gettime(self.clock) - start
        self.library.check(error, "TAPP_execute_product()")
        return seconds

    def result(self):
        return self.views[2]

    def free(self):
        self.library.library.TAPP_destroy_tensor_product(self.product)
        self.library.library.TAPP_destroy_handle(self.kept[2])
        for info in self.infos:
            self.library.library.TAPP_destroy_tensor_info(info)
