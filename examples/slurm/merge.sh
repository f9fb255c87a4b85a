#!/bin/bash
# Joins the shards of a batch once all have ended, and makes a report: results/all.xml, results/all.html.
#
#   sbatch --dependency=afterany:JOB merge.sh N     N shards of array job JOB
#
# With TCPLAN_TASK="experiment run", as for the shards, the reports of an experiment are joined: results/all.xml.
#
# afterany, not afterok: a shard in which a contraction failed has the exit status 1, but its results are valid. If results are missing, merge fails.
#SBATCH --job-name=tcplan-merge
#SBATCH --ntasks=1
#SBATCH --output=tcplan-merge-%j.log
set -eu

shards=${1:?usage: merge.sh N, the number of shards}
results=${TCPLAN_RESULTS:-results}
tcplan=${TCPLAN:-tcplan}
files=()
for ((shard = 1; shard <= shards; shard++)); do files+=("$results/shard-$shard-of-$shards.xml"); done

if [ "${TCPLAN_TASK:-batch}" != batch ]; then
    # shellcheck disable=SC2086
    exec "$tcplan" experiment merge "${files[@]}" -o "$results/all.xml" ${TCPLAN_MERGE_OPTIONS:-}
fi
# shellcheck disable=SC2086
"$tcplan" merge "${files[@]}" -o "$results/all.xml" ${TCPLAN_MERGE_OPTIONS:-}
"$tcplan" report "$results/all.xml" -o "$results/all.html"
