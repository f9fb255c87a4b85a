"""The limit of a contraction by the machine's ceilings, as `tcplan rank` computes it (docs/roofline.md), and how far ceilings are from another's.

Ceilings of a run are what ceilings.py keeps: {"gemm": {"name", "gflops", "slow", "extents"}, "levels": [{"name", "holds_bytes"}],
"rates": [{"kernel", "level", "gbytes_per_second", "slow", "working_set_bytes"}], "checks": [{"ceiling", "name", "by", "rate"}]}. Rates in GFLOP/s and
GB/s. Of several runs the highest of each counts, and levels are as large as the largest: a low ceiling flatters.
"""
MEMORY = "DRAM"
SLOW_SHARE = 0.9  # of its speed that the cores' state left a ceiling: below it is none, as in tcplan
PAST_CACHES = ("store_nt", MEMORY)
TOLERANCE = 0.1   # between a ceiling and another's figure for it
GEMM = "dgemm"
UNREPORTED = "unreported"  # a level that was found and the system does not know
INDEPENDENT = "likwid-bench"  # whose word counts where there is more than one


def ceilings_of(document, threads, gemm_name=GEMM):
    """What limits need of the JSON of `tcplan roofline`, for a number of threads and the gemm of a type."""
    def slow(ceiling):
        return 0 < ceiling.get("speed_share", 1) < SLOW_SHARE

    gemm = [c for c in document["compute"] if c["name"] == gemm_name and c["threads"] == threads]
    rates = [{"kernel": b["kernel"], "level": b["level"], "gbytes_per_second": b["gbytes_per_second"], "slow": slow(b),
              "working_set_bytes": b["working_set_bytes"]}
             for b in document["bandwidth"] if b["threads"] == threads and (b["kernel"] in ("load", "store") or (b["kernel"], b["level"]) == PAST_CACHES)]
    best = max(gemm, key=lambda c: c["gflops"]) if gemm else None
    levels = [{"name": entry.get("level", UNREPORTED), "holds_bytes": entry.get("holds_bytes")} for entry in document["levels"] if entry["threads"] == threads]
    return {"gemm": {"name": gemm_name, "gflops": best["gflops"], "slow": slow(best), "extents": [best["m"], best["n"], best["k"]]} if best else None,
            "levels": levels, "rates": rates, "checks": []}


class Limit:
    """Of one case: seconds, what binds it, and the names of the ceilings it rests on."""

    def __init__(self, seconds, bound, ceilings):
        self.seconds, self.bound, self.ceilings = seconds, bound, ceilings


class Ceilings:
    """Those of all runs of a study."""

    def __init__(self, runs):
        self.runs, self.gemm, self.rates, self.levels = runs, None, {}, []
        self.gemm_name = next((run["gemm"]["name"] for run in runs if run["gemm"] and "name" in run["gemm"]), GEMM)
        for run in runs:
            if run["gemm"] and not run["gemm"]["slow"]:
                self.gemm = max(self.gemm or 0, run["gemm"]["gflops"])
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

    def level(self, size):
        """The innermost level that holds so many bytes; of one that the system does not report the nearer one's ceilings count, which are higher."""
        at = next((n for n, level in enumerate(self.levels) if not level["holds_bytes"] or level["holds_bytes"] >= size), len(self.levels) - 1)
        while at >= 0 and self.levels[at]["name"] == UNREPORTED:
            at -= 1
        return self.levels[at]["name"] if at >= 0 else MEMORY

    def limit(self, flops, factor_bytes, result_bytes):
        """The Limit of C := A B in seconds, or None where a ceiling is missing or was measured while the cores were slow."""
        level = self.level(factor_bytes + result_bytes)
        store = "store_nt" if level == MEMORY and PAST_CACHES in self.rates else "store"
        needed = [("load", level), (store, level)]
        if not self.gemm or any(key not in self.rates for key in needed):
            return None
        computing = 1e-9 * flops / self.gemm
        moving = 1e-9 * (factor_bytes / self.rates[needed[0]] + result_bytes / self.rates[needed[1]])
        bound = "gemm" if computing >= moving else level
        return Limit(max(computing, moving), bound, [self.gemm_name] + [f"{kernel} {name}" for kernel, name in needed])

    def rate(self, name):
        """Of a ceiling by its name, such as `load L2`; None: not known."""
        return self.gemm if name == self.gemm_name else self.rates.get(tuple(name.split(" ", 1)))

    def names(self):
        return ([self.gemm_name] if self.gemm else []) + [f"{kernel} {level}" for kernel, level in self.rates]

    def checks(self, name):
        """{who: rate} of the others' figures for a ceiling, the highest of all runs."""
        found = {}
        for check in (c for run in self.runs for c in run["checks"] if c["ceiling"] == name):
            found[check["by"]] = max(found.get(check["by"], 0), check["rate"])
        return found

    def off(self, name):
        """(who, ceiling over the figure that it is held against); None where nobody checked it."""
        found, rate = self.checks(name), self.rate(name)
        by = INDEPENDENT if INDEPENDENT in found else next(iter(found), None)
        return (by, rate / found[by]) if by and rate else None

    def faults(self, names):
        """Why shares of limits that rest on these ceilings are void: a text each."""
        faults = []
        for name in sorted(names):
            off = self.off(name)
            if off is None:
                faults.append(f"nobody checked {name}")
            elif abs(off[1] - 1) > TOLERANCE:
                faults.append(f"{name} is {100 * abs(off[1] - 1):.0f} % {'above' if off[1] > 1 else 'below'} that of {off[0]}")
        return faults


def operand_bytes(record):
    """Bytes of A and B, and of C, of a record."""
    tensors = record["tensor_bytes"]
    return tensors[0] + tensors[1], tensors[2]


def limit_of(ceilings, record):
    """The Limit of a record; None where it is not known."""
    if not ceilings or "tensor_bytes" not in record:
        return None
    return ceilings.limit(record["flops"], *operand_bytes(record))
