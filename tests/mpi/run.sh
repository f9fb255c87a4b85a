#!/bin/sh
# Runs a program on several ranks, which may be more than there are cores.
# usage: run.sh MPIRUN RANKS program arguments...
set -eu
mpirun=$1 ranks=$2
shift 2
if [ -z "$mpirun" ] || ! command -v "$mpirun" >/dev/null; then
    echo "skipped: no mpirun"
    exit 77
fi
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 \
    OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_btl_vader_single_copy_mechanism=none \
    PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
exec timeout 300 "$mpirun" -n "$ranks" "$@"
