#!/bin/sh
# Measures algorithms on two ranks: times, bytes as predicted, errors of the programs that it starts.
# usage: measure.sh TCPLAN MPIRUN
set -eu
tcplan=$1 mpirun=$2
for tool in "${mpirun:-mpirun}" mpicc; do
    command -v "$tool" >/dev/null || { echo "skipped: no $tool"; exit 77; }
done
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT INT TERM
here=$(CDPATH='' cd "$(dirname "$0")" && pwd)
TCPLAN_STORE='' TMPDIR=$folder MPIRUN="sh $here/run_n.sh $mpirun"
export TCPLAN_STORE TMPDIR MPIRUN

measure() {
    "$tcplan" measure "C_ab=A_ai*B_ib" --sizes a=60,b=50,i=70 --processes 2 --effort estimate --time-limit 0.1 "$@"
}
measure --top 3 >"$folder/printed"
cat "$folder/printed"
[ "$(grep -cE '^ +[0-9]+[= ] ' "$folder/printed")" -eq 3 ]
grep -q '^Fastest of 3 measured is .*; predicted ' "$folder/printed"
grep -q '^Rank 0 passed the predicted bytes to every call of MPI\.$' "$folder/printed"
measure --algorithm 2:i --format csv | awk -F, 'NR == 2 && $1 == "2:i" && $NF == "true" { found = 1 } END { exit !found }'
[ -z "$(find "$folder" -name 'tcplan-*')" ] || { echo "a temporary folder is left"; exit 1; }

MPICC=no-such-compiler measure 2>"$folder/errors" && exit 1
grep -q 'no-such-compiler not found: measure --processes needs MPI' "$folder/errors"
MPIRUN=false measure 2>"$folder/errors" && exit 1
grep -q 'false failed with exit status 1' "$folder/errors"
