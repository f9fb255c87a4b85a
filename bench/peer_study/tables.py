"""Prints the records of the cases as tables in Markdown."""
import math

from .cases import IN_CACHE, IN_MEMORY, TYPES
from .limit import DATA, INDEPENDENT, TOLERANCE, Ceilings, limit_of

IDEALS = tuple(letter + ideal for letter in TYPES for ideal in ("gemm_mn", "gemm_nm", "gemv_n", "gemv_t"))
OWN = IDEALS + ("winner", "winner_1", "no_compiler")
MISS = 0.95
ABOVE = 1.03  # a share of the limit that exceeds the spread of measurements and shows that a ceiling is too low

OF_TCCG = ("intensli", "ao2mo", "ccsd", "ccsd_t")

# Set, cases in it, targets: of the geometric mean of winner / ideal, of the mean share of the limit, of the worst share.
SETS = (
    ("TCCG", OF_TCCG, 1.25, 0.82, 0.65),
    ("intensli", ("intensli",), None, None, None),
    ("ao2mo", ("ao2mo",), None, None, None),
    ("ccsd", ("ccsd",), None, None, None),
    ("ccsd_t", ("ccsd_t",), None, 0.6, None),
    ("S1", ("S1",), 2.9, 0.85, None),
    ("S2", ("S2",), 1.35, 0.85, None),
    ("S3", ("S3",), 1.0, 0.85, None),
    ("drawn", ("drawn",), 1.2, 0.7, 0.5),
    (IN_MEMORY, (IN_MEMORY,), None, 0.75, None),
    (IN_CACHE, (IN_CACHE,), None, 0.75, None),
)
OTHER_TYPES = {"TCCG": (None, 0.65, None), "ccsd_t": (None, 0.6, None), "S1": (1.5, None, None)}  # targets in single precision and for complex types
THREADS_TARGET = 1.8


def sets_of(records):
    """Returns SETS with the targets for the type of the records."""
    if all(r.get("dtype", "d") == "d" for r in records):
        return SETS
    return tuple((name, groups, *OTHER_TYPES.get(name, (None, None, None))) for name, groups, *_ in SETS)


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values)) if values else None


def gflops(record, name):
    contender = record["contenders"].get(name)
    return contender["gflops"] if contender else None


def ideal(record):
    """Returns GFLOP/s of the faster ideal; None if there is none."""
    return max(filter(None, (gflops(record, name) for name in IDEALS)), default=None)


def gbytes(record):
    """Returns GB/s of the winner, counting each of the three tensors once."""
    return 1e-9 * sum(record["tensor_bytes"]) / record["contenders"]["winner"]["median_seconds"] if "tensor_bytes" in record else None


def ratio(record, name="winner"):
    """Returns a contender's speed over the ideal's; None if one of them did not run."""
    speed, best = gflops(record, name), ideal(record)
    return speed / best if speed and best else None


def share(record, limit, name="winner"):
    """Returns a contender's share of the limit (1: no algorithm can be faster); None if it did not run or there is no limit."""
    contender = record["contenders"].get(name)
    return limit.seconds / contender["median_seconds"] if contender and limit else None


def ideal_name(record):
    return max((n for n in IDEALS if gflops(record, n)), key=lambda n: gflops(record, n), default=None)


def best_peer(record):
    """Returns the name of the fastest peer; None if no peer ran."""
    return max(peer_names([record]), key=lambda n: gflops(record, n), default=None)


def over_best_peer(record):
    best = best_peer(record)
    return gflops(record, "winner") / gflops(record, best) if best else None


def speedup(record):
    one = gflops(record, "winner_1")
    return gflops(record, "winner") / one if one else None


def kept_without_compiler(record):
    """Returns the speed of the winner that was planned without a compiler over that of the winner; None if it did not run."""
    without = gflops(record, "no_compiler")
    return without / gflops(record, "winner") if without else None


def peer_names(records):
    names = []
    for record in records:
        names.extend(n for n in record["contenders"] if n not in OWN and n not in names)
    return names


def prediction_error(record):
    return record["plans"]["winner"]["predicted_seconds"] / record["contenders"]["winner"]["median_seconds"] - 1


def spread(record):
    return max(contender["spread"] for name, contender in record["contenders"].items() if name in OWN)


def figure(value, digits=1):
    return "-" if value is None else f"{value:.{digits}f}"


