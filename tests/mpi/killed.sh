#!/bin/sh
# A killed rank ends the program with a message; the other ranks do not wait for it.
# usage: killed.sh MPIRUN TEST_MPI_FAULTS
set -eu
here=$(CDPATH='' cd "$(dirname "$0")" && pwd)
printed=$(mktemp)
trap 'rm -f "$printed"' EXIT INT TERM
status=0
timeout 120 sh "$here/run.sh" "$1" 2 "$2" kill >"$printed" 2>&1 || status=$?
[ "$status" -eq 77 ] && { cat "$printed"; exit 77; }
cat "$printed"
[ "$status" -ne 0 ] && [ "$status" -ne 124 ]
grep -q -i 'signal 9\|killed\|SIGKILL' "$printed"
