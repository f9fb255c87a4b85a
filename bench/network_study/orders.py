"""Orders of opt_einsum and of tcplan for a case, executed by numpy and by tcplan."""
import random
import statistics
import sys
import time
import types

import numpy

MOST_OPTIMAL = 8  # with more operands opt_einsum's `optimal` takes too long; `dp` finds the same order if there are no outer products
MOST_DP = 16
LEAST_ROUNDS, MOST_ROUNDS = 3, 15
MOST_ELEMENTS = 250e6  # bound on an intermediate: orders with a larger one are not executed


def load_opt_einsum():
    """Imports opt_einsum from PYTHONPATH; a checkout may lack the file with its version."""
    version = types.ModuleType("opt_einsum._version")
    version.__version__ = "of a checkout"
    sys.modules.setdefault("opt_einsum._version", version)
    import opt_einsum

    return opt_einsum


def leaves(path, count):
    """Returns a path as the set of the products that it makes: equal for paths that differ only in the order of lists."""
    left, made = [frozenset([number]) for number in range(count)], set()
    for places in path:
        taken = frozenset().union(*(left[place] for place in places))
        left = [one for place, one in enumerate(left) if place not in places] + [taken]
        made.add(taken)
    return frozenset(made)


def pairs(path, count):
    """Returns a path of pairs: steps of three and more operands are divided from left to right."""
    from tcplan import _path

    return _path.resolve(list(path), [()] * count, (), {})


def found_orders(opt_einsum, case):
    """Returns the text of a case for opt_einsum, and {finder: (path, seconds of the search, elements of the largest intermediate)} of opt_einsum's finders,
    without a bound on memory."""
    inputs, output, extents = case.symbols()
    text, shapes = f"{','.join(inputs)}->{output}", case.shapes()
    finders = {"greedy": "greedy", "random-greedy": "random-greedy"}
    if len(inputs) <= MOST_OPTIMAL:
        finders["optimal"] = "optimal"
    elif len(inputs) <= MOST_DP:
        finders["dp"] = "dp"
    found = {}
    for name, finder in finders.items():
        random.seed(1)
        start = time.thread_time()
        path, info = opt_einsum.contract_path(text, *shapes, shapes=True, optimize=finder)
        found[name] = [tuple(step) for step in path], time.thread_time() - start, float(info.largest_intermediate)
    return text, found


def arrays_of(case, seed):
    rng = numpy.random.default_rng(seed)
    return [rng.uniform(-1, 1, shape) / max(1, numpy.prod(shape)) ** 0.25 for shape in case.shapes()]


class Contender:
    """An executor of one order."""

    def __init__(self, name, run):
        self.name, self.run, self.seconds = name, run, []

    def time(self, arrays):
        begin = time.thread_time()
        self.run(*arrays)
        self.seconds.append(time.thread_time() - begin)


def check(reference, value, what):
    scale = float(numpy.max(numpy.abs(reference))) if numpy.size(reference) else 0
    worst = float(numpy.max(numpy.abs(numpy.asarray(value) - reference))) if numpy.size(reference) else 0
    if not worst <= 1e-9 * max(scale, 1e-300):
        raise ValueError(f"{what} is off by {worst:.2g} where the largest element is {scale:.2g}")


def in_rounds(contenders, arrays, case_seconds):
    """Times all contenders round by round. Each round begins with another contender."""
    begin = time.perf_counter()
    for number in range(MOST_ROUNDS):
        first = number % len(contenders)
        for contender in contenders[first:] + contenders[:first]:
            contender.time(arrays)
        spent = time.perf_counter() - begin
        if number + 1 >= LEAST_ROUNDS and spent * (number + 2) / (number + 1) > case_seconds:
            break


def study(tcplan, opt_einsum, case, options):
    """Returns the data of a case as a record for JSON."""
    text, found = found_orders(opt_einsum, case)
    arrays = arrays_of(case, options.seed)
    count = len(arrays)
    start = time.thread_time()
    planned = tcplan.plan(text, *arrays, effort=options.effort, store=options.store)
    planning = time.thread_time() - start
    ours = leaves(planned.path, count)
    reference = numpy.asarray(planned(*arrays))
    contenders = [Contender("tcplan", planned)]
    if reference.ndim > 0:  # predictions exclude the cost of new pages
        given = planned(*arrays)
        contenders.append(Contender("tcplan in a given array", lambda *operands: planned.execute(*operands, out=given)))
    orders, known = {}, {}
    for name, (path, seconds, elements) in found.items():
        if elements > MOST_ELEMENTS:
            orders[name] = {"path": path, "planning_seconds": seconds, "largest_elements": elements}
            continue
        tree = leaves(pairs(path, count), count)
        again = tcplan.plan(text, *arrays, effort=options.effort, store=options.store, optimize=path)
        orders[name] = {"path": path, "planning_seconds": seconds, "predicted_seconds": again.seconds, "differs": tree != ours}
        if tree in known:
            orders[name]["same_as"] = known[tree]
            continue
        known[tree] = name
        expression = opt_einsum.contract_expression(text, *case.shapes(), optimize=path)
        check(numpy.asarray(expression(*arrays)), reference, f"our order beside {name} with numpy")
        check(reference, again(*arrays), f"{name} with tcplan")
        contenders += [Contender(f"numpy {name}", expression), Contender(f"tcplan {name}", again)]
    in_rounds(contenders, arrays, options.case_seconds)
    median = {contender.name: statistics.median(contender.seconds) for contender in contenders}
    for name, order in orders.items():
        if "predicted_seconds" not in order:
            continue
        name = order.get("same_as", name)
        order.update(numpy_seconds=median[f"numpy {name}"], tcplan_seconds=median[f"tcplan {name}"])
    return {"name": case.name, "group": case.group, "held_out": case.held_out, "operands": count, "path": planned.path,
            "algorithms": list(planned.algorithms), "flops": planned.flops, "planning_seconds": planning, "predicted_seconds": planned.seconds,
            "seconds": median["tcplan"], "given_seconds": median.get("tcplan in a given array", median["tcplan"]), "orders": orders,
            "samples": {contender.name: contender.seconds for contender in contenders}}
