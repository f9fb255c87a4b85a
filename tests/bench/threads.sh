#!/bin/sh
# Runs bench/threads with a fake command: each winner is measured with its number of threads, and the gain is printed.
# usage: threads.sh ROOT
set -eu
root=$1
command -v python3 >/dev/null || { echo 'SKIPPED: no python3'; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

mkdir -p build/bin
cat >build/bin/tcplan <<'PYTHON'
#!/usr/bin/env python3
"""With one thread x is the winner and takes 3 ms; with two it is y, which takes 2."""
import json
import os
import sys

threads = int(sys.argv[sys.argv.index("--threads") + 1])
name = {1: "x", 2: "y"}[threads]
assert not os.listdir(os.environ["TCPLAN_STORE"])
if sys.argv[1] == "rank":
    print(json.dumps({"algorithms": [{"name": name, "threads": threads}, {"name": "z", "threads": 1}]}))
else:
    assert sys.argv[1] == "measure" and sys.argv[sys.argv.index("--algorithm") + 1] == name
    print(json.dumps({"algorithms": [{"name": name, "measured_seconds": {1: 3e-3, 2: 2e-3}[threads]}]}))
PYTHON
chmod +x build/bin/tcplan

"$root/bench/threads" --draw any --build build --cases 1 --turns 2 >out 2>err
grep -q '^drawn0 *x *3.000  y * 2 *2.000 *1.50$' out || { cat out; exit 1; }
grep -q 'geometric mean 1.50, least 1.50 (drawn0)$' out || { cat out; exit 1; }
if "$root/bench/threads" --threads 1 >out 2>err; then exit 1; fi
grep -q 'above 1' err
