#!/bin/sh
# Measures MPI's calls on two ranks, and ranks with the stored times, without MPI.
# usage: sample.sh TCPLAN TCPLAN-MPI-SAMPLE MPIRUN TEST_MPI_STORED
set -eu
tcplan=$1 sample=$2 mpirun=$3 stored=$4
here=$(CDPATH='' cd "$(dirname "$0")" && pwd)
command -v "${mpirun:-mpirun}" >/dev/null || { echo "skipped: no mpirun"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT INT TERM
TCPLAN_STORE=$folder/store
export TCPLAN_STORE

sh "$here/run.sh" "$mpirun" 2 "$sample" --time-limit 0.1 -o "$folder/times" 2>"$folder/errors"
cat "$folder/errors"
grep -q '^MPI_Allgatherv  *9 .* %' "$folder/errors" # sizes that the fit did not use
for call in MPI_Allgatherv MPI_Alltoallv MPI_Reduce_scatter MPI_Allreduce MPI_Bcast MPI_Send copy dgemm; do
    grep -q "^within $call 2 " "$folder/times"
done
grep -q '^check within MPI_Bcast 2 ' "$folder/times"
# at least three samples of each
awk '!/^#/ && NF < 7 + ($1 == "check") { print "too few samples: " $0; exit 1 }' "$folder/times"

rank() {
    "$tcplan" rank "C_ab=A_ai*B_ib" --sizes a=b=i=500 --processes 2 --effort estimate "$@"
}
rank | grep -q '^Communication: measured times from the store, median error [0-9]* %\.$'
rank --no-store | grep -q '^Communication: assumed '
rank --communication "$folder/times" | grep -q "measured times from $folder/times"
"$tcplan" store show communication | grep -q '^within MPI_Bcast 2 64 '
# libtcplan-mpi reads them too, and predicts what the command predicts
sh "$here/run.sh" "$mpirun" 2 "$stored" "$TCPLAN_STORE" >"$folder/planned"
rank --format csv >"$folder/ranked.csv"
cat "$folder/planned"
awk -F, 'NR == 2 { printf "%s %.2f\n", $1, 1e6 * $2 }' "$folder/ranked.csv" | cmp - "$folder/planned"
if rank --communication "$0" 2>"$folder/refused"; then exit 1; fi
grep -q 'line 4 of the communication model' "$folder/refused"

# wrong options, and a single rank
for arguments in "--time-limit x" "--time-limit 0" "unknown"; do
    # shellcheck disable=SC2086 # several words
    if sh "$here/run.sh" "$mpirun" 2 "$sample" $arguments 2>"$folder/refused"; then exit 1; fi
    grep -q '^usage: ' "$folder/refused"
done
if sh "$here/run.sh" "$mpirun" 1 "$sample" 2>"$folder/refused"; then exit 1; fi
grep -q 'needs 2 ranks' "$folder/refused"
