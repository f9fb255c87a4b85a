"""Rankings: the algorithms of a product, fastest first, as a table."""
import ctypes
import html
from dataclasses import dataclass

import numpy

from . import _library, _subscripts
from ._arrays import dense, element_type
from ._errors import InputError
from ._plan import conjugated_operands, planned_arrays
from ._planner import Settings, planner_for
from ._product import Product

# enum tcplan_entry_status and enum tcplan_basis, in the words of the command
STATUSES = ("predicted", "pruned", "measured", "not applicable", "open")
BASES = ("probes", "windows", "long windows", "runs", "other", "estimate")
# their columns in the table
BASED_ON = {"probes": "short probe", "windows": "part of a run", "long windows": "long part of a run", "runs": "whole runs"}
SHOWN = 12


@dataclass(frozen=True)
class Algorithm:
    """A line of a ranking.

    rank: position in the ranking, from 1
    status: "predicted"; "pruned", because its lower bound exceeds the best prediction; "open", not
        evaluated; or "not applicable" at these sizes
    seconds: predicted seconds of an execution; 0: not predicted
    low, high: the interval, in seconds, that holds 95 of 100 executions; for an estimate, the interval
        of its error
    gflops: speed in Gflop/s by the predicted seconds; 0: not predicted
    basis: how the prediction was obtained: "probes", "windows", "long windows", "runs" or "estimate";
        empty: not predicted
    bound_seconds: lower bound of the seconds of an execution; 0: unknown
    tied: whether it is as fast as the fastest algorithm in the same rounds
    compared: whether it was sampled in the same rounds as the chosen algorithm
    missed: whether it may be as fast as the chosen algorithm, but was not compared with it
    baseline: whether it is one plain kernel call on the operands or copies of them
    threads: number of threads
    chosen: whether plan() executes this algorithm
    """

    rank: int
    name: str
    status: str
    seconds: float
    low: float
    high: float
    gflops: float
    basis: str
    bound_seconds: float
    tied: bool
    compared: bool
    missed: bool
    baseline: bool
    threads: int
    chosen: bool


class Ranking:
    """The algorithms of a product, fastest first: a sequence of Algorithm. Prints as a table, also in
    notebooks.

    notation, dtype, threads: the product's notation, its type, and the largest number of threads
    flops: floating-point operations of an execution
    algorithms: number of algorithms, listed or not
    pruned: number of algorithms that a lower bound excludes
    open: number of algorithms that were not evaluated
    compared: whether the chosen algorithm was compared with all that may be as fast
    planning_seconds: seconds of wall-clock time that the ranking took
    dgemm_gflops: Gflop/s of a large product of square matrices of the type; 0: unknown
    out_of_time: whether the time limit ended the search
    """

    def __init__(self, product, handle, threads):
        library, self._handle = _library.load(), _library.own(handle, "tcplan_listing_free", self)
        summary = _library.ListingSummary(size=ctypes.sizeof(_library.ListingSummary))
        _library.check(library.tcplan_listing_summarize(self._handle, ctypes.byref(summary)))
        self.notation, self.dtype, self.flops, self.threads = product.text, product.dtype, product.flops, threads
        self.algorithms, self.pruned, self.open = int(summary.algorithms), int(summary.pruned), int(summary.open)
        self.planning_seconds, self.dgemm_gflops = summary.planning_seconds, summary.gemm_gflops
        self.compared, self.out_of_time = summary.compared, summary.out_of_time
        self._lines = [self._line(library, number) for number in range(summary.lines)]

    def _line(self, library, number):
        line = _library.Listed(size=ctypes.sizeof(_library.Listed))
        _library.check(library.tcplan_listing_line(self._handle, number, ctypes.byref(line)))
        gflops = 1e-9 * self.flops / line.seconds if line.seconds > 0 else 0.0
        basis = BASES[line.basis] if line.seconds > 0 else ""
        return Algorithm(number + 1, line.algorithm.decode(), STATUSES[line.status], line.seconds, line.low, line.high, gflops, basis, line.bound_seconds,
                         line.tied, line.compared, line.missed, line.is_baseline, line.threads, line.chosen)

    def __len__(self):
        return len(self._lines)

    def __getitem__(self, number):
        """Returns a line by its position, from 0, or by the name of its algorithm; a slice returns
        a list of lines."""
        if isinstance(number, str):
            for line in self._lines:
                if line.name == number:
                    return line
            raise InputError(f"'{number}' is not listed")
        return self._lines[number]

    @property
    def best(self):
        """The chosen line: plan() executes its algorithm."""
        return next(line for line in self._lines if line.chosen)

    # Showing.

    def table(self, top=SHOWN):
        """Returns the table as lists of cells: the heading, then the first `top` predicted lines, and
        the chosen line if it is not among them."""
        predicted = [line for line in self._lines if line.status == "predicted"]
        rows = predicted[:top] + [line for line in predicted[top:] if line.chosen]
        is_estimate = bool(rows) and rows[0].basis == "estimate"  # nothing was timed or compared
        head = ["rank", "algorithm", "time", "range" if is_estimate else "95 % interval", "GFLOP/s", "slowdown", "based on"]
        unit, scale = _unit(rows[0].seconds) if rows else ("s", 1)
        head[2] += f" {unit}"
        tied = sum(line.tied for line in self._lines)
        words = []
        for line in rows:
            basis = BASED_ON.get(line.basis, line.basis) + (", not compared" if line.missed and not is_estimate else "")
            slowdown = f"{line.seconds / rows[0].seconds:.2f}x" if rows[0].seconds > 0 else "-"
            mark = "*" if line.chosen and line.rank > 1 else "=" if line.tied and tied > 1 else " "
            words.append([f"{line.rank}{mark}", line.name + (" (baseline)" if line.baseline else ""), f"{line.seconds * scale:.4g}",
                          f"{line.low * scale:.4g} - {line.high * scale:.4g}", f"{line.gflops:.3g}", slowdown, basis])
        if self.threads > 1:
            head.insert(2, "threads")
            for line, row in zip(rows, words):
                row.insert(2, str(line.threads))
        return [head, *words]

    def _head(self):
        threads = "1 thread" if self.threads == 1 else f"{self.threads} threads"
        return f"{self.notation}; {self.dtype}, {threads}, {_flops(self.flops)}"

    def _tail(self, shown):
        words = [f"{self.algorithms} algorithms"]
        left = sum(line.status == "predicted" for line in self._lines) - shown
        for count, said in ((left, "slower"), (self.pruned, "ruled out by a lower bound"), (self.open, "skipped as predicted slower")):
            words += [f"{count} {said}"] if count > 0 else []
        return f"{', '.join(words)}; planned in {self.planning_seconds:.3g} s{', which was the limit' if self.out_of_time else ''}"

    def text(self, top=SHOWN):
        """Returns the table as text."""
        rows = self.table(top)
        widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
        left = (1, len(widths) - 1)  # columns that are aligned left
        lines = ["  ".join(word.ljust(width) if column in left else word.rjust(width) for column, (word, width) in enumerate(zip(row, widths))).rstrip()
                 for row in rows]
        return "\n".join([self._head(), *lines, self._tail(len(rows) - 1)])

    def __str__(self):
        return self.text()

    def __repr__(self):
        return self.text()

    def _repr_html_(self):
        """Returns the table as HTML, for notebooks."""
        head, *rows = self.table()
        cells = "".join(f"<th>{html.escape(word)}</th>" for word in head)
        body = "".join(f"<tr>{''.join(f'<td>{html.escape(word.strip())}</td>' for word in row)}</tr>" for row in rows)
        return (f"<table><caption>{html.escape(self._head())}</caption><thead><tr>{cells}</tr></thead><tbody>{body}</tbody></table>"
                f"<p>{html.escape(self._tail(len(rows)))}</p>")


