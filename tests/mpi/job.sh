#!/bin/sh
# Runs examples/mpi/job.sh without Slurm.
# usage: job.sh TCPLAN TCPLAN-MPI-SAMPLE MPIRUN
set -eu
tcplan=$1 sample=$2 mpirun=$3
here=$(CDPATH='' cd "$(dirname "$0")" && pwd)
for tool in "${mpirun:-mpirun}" mpicc; do
    command -v "$tool" >/dev/null || { echo "skipped: no $tool"; exit 77; }
done
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT INT TERM
mkdir "$folder/bin"
ln -s "$tcplan" "$folder/bin/tcplan"
ln -s "$sample" "$folder/bin/tcplan-mpi-sample"
cd "$folder"
PATH=$folder/bin:$PATH TCPLAN_STORE='' MPIRUN="sh $here/run_n.sh $mpirun" SLURM_NTASKS=2 SAMPLE_SECONDS=0.1 \
    sh "$here/../../examples/mpi/job.sh" "C_ab=A_ai*B_ib" a=b=i=200 >"$folder/printed"
cat "$folder/printed"
grep -q '^passed: the result is correct' "$folder/printed"
