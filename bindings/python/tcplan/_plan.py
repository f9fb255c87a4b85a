"""Plans: products of arrays and the algorithms chosen for them."""
import ctypes
import functools

import numpy

from . import _library, _path, _subscripts
from ._arrays import TYPES, Layout, address, as_array, computed_type, dense, element_type, layout_of, overlap, place, twin
from ._distributed import DistributedPlan
from ._errors import InputError
from ._network import Network, Order, in_one_piece, memory_order
from ._planner import Settings, planner_for
from ._product import Product

ORIGINS = ("named", "estimated", "timed", "compared", "stored", "improved")


class _Pair:
    """A planned product of two operands."""

    def __init__(self, product, planner, algorithm=None):
        library, made, error = _library.load(), ctypes.c_void_p(), _library.ErrorRecord()
        if algorithm is None:
            status = library.tcplan_plan_new(ctypes.byref(made), planner.handle, product.handle, ctypes.byref(error))
        else:
            status = library.tcplan_plan_named(ctypes.byref(made), planner.handle, product.handle, _library.encode(algorithm), ctypes.byref(error))
        _library.check(status, error, algorithm)
        self.product, self.library, self.dtype = product, library, product.dtype
        self.handle = _library.own(made, "tcplan_plan_free", self)

    def _factor(self, value):
        """Returns a factor as an array of the product's type; None stands for the factor in the
        product."""
        return None if value is None else numpy.array([value], dtype=self.dtype)

    def execute(self, a, b, d, alpha=None, beta=None, c=None, threads=0):
        """Executes the product on arrays at these addresses: of the operands, the result, and the
        addend. None and 0 stand for the plan's own factors and threads."""
        if alpha is None and beta is None and c is None and threads == 0:
            status = self.library.tcplan_plan_execute(self.handle, a, b, d, None)
            if status == _library.OK:
                return
        alpha, beta = self._factor(alpha), self._factor(beta)
        execution = _library.Execution(
            size=ctypes.sizeof(_library.Execution), A=a, B=b, C=c, D=d, threads=threads,
            alpha=None if alpha is None else address(alpha), beta=None if beta is None else address(beta))
        error = _library.ErrorRecord()
        _library.check(self.library.tcplan_plan_run(self.handle, ctypes.byref(execution), ctypes.byref(error)), error)

    def execute_arrays(self, operands, result, alpha, beta):
        """Executes the product on two operands, or on three if the product has an addend C, and writes
        `result`."""
        self.execute(*map(address, operands[:2]), address(result), alpha, beta, address(operands[2]) if len(operands) > 2 else None)

    @property
    def algorithms(self):
        return (self.library.tcplan_plan_algorithm(self.handle).decode(),)

    @property
    def origins(self):
        """The enum tcplan_plan_origin of the product, in a list."""
        return [self.library.tcplan_plan_origin(self.handle)]

    @property
    def workspace(self):
        return self.library.tcplan_plan_workspace(self.handle, 0)

    @property
    def flops(self):
        return self.product.flops

    @property
    def seconds(self):
        low, high = ctypes.c_double(), ctypes.c_double()
        return self.library.tcplan_plan_seconds(self.handle, ctypes.byref(low), ctypes.byref(high)), low.value, high.value

    def describe(self):
        return _library.take_text(self.library.tcplan_plan_describe(self.handle))

    def emit(self, function, main):
        text, error = ctypes.c_void_p(), _library.ErrorRecord()
        name = _library.encode(function)
        _library.check(self.library.tcplan_plan_emit(ctypes.byref(text), self.handle, name, main, ctypes.byref(error)), error)
        return _library.take_text(text.value)


def order_name(order):
    """Returns one of numpy's four names of orders; None is the default, "K"."""
    name = "K" if order is None else order.upper() if isinstance(order, str) else order
    if name not in ("C", "F", "A", "K"):
        raise InputError(f"expected the order 'C', 'F', 'A' or 'K', found {order!r}")
    return name


