#!/bin/sh
# An experiment that is killed and started again continues, and has the same samples as an uninterrupted one: every point and repetition once.
#
# usage: experiment_resume.sh TCPLAN
set -eu
command=$(readlink -f "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
cat >long.xml <<'END'
<experiment format="1" name="long" repetitions="4">
  <range variable="n" values="300:700:20"/>
  <call routine="dgemm">transA=N transB=N m=n n=n k=n alpha=1 A=A B=B beta=0 C=C</call>
</experiment>
END
places() { grep -o '<samples point="[0-9]*" repetition="[0-9]*"' "$1" | sort; }

"$command" experiment run long.xml -q -o whole.xml
kills=0
for signal in TERM KILL HUP; do # a shell lets what it starts in the background ignore INT
    "$command" experiment run long.xml -q -o parts.xml &
    process=$!
    before=$(grep -c '<run ' parts.xml 2>/dev/null || true)
    while kill -0 $process 2>/dev/null && [ "$(grep -c '<run ' parts.xml 2>/dev/null || true)" = "$before" ]; do sleep 0.02; done
    kill -$signal $process 2>/dev/null && kills=$((kills + 1))
    wait $process || true
    "$command" experiment report parts.xml --metric flops --format csv >partial.csv # what is whole can be read at any time
done
"$command" experiment run long.xml -q -o parts.xml
places whole.xml >whole
places parts.xml >parts
cmp whole parts
[ "$(wc -l <whole)" = 84 ]
grep -q '<end runs="21"' parts.xml
for report in whole parts; do "$command" experiment report $report.xml --metric flops --format csv | cut -d, -f1-6,8- >$report.csv; done # without the number of disturbed samples
cmp whole.csv parts.csv
[ -z "$(find . -name '.*tcplan-*')" ] || { echo 'a temporary file was left'; exit 1; }
[ "$kills" -gt 0 ] # of a run that is faster than this script there may be fewer than three

