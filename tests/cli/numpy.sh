#!/bin/sh
# Compares numpy.einsum with algorithms on contractions of every kind, if a python3 with numpy exists.
#
# usage: numpy.sh TCPLAN
set -eu
command=$(readlink -f "$1")
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/support/find_python.sh
. "$here/../support/find_python.sh"
find_python numpy
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python_in "$work/bin" # what the command calls
echo 'raise SystemExit(1)' >numpy.py # of the folder that the command runs in, which is none of its business
failed=0

# with_time ARGUMENT...: runs the command, again with a longer --time-limit if numpy does not answer
# within it; its output goes to the file found.
with_time() {
    for limit in 1 10 100; do
        "$command" "$@" --time-limit $limit -q >found || { cat found; failed=1; }
        grep -q 'did not answer within' found || break
    done
}

# check CONTRACTION SIZES [option...]: runs numpy and numpy-best together with the first applicable algorithm.
check() {
    contraction=$1 sizes=$2
    shift 2
    first=$("$command" list "$contraction" --top 1 -q --json "$@" | sed -n 's/^      "name": "\(.*\)",$/\1/p')
    with_time compare "$contraction" --sizes "$sizes" "$first" numpy numpy-best "$@"
    if grep 'did not run' found; then echo "  $contraction"; failed=1; fi
    grep -q 'numpy [0-9.]*: numpy is einsum' found || { cat found; failed=1; }
}

check 'C_abc=A_ai*B_ibc' a=4,b=5,c=6,i=7
check 'C_abc=A_ai*B_ibc' a=4,b=5,c=6,i=7 --row-major --dtype s
check 'C_ab=0.5*conj(A)_aib*B_bi+2*conj(C)_ab' a=4,b=5,i=6 --dtype z
check 'C_ab+=A_ai*B_ib' a=4,b=5,i=6 --dtype c
check 'D_ab=A_ai*B_ib+(0,2)*conj(C)_ba' a=4,b=5,i=6 --dtype z
check 'D_ab=A_ai*B_ib-C_aab' a=4,b=5,i=6
check 'D=A_i*B_i+C' i=100
check 'C=A_i*B_i' i=100
check 'C_ab=A_aki*B_kb' a=4,b=5,i=6,k=7
check 'C_a=A_aii*B_i' a=4,i=6
check 'C_bac=A_bai*B_ibc' a=4,b=5,c=6,i=7
check 'C[row,col]=A[row,k]*B[k,col]' row=4,col=5,k=6
with_time rank 'C_abc=A_ai*B_ibc' --sizes a=4,b=5,c=6,i=7 --compare numpy --top 1
[ "$(grep -c 'numpy' found)" -eq 3 ] || { cat found; failed=1; }
with_time measure 'C_abc=A_ai*B_ibc' --sizes a=4,b=5,c=6,i=7 --compare numpy --top 1
[ "$(grep -c 'numpy' found)" -eq 3 ] || { cat found; failed=1; }
# Matrices that matmul needs transposed and reshaped: the products run and equal those of einsum.
matmul() {
    contraction=$1 sizes=$2
    shift 2
    with_time compare "$contraction" --sizes "$sizes" numpy numpy-matmul "$@"
    if grep 'did not run' found; then echo "  $contraction"; failed=1; fi
}
matmul 'bhqd,bhkd->bhqk' b=2,h=3,q=4,k=5,d=6
matmul 'bhqd,bhkd->qbkh' b=2,h=3,q=4,k=5,d=6 --row-major --dtype s
matmul 'C_cab=0.5*conj(A)_iajb*B_jicb+2*C_cab' a=4,b=5,c=6,i=7,j=3 --dtype z
with_time rank 'bqd,bkd->bqk' --sizes b=3,q=4,k=5,d=6 --compare numpy --top 1
if grep 'did not run' found || ! grep -q 'numpy-matmul matmul' found; then cat found; failed=1; fi
with_time compare 'C_ab=A_aki*B_kb' --sizes a=4,b=5,i=6,k=7 numpy numpy-matmul
grep -q 'numpy says: numpy.matmul sums over no index of one operand only' found || { cat found; failed=1; }
sed '/^main(/d' "$here/../../study/numpy_einsum.py" >script.py
rm numpy.py
PYTHONPATH=$work "$work/bin/python3" - <<'PYTHON' || failed=1
import numpy, script
extents = dict(zip("abcijk", (2, 3, 4, 5, 6, 7)))
rng = numpy.random.default_rng(1)
for subscripts in ("abi,bij->abj", "ai,ibc->abc", "ija,jci->ac", "bai,bci->cab", "a,b->ba", "abi,abi->ab", "i,i->", "kabj,jbkc->cba"):
    left, right, result = subscripts.replace("->", ",").split(",")
    for order in "CF":
        a, b = (numpy.asarray(rng.standard_normal([extents[index] for index in term]), order=order) for term in (left, right))
        found = script.matmul(numpy, subscripts, order)(a, b)
        numpy.testing.assert_allclose(found, numpy.einsum(subscripts, a, b), atol=1e-12, err_msg=subscripts)
PYTHON
exit $failed
