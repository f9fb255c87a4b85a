#!/bin/sh
# A library with wrong results is reported, and only the candidates with its wrong routines are excluded, before they are timed.
# usage: wrong_blas.sh TCPLAN CC
set -eu
tcplan=$(readlink -f "$1")
cc=$2
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
TCPLAN_LOCK=$work/lock
export TCPLAN_LOCK

fail() {
    echo "$1"
    exit 1
}

"$cc" -shared -fPIC -o wrong.so "$here/wrong_blas.c" -Wl,--no-as-needed -lopenblas 2>log || {
    cat log
    exit 77
}

said="'$work/wrong.so' computes wrong small products with"
# ranked CONTRACTION SIZES ROUTINES: these routines are tested on every machine, possibly among others.
ranked() {
    "$tcplan" rank "$1" --sizes "$2" --blas ./wrong.so --effort quick --format csv >ranking 2>told || fail "rank: $(cat told)"
    grep -q "^tcplan: note: $said $3: these kernels are not used" told || fail "rank does not name it: $(cat told)"
    grep -q '\(dgemm\|ddot\)@blas1' ranking && fail "a wrong kernel is ranked: $(cat ranking)"
    :
}
ranked "C_ab=A_ai*B_ib" a=40,b=30,i=20 '\(ddot, \)\{0,1\}dgemm'
ranked "C=A_i*B_i" i=20 '\(ddot\|ddot, dgemm\)'

# refused KERNEL CONTRACTION SIZES: the kernel is rejected if it is requested by name.
refused() {
    status=0
    "$tcplan" measure "$2" --algorithm "$1@blas1" --sizes "$3" --blas ./wrong.so >out 2>told || status=$?
    [ $status = 1 ] || fail "$1: exit status $status: $(cat told)"
    grep -q "$said $1" told || fail "$1: $(cat told)"
}
refused dgemm "C_ab=A_ai*B_ib" a=40,b=30,i=20
refused ddot "C=A_i*B_i" i=20

# A batch, whose worker finds it out, names it once, unless more of its routines are found wrong, and its results are right.
for extent in 40 41 42; do echo "x$extent | ab | ai | ib | a=$extent b=30 i=20"; done >library.txt
"$tcplan" batch library.txt --blas ./wrong.so --effort quick -o results.xml 2>told || fail "batch: $(cat told)"
grep "^tcplan: note: $said" told >notes || :
{ grep -q dgemm notes && [ -z "$(sort notes | uniq -d)" ]; } || fail "batch does not name it once: $(cat told)"
grep -q '\(dgemm\|ddot\)@blas1' results.xml && fail "a wrong kernel is a result: $(cat results.xml)"

# Its other routines are the system's, and right.
"$tcplan" measure "C_a=A_ai*B_i" --algorithm dgemv@blas1 --sizes a=40,i=20 --blas ./wrong.so >out 2>told || fail "dgemv: $(cat told)"
grep -q wrongly told && fail "dgemv: $(cat told)"
exit 0
