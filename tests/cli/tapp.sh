#!/bin/sh
# Tests TAPP libraries as providers: correct libraries are ranked, compared, executed, emitted, and compete in expressions, storage orders and rooflines; faulty ones are left
# out with a note.
# usage: tapp.sh TCPLAN LIBRARY CC INCLUDES
set -eu
tcplan=$(readlink -f "$1")
library=$(readlink -f "$2")
cc=$3
includes=
for folder in $(echo "$4" | tr ',' ' '); do includes="$includes -I$folder"; done
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
TCPLAN_LOCK=$work/lock TCPLAN_STORE=$work/store
export TCPLAN_LOCK TCPLAN_STORE

fail() {
    echo "$1"
    exit 1
}

for fault in RIGHT WRONG CRASH HANG REFUSE LATE FAST APART; do
    # shellcheck disable=SC2086
    "$cc" -std=c11 -O1 -shared -fPIC $includes -D$fault "$here/odd_tapp.c" -o $fault.so || fail "cannot build $fault.so"
done

# excluded FAULT WHY: the note gives the reason, and the ranking is as without the library.
excluded() {
    "$tcplan" rank "C_ab=A_ai*B_ib" --sizes a=b=i=8 --tapp "odd=$1.so" --effort quick --format csv >ranking 2>told || fail "$1: $(cat told)"
    grep -q "^tcplan: note: '$work/$1.so' $2.*: the TAPP library 'odd' is not used" told || fail "$1 is not noted: $(cat told)"
    grep -q tapp@ ranking && fail "$1 is ranked: $(cat ranking)"
    :
}
excluded WRONG "computes wrongly"
excluded CRASH "crashes (signal 11)"
excluded HANG "does not answer within 10 s"
excluded APART ""
excluded REFUSE "TAPP_create_tensor_product() returns 3 (not for this library)"

# Two libraries with the same symbols in one process.
"$tcplan" rank "C_abc=A_ija*B_jbic" --sizes a=b=c=8,i=j=4 --tapp "ours=$library" --tapp naive=RIGHT.so --effort quick --format csv >ranking 2>told ||
    fail "rank: $(cat told)"
{ grep -q "tapp@ours" ranking && grep -q "tapp@naive" ranking; } || fail "both are not ranked: $(cat ranking)"
"$tcplan" compare "C_ab=A_ai*B_ib" --sizes a=b=i=24 --tapp "ours=$library" --tapp naive=RIGHT.so tapp@naive tapp@ours >out 2>told || fail "compare: $(cat told)"
grep -q "tapp@ours .* times faster than tapp@naive" out || fail "naive loops are not slower: $(cat out)"

