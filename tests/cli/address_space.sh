#!/bin/sh
# Limited address space (ulimit -v): what needs no BLAS works, and the rest reports that memory is out.
# Nothing waits for ever, as OpenBLAS does for memory that it does not get.
#
# usage: address_space.sh TCPLAN
set -eu
tcplan=$1
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
limited 3 "$tcplan" 'C_ab=A_ai*B_ib' --sizes a=b=i=50 --effort quick
case $output in
*'the limit on address space, 195 MiB'*) ;;
*)
    printf 'expected the limit, found:\n%s\n' "$output"
    exit 1
    ;;
esac
limited 3 "$tcplan" measure 'C_ab=A_ai*B_ib' --sizes a=b=i=50 --algorithm dgemm
limited 3 "$tcplan" roofline --time-limit 1
