#!/bin/bash
# One shard of a batch: a task of a Slurm array evaluates every N-th contraction of the libraries.
#
#   sbatch --array=1-4 shard.sh LIBRARY...          four shards; results/shard-K-of-4.xml
#
# If a task is started again, after a time limit or with --requeue, it continues with the next contraction. To run single shards again, set the number
# of all shards: TCPLAN_SHARDS=4 sbatch --array=2,3 shard.sh LIBRARY... . TCPLAN_OPTIONS holds further options of `tcplan batch`, as --measure;
# TCPLAN names the command, TCPLAN_RESULTS the folder of the results. With TCPLAN_TASK="experiment run" the script runs a shard of an experiment: shard.sh EXPERIMENT.xml
#SBATCH --job-name=tcplan
#SBATCH --array=1-4
#SBATCH --nodes=1
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=1
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --output=tcplan-%A_%a.log
set -eu

shard=${SLURM_ARRAY_TASK_ID:?this script is a task of an array: sbatch --array=1-4 shard.sh LIBRARY...}
shards=${TCPLAN_SHARDS:-${SLURM_ARRAY_TASK_COUNT:?how many shards there are: TCPLAN_SHARDS}}
results=${TCPLAN_RESULTS:-results}
if [ $# -eq 0 ]; then
    echo "usage: sbatch --array=1-N shard.sh LIBRARY..." >&2
    exit 2
fi
mkdir -p "$results"

# Two shards on one node do not measure at the same time: one waits for the other. The options are split into words.
# shellcheck disable=SC2086
exec "${TCPLAN:-tcplan}" ${TCPLAN_TASK:-batch} "$@" --shard "$shard/$shards" -o "$results/shard-$shard-of-$shards.xml" ${TCPLAN_OPTIONS:-}
