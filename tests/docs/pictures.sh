#!/bin/sh
# docs/performance.svg shows the tables that it was drawn from; a file without a table is refused,
# with the place.
# usage: pictures.sh BENCH_PERFORMANCE TABLES PICTURE
set -eu
draw=$1 tables=$2 picture=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$draw" "$tables" >"$work/performance.svg"
cmp "$work/performance.svg" "$picture" || { echo "draw it again: bench_performance $tables > $picture"; exit 1; }

refuse() {
    status=0
    "$draw" "$work/page.md" >"$work/out" 2>"$work/err" || status=$?
    { [ "$status" = 1 ] && grep -q "$1" "$work/err" && [ ! -s "$work/out" ]; } || { echo "expected '$1'"; cat "$work/err"; exit 1; }
}
echo text >"$work/page.md"
refuse 'page.md:1: expected the tables of bench/peers'
printf '<!-- peers, 1 thread -->\n\n| case | ideal |\n' >"$work/page.md"
refuse "page.md:3: expected columns 'ideal', 'swapped'"
sed 's/^| ccsd0 .*/| ccsd0 | x |/' "$tables" >"$work/page.md"
refuse 'expected the speed of the winner in GFLOP/s'
