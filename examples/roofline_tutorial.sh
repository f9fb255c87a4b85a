#!/bin/sh
# Runs the steps of docs/roofline.md for the regions of a program and prints their output.
# usage: roofline_tutorial.sh TCPLAN REGIONS [ELEMENTS [TIMES [CEILINGS]]]
#
# REGIONS is the built examples/regions.c. Without the file CEILINGS, the ceilings that are stored for this machine are used; if there are none, they are measured. Pictures are written to the current folder.
set -eu
tcplan=$1
regions=$2
elements=${3:-20000000}
times=${4:-5}
ceilings=${5:-}
here=$(cd "$(dirname "$0")" && pwd)

# step argument...: prints the command and runs tcplan roofline with these arguments and the ceilings.
step() {
    printf '\n$ tcplan roofline %s\n' "$(printf '%s' "$*" | sed "s|$regions|./regions|; s|$here/|examples/|; s|--run \(.*\) --threads|--run \"\1\" --threads|")"
    if [ -n "$ceilings" ]; then set -- "$@" --ceilings "$ceilings"; fi
    "$tcplan" roofline "$@" --quiet
}

step --threads 1
step --threads 1 --plot roofs.svg >/dev/null
step --run "$regions $elements $times" --threads 1
# shellcheck disable=SC2046 # options and their values
step --run "$regions $elements $times" --threads 1 --bandwidth triad --run-output said --plot regions.svg $("$regions" "$elements" "$times" | grep '^--flops')
step --points "$here/likwid.csv" --threads 1
