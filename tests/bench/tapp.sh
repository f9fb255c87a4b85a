#!/bin/sh
# Tests bench/tapp on a contraction of microseconds, comparing the library with itself: it runs, checks results, keeps its samples and prints its tables. Times are not checked.
# usage: tapp.sh LIBRARY ROOT
set -eu
library=$1 study=$2/bench/tapp
# shellcheck source=tests/support/find_python.sh
. "$2/tests/support/find_python.sh"
find_python numpy
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export TCPLAN_STORE='' TCPLAN_PLANS=''

fail() {
    echo "$1" >&2
    cat out err >&2
    exit 1
}

"$python" "$study" --library "$library" --against "again=$library" --repetitions 2 --efforts estimate --contraction 'C_abc=A_ai*B_ibc' \
    --sizes a=b=c=12,i=5 --output one.json >out 2>err || fail 'it failed'
grep -q '^| case | .C_abc=A_ai[*]B_ibc. *|' out || fail 'expected a row'
grep -q '^tcplan, estimate over again: geometric mean of 1 cases' out || fail 'expected the ratio'
"$python" - <<'PYTHON' || fail 'expected every sample of both'
import json
record, = json.load(open("one.json"))["cases"]
assert list(record["contenders"]) == ["tcplan, estimate", "again"], record
for contender in record["contenders"].values():
    assert len(contender["samples"]) == 2 and min(contender["samples"]) > 0
    assert contender["error"] < 1e-12 and contender["planning_seconds"] > 0
assert record["contenders"]["tcplan, estimate"]["algorithm"]
PYTHON
"$python" "$study" --tables one.json >again 2>err || fail 'it failed on what it wrote'
cmp out again || fail 'expected the same tables'
if "$python" "$study" --library /dev/null --contraction 'C_ab=A_ai*B_ib' --sizes a=b=i=2 >out 2>err; then fail 'expected a failure'; fi
grep -q 'cannot be loaded' err || fail 'expected the reason'
