#!/bin/sh
# Runs bench/model_errors with a fake command: a study that failed or reached its time continues where it stopped, known results are not measured again, and tables contain all results.
# usage: model_errors.sh ROOT
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

mkdir -p build/bin
cat >build/bin/tcplan <<'PYTHON'
#!/usr/bin/env python3
"""Answers as tcplan does; FAILS: which generation fails, OVER: all are over before they are complete."""
import json
import os
import sys

words = sys.argv[1:]
if words[0] == "sample":  # dtrsm side uplo transA diag m n: a cubic in n
    script = [line.split() for line in sys.stdin if "malloc" not in line and line.strip() != "go"]
    print("\n".join(f"{1e-6 + 1e-9 * int(call[6]) ** 3 if call[0] == 'dtrsm' else 1e-6:.15g}" for call in script))
    sys.exit()
case = " ".join(word for word in words[2:] if word[0] != "-" and (word[0] == "d" or "=" in word and "24:" not in word)).replace(":", " ").replace(",", " ")
if words[1] == "export":
    sizes = "".join(f'<size name="{name}" low="24" high="{high}"/>' for name, high in (("m", 536), ("n", 4152)))
    print(f'<models><model case="{case}">{sizes}<piece low="24 24" high="536 4152" degree="0 1" minimum="2000 500"/></model></models>')
    sys.exit()
result = {"time_over": False}
if words[1] == "generate":
    with open("log", "a+") as log:
        log.write(f"{case}\n")
        log.seek(0)
        if os.environ.get("FAILS") == str(len(log.readlines())):
            sys.exit("a failure")
    result["time_over"] = "OVER" in os.environ
    result["models"] = [{"case": case, "domain": "[24,536]x[24,4152]", "made": True, "complete": "OVER" not in os.environ, "pieces": 9, "points": 72, "error": 0.01,
                         "whole_error": 0.0421, "rounds": 2, "measured_seconds": 3.5, "again_seconds": 0.5, "spread": 0.002, "explained_pieces": 1}]
else:
    errors = {"mean": 0.01, "median": 0.01, "p90": 0.02, "maximum": 0.03}
    measured = [{"sizes": [24 + 8 * i, 24 + 64 * i], "session_seconds": [1.5e-6 + 1.5e-8 * i] * 2} for i in range(60)]
    result["models"] = [{"case": case, "points": 60, "measured": measured, "error": errors, "raw_error": errors, "spread": 0.01, "raw_spread": 0.02, "target": 0.015, "met": True}]
print(json.dumps(result))
PYTHON
chmod +x build/bin/tcplan

study() { "$root/bench/model_errors" --build build --output results.json --folder store "$@" >out 2>err; }
generations() { wc -l <log; }

# Fails at the fourth model; the next run continues there.
FAILS=4 study --stages 1 && fail 'it goes on after a failure' out
grep -q 'error: tcplan model generate dtrsm' err || grep -q 'error: tcplan model generate dmove' err || fail 'expected which command failed' err
[ "$(generations)" -eq 4 ] || fail 'expected four generations' log
OVER=1 study --stages 1 || fail 'it does not go on' err
[ "$(generations)" -eq 19 ] || fail 'expected 18 specifications, one of them twice' log
study --stages 1 || fail 'nothing is left, and it fails' err
[ "$(generations)" -eq 19 ] || fail 'what is known is made again' log
grep -q '^| one cubic | 5.30 % | 11.22 % | 0.00 % | 0.00 % |$' out || fail 'expected example 3.9' out
grep -q '^| error of one piece | 4.21 % | 4.21 % |$' out || fail 'expected example 3.13' out
grep -q '^| cheapest | 0 1 cartesian 5 minimum maximum 2 64 | 0.73 % | 0.96 s | 1.00 % | 3.5 s | 9\* | 1.00 % |$' out || fail 'expected table 3.2' out
grep -q '^| all | | | 3.5 s; .* (target 300 s) .* (target 0.1) |$' out || fail 'expected what it costs' out
grep -c '^| dmove incx=.* | 9 | 72 | 3.5 s | 0.20 % | 1.00 %.* | met |$' out | grep -qx 2 || fail 'expected errors of copies, two of them complete' out

# With more points: complete results with enough points are kept; configurations of table 3.3 are added.
study --stages 2 || fail 'the second stage fails' err
[ "$(generations)" -eq 51 ] || fail 'expected 18 specifications again, and 14 configurations' log
grep -q '^| 14 | 2 7 cartesian 10 minimum maximum 1 32 | - | - | 1.00 % | 3.5 s | 9 | 1.00 % |$' out || fail 'expected table 3.3' out
cp out before
study --tables || fail 'the tables cannot be printed again' err
cmp out before || fail 'other tables' out before

# Ended by its time limit, or with results of other settings.
rm results.json
study --minutes 0.001 && fail 'expected a status'
grep -q 'time is over; the same command goes on' err || fail 'expected why it ended' err
echo nonsense >results.json
study && fail 'nonsense is taken for results'
grep -q 'results.json has no results of this study' err || fail 'expected what is wrong' err