def table(head, rows):
    """Returns a table as Markdown with aligned columns; columns whose head does not start with '<' are numbers. Names of parallel algorithms
    have a bar in them, which would end the cell."""
    left = [h.startswith("<") for h in head]
    cells = [[h.lstrip("<") for h in head]] + [[str(c).replace("|", r"\|") for c in row] for row in rows]
    widths = [max(len(row[column]) for row in cells) for column in range(len(head))]

    def line(row):
        return "| " + " | ".join(c.ljust(w) if to_left else c.rjust(w) for c, w, to_left in zip(row, widths, left)) + " |"

    rule = "|" + "|".join("-" * (w + 1) + ("-" if to_left else ":") for w, to_left in zip(widths, left)) + "|"
    return "\n".join([line(cells[0]), rule] + [line(row) for row in cells[1:]])


def case_table(records):
    peers = peer_names(records)
    threaded = any("winner_1" in r["contenders"] for r in records)
    compared = any(map(kept_without_compiler, records))
    head = ["<case", "<contraction", "<sizes", "m, n, k", "ideal", "swapped", "<winner", "GFLOP/s", "GB/s", "of ideal"]
    head += (["1 thread", "speedup"] if threaded else []) + (["<without a compiler", "GFLOP/s", "of winner"] if compared else [])
    head += peers + ["predicted ms", "measured ms", "error %", "planning ms", "spread %"]
    rows = []
    for r in records:
        first, second = [n for n in IDEALS if n in r["contenders"]] or (None, None)
        plan = r["plans"]["winner"]
        row = [r["name"], r["contraction"], r["sizes"], f"{r['m']}, {r['n']}, {r['k']}", figure(gflops(r, first)), figure(gflops(r, second)),
               plan["name"], figure(gflops(r, "winner")), figure(gbytes(r)), figure(ratio(r), 2)]
        row += [figure(gflops(r, "winner_1")), figure(speedup(r), 2)] if threaded else []
        if compared:
            row += [r["plans"].get("no_compiler", {}).get("name", "-"), figure(gflops(r, "no_compiler")), figure(kept_without_compiler(r), 2)]
        row += [figure(gflops(r, name)) for name in peers]
        row += [f"{1e3 * plan['predicted_seconds']:.4g}", f"{1e3 * r['contenders']['winner']['median_seconds']:.4g}",
                f"{100 * prediction_error(r):+.0f}", f"{1e3 * plan['planning_seconds']:.0f}", figure(100 * spread(r))]
        rows.append(row)
    return table(head, rows)


def misses(records):
    """Returns the cases below 0.95 of the ideal, worst first."""
    under = sorted((ratio(r), r["name"]) for r in records if ratio(r) < MISS)
    return ", ".join(f"{name} {value:.2f}" for value, name in under) or "none"


def set_table(records):
    """Returns the table of the sets. Targets are for winner / ideal; with several threads, for the winner's speedup."""
    peers = peer_names(records)
    threaded = any("winner_1" in r["contenders"] for r in records)
    compared = any(map(kept_without_compiler, records))
    head = ["<set", "cases", "winner", "worst"] + (["speedup"] if threaded else []) + ["target"] + (["no compiler / winner", "worst"] if compared else []) + peers
    head += (["best peer"] if peers else []) + ["<cases under 0.95"]
    rows = []
    for name, groups, target, _, _ in sets_of(records):
        of_set = [r for r in records if r["set"] in groups]
        if not of_set:
            continue
        ratios = [ratio(r) for r in of_set]
        row = [name, len(of_set), figure(geometric_mean(ratios), 2), figure(min(ratios), 2)]
        if threaded:
            row.append(figure(geometric_mean([s for s in map(speedup, of_set) if s]), 2))
            target = THREADS_TARGET if name == "TCCG" else None
        row.append(figure(target, 2))
        if compared:
            kept = [v for v in map(kept_without_compiler, of_set) if v]
            row += [figure(geometric_mean(kept), 2), figure(min(kept, default=None), 2)]
        row += [figure(geometric_mean([v for v in (ratio(r, peer) for r in of_set) if v]), 2) for peer in peers]
        if peers:
            best = [max(ratio(r, peer) or 0 for peer in peers) for r in of_set]
            row.append(figure(geometric_mean([v for v in best if v]), 2))
        rows.append(row + [misses(of_set)])
    return table(head, rows)


# The limit.

def known_limits(records, ceilings):
    """Returns [(record, Limit)] of the records with a limit. If a ceiling of data transfers is in doubt, these are the records whose limit is arithmetic: a
    correct ceiling would leave their limit as it is, or make it longer."""
    found = [(r, limit) for r, limit in ((r, limit_of(ceilings, r)) for r in records) if limit]
    return [(r, limit) for r, limit in found if limit.bound != DATA] if ceilings and ceilings.faults(of_peak=False) else found


