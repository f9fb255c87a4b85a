#!/bin/sh
# run.sh with the arguments of mpirun: run_n.sh MPIRUN -n RANKS program arguments...
set -eu
mpirun=$1 ranks=$3
shift 3
exec sh "$(dirname "$0")/run.sh" "$mpirun" "$ranks" "$@"