def ordered(order, arrays):
    """Returns the order of a new result, "C" or "F". For "A" and "K" it depends on the operands."""
    order = order_name(order)
    if order in ("C", "F"):
        return order
    by_columns = all(array.flags.f_contiguous for array in arrays) and not all(array.flags.c_contiguous for array in arrays)
    return "F" if by_columns else "C"


class Plan:
    """A product of arrays and the algorithms chosen for it: plan once, execute often. Several threads
    may execute one plan at the same time if they write different results.

    The plan was made for `subscripts`, `dtype`, `shape` (of the result) and `threads`. `algorithm`,
    `algorithms`, `origin`, `seconds`, `interval`, `flops` and `workspace` describe the choice.
    """

    def __init__(self, subscripts, layouts, result, dtype, made, threads, memory=None):
        """made: a _Pair or a Network
        memory: the dimensions of results from the slowest to the fastest, if the plan chose them;
            None: the strides of `result` apply
        """
        self.subscripts, self.dtype, self.threads, self.shape = subscripts, dtype, threads, result.shape
        self._layouts, self._result, self._order, self._made = layouts, result, _order_of(result), made
        self._has_addend = len(layouts) > 2 and isinstance(made, _Pair)
        self._memory = memory
        self._adds = False  # whether the product has a beta of its own, so that the old result may be read
        self.unaligned = dtype.alignment - 1  # the bits of an address that are 0 if an array is aligned
        self._exactly = [(layout.shape, tuple(stride * dtype.itemsize for stride in layout.strides)) for layout in (*layouts, result)]
        # The product if it has two operands and all arrays are used in place; the call is then faster.
        self.direct = made if isinstance(made, _Pair) and not any(layout.is_copied for layout in (*layouts, result)) else None
        is_short = self.direct is not None and not self._has_addend
        self.quick = self._quick() if is_short and self._order is not None else None
        self.quick_into = self._quick_into() if is_short and memory is None else None

    def _quick(self):
        """Returns a function of two arrays with the planned strides. It returns a new result, or None
        if an array is not aligned. It makes no other checks, which would take longer than small
        products."""
        made, execute, unaligned = self._made, self._made.library.tcplan_plan_execute, self.unaligned
        empty = functools.partial(numpy.empty, self.shape, self.dtype, self._order)
        is_number = not self.shape

        def compute(left, right):
            one, other, result = place(left), place(right), empty()
            if (one | other) & unaligned or execute(made.handle, one, other, place(result), None) != _library.OK:
                return None
            return result[()] if is_number else result

        return compute

    def _quick_into(self):
        """Returns a function of two operands and a result, all with the planned strides. It returns the
        result, or None if an array is not aligned, or the result is read-only or may overlap an
        operand."""
        made, execute, unaligned, share = self._made, self._made.library.tcplan_plan_execute, self.unaligned, numpy.may_share_memory

        def compute(left, right, out):
            one, other, result = place(left), place(right), place(out)
            if (one | other | result) & unaligned or not out.flags.writeable or share(left, out) or share(right, out):
                return None
            return out if execute(made.handle, one, other, result, None) == _library.OK else None

        return compute

    # Properties.

    @property
    def algorithms(self):
        """The names of the algorithms of all products of two operands, in the order of execution."""
        return self._made.algorithms

    @property
    def algorithm(self):
        """The name of the algorithm; for several operands, the names of all algorithms, separated by
        `; `."""
        return "; ".join(self.algorithms)

    @property
    def path(self):
        """The order of several operands, as a path of opt_einsum and numpy.einsum_path; [(0, 1)] for
        two operands."""
        return [(0, 1)] if isinstance(self._made, _Pair) else self._made.order.path

    @property
    def origin(self):
        """The origin of the choice: "named", "estimated", "timed", "compared", "stored" or
        "improved"; for several products the least reliable of their origins."""
        return ORIGINS[min(self._made.origins)]

    @property
    def seconds(self):
        """Expected seconds of an execution; 0 if unknown."""
        return self._made.seconds[0]

    @property
    def interval(self):
        """The interval, (low, high) in seconds, that is expected to hold 95 % of the executions. For an
        estimate, it is the interval of the estimate's error. For several operands it is (0,
        infinity) if some algorithm was only estimated, or a step adds up tensors."""
        return self._made.seconds[1:]

    @property
    def flops(self):
        """Floating-point operations of an execution."""
        return self._made.flops

    @property
    def workspace(self):
        """Bytes of the temporaries that the algorithms use, and of the intermediate products."""
        return self._made.workspace

    def describe(self):
        """Returns a few lines of text: products, algorithms and their loop nests, expected time,
        origin of the choice, temporaries and libraries; for several operands the order comes
        first."""
        return self._made.describe()

    def emit(self, function="contract", main=False):
        """Returns C11 code that computes the product: one function with fixed extents, strides and
        factors.

        main: whether to add a driver that checks the function against naive loops; for two operands
            only
        """
        return self._made.emit(function, main)

    def __repr__(self):
        return f"<tcplan.Plan {self.subscripts}: {self.algorithm} ({self.origin})>"

    # Executing.

    def __call__(self, *operands, **options):
        return self.execute(*operands, **options)

    def execute(self, *operands, out=None, alpha=None, beta=None):
        """Computes alpha * product + beta * out in `out` or a new array, and returns that array.

        operands: arrays with the planned shapes, strides and types; if the product has an addend C,
            it is the last operand
        out: an array with the planned strides and type; may overlap operands
        alpha, beta: factors; None: those of the planned notation, or else 1 and 0
        """
        if alpha is None and beta is None and self._are_exact(operands, out):
            result = self.new_result() if out is None else out
            left, right, place = address(operands[0]), address(operands[1]), address(result)
            if not (left | right | place) & self.unaligned:
                self.direct.execute(left, right, place)
                return result if result.ndim or out is not None else result[()]
        if len(operands) != len(self._layouts):
            raise InputError(f"the plan is for {len(self._layouts)} operands, found {len(operands)}")
        arrays = [self._fitting(numpy.asarray(operand), number) for number, operand in enumerate(operands)]
        if out is None and self._order is None and self._memory is None:
            raise InputError(f"the plan is for a result with strides of {self._strides(self._result)}: out is missing")
        if out is not None:
            self._check_out(out)
        if beta is not None and out is None and not self._has_addend:
            raise InputError("beta scales the old values of out, which is missing")
        return self.compute(arrays, out, *(checked_factor(factor, name, self.dtype) for factor, name in ((alpha, "alpha"), (beta, "beta"))))

    def _are_exact(self, operands, out):
        """Returns whether arrays have exactly the planned shapes, strides and types and do not overlap,
        so that they need no copy, conversion or further check."""
        if self.direct is None or len(operands) != 2 or self._has_addend or (out is None and self._order is None):
            return False
        arrays = operands if out is None else (*operands, out)
        for array, (shape, strides) in zip(arrays, self._exactly):
            if array.__class__ is not numpy.ndarray or array.shape != shape or array.strides != strides or array.dtype != self.dtype:
                return False
        return out is None or (out.flags.writeable and not any(numpy.may_share_memory(out, operand) for operand in operands))

    def _strides(self, layout):
        return f"{tuple(stride * self.dtype.itemsize for stride in layout.strides)} bytes"

    def _fitting(self, array, number):
        """Returns the array if its shape, strides and type are as planned; raises InputError
        otherwise."""
        layout = self._layouts[number]
        if array.shape != layout.shape:
            raise InputError(f"operand {number} has shape {array.shape}, the plan is for {layout.shape}")
        if layout.is_copied:
            return array
        if array.dtype != self.dtype:
            raise InputError(f"operand {number} has type {array.dtype}, the plan is for {self.dtype}")
        self._check_lies(array, layout, f"operand {number}")
        return array

    def _check_lies(self, array, layout, what):
        wanted = [stride * self.dtype.itemsize for stride in layout.strides]
        if array.size > 0 and any(extent > 1 and have != want for extent, have, want in zip(array.shape, array.strides, wanted)):
            raise InputError(f"{what} has strides of {array.strides} bytes, the plan is for {self._strides(layout)}: plan with such an array, or copy it")

    def _check_out(self, out):
        check_out(out, self.shape)
        if self._result.is_copied or self._memory is not None:
            return
        if out.dtype != self.dtype:
            raise InputError(f"out has type {out.dtype}, the plan is for {self.dtype}")
        self._check_lies(out, self._result, "out")

    def new_result(self):
        if self._memory is not None:
            return numpy.empty([self.shape[dimension] for dimension in self._memory], self.dtype).transpose(numpy.argsort(self._memory))
        return (numpy.zeros if self._adds else numpy.empty)(self.shape, self.dtype, self._order)

    def _lies_as_chosen(self, out):
        """Returns whether results can be written into the array directly: it has the layout that the
        plan chose."""
        elements = self.dtype.itemsize
        for dimension in reversed(self._memory):
            if self.shape[dimension] != 1 and out.strides[dimension] != elements:
                return False
            elements *= self.shape[dimension]
        return out.dtype == self.dtype

    def compute(self, arrays, out, alpha, beta):
        """Computes the product of arrays that were checked; returns the result."""
        if out is None:
            result = self.new_result()
        elif self._result.is_copied or (self._memory is not None and not self._lies_as_chosen(out)):
            result = self.new_result()
            if beta is not None or self._adds:
                result[...] = out
        else:
            result = out if out.flags.aligned else twin(out)
        used = []
        for array, layout in zip(arrays, self._layouts):
            if layout.is_copied:
                array = numpy.array(array, dtype=self.dtype, order="C")
            elif not array.flags.aligned or (result is out and overlap(array, out)):
                array = twin(array)
            used.append(array)
        self._made.execute_arrays(used, result, alpha, beta)
        if out is None:
            return result if result.ndim else result[()]
        if result is not out:
            numpy.copyto(out, result, casting="unsafe")  # check_out() checked `out`
        return out