# A program that exports the same symbols: the library has a namespace of its own, and calls its own functions.
cat >host.c <<'END'
#include <stdio.h>
#include <string.h>
#include <tapp.h>
#include <tcplan/blas.h>
#include <tcplan/rank.h>
bool TAPP_check_success(TAPP_error error) { return error < 0; }
TAPP_error TAPP_create_tensor_product(
    TAPP_tensor_product *plan, TAPP_handle handle, TAPP_element_op op_A, TAPP_tensor_info A,
    const int64_t *idx_A, TAPP_element_op op_B, TAPP_tensor_info B, const int64_t *idx_B,
    TAPP_element_op op_C, TAPP_tensor_info C, const int64_t *idx_C, TAPP_element_op op_D,
    TAPP_tensor_info D, const int64_t *idx_D, TAPP_prectype prec) {
    (void)plan, (void)handle, (void)op_A, (void)A, (void)idx_A, (void)op_B, (void)B, (void)idx_B;
    (void)op_C, (void)C, (void)idx_C, (void)op_D, (void)D, (void)idx_D, (void)prec;
    return 6;
}
int main(void) {
    struct tcplan_rank_options options = tcplan_rank_defaults();
    struct tcplan_contraction *contraction = NULL;
    struct tcplan_ranking *ranking = NULL;
    struct tcplan_problem problem;
    struct tcplan_error error = {0};
    enum tcplan_provider provider;
    const int64_t extent[] = {8, 8, 8};
    int found = 0;
    options.effort = TCPLAN_EFFORT_QUICK;
    if (tcplan_provider_open_tapp(&provider, "other", "./APART.so", &error) != TCPLAN_OK ||
        tcplan_contraction_parse(&contraction, "C_ab=A_ai*B_ib", TCPLAN_COLUMN_MAJOR, &error) != TCPLAN_OK ||
        tcplan_problem_init(&problem, contraction, extent, TCPLAN_DOUBLE, &error) != TCPLAN_OK ||
        tcplan_rank(&ranking, &problem, &options, &error) != TCPLAN_OK) {
        puts(error.message);
        return 1;
    }
    for (size_t e = 0; e < ranking->entry_count; e++)
        found += ranking->entry[e].algorithm.provider == provider && ranking->entry[e].predicted;
    if (!found) puts("the library was not executed");
    tcplan_ranking_free(ranking);
    tcplan_contraction_free(contraction);
    return !found;
}
END
source=$here/../..
# shellcheck disable=SC2086
"$cc" -std=c11 -rdynamic $includes -I"$source/include" -I"$source/include/unstable" host.c "$(dirname "$library")/libtcplan.so" \
    -Wl,-rpath,"$(dirname "$library")" -o host || fail "cannot build a program that exports TAPP"
./host >out 2>told || fail "in a program that exports TAPP: $(cat out told)"

# A type or a product that a library rejects is not applicable.
status=0
"$tcplan" measure "C_ab=A_ai*B_ib" --sizes a=b=i=8 --dtype s --tapp naive=RIGHT.so --algorithm tapp@naive >out 2>told || status=$?
[ $status = 1 ] || fail "float: exit status $status: $(cat out told)"
"$tcplan" rank "C_ab=A_ai*B_ib" --sizes a=b=i=40 --tapp late=LATE.so --effort quick --format csv >ranking 2>told || fail "late: $(cat told)"
grep -q tapp@ ranking && fail "a product is ranked whose execution fails: $(cat ranking)"

# refused MESSAGE ARGUMENT...
refused() {
    said=$1
    shift
    status=0
    "$tcplan" measure "C_ab=A_ai*B_ib" --sizes a=b=i=8 "$@" >out 2>told || status=$?
    [ $status != 0 ] || fail "accepted: $*"
    grep -q -- "$said" told || fail "$*: $(cat told)"
}
refused "expected NAME=FILE" --tapp RIGHT.so
refused "cannot name a TAPP library" --tapp "a b=RIGHT.so"
refused "cannot name a TAPP library" --tapp blis=RIGHT.so
refused "cannot open the TAPP library 'none.so'" --tapp a=none.so
refused "unknown provider of kernels 'a'" --algorithm tapp@a
refused "'openblas' is not a TAPP library" --algorithm tapp@openblas
refused "whole contraction" --tapp a=RIGHT.so --algorithm a-tapp@a

