#!/bin/sh
# Runs bench/first_rows with a fake command: which first rows are slower than others, and which do not tie.
# usage: first_rows.sh ROOT
set -eu
root=$1
command -v python3 >/dev/null || { echo 'SKIPPED: no python3'; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

mkdir -p build/bin
cat >build/bin/tcplan <<'PYTHON'
#!/usr/bin/env python3
"""Ranks x, y, z, of which every second ranking has y first; x takes twice as long as the others."""
import json
import os
import sys

if sys.argv[1] == "rank":
    assert not os.listdir(os.environ["TCPLAN_STORE"])
    with open("rankings", "a+") as log:
        log.write("one\n")
        log.seek(0)
        names = "yxz" if len(log.readlines()) % 2 else "xyz"
    print(json.dumps({"algorithms": [{"name": n, "predicted_seconds": 1} for n in names] + [{"name": "open"}]}))
else:
    names = sys.argv[5:8]
    assert sorted(names) == ["x", "y", "z"]
    ratio = {"x": (2, 1.9, 2.1), "y": (1.01, 0.99, 1.03), "z": (1, 1, 1)}
    print(json.dumps({"contenders": [dict(zip(("name", "ratio", "ratio_low", "ratio_high"), (n, *ratio[n]))) for n in names]}))
PYTHON
chmod +x build/bin/tcplan

expect() {
    grep -q "$1" out || { echo "expected $1"; cat out; exit 1; }
}

"$root/bench/first_rows" --draw any --build build --cases 2 --rankings 2 --output results.json >out 2>err
expect '^drawn0 *x *100.0% *2  not equally fast$'
expect 'lose more than 5 %: 2 of 2; cases whose first rows are not equally fast: 2 of 2$'
rm rankings
"$root/bench/first_rows" --draw any --build build --cases 1 --rankings 1 >out 2>err
expect '^drawn0 *y *1.0% *1$'
expect 'lose more than 5 %: 0 of 1; cases whose first rows are not equally fast: 0 of 1$'
if "$root/bench/first_rows" --cases 0 >out 2>err; then exit 1; fi
grep -q 'above 0' err
