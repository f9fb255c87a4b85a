"""The records of the cases as tables in Markdown."""
import math

IDEALS = ("dgemm_mn", "dgemm_nm", "dgemv_n", "dgemv_t")
OWN = IDEALS + ("winner", "winner_1")
MISS = 0.95

# Set, cases in it, target of the geometric mean of winner / ideal.
SETS = (
    ("TCCG", ("intensli", "ao2mo", "ccsd", "ccsd_t"), 1.05),
    ("intensli", ("intensli",), 1.05),
    ("ao2mo", ("ao2mo",), None),
    ("ccsd", ("ccsd",), None),
    ("ccsd_t", ("ccsd_t",), None),
    ("S1", ("S1",), 2.0),
    ("S2", ("S2",), 1.15),
    ("S3", ("S3",), 0.95),
)
THREADS_TARGET = 1.8


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values)) if values else None


def gflops(record, name):
    contender = record["contenders"].get(name)
    return contender["gflops"] if contender else None


def ideal(record):
    return max(filter(None, (gflops(record, name) for name in IDEALS)))


def ratio(record, name="winner"):
    """A contender's speed over the ideal's; None where it did not run."""
    speed = gflops(record, name)
    return speed / ideal(record) if speed else None


def speedup(record):
    one = gflops(record, "winner_1")
    return gflops(record, "winner") / one if one else None


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
    """Markdown, with columns that line up; all but the columns whose head starts with '<' are numbers. Names of parallel algorithms
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
    head = ["<case", "<contraction", "<sizes", "m, n, k", "ideal", "swapped", "<winner", "GFLOP/s", "of ideal"]
    head += (["1 thread", "speedup"] if threaded else []) + peers + ["predicted ms", "measured ms", "error %", "planning ms", "spread %"]
    rows = []
    for r in records:
        first, second = ("dgemv_n", "dgemv_t") if "dgemv_n" in r["contenders"] else ("dgemm_mn", "dgemm_nm")
        plan = r["plans"]["winner"]
        row = [r["name"], r["contraction"], r["sizes"], f"{r['m']}, {r['n']}, {r['k']}", figure(gflops(r, first)), figure(gflops(r, second)),
               plan["name"], figure(gflops(r, "winner")), figure(ratio(r), 2)]
        row += [figure(gflops(r, "winner_1")), figure(speedup(r), 2)] if threaded else []
        row += [figure(gflops(r, name)) for name in peers]
        row += [f"{1e3 * plan['predicted_seconds']:.4g}", f"{1e3 * r['contenders']['winner']['median_seconds']:.4g}",
                f"{100 * prediction_error(r):+.0f}", f"{1e3 * plan['planning_seconds']:.0f}", figure(100 * spread(r))]
        rows.append(row)
    return table(head, rows)


def misses(records):
    """The cases under 0.95 of the ideal, worst first."""
    under = sorted((ratio(r), r["name"]) for r in records if ratio(r) < MISS)
    return ", ".join(f"{name} {value:.2f}" for value, name in under) or "none"


def set_table(records):
    """Targets are those of winner / ideal; with threads, of the winner's speedup."""
    peers = peer_names(records)
    threaded = any("winner_1" in r["contenders"] for r in records)
    head = ["<set", "cases", "winner", "worst"] + (["speedup"] if threaded else []) + ["target"] + peers
    head += (["best peer"] if peers else []) + ["<cases under 0.95"]
    rows = []
    for name, groups, target in SETS:
        of_set = [r for r in records if r["set"] in groups]
        if not of_set:
            continue
        ratios = [ratio(r) for r in of_set]
        row = [name, len(of_set), figure(geometric_mean(ratios), 2), figure(min(ratios), 2)]
        if threaded:
            row.append(figure(geometric_mean([s for s in map(speedup, of_set) if s]), 2))
            target = THREADS_TARGET if name == "TCCG" else None
        row.append(figure(target, 2))
        row += [figure(geometric_mean([v for v in (ratio(r, peer) for r in of_set) if v]), 2) for peer in peers]
        if peers:
            best = [max(ratio(r, peer) or 0 for peer in peers) for r in of_set]
            row.append(figure(geometric_mean([v for v in best if v]), 2))
        rows.append(row + [misses(of_set)])
    return table(head, rows)


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
    lines = []
    for r in records:
        for reasons in (r["skipped"], r["failed_peers"]):
            lines.extend(f"- {r['name']}, {peer}: {reason}" for peer, reason in reasons.items())
    return "\n".join(lines)


def document(results):
    """Everything that is printed: conditions, means, cases, what did not run."""
    records = results["cases"]
    ordinary = [r for r in records if any(r["set"] in groups for _, groups, _ in SETS)]
    parts = ["Conditions:", conditions_text(results["conditions"])]
    if ordinary:
        parts += ["Speed over that of the ideal, geometric means:", set_table(ordinary), planning_line(ordinary)]
    if records:
        parts += ["The cases, in GFLOP/s:", case_table(records)]
    if skipped_text(records):
        parts += ["Peers that did not run:", skipped_text(records)]
    if results["failures"]:
        parts += ["Cases that failed:", failures_text(results["failures"])]
    return "\n\n".join(p for p in parts if p) + "\n"
