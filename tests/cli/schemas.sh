#!/bin/sh
# Validates the JSON output of every command with its schema from `tcplan help --schema`.
#
# usage: schemas.sh TCPLAN SOURCE
set -eu
command=$(readlink -f "$1")
source=$2
tests=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tests/support/find_python.sh
. "$tests/support/find_python.sh"
find_python jsonschema numpy

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python_in "$work/bin" # what --compare numpy calls
tcplan() { "$command" "$@"; }
contraction='C_abc=A_ai*B_ibc'
sizes=a=b=c=12,i=8
ceilings=$tests/cli/ceilings/example.tcplan

tcplan rank "$contraction" --sizes $sizes --json -q --max-workspace 16K -o rank.json
tcplan rank "$contraction" --sizes $sizes --json -q --top 2 --ceilings "$ceilings" --strides A=1,20 -o ceilings.json
tcplan rank "$contraction" --sizes a=4:12:4,b=c=9,i=8 --json -q --top 2 --row-major --dtype c -o sweep.json
tcplan rank 'C_abcdef=A_abcijk*B_ijkdef' --sizes a=b=c=d=e=f=i=j=k=2 --time-limit 1e-9 --json -q -o late.json
tcplan rank "$contraction" --sizes $sizes --json -q --predictor thesis -o thesis.json
tcplan measure "$contraction" --sizes $sizes --json -q --top 3 --cache cold -o measure.json --baseline abc-ddot
tcplan list "$contraction" --json -o list.json
tcplan list "$contraction" --sizes a=b=c=64,i=8 --json -q --top 50 --max-workspace 1M -o sized.json
tcplan list 'C_abcdefghijklmnopqrstuvw=A_abcdefghijklz*B_zmnopqrstuvw' --top 2 --json -o uncounted.json
tcplan list "$contraction" --algorithm "c.b:8'Cs-dgemm" --sizes a=b=c=64,i=8 --json -o named.json
tcplan trace "$contraction" --sizes a=b=c=100,i=8 --algorithm ca-dgemv --json -q -o trace.json
tcplan explain "$contraction" --sizes $sizes --algorithm ca-dgemv --json -q -o explain.json
tcplan explain "$contraction" --sizes $sizes --json -q --strides A=1,20 -o runner-up.json
tcplan compare "$contraction" --sizes $sizes c-dgemm ca-dgemv numpy --time-limit 1 --json -q -o compare.json
tcplan rank "$contraction" --sizes $sizes --compare numpy --time-limit 1 --top 1 --json -q -o numpy.json
tcplan measure "$contraction" --sizes $sizes --compare numpy --time-limit 1 --top 1 --json -q -o measured-numpy.json
tcplan advise "$contraction" --sizes $sizes --effort quick --top 2 --conversion once --uses 9 --json -q -o advise.json
tcplan rank 'E_ad=A_ab*B_bc*C_cd' --sizes a=9,b=8,c=7,d=6 --json -q -o order.json
tcplan explain 'R_ad=A_ab*B_bc*C_cd+2*D_dk*B_jk*A_aj' --sizes a=9,b=8,c=7,d=6,j=8,k=7 --path '[(0, 1), (0, 1)]; [(1, 2), (0, 1)]' --json -q -o shared-order.json
tcplan rank 's=A_abc*B_cde*C_efg*D_gab*E_df' --sizes a=b=c=d=e=f=g=8 --max-memory 4K --json -q -o sliced-order.json
tcplan measure 'R_ab=A_ac*B_cb+2*C_ad*D_de*E_eb+F_ba' --sizes a=4,b=3,c=5,d=2,e=6 --time-limit 0.1 --json -q -o measured-order.json
tcplan machine --json -o machine.json
tcplan selftest --json -q --max-memory 16M --counters "$tests/cli/counts/program.counts" -o selftest.json || [ $? -eq 3 ] # what is recorded is of another program
tcplan tune triad --threads 1 --machine "l3:1(size=256KiB) l2:1(size=32KiB) core:1 pu:1" --invocations 1 --iterations 3 --max-memory 8M --json -q -o tune-triad.json \
    2>/dev/null || [ $? -eq 3 ] # where all was disturbed
