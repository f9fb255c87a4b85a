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
[ "$(grep -v ' pdgemm:' "$folder/printed" | grep -cE '^ +[0-9]+[= ] ')" -ge 2 ]
grep -q '^Fastest of [34] measured is .*; predicted ' "$folder/printed"
grep -q '^Rank 0 passed the predicted bytes to every call of MPI\.$' "$folder/printed"
measure --algorithm 2:i --format csv | awk -F, '{ for (f = 1; f <= NF && NR == 1; f++) column[$f] = f }
    NR == 2 && $1 == "2:i" && $column["bytes_as_predicted"] == "true" { found = 1 } END { exit !found }'
[ -z "$(find "$folder" -name 'tcplan-*')" ] || { echo "a temporary folder is left"; exit 1; }

MPICC=no-such-compiler measure 2>"$folder/errors" && exit 1
grep -q 'no-such-compiler not found: measure --processes needs MPI' "$folder/errors"
MPIRUN=false measure 2>"$folder/errors" && exit 1
grep -q 'false failed with exit status 1' "$folder/errors"

# expressions of several tensors
"$tcplan" measure "Z_ad=A_ab*B_bc*C_cd" --sizes a=60,b=30,c=50,d=20 --processes 2 --effort estimate --time-limit 0.1 >"$folder/printed"
cat "$folder/printed"
grep -q '^Fastest of 4 measured is ' "$folder/printed"
grep -q '^Rank 0 passed the predicted bytes to every call of MPI\.$' "$folder/printed"

# ScaLAPACK is measured next to the others, if this build has it; its bytes are those of its messages
explain() { "$tcplan" explain "$1" --processes 2 --effort estimate --sizes "$2" --algorithm "$3" --grid 2 --distribute "$4" 2>"$folder/errors"; }
explain "C_ab=A_ai*B_ib" a=b=i=60 pdgemm:1x2/8 "A=i:0" >"$folder/printed" || { grep -q 'without ScaLAPACK' "$folder/errors"; exit 0; }
grep -q '^A  *i:0  *a:0/8,i:1/8 ' "$folder/printed"
grep -q '^pdgemr2d  *A ' "$folder/printed"
grep -q '^pdgemm  *C ' "$folder/printed"
measure --top 1 >"$folder/printed"
cat "$folder/printed"
grep -q '^Fastest of 2 measured is ' "$folder/printed"
grep -q '^pdgemm:[^ ]* sent [1-9][0-9.]* [KM]iB from rank 0; ' "$folder/printed"
grep -q '^Rank 0 passed the predicted bytes to every call of MPI\.$' "$folder/printed"

# ScaLAPACK needs the MPI of its mpicc: another compiler omits it, or is refused if nothing else is left
MPICC="mpicc -DNDEBUG" measure --top 1 >"$folder/printed" 2>"$folder/errors"
grep -q '^Fastest of 1 measured is ' "$folder/printed"
grep -q 'ScaLAPACK is omitted, because MPICC=mpicc -DNDEBUG may use another MPI' "$folder/errors"
MPICC=smpicc measure --algorithm pdgemm:1x2/8 2>"$folder/errors" && exit 1
grep -q 'pdgemm cannot be measured with MPICC=smpicc' "$folder/errors"

refused() {
    message=$1
    shift
    if explain "$@"; then echo "accepted: $*"; exit 1; fi
    grep -q "$message" "$folder/errors" || { cat "$folder/errors"; exit 1; }
}
refused 'A is not distributed as ScaLAPACK requires' "C_ab=A_ai*B_ib" a=b=i=60 pdgemm:1x2/8 "A="
refused 'A is too large for the 32-bit descriptors of ScaLAPACK' "C_acb=A_aci*B_ib" a=c=65536,b=i=2 pdgemm:1x2/8 "C=b:0"
refused 'pdgemm multiplies matrices' "C_abc=A_aic*B_ib" a=b=c=i=9 pdgemm:1x2/8 "C=a:0"
refused 'pdgemm multiplies matrices' "C_ab=A_abi*B_bi" a=b=i=9 pdgemm:1x2/8 "C=a:0"
refused 'pdgemm needs tensors with elements' "C_ab=A_ai*B_ib" a=b=9,i=0 pdgemm:1x2/8 "C=a:0"
