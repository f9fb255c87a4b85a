#!/bin/sh
# Doxygen gives no warnings for the headers of the first tier: everything is documented, and every reference has a target.
# usage: reference.sh ROOT
set -eu
command -v doxygen >/dev/null || { echo 'skipped: doxygen is not installed'; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
sh "$1/docs/reference/doxygen.sh" doxygen "$1" "$work" test
[ -s "$work/html/plan_8h.html" ] || { echo 'expected a page of plan.h'; exit 1; }
