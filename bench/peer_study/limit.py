"""Limits of contractions by the machine's ceilings, as `tcplan rank` computes them (docs/roofline.md), and checks of these ceilings by other tools.

Each record has the limit that its ranking computed from the ceilings of the same run. The ceilings of
a run are those of ceilings.py: {"peak": {"name", "gflops", "slow"}, "gemm": {"extents"}, "levels":
[{"name", "holds_bytes"}], "rates": [{"kernel", "level", "gbytes_per_second", "slow",
"working_set_bytes"}], "checks": [{"ceiling", "name", "by", "rate"}]}. Rates are in GFLOP/s or GB/s.
Of several runs, the highest value of each is shown. Runs without a peak are from versions that
computed limits in another way, and have no limit.
"""
MEMORY = "DRAM"
SLOW_SHARE = 0.9  # if the state of the cores left a ceiling less than this share of its speed, the ceiling is not used, as in tcplan
PAST_CACHES = ("store_nt", MEMORY)
TOLERANCE = 0.1   # relative difference between a ceiling and the value of another tool
UNREPORTED = "unreported"  # a level that was found but that the system does not report
INDEPENDENT = "likwid-bench"  # the source to use if there are several
PRECISION = {"s": "single", "d": "double"}
DATA = "data"  # what limits a case that arithmetic does not limit
BOUND_SHARE = 0.99  # if arithmetic alone takes this share of the limit, arithmetic is what limits


def ceilings_of(document, threads, real="d"):
    """Returns the data recorded from the JSON of `tcplan roofline`, for a number of threads and a real type."""
    def slow(ceiling):
        return 0 < ceiling.get("speed_share", 1) < SLOW_SHARE

    def best(ceilings):
        return max(ceilings, key=lambda c: c["gflops"], default=None)

    compute = [c for c in document["compute"] if c["threads"] == threads]
    gemm = best(c for c in compute if c["name"] == real + "gemm")
    peak = best([c for c in compute if c["precision"] == PRECISION[real] and c["name"] in ("fma", "mul_add", "add")] + ([gemm] if gemm else []))
    rates = [{"kernel": b["kernel"], "level": b["level"], "gbytes_per_second": b["gbytes_per_second"], "slow": slow(b),
              "working_set_bytes": b["working_set_bytes"]}
             for b in document["bandwidth"] if b["threads"] == threads and (b["kernel"] in ("load", "store") or (b["kernel"], b["level"]) == PAST_CACHES)]
    levels = [{"name": entry.get("level", UNREPORTED), "holds_bytes": entry.get("holds_bytes")} for entry in document["levels"] if entry["threads"] == threads]
    return {"peak": {"name": peak["name"], "gflops": peak["gflops"], "slow": slow(peak)} if peak else None,
            "gemm": {"extents": [gemm["m"], gemm["n"], gemm["k"]]} if gemm else None, "levels": levels, "rates": rates, "checks": []}


class Limit:
    """The limit of a case: seconds, and what limits it: the name of the peak, or DATA."""

    def __init__(self, seconds, bound):
        self.seconds, self.bound = seconds, bound


class Ceilings:
    """The ceilings of all runs of a study."""

    def __init__(self, runs):
        self.runs, self.peak, self.peak_name, self.rates, self.levels = [run for run in runs if "peak" in run], None, None, {}, []
        for run in self.runs:
            peak = run["peak"]
            if peak and not peak["slow"] and peak["gflops"] > (self.peak or 0):
                self.peak, self.peak_name = peak["gflops"], peak["name"]
            for rate in run["rates"]:
                key = (rate["kernel"], rate["level"])
                if not rate["slow"]:
                    self.rates[key] = max(self.rates.get(key, 0), rate["gbytes_per_second"])
            self._add_levels(run["levels"])

    def _add_levels(self, levels):
        known = {level["name"]: level for level in self.levels}
        for level in levels:
            if level["name"] not in known:
                self.levels.append(dict(level))
            elif level["holds_bytes"] and known[level["name"]]["holds_bytes"]:
                known[level["name"]]["holds_bytes"] = max(level["holds_bytes"], known[level["name"]]["holds_bytes"])
        self.levels.sort(key=lambda level: level["holds_bytes"] or float("inf"))

    def is_complete(self):
        """Returns whether limits can be computed: there are ceilings of arithmetic, and of loads and stores in every measured level."""
        levels = {level for run in self.runs for level in (rate["level"] for rate in run["rates"])}
        return bool(self.peak and levels) and all((kernel, level) in self.rates for level in levels for kernel in ("load", "store"))

    def rate(self, name):
        """Returns the rate of a ceiling by its name, such as `load L2`; None if it is unknown."""
        return self.peak if name == self.peak_name else self.rates.get(tuple(name.split(" ", 1)))

    def names(self):
        return ([self.peak_name] if self.peak else []) + [f"{kernel} {level}" for kernel, level in self.rates]

    def checks(self, name):
        """Returns {who: rate} of the other tools' values for a ceiling, the highest of all runs."""
        found = {}
        for check in (c for run in self.runs for c in run["checks"] if c["ceiling"] == name):
            found[check["by"]] = max(found.get(check["by"], 0), check["rate"])
        return found

    def off(self, name):
        """Returns (who, ratio of the ceiling to the value that it is compared with); None if there is no value."""
        found, rate = self.checks(name), self.rate(name)
        by = INDEPENDENT if INDEPENDENT in found else next(iter(found), None)
        return (by, rate / found[by]) if by and rate else None

    def is_off(self, name):
        """Returns whether a ceiling differs from the value of another tool. The peak is compared with gemm, which can only be too fast."""
        off = self.off(name)
        return off is not None and (abs(off[1] - 1) > TOLERANCE if name != self.peak_name else off[1] < 1 - TOLERANCE)

    def faults(self, of_peak):
        """Returns the reasons, as texts, why the peak, or the ceilings of data transfers, are in doubt."""
        faults = []
        for name in sorted(name for name in self.names() if (name == self.peak_name) == of_peak):
            off = self.off(name)
            if off is None:
                faults.append(f"nobody checked {name}")
            elif self.is_off(name):
                faults.append(f"{name} is {100 * abs(off[1] - 1):.0f} % {'above' if off[1] > 1 else 'below'} that of {off[0]}")
        return faults


def limit_of(ceilings, record):
    """Returns the Limit of a record; None if it is unknown."""
    seconds = record.get("limit_seconds")
    if not ceilings or not ceilings.peak or not seconds:
        return None
    return Limit(seconds, ceilings.peak_name if 1e-9 * record["flops"] / ceilings.peak >= BOUND_SHARE * seconds else DATA)
