"""The functions of numpy.einsum's interface, computed by tcplan's algorithms, and the functions that
opt_einsum requires of a backend."""
import inspect
from dataclasses import replace

import numpy

from . import _subscripts
from ._arrays import TYPES, as_array, computed_type, dense, layout_of, overlap
from ._errors import InputError
from ._network import in_one_piece
from ._numpy import NumpyProduct
from ._path import resolve
from ._plan import check_out, checked_factor, conjugated_operands, order_name, order_of, plan_layouts, planned_arrays
from ._planner import Settings, planner_for
from ._trying import EXECUTIONS, SMALL_EXECUTIONS, SMALL_SECONDS, Trying, tries_ways

MOST_PLANS = 512
_ONLY_OUT = {"out"}

_plans = {}  # plans made in this process, by their keys


def clear():
    """Forgets the plans of einsum() in this process; their temporaries are freed."""
    _plans.clear()


def _keep(key, plan):
    while len(_plans) >= MOST_PLANS:
        try:
            _plans.pop(next(iter(_plans)), None)  # the oldest
        except (StopIteration, RuntimeError):  # another thread changed the dictionary
            break
    _plans[key] = plan
    return plan


def _key(subscripts, arrays, out, alternatives):
    """Returns the key of a plan. einsum() builds the same key itself if neither `out` nor an option
    is given."""
    key = [subscripts]
    for array in arrays:
        key += array.shape, array.strides, array.dtype
    if out is not None or alternatives != DEFAULTS:
        key += alternatives, None if out is None else (out.shape, out.strides, out.dtype)
    return tuple(key)


def einsum(subscripts, *operands, **options):
    """Returns alpha * product + beta * out. Subscripts are those of numpy.einsum: "ai,ibc->abc", with
    an ellipsis or an implicit result, or operands that alternate with lists of labels.

    Arrays are used in place, with any strides. Arrays of another type than the computation's, and
    those whose strides in bytes are no multiple of the element's size, are copied. Plans are reused
    for calls with arrays of equal shapes, strides and types.

    out: an array for the result, which may overlap the operands; without it the result is a new
        array, or a number
    alpha, beta: factors; beta needs `out`
    threads: number of threads; None: one, or those of numpy's BLAS if the first call finds that numpy
        is faster
    effort: of planning, in the first call: "estimate" (nothing is timed), "quick", "normal" or
        "thorough"; None: TCPLAN_EFFORT. Without either, the first call computes the product several
        times, by the most promising algorithms and by numpy's methods, and keeps the fastest
    dtype: the type of the computation; None: the type to which numpy promotes the operands. Types
        other than float32, float64, complex64 and complex128 are computed by numpy, two operands at a
        time
    order: of a new result: "C" or "F"; "A" and "K" mean "F" if all operands are Fortran-ordered, else
        "C"; with "K", the result of several operands has the fastest layout, or numpy's layout if
        numpy is faster
    casting: the conversions that numpy may do, as in numpy.einsum
    optimize: the order of several operands, which are multiplied two at a time: True or "optimal"
        for the order with the shortest predicted time, "greedy", False for left to right, a path of
        numpy.einsum_path or opt_einsum, or a function that finds a path, such as opt_einsum's
        optimizers. numpy's limit on memory, as in ("greedy", 1000), is ignored
    conjugate: the numbers of the operands to be conjugated, counted from 0
    plans: a file or folder of stored plans; None: TCPLAN_PLANS, or else the plans of the store; "":
        none
    store: the folder of data about the machine; None: the command's; "": none

    A single operand is summed over and transposed by numpy. Products computed by numpy may raise
    numpy's own errors.
    """
    if not options:
        quick = None
        try:
            if len(operands) == 2:  # this branch avoids calls, whose time is noticeable in small products
                one, other = operands
                if one.__class__ is other.__class__ is numpy.ndarray:
                    quick = _plans[subscripts, one.shape, one.strides, one.dtype, other.shape, other.strides, other.dtype].quick
            elif all(operand.__class__ is numpy.ndarray for operand in operands):
                quick = _plans[_key(subscripts, operands, None, DEFAULTS)].quick
        except (KeyError, TypeError):  # there is no plan yet, or operands alternate with lists of labels
            pass
        result = None if quick is None else quick(*operands)
        if result is not None:
            return result
    elif len(operands) == 2 and options.keys() == _ONLY_OUT and isinstance(subscripts, str):
        out = options["out"]
        if operands[0].__class__ is operands[1].__class__ is out.__class__ is numpy.ndarray:
            plan = _plans.get(_key(subscripts, operands, out, DEFAULTS))
            into = plan.quick_into if plan is not None else None
            if into is not None and into(*operands, out) is not None:
                return out
    return _einsum(subscripts, *operands, **options)


