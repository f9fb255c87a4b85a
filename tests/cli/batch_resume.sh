#!/bin/sh
# A batch that is killed at random moments and started again has the same results as an uninterrupted one, each once; so has a batch that
# met a full disk. Completed contractions are not evaluated again.
# usage: batch_resume.sh TCPLAN
set -eu
tcplan=$(readlink -f "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
TCPLAN_LOCK=$work/lock
export TCPLAN_LOCK
kills=10

fail() {
    echo "$1"
    exit 1
}

# Ids in a file of results, sorted.
ids() {
    sed -n 's/.*<result id="\([0-9a-f]*\)".*/\1/p' "$1" | sort
}

# Entries that differ in one extent, so that no two are equal and each takes some time.
awk 'BEGIN { for (i = 1; i <= 24; i++) printf "entry%d | ab | ai | ib | a=%d b=3 i=2\n", i, i + 2 }' >library.txt

"$tcplan" batch library.txt -o whole.xml --quiet
ids whole.xml >expected
[ "$(wc -l <expected)" = 24 ] || fail "expected 24 results"

killed=0
attempt=0
while [ $killed -lt $kills ] && [ $attempt -lt 200 ]; do
    attempt=$((attempt + 1))
    if [ -f killed.xml ] && grep -q '<end ' killed.xml; then rm -f killed.xml before; fi # it was faster than the kill: once more
    "$tcplan" batch library.txt -o killed.xml --quiet &
    sleep "0.$(awk -v seed="$attempt" 'BEGIN { srand(seed); printf "%02d", 2 + int(38 * rand()) }')"
    if kill -9 $! 2>/dev/null; then killed=$((killed + 1)); fi
    wait $! 2>/dev/null || true
    if [ -f killed.xml ]; then
        ids killed.xml >now
        [ -z "$(uniq -d now)" ] || fail "a result is there twice after $killed kills"
        [ -z "$(comm -13 expected now)" ] || fail "a result that nobody asked for"
        if [ -f before ] && [ -n "$(comm -23 before now)" ]; then fail "results were lost"; fi
        mv now before
    fi
done
[ $killed -ge $kills ] || fail "only $killed of $kills kills met a batch"
"$tcplan" batch library.txt -o killed.xml --quiet || fail "the last run failed"
ids killed.xml >now
cmp -s expected now || fail "after $killed kills the results are others"

# Ended by somebody, it says what is there, in which file, and how to go on; the shell has background commands ignore ^C, so this is SIGTERM.
rm -f ended.csv.xml
"$tcplan" batch library.txt -o ended.csv 2>told &
while ! grep -q '</result>' ended.csv.xml 2>/dev/null && kill -0 $! 2>/dev/null; do sleep 0.01; done
if kill -TERM $! 2>/dev/null; then
    wait $! 2>/dev/null || true
    grep -q "^tcplan: interrupted: 'ended.csv.xml' has [0-9]* of 24 results; the same command computes the rest" told || fail "ended: $(cat told)"
fi
wait $! 2>/dev/null || true

# An incomplete record is computed again; all others are kept.
head -c "$(($(wc -c <killed.xml) - 700))" killed.xml >torn.xml
"$tcplan" batch library.txt -o torn.xml 2>told || fail "a torn file was refused"
grep -q 'already had results' told || fail "nothing was taken over from a torn file"
ids torn.xml >now
cmp -s expected now || fail "a torn file ends with other results"

# After a full disk, the written records are kept and the batch continues.
status=0
(
    trap '' XFSZ
    ulimit -f 8
    exec "$tcplan" batch library.txt -o full.xml --quiet
) 2>told || status=$?
[ $status = 3 ] || fail "a full disk: exit status $status"
grep -q 'cannot write' told || fail "a full disk: $(cat told)"
"$tcplan" batch library.txt -o full.xml 2>told || fail "after a full disk: $(cat told)"
grep -q 'already had results' told || fail "nothing was taken over after a full disk"
ids full.xml >now
cmp -s expected now || fail "after a full disk the results are others"

# Two batches cannot append to one file, and results with other settings are rejected.
"$tcplan" batch library.txt -o whole.xml --seed 7 2>told && fail "other settings were mixed in"
grep -q "seed=1' and 'seed=7" told || fail "what differs is not told: $(cat told)"
"$tcplan" batch library.txt -o whole.xml --seed 7 --mixed --quiet || fail "--mixed is refused"
ids whole.xml >now
cmp -s expected now || fail "--mixed repeated what was there"
echo "$killed kills, $attempt attempts"
