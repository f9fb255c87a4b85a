#!/bin/sh
# With limited address space (ulimit -v), commands without a BLAS work, and the others report that memory is out
# instead of waiting for ever, as OpenBLAS does if it gets no memory.
#
# usage: address_space.sh TCPLAN SOURCE_DIR
set -eu
tcplan=$(readlink -f "$1")
experiment=$(readlink -f "$2")/tests/cli/experiments/small.xml
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
TCPLAN_LOCK=$work/lock
export TCPLAN_LOCK
export TCPLAN_STORE='' TCPLAN_PLANS='' OPENBLAS_NUM_THREADS=2

# usage: limited STATUS COMMAND...
limited() {
    expected=$1
    shift
    status=0
    # shellcheck disable=SC3045 # dash and bash have ulimit -v
    output=$(ulimit -v 200000 && timeout 60 "$@" 2>&1) || status=$?
    if [ "$status" -ne "$expected" ]; then
        printf '%s: expected exit status %s, found %s:\n%s\n' "$*" "$expected" "$status" "$output"
        exit 1
    fi
}

limited 0 "$tcplan" --version
limited 0 "$tcplan" 'C_ab=A_ai*B_ib' --sizes a=b=i=50 --effort estimate
# usage: refused COMMAND...
refused() {
    limited 3 "$tcplan" "$@"
    case $output in
    *'the limit on address space, 195 MiB'*) ;;
    *)
        printf '%s: expected the limit, found:\n%s\n' "$*" "$output"
        exit 1
        ;;
    esac
}

echo 'dgemm N N 8 8 8 1 [64] 8 [64] 8 0 [64] 8' >calls.sample
refused 'C_ab=A_ai*B_ib' --sizes a=b=i=50 --effort quick
refused measure 'C_ab=A_ai*B_ib' --sizes a=b=i=50 --algorithm dgemm
refused measure 'D_ad=A_ab*B_bc*C_cd' --sizes a=b=c=d=8 --effort estimate
refused compare 'C_ab=A_ai*B_ib' --sizes a=b=i=50 dgemm b-dgemv
refused explain 'C_ab=A_ai*B_ib' --sizes a=b=i=50 --algorithm dgemm
refused roofline --time-limit 1
refused tune dgemm --threads 1
refused sample calls.sample
refused experiment run "$experiment" -o report.xml
refused model generate dgemv --samples samples
refused blocked predict potrf --n 60 --block 24 --generate
refused blocked windows potrf --n 60 --block 24
refused blocked cache potrf_L1 --n 60 --block 24
refused blocked check potrf --n 60 --block 24