tcplan rank 'C_abc=A_ai*B_ibc' --sizes a=b=c=40,i=8 --processes 4 --json -q -o distributed.json
tcplan explain 'C_abc=A_ai*B_ibc' --sizes a=b=c=40,i=8 --processes 4 --ranks-per-node 2 --json -q -o distributed-one.json
tcplan rank 'E_ad=A_ab*B_bc*C_cd' --sizes a=b=c=d=40 --processes 4 --effort estimate --json -q -o distributed-order.json
tcplan explain 'E_ad=A_ab*B_bc*C_cd' --sizes a=b=c=d=40 --processes 4 --effort estimate --json -q -o distributed-steps.json
tcplan explain 'C_ij=A_ik*B_kj' --sections 'i=k=j=8@0+9@1' --charge 'A:i-k=0' --json -q -o blocks.json
tcplan explain 'D_il=A_ij*B_jk*C_kl' --sections 'i=j=k=l=8@0+9@1' --charge 'A:i-j=0' --json -q -o blocks-order.json
tcplan measure 'D_il=A_ij*B_jk*C_kl' --sections 'i=j=k=l=8+9' --effort estimate --json -q -o measured-blocks.json
tcplan tune dgemm --threads 1 --invocations 1 --iterations 2 --seconds 0.1 --order random --json -q -o tune-dgemm.json 2>/dev/null || [ $? -eq 3 ]
printf 'set_counters misses cycles\n{omp\ndscal 5 1 [5] 1\n}\ndpotrf L 5 [25] 5 0\n' | tcplan sample --counters "$tests/cli/counts/sampler.counts" --json -q -o sample.json
tcplan store --json -o no-store.json
tcplan experiment run "$tests/cli/experiments/small.xml" -q -o experiment.xml
tcplan experiment report experiment.xml --json -o experiment.json
tcplan experiment report experiment.xml --json --metric efficiency --select dgemv --select ddot --discard-first -o efficiency.json
TCPLAN_STORE=kept tcplan roofline --quick --time-limit 1000 --threads 1 --json -q -o roofline.json
TCPLAN_STORE=kept tcplan store --json -o store.json
tcplan plans --json -o no-plans.json
cat "$tests/fuzz/corpus/plans/one" "$tests/fuzz/corpus/plans/cut" >some.plans
tcplan plans --plans some.plans --json -o plans.json
tcplan blocked --json -o operations.json
tcplan blocked list trsyl --dtype z --json -o algorithms.json
tcplan blocked list --algorithms "$tests/fuzz/corpus/blocked/cholesky.xml" --json -o own-algorithms.json
tcplan blocked trace geqrf --n 20 --m 30 --block 8 --json -o blocked-trace.json
tcplan blocked windows potrf --n 96 --block 16 --measure --repetitions 2 --json -q -o blocked-windows.json
tcplan blocked windows gram --algorithms "$source/examples/blocked/chains.xml" --sizes m=60,k=20,n=40 --repetitions 2 --json -q -o product-windows.json
tcplan blocked cache dgeqrf --n 64 --block 16 --cache-size 64K --repetitions 2 --all --json -q -o blocked-cache.json
tcplan model --json -o no-models.json
TCPLAN_STORE=kept tcplan model import "$tests/fuzz/corpus/models/one.xml" --foreign -q
TCPLAN_STORE=kept tcplan model list --json -o models.json
TCPLAN_STORE=kept tcplan model show --json --sizes m=9,n=1000 -o model.json
TCPLAN_STORE=modelled tcplan model generate dpotf2 dmove:incx=1 --domain n=8:64 --overfitting 0 --oversampling 1 --repetitions 2 --bound 90 --json -q -o generated.json
TCPLAN_STORE=modelled tcplan model check dpotf2 --points 3 --repetitions 2 --json -q -o checked.json
TCPLAN_STORE=modelled tcplan model study dpotf2 --domain n=8:24 --repetitions 2 --json -q -o studied.json
TCPLAN_STORE=modelled tcplan model generate dpotf2 --domain n=8:64 --overfitting 0 --oversampling 1 --repetitions 2 --counter cycles --counters "$tests/cli/counts/sampler.counts" -q >counted
TCPLAN_STORE=modelled tcplan model show counter=cycles --sizes n=9 --json -o counted.json
TCPLAN_STORE=modelled tcplan blocked models potrf --n 200 --json -o blocked-models.json
TCPLAN_STORE=modelled tcplan blocked predict potrf_L3 --n 32 --block 32 --no-generate --json -q -o blocked-predict.json
TCPLAN_STORE=modelled tcplan blocked measure potrf_L3 --n 24:32:8 --block 32:40:8 --no-generate --repetitions 5 --json -q -o blocked-measure.json
TCPLAN_STORE=modelled tcplan blocked rank potrf_L3 --n 24:32:8 --block 32 --no-generate --json -q -o blocked-rank.json
tcplan roofline "$contraction" --sizes $sizes --json -q --top 2 --measure --ceilings "$ceilings" -o points.json
tcplan roofline "$contraction" --sizes a=8:16:8,b=c=12,i=8 --json -q --algorithm c-dgemm --algorithm cb-dgemv --measure --ceilings "$ceilings" -o trajectories.json
tcplan roofline "$contraction" --sizes $sizes --json -q --top 2 --traffic read --unit cycle --ceilings "$ceilings" -o cycles.json
tcplan roofline --run true --run-output said --counters "$tests/cli/counts/program.counts" --points "$tests/roofline/regions/marker_two_sockets.csv" --json -q \
    --ceilings "$ceilings" -o regions.json