def checked_factor(factor, name, dtype):
    """Returns a factor, or None if it is None; raises InputError if the type cannot represent it."""
    if factor is None or dtype.kind == "O":
        return factor
    if numpy.iscomplexobj(factor) and dtype.kind != "c":
        if numpy.imag(factor) != 0:
            raise InputError(f"{name} is {factor}, which is complex, and the product has type {dtype}")
        factor = numpy.real(factor)
    if dtype.kind in "biu" and factor != numpy.floor(factor):
        raise InputError(f"{name} is {factor}, which is no whole number, and the product has type {dtype}")
    return factor


def check_out(out, shape):
    if not isinstance(out, numpy.ndarray):
        raise TypeError(f"expected out as an array of numpy, found {type(out).__name__}")
    if out.shape != shape:
        raise InputError(f"out has shape {out.shape}, the result has {shape}")
    if not out.flags.writeable:
        raise InputError("out is read-only")


def _pair(expression, layouts, dtype, result, conjugated, planner, algorithm):
    """Plans a product of two operands."""
    lies = [layout.without(term.dropped) for term, layout in zip(expression.terms, layouts)]
    labels = [*(term.labels for term in expression.terms), expression.output]
    return _Pair(Product.of_arrays(labels, [*lies, result], dtype, tuple(number in conjugated for number in range(2))), planner, algorithm)


