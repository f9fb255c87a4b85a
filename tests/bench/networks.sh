#!/bin/sh
# Tests bench/networks: the list of cases is complete, tables of stored results are inserted into a page between its marks, and missing results are reported.
# usage: networks.sh ROOT
set -eu
root=$1
command -v python3 >/dev/null || { echo 'SKIPPED: no python3'; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

fail() {
    echo "$1" >&2
    shift
    for file; do cat "$file" >&2; done
    exit 1
}

python3 "$root/bench/networks" --list >list
[ "$(wc -l <list)" = 40 ] || fail 'expected 40 expressions' list
[ "$(grep -c 'held out' list)" = 20 ] || fail 'expected 20 that are held out' list
[ "$(python3 "$root/bench/networks" --list --half tuning --cases CCSD | wc -l)" = 6 ] || fail 'expected 6 of coupled cluster that are not held out'

python3 - >results.json <<'PYTHON'
import json

def record(name, held_out, ours, differs):
    orders = {"greedy": (0.08, 0.02, 0.03), "optimal": (0.04, 0.01, 0.02)}
    orders = {key: {"path": [[0, 1], [0, 1]], "planning_seconds": 0.1, "numpy_seconds": n, "tcplan_seconds": t, "predicted_seconds": p, "differs": differs}
              for key, (n, t, p) in orders.items()}
    return {"name": name, "group": "made up", "held_out": held_out, "operands": 3, "path": [[0, 1], [0, 1]], "algorithms": [], "flops": 1,
            "planning_seconds": 0.002, "predicted_seconds": ours, "seconds": ours, "given_seconds": ours, "orders": orders, "samples": {}}

print(json.dumps({"conditions": {"machine": "made up"}, "failures": {}, "cases": [record("one", True, 0.008, True), record("two", False, 0.01, False)]}))
PYTHON
printf '# Page\n\n<!-- bench/networks begins -->\nold\n<!-- bench/networks ends -->\n\nEnd.\n' >page.md
python3 "$root/bench/networks" --tables results.json --update page.md >tables
grep -q '^| one | 3 | optimal | 40.00 | 8.00 | 0.20 | 0.80 | 1.00 | 0.400 | 2.0 |$' tables || fail 'expected another line of one' tables
grep -q '^| two | 3 | optimal | 40.00 | 10.00 | 0.25 |  | 1.00 | 0.500 | 2.0 |$' tables || fail 'expected another line of two' tables
grep -q 'of the 1 where they differ: 0.80 in the geometric' tables || fail 'expected another mean' tables
grep -q '^| one ' page.md || fail 'expected the tables in the page' page.md
grep -q '^old$' page.md && fail 'expected the old tables to be gone' page.md
[ "$(tail -n 1 page.md)" = End. ] || fail 'expected what follows to stay' page.md

status=0
python3 "$root/bench/networks" --tables results.json --update list >out 2>error || status=$?
[ $status = 2 ] || fail 'expected a page without marks to be refused' error
status=0
PYTHONPATH='' python3 -S "$root/bench/networks" >out 2>error || status=$?
[ $status = 3 ] || fail 'expected to be told what is missing' error
grep -q '^networks: error: .* has no \(numpy\|opt_einsum\): ' error || fail 'expected to be told what is missing' error
