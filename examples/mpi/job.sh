#!/bin/sh
#SBATCH --job-name=tcplan-mpi
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=4
#SBATCH --time=00:10:00
# Measures MPI's calls on this cluster, then emits, compiles and runs a contraction on all ranks.
# usage: sbatch job.sh [CONTRACTION SIZES]
set -eu
contraction=${1:-C_ab=A_ai*B_ib} sizes=${2:-a=b=i=4000}
ranks=${SLURM_NTASKS:-4} start=${MPIRUN:-mpirun}
node=${SLURM_NTASKS_PER_NODE:-$ranks}

$start -n "$ranks" tcplan-mpi-sample --time-limit "${SAMPLE_SECONDS:-20}" -o times.txt
tcplan rank "$contraction" --sizes "$sizes" --processes "$ranks" --ranks-per-node "$node" \
    --communication times.txt --effort quick --emit contraction.c --with-main
# shellcheck disable=SC2046 # several libraries
mpicc -O2 -std=c11 contraction.c $(sed -n 's/.*link: //p' contraction.c | head -n 1) -lm -o contraction
$start -n "$ranks" ./contraction