# Emitted C computes the product, checks itself, and returns EINVAL if the library fails.
emit() {
    "$tcplan" emit "$1" --sizes "$2" --dtype "$3" --tapp "ours=$library" --algorithm tapp@ours --with-main -o emitted.c 2>told || fail "emit: $(cat told)"
    # shellcheck disable=SC2086
    "$cc" -std=c11 -Wall -Wextra -Werror $includes emitted.c "$library" -Wl,-rpath,"$(dirname "$library")" -lpthread -lm -o emitted || fail "emitted.c: $1"
    ./emitted >out || fail "emitted C: $1: $(cat out)"
    grep -q "check passed" out || fail "emitted C is not checked: $(cat out)"
}
emit "C_abk=A_kai*B_ibk" a=5,b=6,i=7,k=3 d
emit "C_abk=2*conj(A)_kai*B_ibk-3*C_abk" a=5,b=6,i=7,k=3 z
emit "C_a=A_aai*B_ij" a=5,i=7,j=3 s
"$tcplan" emit "C_ab=A_ai*B_ib" --sizes a=b=i=40 --tapp late=LATE.so --algorithm tapp@late -o late.c || fail "emit late"
grep -q "Returns 0, or EINVAL if the TAPP library reports an error" late.c || fail "late.c does not name its error: $(cat late.c)"
"$tcplan" list "C_ab=A_ai*B_ib" --sizes a=b=i=40 --tapp late=LATE.so | grep -q "^ *tapp@late: C\[:,:\] := A" || fail "the nest does not name the library"
cat >caller.c <<'END'
#include <errno.h>
#include "late.c"
static double A[1600], B[1600], C[1600];
int main(void) { return contract(A, B, C) == EINVAL ? 0 : 1; }
END
# shellcheck disable=SC2086
"$cc" -std=c11 $includes caller.c ./LATE.so -Wl,-rpath,"$work" -lpthread -o caller || fail "cannot build the caller"
./caller || fail "emitted C does not return EINVAL"
status=0
"$tcplan" emit "C_ab=A_ai*B_ib" --sizes a=b=i=8 --tapp "ours=$library" --algorithm tapp@ours --extents runtime -o runtime.c 2>told || status=$?
[ $status = 1 ] || fail "extents at run time: exit status $status"

# fast COMMAND...: FAST.so computes nothing in the process of the command, and so wins where it competes.
fast() {
    # shellcheck disable=SC2016
    sh -c 'FAST_IN=$$ exec "$@"' sh "$tcplan" "$@" --tapp fast=FAST.so -q 2>told || fail "$*: $(cat told)"
}

# Expressions of several tensors: each product is a step of the library, also in C.
expression="D_ad=A_ab*B_bc*C_cd"
fast rank "$expression" --sizes a=30,b=40,c=50,d=60 >out
[ "$(grep -c '^ *[12] .* tapp@fast ' out)" = 2 ] || fail "the library computes no step: $(cat out)"
fast emit "$expression" --sizes a=30,b=40,c=50,d=60 --with-main -o emitted.c
grep -q "step 2: .* by tapp@fast" emitted.c || fail "the library is not in the emitted C: $(cat emitted.c)"
# shellcheck disable=SC2086
"$cc" -std=c11 -Wall -Wextra -Werror $includes emitted.c ./RIGHT.so -Wl,-rpath,"$work" -lpthread -lm -o emitted || fail "emitted.c: $expression"
./emitted >out || fail "emitted C: $expression: $(cat out)"
grep -q "check passed" out || fail "emitted C is not checked: $(cat out)"
"$tcplan" rank "$expression" --sizes a=30,b=40,c=50,d=60 -q >out 2>told || fail "rank: $(cat told)"
grep -q tapp@ out && fail "an order with the library is stored: $(cat out)"

# Storage orders and rooflines. No other library multiplies these matrices in 1 us.
fast advise "C_ab=A_ai*B_ib" --sizes a=b=i=100 --json >out
sed -n 's/.*"predicted_seconds": \([^,]*\).*/\1/p' out | awk '$1 < 1e-6 { found = 1 } END { exit !found }' || fail "the library is not in the advice: $(cat out)"
fast roofline "C_ab=A_ai*B_ib" --sizes a=b=i=20 --ceilings "$here/ceilings/one.tcplan" --json >out
grep -q '"name": "tapp@fast"' out || fail "the library has no point: $(cat out)"

# A batch.
echo "x | ab | ai | ib | a=8 b=8 i=8" >library.txt
"$tcplan" batch library.txt --tapp "ours=$library" --effort quick --format json >out 2>told || fail "batch: $(cat told)"
grep -q "libtcplan-tapp" out || fail "the batch does not record the library: $(cat out)"
exit 0