def _einsum(subscripts, *operands, out=None, alpha=1, beta=0, threads=None, effort=None, dtype=None, order="K", casting="safe", optimize=True,
            conjugate=(), plans=None, store=None):
    """Computes einsum() for operands and options of any kind; reuses a plan if there is one."""
    subscripts, operands = _subscripts.separate(subscripts, operands)
    arrays = [as_array(operand, number) for number, operand in enumerate(operands)]
    if out is not None and not isinstance(out, numpy.ndarray):
        raise TypeError(f"expected out as an array of numpy, found {type(out).__name__}")
    if isinstance(optimize, list):
        optimize = tuple(tuple(step) if isinstance(step, list) else step for step in optimize)
    if isinstance(conjugate, (list, set)):
        conjugate = tuple(conjugate)
    options = threads, effort, dtype, order, casting, optimize, conjugate, plans, store
    depends = _depends_on_values(arrays)
    key = _key(subscripts, arrays, out, (*options, computed_type(arrays, out, dtype, casting)) if depends else options)
    plan = _plans.get(key)
    if plan is None:
        plan = _keep(key, _plan_arrays(subscripts, arrays, out, *options))
    if isinstance(plan, Trying) and alpha == 1 and beta == 0 and (out is None or not any(overlap(array, out) for array in arrays)):
        if out is not None:
            check_out(out, plan.shape)
        plan, result = plan.choose(arrays, out)
        _keep(key, plan)
        return result
    return _execute(plan, arrays, out, alpha, beta)


einsum.__signature__ = inspect.signature(_einsum)
DEFAULTS = tuple(einsum.__signature__.parameters[name].default for name in
                 ("threads", "effort", "dtype", "order", "casting", "optimize", "conjugate", "plans", "store"))


def _depends_on_values(arrays):
    """Returns whether the promoted type may depend on values: numpy before 2.0 considers the value
    of a number among arrays."""
    return len({array.dtype for array in arrays}) > 1 and any(array.ndim == 0 for array in arrays)


def _plan_arrays(subscripts, arrays, out, threads, effort, dtype, order, casting, optimize, conjugate, plans, store):
    """Plans the product. Returns a Plan, a Trying, or a NumpyProduct if libtcplan cannot compute the
    product."""
    expression = _subscripts.parse(subscripts, [array.shape for array in arrays])
    computed = computed_type(arrays, out, dtype, casting)
    conjugated = conjugated_operands(conjugate, len(arrays))
    converts = any(array.dtype != computed for array in arrays)
    if len(arrays) == 1 or computed.char not in TYPES:
        path = resolve(optimize, [term.labels for term in expression.terms], expression.output, expression.extents)
        return NumpyProduct(expression, computed, path, order_name(order), casting, conjugated, converts)
    settings = Settings(threads=1 if threads is None else threads, effort=effort, default_effort="estimate", plans=plans, store=store)
    layouts, result, lies, computed = planned_arrays(arrays, out, dtype, order, casting)
    frees = out is None and order_name(order) == "K"

    def planned(executions):
        return plan_layouts(subscripts, layouts, computed, replace(settings, improve=executions), result, lies, optimize, conjugate, frees_result=frees)

    if not tries_ways(effort):
        return planned(0)
    plan, executions = planned(EXECUTIONS), EXECUTIONS
    if len(arrays) == 2 and plan.seconds < SMALL_SECONDS:
        plan, executions = planned(SMALL_EXECUTIONS), SMALL_EXECUTIONS
    return Trying(plan, executions, expression, order_name(order), threads is None and not converts and not conjugated)


