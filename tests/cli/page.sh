#!/bin/sh
# Tests that a checker accepts the page of `report` as HTML: for one document, for two documents, and with failed contractions.
#
# usage: page.sh TCPLAN
set -eu
tcplan=$(readlink -f "$1")
tests=$(cd "$(dirname "$0")/.." && pwd)
command -v tidy >/dev/null || { echo "skipped: tidy is not installed"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$tests/cli/results"

failed=0
# tidy does not know the attributes of nested SVG elements.
check() {
    tidy -quiet -errors --drop-empty-elements no --warn-proprietary-attributes no "$work/$1.html" >"$work/said" 2>&1 || { echo "page of $1:"; cat "$work/said"; failed=1; }
}
"$tcplan" report one.xml -q -o "$work/one.html" >"$work/text"
"$tcplan" report one.xml two.xml -q --ceilings ../ceilings/one.tcplan -o "$work/both.html" >"$work/text"
printf 'a: ai,ib->ab 4,6 6,5\n<b>&: ai,ib->ab 4,6 7,5\n' | "$tcplan" batch - -q -o "$work/failed.xml" >"$work/text" 2>&1 || [ $? -eq 1 ]
"$tcplan" report "$work/failed.xml" -q -o "$work/failed.html" >"$work/text"
"$tcplan" merge one.xml two.xml --by-machine --page "$work/winners.html" >"$work/text"
check one
check both
check failed
check winners
exit "$failed"