def order_of(expression, layouts, dtype, result, conjugated, planner, path=None, frees_result=False):
    """Returns the Order of several contiguous operands. path: the path; None: searches for one."""
    lies = [(term.labels, layout.without(term.dropped)) for term, layout in zip(expression.terms, layouts)]
    *tensors, output = [tuple(labels[dimension] for dimension in memory_order(layout)) for labels, layout in (*lies, (expression.output, result))]
    return Order(tensors, output, expression.extents, dtype, planner, path, conjugated, frees_result)


def _network(expression, layouts, dtype, result, conjugated, planner, path, frees_result):
    """Returns (network, memory order of the result) for several contiguous operands."""
    order = order_of(expression, layouts, dtype, result, conjugated, planner, path, frees_result)
    return Network(order, dtype), tuple(expression.output.index(label) for label in order.output)


def conjugated_operands(conjugate, count):
    """Returns the set of the numbers of conjugated operands."""
    numbers = (conjugate,) if hasattr(conjugate, "__index__") else tuple(conjugate)
    for number in numbers:
        if not hasattr(number, "__index__") or not 0 <= number < count:
            raise InputError(f"expected the numbers of operands that are conjugated, from 0 to {count - 1}, found {number!r}")
    return {number.__index__() for number in numbers}


def plan_layouts(subscripts, layouts, dtype, settings, result=None, order="C", optimize=True, conjugate=(), algorithm=None, progress=None,
                 frees_result=False):
    """Returns a plan for operands of the given layouts.

    result: the layout of the result; None: results are new arrays of the given order
    frees_result: whether the plan chooses the layout of new results of several operands
    """
    expression = _subscripts.parse(subscripts, [layout.shape for layout in layouts])
    if len(layouts) < 2:
        raise InputError("a plan needs two operands or more, found one; einsum computes it without a plan")
    if algorithm is not None and len(layouts) > 2:
        raise InputError(f"an algorithm can be named only for two operands, found {len(layouts)}")
    shape = tuple(expression.extents[label] for label in expression.output)
    if result is not None and result.shape != shape:
        raise InputError(f"out has shape {result.shape}, the result has {shape}")
    lies = dense(shape, order) if result is None else result
    path = _path.resolve(optimize, [term.labels for term in expression.terms], expression.output, expression.extents)
    conjugated = conjugated_operands(conjugate, len(layouts))
    planner, attended = planner_for(settings, progress)
    with attended:
        if len(layouts) == 2:
            made, memory = _pair(expression, layouts, dtype, lies, conjugated, planner, algorithm), None
        else:
            layouts, lies = [in_one_piece(layout) for layout in layouts], in_one_piece(lies)
            made, memory = _network(expression, layouts, dtype, lies, conjugated, planner, path, frees_result)
            memory = memory if memory != tuple(memory_order(lies)) else None
    return Plan(subscripts, layouts, lies, dtype, made, settings.threads, memory)


