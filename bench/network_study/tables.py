"""Makes the tables of the study from its records."""
import math
import statistics

BEGIN, END = "<!-- bench/networks begins -->", "<!-- bench/networks ends -->"
SMALL, LARGE = 8, 50  # numbers of operands in the two targets for planning time


def geometric_mean(values):
    return math.exp(statistics.fmean(map(math.log, values))) if values else math.nan


def best(record, key):
    orders = {name: order for name, order in record["orders"].items() if key in order}  # the other orders have too large intermediates to be executed
    return min(orders, key=lambda name: orders[name][key])


def over_numpy(record):
    """Returns the time of our order by tcplan over that of opt_einsum's best order by numpy."""
    return record["seconds"] / record["orders"][best(record, "numpy_seconds")]["numpy_seconds"]


def over_order(record):
    """Returns the time of our order over that of opt_einsum's best order, both executed by tcplan; None if the orders are the same."""
    order = record["orders"][best(record, "tcplan_seconds")]
    return record["seconds"] / order["tcplan_seconds"] if order["differs"] else None


def over_cost(record):
    """Returns the predicted time of our order over that of opt_einsum's best order."""
    return record["predicted_seconds"] / record["orders"][best(record, "predicted_seconds")]["predicted_seconds"]


def over_run(record):
    """Returns predicted over executed time, for results that are not new arrays: predictions exclude the cost of new pages."""
    return record["predicted_seconds"] / record["given_seconds"]


def number(value, digits=2):
    return "" if value is None else f"{value:.{digits}f}"


def rows(records):
    yield ("expression", "operands", "best of opt_einsum", "numpy ms", "ours ms", "ours / numpy", "our order / its", "predicted / run", "our cost / its",
           "planned ms")
    for record in records:
        name = best(record, "numpy_seconds")
        yield (record["name"], str(record["operands"]), name, number(1e3 * record["orders"][name]["numpy_seconds"]), number(1e3 * record["seconds"]),
               number(over_numpy(record)), number(over_order(record)), number(over_run(record)), number(over_cost(record), 3),
               number(1e3 * record["planning_seconds"], 1))


def markdown(records):
    lines = list(rows(records))
    lines.insert(1, ("---", *["---:" if column != 2 else "---" for column in range(1, len(lines[0]))]))
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def summary(records):
    """Returns a summary of the quantities that have targets."""
    orders = [ratio for ratio in map(over_order, records) if ratio is not None]
    numpy = [over_numpy(record) for record in records]
    off = [abs(math.log(over_run(record))) for record in records]
    costs = [over_cost(record) for record in records]
    lines = [f"ours over opt_einsum's best order with numpy: {geometric_mean(numpy):.2f} in the geometric mean, {max(numpy):.2f} at most"]
    if orders:
        lines.append(f"our order over its best, both executed by ours, of the {len(orders)} where they differ: {geometric_mean(orders):.2f} in the geometric "
                     f"mean, {max(orders):.2f} at most")
    lines.append(f"predicted over executed: {geometric_mean([over_run(record) for record in records]):.2f} in the geometric mean; off by "
                 f"{100 * math.expm1(statistics.fmean(off)):.0f} % in the mean")
    lines.append(f"our cost over the least of its orders' under our cost: {max(costs):.3f} at most")
    for least, most, words in ((0, SMALL, f"up to {SMALL}"), (SMALL + 1, LARGE, f"{SMALL + 1} to {LARGE}"), (LARGE + 1, math.inf, "more")):
        times = [record["planning_seconds"] for record in records if least <= record["operands"] <= most]
        if times:
            lines.append(f"planning of {words} operands: {geometric_mean(times):.3f} s in the geometric mean, {max(times):.3f} s at most")
    return "\n".join(f"- {line}" for line in lines)


def document(results):
    parts = [", ".join(f"{key}: {value}" for key, value in results["conditions"].items())]
    for held_out, title in ((True, "Held out"), (False, "The other half")):
        records = [record for record in results["cases"] if record["held_out"] == held_out]
        if records:
            parts += [f"**{title}**, {len(records)} expressions:", summary(records), markdown(records)]
    parts += [f"{name}: {reason}" for name, reason in results["failures"].items()]
    return "\n\n".join(parts) + "\n"


def updated(page, text):
    """Returns a page with the tables between their marks; raises ValueError if the page has no marks."""
    begin, end = page.find(BEGIN), page.find(END)
    if begin < 0 or end < begin:
        raise ValueError(f"it has no '{BEGIN}' before '{END}'")
    return f"{page[:begin]}{BEGIN}\n\n{text}\n{page[end:]}"
