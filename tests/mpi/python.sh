#!/bin/sh
# Tests tcplan.plan(comm=...) on several ranks, where some python3 has mpi4py.
# usage: python.sh SOURCE_DIR LIBRARY MPIRUN RANKS
set -eu
source=$1 library=$2 mpirun=$3 ranks=$4
# shellcheck source=tests/support/find_python.sh
. "$source/tests/support/find_python.sh"
find_python mpi4py numpy
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT INT TERM
python_in "$folder/bin"
sh "$source/tests/mpi/run.sh" "$mpirun" "$ranks" sh "$source/tests/python/run.sh" "$source" "$library" \
    "$source/tests/python/test_distributed.py"