def limit_set_table(limited):
    """Returns the table of shares of the limit, and of our speed over the best peer's."""
    peers = peer_names([r for r, _ in limited])
    head = ["<set", "cases", "winner", "worst", "target", "of the worst", "ideal"] + peers
    head += (["best peer", "winner / best peer", "worst"] if peers else []) + ["<cases under the worst's target, or slower than a peer"]
    rows = []
    for name, groups, _, target, worst_target in sets_of([r for r, _ in limited]):
        of_set = [(r, limit) for r, limit in limited if r["set"] in groups]
        if not of_set:
            continue
        shares = [share(r, limit) for r, limit in of_set]
        row = [name, len(of_set), figure(geometric_mean(shares), 2), figure(min(shares), 2), figure(target, 2), figure(worst_target, 2)]
        row.append(figure(geometric_mean([share(r, limit, ideal_name(r)) for r, limit in of_set if ideal(r)]), 2))
        row += [figure(geometric_mean([v for v in (share(r, limit, peer) for r, limit in of_set) if v]), 2) for peer in peers]
        if peers:
            best = [share(r, limit, best_peer(r)) for r, limit in of_set if best_peer(r)]
            over = [v for v in (over_best_peer(r) for r, _ in of_set) if v]
            row += [figure(geometric_mean(best), 2), figure(geometric_mean(over), 2), figure(min(over, default=None), 2)]
        rows.append(row + [limit_misses(of_set, worst_target)])
    return table(head, rows)


def limit_misses(limited, worst_target):
    texts = []
    for r, limit in sorted(limited, key=lambda pair: share(*pair)):
        reasons = [figure(share(r, limit), 2)] if worst_target and share(r, limit) < worst_target else []
        if (over_best_peer(r) or 1) < 1:
            reasons.append(f"{figure(over_best_peer(r), 2)} of {best_peer(r)}")
        if reasons:
            texts.append(f"{r['name']} {', '.join(reasons)}")
    return "; ".join(texts) or "none"


def limit_case_table(limited):
    """Returns the table of `share / ratio` of each contender: shares of the limit, and ratios to the ideal's speed."""
    peers = peer_names([r for r, _ in limited])
    head = ["<limit of", "MB", "<bound by", "ms", "GFLOP/s", "GB/s", "winner", "ideal"] + peers
    head += ["<best peer", "winner / best peer"] if peers else []
    rows = []
    for r, limit in limited:
        def both(name, r=r, limit=limit):
            value = share(r, limit, name)
            return f"{value:.2f} / {figure(ratio(r, name), 2)}" if value else "-"

        size = sum(r["tensor_bytes"])
        row = [r["name"], f"{1e-6 * size:.4g}", limit.bound, f"{1e3 * limit.seconds:.4g}", figure(1e-9 * r["flops"] / limit.seconds),
               figure(1e-9 * size / limit.seconds), both("winner"), figure(share(r, limit, ideal_name(r)), 2)]
        row += [both(peer) for peer in peers]
        rows.append(row + ([best_peer(r) or "-", figure(over_best_peer(r), 2)] if peers else []))
    return table(head, rows)


def ceilings_table(ceilings):
    """Returns the table of ceilings with the values of other tools."""
    others = [by for by in (INDEPENDENT, "own loops") if any(by in ceilings.checks(name) for name in ceilings.names())]
    head = ["<ceiling", "<unit", "tcplan"] + others + (["ratio", "<"] if others else [])
    rows = []
    for name in ceilings.names():
        checks, off = ceilings.checks(name), ceilings.off(name)
        row = [name, "GFLOP/s" if name == ceilings.peak_name else "GB/s", figure(ceilings.rate(name))] + [figure(checks.get(by)) for by in others]
        if others:
            row += [figure(off[1], 2) if off else "-", f"beyond {100 * TOLERANCE:.0f} %" if ceilings.is_off(name) else ""]
        rows.append(row)
    return table(head, rows)


def levels_text(ceilings):
    sizes = [f"{level['name']} holds {level['holds_bytes'] / 1024:.0f} KiB" for level in ceilings.levels if level["holds_bytes"]]
    return f"Levels as measured: {', '.join(sizes)}." if sizes else "No cache was found."


def above_limit(limited):
    """Returns the contenders that are faster than the limit, which means that a ceiling is too low."""
    found = [f"{r['name']}: {name} {share(r, limit, name):.2f}" for r, limit in limited for name in r["contenders"] if share(r, limit, name) > ABOVE]
    return f"Above the limit, so that a ceiling is too low: {', '.join(found)}." if found else ""


