#!/bin/bash
# Submits a batch in N shards, and the job that joins their results: submit.sh N LIBRARY...
set -eu

if [ $# -lt 2 ]; then
    echo "usage: submit.sh N LIBRARY..." >&2
    exit 2
fi
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
shards=$1
shift
array=$(TCPLAN_SHARDS=$shards sbatch --parsable --export=ALL --array="1-$shards" "$here/shard.sh" "$@")
merge=$(sbatch --parsable --export=ALL --dependency="afterany:${array%%;*}" "$here/merge.sh" "$shards")
echo "array job ${array%%;*}: $shards shards; job ${merge%%;*} joins them"