def _execute(plan, arrays, out, alpha, beta):
    if out is not None:
        check_out(out, plan.shape)
    elif beta != 0:
        raise InputError("beta scales the old values of out, which is missing")
    factors = [None if factor == own else checked_factor(factor, name, plan.dtype) for factor, own, name in ((alpha, 1, "alpha"), (beta, 0, "beta"))]
    return plan.compute(arrays, out, *factors)


def _searched(expression, arrays, threads, dtype, store):
    """Returns the path with the shortest predicted time."""
    computed = computed_type(arrays, None, dtype, "unsafe")
    computed = computed if computed.char in TYPES else numpy.dtype(numpy.float64)
    layouts = [in_one_piece(layout_of(array, computed)) for array in arrays]
    result = dense([expression.extents[label] for label in expression.output])
    planner, attended = planner_for(Settings(threads=threads, effort="estimate", plans="", store=store))
    with attended:
        return order_of(expression, layouts, computed, result, (), planner).path


def einsum_path(subscripts, *operands, optimize=True, einsum_call=False, threads=1, dtype=None, store=None):
    """Returns (path, text) as numpy.einsum_path: the order in which einsum() multiplies these
    operands. numpy.einsum and einsum() accept the path as `optimize`.

    optimize, threads, dtype, store: as in einsum(); the default is the order with the shortest
        predicted time
    einsum_call: passed to numpy.einsum_path, which uses it internally to get the calls of each step
        instead of the text
    """
    subscripts, operands = _subscripts.separate(subscripts, operands)
    arrays = [as_array(operand, number) for number, operand in enumerate(operands)]
    expression = _subscripts.parse(subscripts, [array.shape for array in arrays])
    path = resolve(optimize, [term.labels for term in expression.terms], expression.output, expression.extents)
    if path is None and len(arrays) > 2:
        path = _searched(expression, arrays, threads, dtype, store)
    path = path or [tuple(range(len(arrays)))]
    return numpy.einsum_path(subscripts, *arrays, optimize=["einsum_path", *path], einsum_call=einsum_call)


def _axes(axes, left, right):
    """Returns the summed dimensions of both operands, counted from 0."""
    if hasattr(axes, "__index__"):
        count = axes.__index__()
        if not 0 <= count <= min(left.ndim, right.ndim):
            raise InputError(f"expected 0 to {min(left.ndim, right.ndim)} dimensions to sum over, found {count}")
        return list(range(left.ndim - count, left.ndim)), list(range(count))
    both = []
    for one, array in zip(axes, (left, right)):
        one = [one] if hasattr(one, "__index__") else list(one)
        for axis in one:
            if not -array.ndim <= axis < array.ndim:
                raise InputError(f"an array with {array.ndim} dimensions has no dimension {axis}")
        both.append([axis % array.ndim for axis in one])
    if len(both) != 2 or len(both[0]) != len(both[1]) or any(len(set(one)) != len(one) for one in both):
        raise InputError(f"expected two lists of as many different dimensions, found {axes!r}")
    return both


def tensordot(a, b, axes=2, **options):
    """Computes numpy.tensordot by tcplan's algorithms; `options` are those of einsum()."""
    left, right = as_array(a, 0), as_array(b, 1)
    summed = _axes(axes, left, right)
    if left.ndim + right.ndim > len(_subscripts.SYMBOLS):
        raise InputError(f"expected {len(_subscripts.SYMBOLS)} dimensions at most, found {left.ndim + right.ndim}")
    terms = [list(_subscripts.SYMBOLS[: left.ndim]), list(_subscripts.SYMBOLS[left.ndim : left.ndim + right.ndim])]
    for here, there in zip(*summed):
        if left.shape[here] != right.shape[there]:
            raise InputError(f"dimension {here} of the first array has extent {left.shape[here]}, dimension {there} of the second {right.shape[there]}")
        terms[1][there] = terms[0][here]
    free = [label for number, term in enumerate(terms) for axis, label in enumerate(term) if axis not in summed[number]]
    return einsum(f"{''.join(terms[0])},{''.join(terms[1])}->{''.join(free)}", left, right, **options)


transpose = numpy.transpose