def _order_of(layout):
    """Returns the order of a dense array, "C" or "F"; None if the array is not dense."""
    return next((order for order in "CF" if layout.strides == dense(layout.shape, order).strides), None)


def _plan_notation(notation, sizes, dtype, order, settings, algorithm, progress):
    """Returns a plan for a product in libtcplan's own notation, with dense arrays."""
    product = Product.of_text(notation, sizes, element_type(dtype), order)
    planner, attended = planner_for(settings, progress)
    with attended:
        pair = _Pair(product, planner, algorithm)
    tensors = [product.layout(operand) for operand in (_library.A, _library.B, _library.ADDEND)]
    layouts, result = [layout for layout in tensors if layout is not None], product.layout(_library.C)
    plan = Plan(notation, layouts, result, product.dtype, pair, settings.threads)
    plan._adds = not plan._has_addend
    return plan


def _layout_of_operand(operand, number, order):
    """Returns an operand as an array; if it is a shape, returns the layout of a dense array."""
    if not isinstance(operand, tuple) or not all(hasattr(extent, "__index__") for extent in operand):
        return as_array(operand, number)
    if any(extent < 0 for extent in operand):
        raise InputError(f"operand {number} has shape {operand}: an extent is negative")
    return dense([extent.__index__() for extent in operand], order)


def planned_arrays(operands, out, dtype, order, casting):
    """Returns (layouts of the operands, layout of the result or None, order of a new result, type)
    for arrays or shapes. A shape stands for a dense array of the type of the given arrays, or of
    float64 if their type is not one of the four."""
    found = [_layout_of_operand(operand, number, order) for number, operand in enumerate(operands)]
    arrays = [one for one in found if not isinstance(one, Layout)]
    of_arrays = arrays and (len(arrays) == len(found) or numpy.result_type(*arrays).char in TYPES)
    if dtype is None and not of_arrays:
        dtype = numpy.result_type(*arrays, numpy.float64)
    computed = element_type(computed_type(arrays, out, dtype, casting))
    layouts = [one if isinstance(one, Layout) else layout_of(one, computed) for one in found]
    return layouts, None if out is None else layout_of(out, computed), ordered(order, arrays), computed