tcplan roofline --ceilings "$tests/cli/ceilings/ert.tcplan" --intensities --strided --widths --json -q -o accesses.json
tcplan roofline --run true --counters none --json -q --ceilings "$ceilings" -o uncounted-regions.json
tcplan roofline --kernel daxpy=5000 --kernel dgemm=40 --counters simulated --max-memory 2M --json -q --ceilings "$ceilings" -o kernels.json
printf 'a: ai,ib->ab 4,6 6,5\nb: ai,ib->ab 4,6 6,5\nc: ai,ib->ab 4,6 7,5\nx\n' >library
tcplan batch - --measure --ceilings "$ceilings" -q --json <library >results.json 2>/dev/null || [ $? -eq 1 ] # two of them fail
tcplan batch - --measure -q -o results.jsonl <library 2>/dev/null || [ $? -eq 1 ]
tcplan batch - --measure --ceilings "$ceilings" -q -o limited.xml <library 2>/dev/null || [ $? -eq 1 ]
tcplan report limited.xml --json >limited.json
cd "$tests/cli/results"
tcplan report one.xml --json >"$work/report.json"
tcplan report one.xml two.xml --json >"$work/reports.json"
tcplan portability one.xml two.xml --all --ceilings ../ceilings/one.tcplan --json >"$work/portability.json"
tcplan portability "$tests/../examples/papers/gpp-knl.csv" "$tests/../examples/papers/gpp-v100.csv" --json >"$work/programs.json"
tcplan merge one.xml two.xml --by-machine --json >"$work/merge.json"
cd "$work"
tcplan blocked check trsyl --n 20 --m 30 --block 8 --dtype c --json -o blocked-check.json

"${CC:-cc}" -shared -fPIC -I "$source/bindings/tapp/include" -o faulty.so "$tests/cli/faulty_tapp.c"
echo "x | ab | ai | ib | a=4 b=5 i=6" >list.txt
FAULT=strides tcplan check ./faulty.so --random 2 --library list.txt --no-lock --json -q -o check.json || [ $? -eq 1 ]

mkdir "$work/schema"
for name in $(tcplan help --schema); do tcplan help "$name" --schema -o "$work/schema/$name.json"; done
"$python" "$tests/cli/validate.py" "$work/schema" blocked-check=blocked-check.json blocked-operations=operations.json blocked-list=algorithms.json blocked-list=own-algorithms.json blocked-trace=blocked-trace.json blocked-models=blocked-models.json blocked-predict=blocked-predict.json blocked-rank=blocked-rank.json blocked-measure=blocked-measure.json blocked-windows=blocked-windows.json blocked-windows=product-windows.json blocked-cache=blocked-cache.json model-generate=generated.json model-check=checked.json model-study=studied.json model=counted.json rank=rank.json rank=ceilings.json rank=sweep.json rank=late.json rank=numpy.json rank=measured-numpy.json check=check.json compare=compare.json advise=advise.json blocks=blocks.json blocks-order=blocks-order.json blocks-order=measured-blocks.json distributed=distributed.json distributed=distributed-one.json distributed-order=distributed-order.json distributed-order=distributed-steps.json order=order.json order=shared-order.json order=sliced-order.json order=measured-order.json rank=thesis.json \
    rank=measure.json list=list.json list=sized.json list=uncounted.json list=named.json trace=trace.json explain=explain.json \
    explain=runner-up.json machine=machine.json selftest=selftest.json sample=sample.json tune=tune-triad.json tune=tune-dgemm.json store=no-store.json plans=no-plans.json plans=plans.json experiment=experiment.json experiment=efficiency.json store=store.json model=no-models.json model=models.json model=model.json roofline=roofline.json \
    roofline-points=points.json roofline-series=trajectories.json roofline-points=cycles.json roofline=accesses.json roofline-regions=regions.json roofline-regions=uncounted-regions.json roofline-kernels=kernels.json \
    results=results.json results=results.jsonl report=limited.json report=report.json report=reports.json portability=portability.json portability-programs=programs.json merge=merge.json