def _unit(seconds):
    for unit, scale in (("s", 1), ("ms", 1e3), ("us", 1e6)):
        if seconds * scale >= 1:
            return unit, scale
    return "ns", 1e9


def _flops(flops):
    """Returns a number of operations as the command prints it: 33.55 MFLOP."""
    for unit in ("FLOP", "kFLOP", "MFLOP", "GFLOP", "TFLOP"):
        if flops < 1000:
            return f"{flops:.4g} {unit}"
        flops /= 1000
    return f"{flops:.4g} PFLOP"


def _product(subscripts, operands, dtype, order, casting, conjugate):
    subscripts, operands = _subscripts.separate(subscripts, operands)
    if len(operands) != 2:
        raise InputError(f"a ranking needs two operands, found {len(operands)}")
    layouts, _, order, computed = planned_arrays(operands, None, dtype, order, casting)
    expression = _subscripts.parse(subscripts, [layout.shape for layout in layouts])
    labels = [term.labels for term in expression.terms]
    lies = [layout.without(term.dropped) for layout, term in zip(layouts, expression.terms)]
    result = dense([expression.extents[label] for label in expression.output], order)
    conjugated = conjugated_operands(conjugate, 2)
    return Product.of_arrays([*labels, expression.output], [*lies, result], computed, tuple(number in conjugated for number in range(2)))


def rank(subscripts, *operands, sizes=None, threads=1, effort=None, time_limit=0, workspace=0, prefer="simple", dtype=None, order="K", casting="safe",
         conjugate=(), store=None, progress=None):
    """Ranks the algorithms of a product of two operands, fastest first.

        rank("ai,ibc->abc", A, B)
        rank("ai,ibc->abc", (400, 8), (8, 400, 400))
        rank("C_abc=A_ai*B_ibc", sizes="a=b=c=400,i=8")

    The arguments are those of plan(). Stored plans are neither read nor written.
    """
    settings = Settings(threads=threads, effort=effort, time_limit=time_limit, workspace=workspace, prefer=prefer, plans="", store=store)
    if sizes is not None:
        if operands:
            raise InputError("expected operands or sizes, found both")
        product = Product.of_text(subscripts, sizes, element_type(numpy.float64 if dtype is None else dtype), order)
    else:
        product = _product(subscripts, operands, dtype, order, casting, conjugate)
    planner, attended = planner_for(settings, progress)
    library, made, error = _library.load(), ctypes.c_void_p(), _library.ErrorRecord()
    with attended:
        _library.check(library.tcplan_listing_new(ctypes.byref(made), planner.handle, product.handle, ctypes.byref(error)), error)
    return Ranking(product, made, settings.threads)
