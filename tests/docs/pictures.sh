#!/bin/sh
# The picture of docs/performance.md is that of its table; a page without the table is refused, and told where.
# usage: pictures.sh BENCH_PERFORMANCE DOCS
set -eu
draw=$1 docs=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$draw" "$docs/performance.md" >"$work/performance.svg"
cmp "$work/performance.svg" "$docs/performance.svg" || { echo "draw it again: bench_performance docs/performance.md > docs/performance.svg"; exit 1; }

refuse() {
    status=0
    "$draw" "$work/page.md" >"$work/out" 2>"$work/err" || status=$?
    { [ "$status" = 1 ] && grep -q "$1" "$work/err" && [ ! -s "$work/out" ]; } || { echo "expected '$1'"; cat "$work/err"; exit 1; }
}
echo text >"$work/page.md"
refuse 'page.md:1: expected the tables of bench/peers'
printf '<!-- peers, 1 thread -->\n\n| case | ideal |\n' >"$work/page.md"
refuse "page.md:3: expected columns 'ideal', 'swapped'"
sed 's/^| ccsd0 .*/| ccsd0 | x |/' "$docs/performance.md" >"$work/page.md"
refuse 'expected the GFLOP/s of the winner'
