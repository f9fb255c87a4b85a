#!/bin/sh
# bench/peers on a contraction of a millisecond: that it runs, checks, keeps its samples and says what fails. No time is looked at.
# usage: peers.sh TCPLAN ROOT CC
set -eu
tcplan=$1 peers=$2/bench/peers cc=$3
# shellcheck source=tests/support/numpy_python.sh
. "$2/tests/support/numpy_python.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

fail() {
    echo "$1" >&2
    shift
    for file; do cat "$file" >&2; done
    exit 1
}

study() { "$python" "$peers" --tcplan "$tcplan" --cc "$cc" --repetitions 2 --effort quick "$@"; }

# A matrix product and a matrix times a vector.
study --contraction 'C_abc=A_ai*B_ibc' --sizes a=b=c=12,i=5 --output one.json --markdown one.md >out 2>err || fail 'it failed' err
cmp out one.md || fail 'expected the tables in the file'
grep -q '^| case | C_abc=A_ai\*B_ibc *| a=12,b=12,c=12,i=5 *| 12, 144, 5 |' out || fail 'expected a row' out
study --contraction 'C_a=A_iaj*B_ji' --sizes a=9,i=j=7 --output vector.json >out 2>err || fail 'it failed' err
"$python" - <<'PYTHON' || fail 'expected every sample of every contender' one.json vector.json
import json
for file, ideals in (("one.json", ("dgemm_mn", "dgemm_nm")), ("vector.json", ("dgemv_n", "dgemv_t"))):
    record, = json.load(open(file))["cases"]
    contenders = record["contenders"]
    assert {"winner", "np_out", "np_free", *ideals} <= set(contenders), contenders
    assert all(len(c["samples"]) == 2 and min(c["samples"]) > 0 for c in contenders.values())
    assert all(contenders[name]["error"] < 1e-12 for name in ("winner", "np_out", "np_free"))
    assert record["flops"] == 2.0 * record["m"] * record["n"] * record["k"]
PYTHON
study --tables one.json >out || fail 'expected the tables of earlier results'
cmp out one.md || fail 'expected the same tables' out

printf 'before\n<!-- peers, 1 thread -->\nold\n<!-- end -->\nafter\n' >page.md
study --tables one.json --update page.md >/dev/null || fail 'expected an updated page'
{ printf 'before\n<!-- peers, 1 thread -->\n\n'; cat one.md; printf '\n<!-- end -->\nafter\n'; } >expected.md
cmp page.md expected.md || fail 'expected the tables in the page' page.md

# Two threads: the winner for one beside it.
study --contraction 'C_ab=A_ai*B_ib' --sizes a=b=i=9 --threads 2 --no-peers >out 2>err || fail 'it failed with two threads' err
grep -q '| 1 thread | speedup |' out || fail 'expected the speedup' out

# A function that computes something else, and one that does not compile.
cat >wrong <<'SH'
#!/bin/sh
"$TCPLAN" "$@" || exit
while [ $# -gt 1 ]; do
    if [ "$1" = --emit ]; then sed -i "$CHANGE" "$2"; fi
    shift
done
SH
chmod +x wrong
broken() {
    status=0
    TCPLAN=$tcplan CHANGE=$1 study --tcplan "$work/wrong" --contraction 'C_ab=A_ai*B_ib' --sizes a=9,b=8,i=7 --no-peers >out 2>err || status=$?
    [ $status -eq 1 ] || fail "expected status 1, not $status" err
    grep -q "$2" err || fail "expected '$2'" err
    grep -q 'Cases that failed:' out || fail 'expected the failure in the tables' out
}
broken 's/return 0;/C[71] *= 1.001; return 0;/' 'wrong result of winner'
broken 's/return 0;/return 1;/' 'did not return 0'
broken 's/return 0;/return 0/' 'compiling .* failed'

# What it refuses.
status=0
study --contraction 'C_abz=A_az*B_bz' --sizes a=b=z=3 >out 2>err || status=$?
[ $status -eq 2 ] || fail "a batch index: expected status 2, not $status" err
grep -q "index 'z' is not in exactly two tensors" err || fail 'expected the reason' err
status=0
study --cases 'no such case' >out 2>err || status=$?
[ $status -eq 2 ] || fail "no case: expected status 2, not $status" err
study --list | awk 'END { exit NR != 34 }' || fail 'expected 34 cases'
