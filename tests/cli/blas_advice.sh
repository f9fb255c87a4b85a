#!/bin/sh
# A slow core type of the BLAS is reported with the variable that selects a better one, but only after that one was tried. Trials are stored. Only
# child processes set the variable.
# usage: blas_advice.sh TCPLAN SOURCE_DIR LIBRARY
set -eu
tcplan=$(readlink -f "$1")
source=$2
library=$(readlink -f "$3")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
TCPLAN_LOCK=$work/lock
TCPLAN_STORE=$work/store
TCPLAN_PLANS=$work/plans
export TCPLAN_LOCK TCPLAN_STORE TCPLAN_PLANS

fail() {
    echo "$1"
    exit 1
}

slow() {
    env -u OPENBLAS_L2_SIZE OPENBLAS_CORETYPE=Prescott "$tcplan" "$@"
}

slow --version | grep -q '^OpenBLAS .*(Prescott)$' || exit 77 # another BLAS, or another kind of processor
product='C_abc=A_ai*B_ibc --sizes a=b=c=16,i=8'

# No trials are made if nothing is timed or stored; a core type that the user chose is not criticised then.
# shellcheck disable=SC2086 # a list of words
slow $product --effort estimate --format json >estimated
grep -q '"advice": null' estimated || fail "an estimate blames a chosen core type: $(grep advice estimated)"
# shellcheck disable=SC2086
slow $product --effort quick --no-store --format json >unkept
grep -q '"advice": null' unkept || fail "without a store something was tried: $(grep advice unkept)"
ls store/blas-* >/dev/null 2>&1 && fail "trials are kept where nothing is to be"

slow machine >here
entry=$(cd store && ls blas-openblas-*.tcplan) || fail "no trials are kept"
entry=${entry%.tcplan}
slow store show "$entry" >shown

# The advice follows from the trials: the fastest right core type of those that a value of the variable selects, if it is clearly faster.
expected=$(awk '$2 == "dgemm" { speed[$1] = $3; right[$1] = /right results/; set[$1] = /selected by/ }
    END {
        for (core in speed) if (right[core] && set[core] && speed[core] > speed[best]) best = core
        if (right["Prescott"] && speed[best] > 1.25 * speed["Prescott"]) print best
        else if (!right["Prescott"] || speed[best] > 1.15 * speed["Prescott"]) print "unclear"
    }' shown)
[ "$expected" = unclear ] && exit 77
if [ -z "$expected" ]; then
    grep 'OPENBLAS_CORETYPE=' here && fail "a core type is recommended that is not faster: $(cat shown)"
    exit 0
fi
said="^warning[: ] *OpenBLAS .*(Prescott) .*OPENBLAS_CORETYPE=$expected makes dgemm .* times faster .*right results in all four types.*OPENBLAS_CORETYPE is now set to Prescott"
grep -q "$said" here || fail "machine does not recommend $expected: $(cat here shown)"

# All outputs contain the advice, from the same trials.
cp "store/$entry.tcplan" before
# shellcheck disable=SC2086
slow $product --effort quick >ranking
grep -q "$said" ranking || fail "rank does not warn: $(cat ranking)"
# shellcheck disable=SC2086
slow $product --effort quick -q >brief
grep 'OPENBLAS_CORETYPE\|see the warning' brief && fail "rank warns although -q was given"
# shellcheck disable=SC2086
"$tcplan" $product --effort estimate >estimated
if grep -q 'BLIS_ARCH_TYPE' estimated; then
    grep -q '@blis' estimated || fail "advice about BLIS, which is not among the answers: $(cat estimated)"
fi
# shellcheck disable=SC2086
slow $product --effort estimate --format json >estimated
grep -q "\"advice\": \"OpenBLAS .*OPENBLAS_CORETYPE=$expected" estimated || fail "JSON has no advice: $(cat estimated)"
grep -q '"warnings": \["OpenBLAS' estimated || fail "JSON has no warnings: $(cat estimated)"
# shellcheck disable=SC2086
slow emit $product --algorithm c-dgemm >emitted.c
grep -q "^ \* warning: OpenBLAS .*OPENBLAS_CORETYPE=$expected" emitted.c || fail "emitted C does not warn: $(head -30 emitted.c)"
cmp -s before "store/$entry.tcplan" || fail "what was tried is tried again"

# Python has it, too: it starts no trial, but reads those that are kept.
advise() {
    env -u OPENBLAS_L2_SIZE OPENBLAS_CORETYPE=Prescott TCPLAN_LIBRARY="$library" PYTHONPATH="$source/bindings/python" \
        PYTHONDONTWRITEBYTECODE=1 "$python" -c 'import sys, tcplan; print(*tcplan.blas_advice(*sys.argv[1:]), sep="\n")' "$@"
}
# shellcheck source=tests/support/find_python.sh
python=$(. "$source/tests/support/find_python.sh" && find_python numpy >&2 && echo "$python") || python=
if advise '' >/dev/null 2>&1; then # not with a static library, sanitizers, or without numpy
    advise | sed 's/^/warning: /' | grep -q "$said" || fail "Python does not warn: $(advise)"
    advise '' | grep 'OPENBLAS_CORETYPE=' && fail "Python reads trials that it was not to read"
fi

# A BLAS given as a file is tried as well; its trials are stored separately.
file=$(ldd "$tcplan" | awk '/libopenblas/ { print $3 }')
if [ -n "$file" ]; then
    slow machine --blas "$file" >opened
    grep -q "^warning      blas1: OpenBLAS .*OPENBLAS_CORETYPE=" opened || fail "no advice about a file: $(cat opened store/blas-file-*)"
    grep -q "$said" opened || fail "a file displaces the linked library: $(cat opened)"
    slow batch --blas "$file" --effort estimate - >results 2>told <<END
one | ab | ai | ib | a=8 b=8 i=8
END
    grep -q "warning: blas1: OpenBLAS .*OPENBLAS_CORETYPE=" told || fail "batch does not warn about a file: $(cat told)"
fi

# With the better core type there is no advice and no trial.
env -u OPENBLAS_L2_SIZE OPENBLAS_CORETYPE="$expected" "$tcplan" machine >better
grep 'OPENBLAS_CORETYPE=' better && fail "the better core type is not good enough: $(cat shown)"
cmp -s before "store/$entry.tcplan" || fail "a core type that was tried is tried again"

# For an unknown name the BLAS silently selects another core type; advice refers to the one that it reports.
env -u OPENBLAS_L2_SIZE OPENBLAS_CORETYPE=NoSuchCore "$tcplan" machine >unknown
grep -q 'OPENBLAS_CORETYPE=NoSuchCore' unknown && fail "an unknown core type is recommended: $(cat unknown)"
exit 0
