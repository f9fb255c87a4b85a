#!/bin/sh
# Tests what bench/peers prints about the limit: the same limit as tcplan's, invalid shares, tables, picture, page of machines. Nothing is timed.
# usage: limit.sh TCPLAN BENCH_PERFORMANCE ROOT
set -eu
tcplan=$1 draw=$2 root=$3
command -v python3 >/dev/null || { echo 'SKIPPED: no python3'; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export TCPLAN_STORE='' TCPLAN_PLANS=''
PYTHONDONTWRITEBYTECODE=1 python3 - "$tcplan" "$draw" "$root" "$work" <<'PYTHON'
import copy
import json
import subprocess
import sys
import unittest
import xml.etree.ElementTree as ElementTree

tcplan, draw, root, work = sys.argv[1:]
sys.path.insert(0, root + "/bench")
from peer_study import cases, drawn, limit, page, picture, tables

CEILINGS = f"{root}/tests/cli/ceilings/example.tcplan"
MACHINE = "l2:1(size=1MiB) l1:1(size=32KiB) core:1 pu:1"


def said(*words):
    return json.loads(subprocess.run([tcplan, *words, "--json", "-q", "--ceilings", CEILINGS], stdout=subprocess.PIPE, check=True).stdout)


def run_of(peak=40.0, load=10.0, store=5.0, checks=(), slow=False):
    rates = [{"kernel": kernel, "level": level, "gbytes_per_second": rate, "slow": slow, "working_set_bytes": 1000}
             for level, factor in (("L1", 10), ("DRAM", 1)) for kernel, rate in (("load", factor * load), ("store", factor * store))]
    return {"peak": {"name": "fma", "gflops": peak, "slow": slow}, "gemm": {"extents": [8, 8, 8]}, "rates": rates, "checks": list(checks),
            "levels": [{"name": "L1", "holds_bytes": 32768}, {"name": "DRAM", "holds_bytes": None}]}


def contender(seconds, flops):
    return {"median_seconds": seconds, "gflops": 1e-9 * flops / seconds, "spread": 0.01, "calls": 1, "error": 0, "samples": [seconds]}


def record_of(name, group="S1", seconds=0.002, peers=(("tblis", 0.004),), contraction="C_abc=A_ai*B_ibc", sizes="a=b=c=100,i=8"):
    case = cases.Case(name, group, contraction, sizes)
    times = {"dgemm_mn": 2 * seconds, "dgemm_nm": 3 * seconds, "winner": seconds, **dict(peers)}
    return {"name": name, "set": group, "contraction": contraction, "sizes": case.sizes(), "m": case.m, "n": case.n, "k": case.k, "flops": case.flops,
            "limit_seconds": 0.001,
            "tensor_bytes": [8 * case.elements(t) for t in (case.A, case.B, case.C)],
            "plans": {"winner": {"name": "c|-dgemm", "predicted_seconds": seconds, "planning_seconds": 0.1, "command_seconds": 0.2}},
            "skipped": {}, "failed_peers": {}, "contenders": {n: contender(s, case.flops) for n, s in times.items()}}


def results_of(records, runs):
    conditions = {"date": "2026-01-02 03:04", "machine": "A <fine> CPU, 2 cores, Linux 6.1", "threads": "1"}
    return {"conditions": conditions, "ceilings": runs, "cases": records, "failures": {}}


GOOD = [{"ceiling": name, "name": "x", "by": limit.INDEPENDENT, "rate": rate}
        for name, rate in (("fma", 30), ("load DRAM", 10), ("store DRAM", 5), ("load L1", 101), ("store L1", 52))]


class Limits(unittest.TestCase):
    def test_ceilings_are_taken_from_the_command(self):
        kept = limit.Ceilings([limit.ceilings_of(said("roofline"), 1)])
        self.assertTrue(kept.is_complete())
        self.assertEqual((kept.peak_name, kept.rate("dgemm")), ("dgemm", kept.peak))  # which is faster than fma in that file

    def test_the_limit_is_that_of_the_ranking(self):
        for contraction, sizes, bound in (("C_ab=A_ai*B_ib", "a=b=i=200", "dgemm"), ("C_abc=A_ai*B_ibc", "a=b=c=300,i=2", "data")):
            ranking = said("rank", contraction, "--sizes", sizes, "--machine", MACHINE, "--effort", "estimate")
            kept = limit.Ceilings([limit.ceilings_of(said("roofline"), 1)])
            found = limit.limit_of(kept, {**record_of("x", contraction=contraction, sizes=sizes), "limit_seconds": ranking["limit_seconds"]})
            self.assertEqual((found.seconds, found.bound), (ranking["limit_seconds"], bound))

    def test_highest_of_several_runs_counts_and_the_largest_level(self):
        more = run_of(peak=44, load=9)
        more["levels"][0]["holds_bytes"] = 65536
        kept = limit.Ceilings([run_of(), more])
        self.assertEqual((kept.peak, kept.rate("load DRAM"), kept.levels[0]["holds_bytes"]), (44, 10, 65536))

    def test_slow_ceilings_are_none(self):
        self.assertFalse(limit.Ceilings([run_of(slow=True)]).is_complete())
        self.assertIsNone(limit.limit_of(limit.Ceilings([run_of(slow=True)]), record_of("x")))
        self.assertTrue(limit.Ceilings([run_of(slow=True), run_of()]).is_complete())

    def test_limits_of_the_old_formula_are_none(self):
        old = run_of()
        del old["peak"]
        self.assertIsNone(limit.limit_of(limit.Ceilings([old]), record_of("x")))

    def test_a_ceiling_that_is_off_or_unchecked_is_a_fault(self):
        kept = limit.Ceilings([run_of(checks=GOOD[:4] + [{"ceiling": "store L1", "name": "x", "by": "own loops", "rate": 100}])])
        self.assertEqual(kept.faults(of_peak=False), ["store L1 is 50 % below that of own loops"])
        self.assertEqual(limit.Ceilings([run_of(checks=GOOD[:4])]).faults(of_peak=False), ["nobody checked store L1"])

    def test_the_peak_is_wrong_only_where_a_gemm_is_faster(self):
        for of_peak in (True, False):
            self.assertEqual(limit.Ceilings([run_of(checks=GOOD)]).faults(of_peak), [])
        faster = [{"ceiling": "fma", "name": "gemm", "by": "own loops", "rate": 80}] + GOOD[1:]
        self.assertEqual(limit.Ceilings([run_of(checks=faster)]).faults(of_peak=True), ["fma is 50 % below that of own loops"])


class Tables(unittest.TestCase):
    def setUp(self):
        self.results = results_of([record_of("S1_100"), record_of("S1_101", peers=(("tblis", 0.0015),))], [run_of(checks=GOOD)])

    def test_share_stands_beside_the_ratio_to_the_ideal(self):
        text = tables.document(self.results)
        of_limit = limit.limit_of(tables.ceilings_of(self.results), self.results["cases"][0]).seconds / 0.002
        self.assertIn(f"| {of_limit:.2f} / 2.00 |", text)
        self.assertIn("S1_101", text)
        self.assertIn("0.75 of tblis", text)
        self.assertNotIn("void", text)

    def test_void_is_said(self):
        off = copy.deepcopy(self.results)
        off["ceilings"][0]["checks"][0]["rate"] = 80
        self.assertIn("**The shares of the limit are void**: fma is 50 % below that of likwid-bench.", tables.document(off))

    def test_doubtful_transfers_leave_cases_bound_by_arithmetic(self):
        off = copy.deepcopy(self.results)
        off["ceilings"][0]["checks"][1]["rate"] = 20
        off["cases"][0]["limit_seconds"] = 1e-9 * off["cases"][0]["flops"] / 40
        text = tables.document(off)
        self.assertIn("Cases whose limit is the transfer of data are left out, and shares of the others are at least as shown: load DRAM is 50 % below", text)
        self.assertEqual([r["name"] for r, _ in tables.known_limits(off["cases"], tables.ceilings_of(off))], ["S1_100"])
        self.assertNotIn("void", text)

    def test_older_results_have_no_limits(self):
        old = copy.deepcopy(self.results)
        del old["ceilings"]
        for record in old["cases"]:
            del record["tensor_bytes"], record["limit_seconds"]
        self.assertNotIn("limit", tables.document(old))

    def test_above_the_limit_is_said(self):
        self.results["cases"][0]["limit_seconds"] = 0.003
        self.assertIn("Above the limit, so that a ceiling is too low: S1_100: ", tables.document(self.results))

    def test_the_picture_of_speeds_is_drawn_from_the_page(self):
        with open(work + "/page.md", "w", encoding="utf-8") as file:
            file.write(page.updated("<!-- machines, newest first -->\n", "1", "A CPU", tables.document(self.results)))
        drawing = subprocess.run([draw, work + "/page.md"], stdout=subprocess.PIPE, check=True).stdout
        self.assertIn(b"S1_101", drawing)
        self.assertIn(b"TBLIS", drawing)

    def test_tables_have_equal_rows(self):
        for block in tables.document(self.results).split("\n\n"):
            if block.startswith("|"):
                self.assertEqual(len({line.replace(r"\|", "").count("|") for line in block.splitlines()}), 1, block)


class Picture(unittest.TestCase):
    def test_it_is_well_formed_and_has_every_mark(self):
        results = results_of([record_of("S1_100"), record_of("fast", seconds=0.0009)], [run_of(checks=GOOD)])
        drawing = ElementTree.fromstring(picture.svg(results))
        space = "{http://www.w3.org/2000/svg}"
        marks = [use for use in drawing.iter(space + "use") if use.find(space + "title") is not None]
        self.assertEqual(len(marks), 2 * 3)
        words = [element.text for element in drawing.iter(space + "text")]
        self.assertLess(words.index("fast"), words.index("S1_100"))
        for expected in ("tcplan's winner", "TBLIS", "share of the limit, % →", "A <fine> CPU, 2 cores; one thread; 2026-01-02 03:04"):
            self.assertIn(expected, words)

    def test_void_is_in_the_picture(self):
        doubtful = [{"ceiling": "fma", "name": "gemm", "by": "own loops", "rate": 80}] + GOOD[1:]
        self.assertIn("; void: a ceiling is off", picture.svg(results_of([record_of("S1_100")], [run_of(checks=doubtful)])))

    def test_without_limits_there_is_none(self):
        with self.assertRaises(ValueError):
            picture.svg(results_of([record_of("S1_100")], []))


class Page(unittest.TestCase):
    BEGIN = "# P\n\n<!-- machines, newest first -->\n"

    def test_machines_are_newest_first_and_tables_are_replaced_in_place(self):
        one = page.updated(self.BEGIN, "1", "Old, 2 cores", "old one")
        two = page.updated(one, "1", "New, 4 cores", "new one")
        self.assertLess(two.index("## New, 4 cores"), two.index("## Old, 2 cores"))
        more = page.updated(two, "2", "New, 4 cores", "new two")
        self.assertLess(more.index("new one"), more.index("### 2 threads"))
        self.assertLess(more.index("new two"), more.index("## Old, 2 cores"))
        again = page.updated(more.replace("## Old", "Words.\n\n## Old"), "1", "New, 4 cores", "new again")
        self.assertNotIn("new one", again)
        for kept in ("Words.", "old one", "new two", "new again"):
            self.assertIn(kept, again)

    def test_a_page_without_lines_for_it_is_refused(self):
        with self.assertRaises(page.BadPage):
            page.updated("# P\n", "1", "M", "text")
        with self.assertRaises(page.BadPage):
            page.updated("<!-- peers, 1 thread, M -->\n", "1", "M", "text")


class Drawn(unittest.TestCase):
    def test_a_seed_draws_the_same_and_others_others(self):
        def told(seed):
            return [(c.contraction, c.sizes()) for c in drawn.drawn_cases(seed)]
        self.assertEqual(told("a test"), told("a test"))
        self.assertNotEqual(told("a test"), told("another test"))

    def test_each_is_like_its_model(self):
        for case, model in zip(drawn.drawn_cases("a test"), cases.tccg_cases()):
            self.assertEqual([len(t) for t in (case.C, case.A, case.B)], [len(t) for t in (model.C, model.A, model.B)])
            self.assertTrue(drawn.is_like(case, model))
            self.assertTrue(all(extent % drawn.GRAIN == 0 for extent in case.extents.values()))


unittest.main(argv=["limit"])
PYTHON
