#!/bin/sh
# Tests the scripts for Slurm, without Slurm: every task of the array as Slurm would start it, then the merge.
# usage: slurm.sh TCPLAN EXAMPLES_DIR
set -eu
command -v bash >/dev/null || { echo 'SKIPPED: bash is not installed'; exit 77; }
TCPLAN=$(readlink -f "$1") slurm=$2/slurm
export TCPLAN OPENBLAS_NUM_THREADS=1 TCPLAN_OPTIONS='--no-lock --quiet'
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

fail() {
    echo "$1" >&2
    exit 1
}

for script in shard.sh merge.sh submit.sh; do
    bash -n "$slurm/$script"
    if command -v shellcheck >/dev/null; then shellcheck "$slurm/$script"; fi
done

for n in 1 2 3 4 5 6 7; do echo "t$n | ab | ai | ib | a=$n b=3 i=4"; done >list
unset SLURM_ARRAY_TASK_ID SLURM_ARRAY_TASK_COUNT TCPLAN_SHARDS TCPLAN_RESULTS 2>/dev/null || true
bash "$slurm/shard.sh" list 2>log && fail 'it ran outside of an array'
grep -q 'task of an array' log || fail 'expected the reason'

for task in 1 2; do SLURM_ARRAY_TASK_ID=$task SLURM_ARRAY_TASK_COUNT=3 bash "$slurm/shard.sh" list; done
bash "$slurm/merge.sh" 3 2>log && fail 'it joined two of three shards'
grep -q 'shard-3-of-3.xml' log || { cat log; fail 'expected the name of the shard that is missing'; }

# A single task by itself, as when it is repeated.
SLURM_ARRAY_TASK_ID=3 SLURM_ARRAY_TASK_COUNT=1 TCPLAN_SHARDS=3 bash "$slurm/shard.sh" list
TCPLAN_MERGE_OPTIONS='--emit emitted --quiet' bash "$slurm/merge.sh" 3 >log
grep -q '^results    all.xml; 7 contractions; complete$' log || { cat log; fail 'expected seven contractions'; }
[ -s results/all.html ] || fail 'expected a report'
[ "$(grep -c '^int contract_' emitted/contractions.h)" -eq 7 ] || fail 'expected seven functions'

# An experiment in three shards, joined.
cp "$slurm/../../tests/cli/experiments/small.xml" .
export TCPLAN_TASK='experiment run' TCPLAN_RESULTS=reports TCPLAN_OPTIONS=--quiet
for task in 1 2 3; do SLURM_ARRAY_TASK_ID=$task SLURM_ARRAY_TASK_COUNT=3 bash "$slurm/shard.sh" small.xml; done
bash "$slurm/merge.sh" 3
[ "$(grep -c '<samples ' reports/all.xml)" -eq 9 ] || fail 'expected three repetitions of three sizes'
unset TCPLAN_TASK TCPLAN_RESULTS TCPLAN_OPTIONS

# The arguments that submit.sh passes to Slurm.
mkdir bin
cat >bin/sbatch <<'SBATCH'
#!/bin/sh
printf '%s %s\n' "${TCPLAN_SHARDS:-}" "$*" >>sbatch.log
echo '17;cluster'
SBATCH
chmod +x bin/sbatch
PATH=$work/bin:$PATH bash "$slurm/submit.sh" 5 one.xml two.xml >log
[ "$(cat log)" = 'array job 17: 5 shards; job 17 joins them' ] || { cat log; fail 'expected the numbers of the jobs'; }
grep -q "^5 --parsable --export=ALL --array=1-5 .*/shard.sh one.xml two.xml$" sbatch.log || { cat sbatch.log; fail 'expected the array'; }
grep -q "dependency=afterany:17 .*/merge.sh 5$" sbatch.log || { cat sbatch.log; fail 'expected the dependency'; }
