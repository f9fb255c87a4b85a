#!/bin/sh
# A hundred batches with one file start at the same time: one computes, batches that start meanwhile are rejected, later ones find the results, and each result is stored once.
# Two batches with different files do not affect each other.
# usage: batch_sharing.sh TCPLAN
set -eu
tcplan=$(readlink -f "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export TCPLAN_STORE='' TCPLAN_LOCK="$work/lock" OPENBLAS_NUM_THREADS=1
fail() { echo "$*"; exit 1; }

for n in 6 7 8 9 10 11 12 13; do echo "n$n | abc | ai | ibc | a=$n b=5 c=4 i=3"; done >library.txt
mkdir begun
process=0
while [ $process -lt 100 ]; do
    process=$((process + 1))
    {
        status=0
        "$tcplan" batch library.txt -o shared.xml --effort estimate --quiet 2>"begun/$process.said" || status=$?
        echo $status >"begun/$process.status"
    } &
done
wait
for process in $(seq 100); do
    status=$(cat "begun/$process.status")
    case $status in
        0) ;;
        1) grep -q "another tcplan is adding results to '.*shared.xml'" "begun/$process.said" || fail "1 says: $(cat "begun/$process.said")" ;;
        *) fail "ended with $status: $(cat "begun/$process.said")" ;;
    esac
done
grep -qx 0 begun/*.status || fail 'nobody was first'
"$tcplan" report shared.xml >told || fail 'the results cannot be read'
grep -q '; 8 contractions; complete$' told || fail "told: $(head -n 1 told)"
for n in 6 7 8 9 10 11 12 13; do
    [ "$(grep -c "^n$n " told)" = 1 ] || fail "n$n: $(grep -c "^n$n " told) results"
done
left=$(find . -name '*.tmp*' -o -name '.*xml*')
[ -z "$left" ] || fail "leaves $left"

"$tcplan" batch library.txt -o one.xml --effort estimate --quiet &
one=$!
"$tcplan" batch library.txt -o two.xml --effort estimate --quiet || fail 'the second batch failed'
wait $one || fail 'the first batch failed'
for file in one two; do
    "$tcplan" report $file.xml | grep -q '; 8 contractions; complete$' || fail "$file.xml is not whole"
done