def plan(subscripts, *operands, sizes=None, out=None, threads=1, effort=None, algorithm=None, time_limit=0, workspace=0, prefer="simple", dtype=None,
         order="K", casting="safe", optimize=True, conjugate=(), plans=None, store=None, improve=False, progress=None,
         comm=None, grid=None, distribute=None, ranks_per_node=0, max_memory=0):
    """Chooses the fastest algorithm for a product of arrays, to be executed often.

    plan("ai,ibc->abc", A, B)                            for arrays with the shapes, strides and types
                                                         of A and B
    plan("ai,ibc->abc", (400, 8), (8, 400, 400))         for dense arrays of these shapes
    plan("C_abc=A_ai*B_ibc", sizes="a=b=c=400,i=8")      in tcplan's own notation, which may have
                                                         conj(), factors and an addend

    out: an array with the layout of future results; None: results are new dense arrays
    threads: the largest number of threads
    effort: "estimate" (nothing is timed), "quick", "normal" or "thorough"; None: TCPLAN_EFFORT, or
        else "normal"
    algorithm: the name of the algorithm to use; for two operands only. None: the fastest
    time_limit: seconds after which planning returns the best algorithm so far; 0: no limit
    workspace: limit on the bytes of an algorithm's temporaries; 0: no limit
    prefer: among equally fast algorithms, "simple" prefers fewer threads, libraries and temporaries;
        "speed" selects the fastest
    dtype: the type of the computation; None: the type to which numpy promotes the operands, or
        float64 for shapes
    order: of new results, and of operands given as shapes
    casting: the conversions that numpy may do
    optimize: the order of several operands, as in einsum()
    conjugate: the numbers of the operands to be conjugated, counted from 0
    plans: a file or folder of stored plans, to which the plan is added; None: TCPLAN_PLANS, or else
        the plans of the store; "": none
    store: the folder of data about the machine; None: the command's; "": none
    improve: a number of executions, or True for a default: each of the first executions tries another
        promising algorithm on the caller's arrays, and the plan then keeps the fastest. Every
        execution computes the product once; results of two executions may differ by rounding.
        Executions with other factors try nothing. Plans that were stored, or whose algorithm is
        named, do not improve
    progress: a function that is called with the activity, the amount done and the total amount
    comm: an intracommunicator of mpi4py over whose ranks the tensors are distributed; the plan is a
        DistributedPlan. All ranks call plan() with the same arguments: two or more shapes, or sizes
        for two tensors. Rank 0 plans. Only dtype, order ("C" or "F"), effort, time_limit, algorithm, plans, store and the
        following arguments apply
    grid: with comm, the grid of ranks, such as "4x2"; None: the fastest grid
    distribute: with comm, the layouts of tensors on that grid, such as "A=a:0,i:1 C=a:0"; None: any
    ranks_per_node: with comm, the number of consecutive ranks that share a node; 0: all
    max_memory: with comm, a limit on the bytes of each rank's tensors and buffers; 0: no limit
    """
    settings = Settings(threads=threads, effort=effort, time_limit=time_limit, workspace=workspace, prefer=prefer, plans=plans, store=store,
                        improve=improve)
    if comm is not None:
        if out is not None or threads != 1 or workspace or improve or tuple(conjugate) or progress is not None:
            raise InputError("with comm, plan() takes no out, threads, workspace, improve, conjugate and progress")
        shapes = [_layout_of_operand(operand, number, "C").shape for number, operand in enumerate(operands)]
        return DistributedPlan(subscripts, shapes, sizes, comm, numpy.float64 if dtype is None else dtype, "C" if order == "K" else order,
                               settings.resolved(), algorithm, grid, distribute, ranks_per_node, max_memory)
    if sizes is not None:
        if operands or out is not None:
            raise InputError("expected operands or sizes, found both")
        return _plan_notation(subscripts, sizes, numpy.float64 if dtype is None else dtype, order, settings, algorithm, progress)
    subscripts, operands = _subscripts.separate(subscripts, operands)
    layouts, result, lies, computed = planned_arrays(operands, out, dtype, order, casting)
    frees = out is None and order_name(order) == "K"
    return plan_layouts(subscripts, layouts, computed, settings, result, lies, optimize, conjugate, algorithm, progress, frees)
