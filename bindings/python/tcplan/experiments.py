"""Experiments of `tcplan experiment`: writes their XML and reads their reports.

    from tcplan.experiments import Experiment, rows

    for library in ("openblas", "blis"):
        experiment = Experiment("dgemm", library=library, repetitions=20)
        experiment.range("n", "100:1000:100")
        experiment.call("dgemm", transA="N", transB="N", m="n", n="n", k="n", alpha=1, A="A", B="B", beta=1, C="C")
        experiment.write(f"{library}.xml")

    # tcplan experiment run openblas.xml -o openblas-report.xml, and so on
    table = pandas.DataFrame(rows("openblas-report.xml", "blis-report.xml"))
    table.groupby(["library", "n"])["seconds"].median()

This module needs only the standard library, and also works as a single file without the package.
"""
import xml.etree.ElementTree as tree


class Experiment:
    """An experiment. `attributes` are those of the element <experiment>, such as threads="n",
    cores="close" or shuffle=True (docs/experiments.md)."""

    def __init__(self, name, title=None, comment=None, **attributes):
        self.root = tree.Element("experiment", {"format": "1", "name": name} | _texts(attributes))
        for tag, text in (("title", title), ("comment", comment)):
            if text:
                tree.SubElement(self.root, tag).text = text

    def range(self, variable, values):
        """Sets the variable of the range and its values: a text such as "100:1000:100", or a list of
        numbers. Returns the experiment."""
        return self._add("range", {"variable": variable, "values": _values(values)})

    def sum(self, variable, values, parallel=False):
        """Sets the loop whose iterations are added up, with values as in range(). parallel: whether
        the iterations run in parallel. Returns the experiment."""
        return self._add("sum", {"variable": variable, "values": _values(values)} | _texts({"parallel": parallel}))

    def call(self, routine, name=None, library=None, **arguments):
        """Adds a call of a routine. `arguments` are the routine's: flags, names of operands, numbers
        and expressions. name: of the call, for evaluations. library: of the routine, by default that
        of the experiment. Returns the experiment."""
        element = self._add("call", {"routine": routine} | _texts({"name": name, "library": library}), of=True)
        element.text = " ".join(f"{key}={str(value).replace(' ', '')}" for key, value in arguments.items())
        return self

    def operand(self, name, vary, along=None, offset=None):
        """Gives an operand separate memory for every repetition (vary="rep") or iteration. Must follow
        all calls. Returns the experiment."""
        return self._add("operand", {"name": name, "vary": vary} | _texts({"along": along, "offset": offset}))

    def _add(self, tag, attributes, of=False):
        element = tree.SubElement(self.root, tag, attributes)
        return element if of else self

    def __str__(self):
        tree.indent(self.root)
        return tree.tostring(self.root, encoding="unicode") + "\n"

    def write(self, path):
        with open(path, "w", encoding="utf-8") as file:
            file.write('<?xml version="1.0" encoding="UTF-8"?>\n' + str(self))


def rows(*paths):
    """Yields a dictionary for each timed call, or parallel region, in the reports at these paths. Its
    keys are `experiment`, `library`, `host`, `cpu`, `cores`, `memory`, the variable of the range,
    `repetition`, `sum` (number of the iteration that is added up), `call`, `ticks`, `seconds`,
    `disturbed`, and the names of the experiment's counters; a counter that was not available is
    None."""
    for path in paths:
        yield from _rows(tree.parse(path).getroot())


def _rows(report):
    experiment = report.find("experiment")
    span = experiment.find("range")
    points = _points(span.get("values")) if span is not None else [None]
    calls = _names(experiment)
    libraries = [call.get("library") or experiment.get("library", "openblas") for call in experiment.findall("call")]
    counters = experiment.get("counters", "").split()
    provenances = {element.get("id"): element for element in report.iter("provenance")}
    for run in report.iter("run"):
        provenance = provenances[run.get("provenance")]
        parts = {part.get("name"): part.get("value") for part in provenance.iter("part")}
        head = {"experiment": experiment.get("name"), "library": provenance.get("library"), "host": provenance.get("host"),
                "cpu": parts.get("CPU"), "cores": experiment.get("cores"), "memory": experiment.get("memory")}
        named = {text.split(":")[0]: text for text in (provenance.get("library") or "").split("; ")}
        hertz = float(provenance.get("ticks_per_second"))
        for samples in run.iter("samples"):
            place = {"repetition": int(samples.get("repetition"))}
            if span is not None:
                place[span.get("variable")] = points[int(samples.get("point"))]
            disturbed = set(map(int, samples.get("disturbed", "").split()))
            counts = samples.get("counts", "").split()
            for number, ticks in enumerate(map(int, samples.get("ticks").split())):
                counted = counts[number * len(counters):(number + 1) * len(counters)]
                library = named.get(libraries[number % len(calls)]) if len(named) > 1 and len(calls) == len(libraries) else head["library"]
                yield head | place | {"library": library, "sum": number // len(calls), "call": calls[number % len(calls)], "ticks": ticks,
                                      "seconds": ticks / hertz, "disturbed": number in disturbed} | {
                    name: None if count == "-" else float(count) for name, count in zip(counters, counted)}


def _names(experiment):
    """Returns the names of the timed calls in order; `all` if calls run in parallel and have one time
    together."""
    total = experiment.find("sum")
    if experiment.get("parallel_calls") == "true" or (total is not None and total.get("parallel") == "true"):
        return ["all"]
    calls = experiment.findall("call")
    routines = [call.get("routine") for call in calls]
    return [call.get("name") or (routine if routines.count(routine) == 1 else f"{routine}{routines[:place + 1].count(routine)}")
            for place, (call, routine) in enumerate(zip(calls, routines))]


def _points(text):
    """Returns the numbers of a text: values = part { "," part } ; part = number | first ":" last [
    ":" step ]."""
    points = []
    for part in text.replace(" ", "").split(","):
        numbers = [int(number) for number in part.split(":")]
        first, last, step = numbers[0], numbers[-1 if len(numbers) < 3 else 1], numbers[2] if len(numbers) == 3 else 1
        points.extend(range(first, last + (1 if step > 0 else -1), step))
    return points


def _values(values):
    return values if isinstance(values, str) else ",".join(map(str, values))


def _texts(attributes):
    """Returns attributes as texts, without those that are None or False."""
    return {name: "true" if value is True else str(value) for name, value in attributes.items() if value is not None and value is not False}
