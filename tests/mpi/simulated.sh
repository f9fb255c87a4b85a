#!/bin/sh
# Runs bench/mpi_simulated for one case on four simulated nodes, where SimGrid is installed.
# usage: simulated.sh SOURCE_DIR TCPLAN
set -eu
source=$1 tcplan=$2
for tool in smpicc smpirun python3; do
    command -v "$tool" >/dev/null || { echo "skipped: no $tool"; exit 77; }
done
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT INT TERM
"$source/bench/mpi_simulated/compare.py" "$tcplan" "$source/bindings/mpi/sample.c" --fitted 4 --ranks 4 --networks "10 GbE" \
    --case "C_ab=A_ai*B_ib" a=b=i=200 --output "$folder/results.json" >"$folder/printed"
cat "$folder/printed"
grep -q '^10 GbE  *4 C_ab=A_ai\*B_ib ' "$folder/printed"
grep -q 'bytes as predicted$' "$folder/printed"
# predictions from times on as many nodes are near
grep -Eq '^10 GbE, 4 ranks: median error [0-9]\.[0-9] % of 8 predictions' "$folder/printed"