def void_reason(ceilings):
    """Returns why the shares of the limit are invalid; an empty text if they are valid."""
    return "; ".join(ceilings.faults(of_peak=True))


def limit_parts(records, ceilings):
    """Returns all parts about the limit, in order."""
    if not ceilings:
        return []
    limited = known_limits(records, ceilings)
    parts = [f"Ceilings, measured in the same run ({len(ceilings.runs)} run{'s' if len(ceilings.runs) > 1 else ''}; the highest counts), and what others find:",
             ceilings_table(ceilings), levels_text(ceilings)]
    missing = [r["name"] for r in records if limit_of(ceilings, r) is None]
    if missing:
        parts.append(f"No limit, as a ceiling is missing or was measured while the cores were slow: {', '.join(missing)}.")
    void = void_reason(ceilings)
    if void:
        parts.append(f"**The shares of the limit are void**: {void}.")
    doubts = "; ".join(ceilings.faults(of_peak=False))
    if doubts:
        parts.append(f"Cases whose limit is the transfer of data are left out, and shares of the others are at least as shown: {doubts}.")
    ordinary = [(r, limit) for r, limit in limited if any(r["set"] in groups for _, groups, *_ in SETS)]
    if ordinary:
        parts += ["Share of the limit, geometric means:", limit_set_table(ordinary)]
    if limited:
        parts += ["The limit of each case; contenders: share of the limit / speed over the ideal's:", limit_case_table(limited), above_limit(limited)]
    return parts


def without_compiler_text(records):
    """Returns a line on the winners that were planned without a compiler; empty if there are none."""
    kept = sorted((kept_without_compiler(r), r["name"]) for r in records if kept_without_compiler(r))
    if not kept:
        return ""
    return (f"Winners planned without a compiler: {figure(geometric_mean([v for v, _ in kept]), 2)} of the winners' speed (geometric mean of {len(kept)}), "
            f"worst {figure(kept[0][0], 2)} ({kept[0][1]}).")


def planning_line(records):
    tccg = [r for r in records if r["set"] in SETS[0][1]]
    if not tccg:
        return ""
    inside = sum(p["planning_seconds"] for r in tccg for name, p in r["plans"].items() if name == "winner")
    commands = sum(p["command_seconds"] for r in tccg for name, p in r["plans"].items() if name == "winner")
    errors = sorted(abs(prediction_error(r)) for r in records)
    mean = sum(errors) / len(errors)
    return (f"Planning the {len(tccg)} of TCCG: {inside:.1f} s (commands {commands:.1f} s; target: less than 60 s for all 24). "
            f"Predictions of the winners are off by {100 * mean:.1f} % on average, {100 * errors[len(errors) // 2]:.1f} % in the median.")


def conditions_text(conditions):
    return "\n".join(f"- {key}: {value}" for key, value in conditions.items())


def failures_text(failures):
    return "\n".join(f"- {name}: {reason}" for name, reason in failures.items())


def skipped_text(records):
    """Returns a line with the reason why a peer did not run, and the cases if it ran in others; empty if it always ran."""
    cases = {}
    for r in records:
        for peer, reason in (*r["skipped"].items(), *r["failed_peers"].items()):
            cases.setdefault((peer, reason), []).append(r["name"])
    return "\n".join(f"- {peer}: {reason}" + ("" if len(names) == len(records) else f" ({', '.join(names)})") for (peer, reason), names in cases.items())


def ceilings_of(results):
    """Returns the ceilings of results; None if none were measured."""
    ceilings = Ceilings(results.get("ceilings") or [])
    return ceilings if ceilings.runs else None


def document(results):
    """Returns the printed text: conditions, ceilings, means, cases, and what did not run."""
    records = results["cases"]
    ordinary = [r for r in records if any(r["set"] in groups for _, groups, *_ in SETS)]
    parts = ["Conditions:", conditions_text(results["conditions"])]
    parts += limit_parts(records, ceilings_of(results))
    with_ideal = [r for r in ordinary if ideal(r)]
    if with_ideal:
        parts += ["Speed over that of the ideal, geometric means:", set_table(with_ideal), planning_line(with_ideal)]
    if records:
        parts += ["The cases, in GFLOP/s (GB/s: the three tensors, each once):", case_table(records), without_compiler_text(records)]
    if skipped_text(records):
        parts += ["Peers that did not run:", skipped_text(records)]
    if results["failures"]:
        parts += ["Cases that failed:", failures_text(results["failures"])]
    return "\n\n".join(p for p in parts if p) + "\n"
