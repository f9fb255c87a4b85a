#!/bin/sh
# A batch emits a library, which is built, tested, installed and used by a C++ program of a user.
# usage: emitted_library.sh TCPLAN CMAKE GENERATOR CC
set -eu
tcplan=$(readlink -f "$1") cmake=$2 generator=$3 cc=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export OPENBLAS_NUM_THREADS=1

fail() {
    echo "$1" >&2
    exit 1
}

cat >list <<'LIST'
product | ab | ai | ib | a=20 b=30 i=10
"outer" */ | abc | ai | ibc | a=6 b=7 c=8 i=1
out-er | ab | ai | ib | a=5 b=6 i=7
out er | ab | ai | ib | a=5 b=6 i=7
LIST
"$tcplan" batch list -o results.xml --no-lock --quiet --emit emitted
"$cmake" -G "$generator" -S emitted -B build -DCMAKE_C_COMPILER="$cc" -DCMAKE_C_FLAGS='-Wall -Wextra -Wpedantic -Werror' >log 2>&1 || { cat log; exit 1; }
"$cmake" --build build >log 2>&1 || { cat log; exit 1; }
"$cmake" -E chdir build ctest >log 2>&1 || { cat log; exit 1; }
grep -q '100% tests passed, 0 tests failed out of 4' log || { cat log; fail 'expected four tests'; }

# The same command adds new entries of the list; existing functions are kept.
cp emitted/contractions.h before.h
echo 'added | abd | acd | cb | a=4 b=5 c=6 d=3' >>list
"$tcplan" batch list -o results.xml --no-lock --quiet --emit emitted
[ "$(grep -c '^int contract_' emitted/contractions.h)" -eq 5 ] || fail 'expected five functions'
grep '^int contract_' before.h | while read -r line; do
    grep -q -F "$line" emitted/contractions.h || fail "gone: $line"
done
"$cmake" --build build >log 2>&1 || { cat log; exit 1; }
"$cmake" -E chdir build ctest >log 2>&1 || { cat log; exit 1; }
grep -q '100% tests passed, 0 tests failed out of 5' log || { cat log; fail 'expected five tests'; }

# The test of a function that cannot run does not pass.
cp emitted/contract_product_a20_b30_i10.c whole.c
sed 's/^    return 0;$/    return 12;/' whole.c >emitted/contract_product_a20_b30_i10.c
"$cmake" --build build >log 2>&1 || { cat log; exit 1; }
build/test_contractions contract_product_a20_b30_i10 >log && fail 'passed a function that failed'
grep -q 'contract_product_a20_b30_i10: FAILED: it returned 12' log || { cat log; fail 'expected the status'; }
cp whole.c emitted/contract_product_a20_b30_i10.c
"$cmake" --build build >log 2>&1 || { cat log; exit 1; }

# Tensors with strides: their functions pass, and one that writes between the elements of its result does not.
cat >strided.xml <<'XML'
<library format="1"><contraction name="part" formula="C_ab=A_ai*B_ib" strides="A=1,-30;B=0,3;C=-40,2"><sizes>a=9,b=8,i=7</sizes></contraction></library>
XML
"$tcplan" batch strided.xml -o strided_results.xml --no-lock --quiet --emit strided
grep -q 'strides A=1,-30;B=0,3;C=-40,2' strided/contractions.h || fail 'expected the strides in the header'
"$cmake" -G "$generator" -S strided -B strided_build -DCMAKE_C_COMPILER="$cc" -DCMAKE_C_FLAGS='-Wall -Wextra -Wpedantic -Werror' >log 2>&1 || { cat log; exit 1; }
"$cmake" --build strided_build >log 2>&1 || { cat log; exit 1; }
"$cmake" -E chdir strided_build ctest >log 2>&1 || { cat log; exit 1; }
sed -i 's/^\(int contract_part.*{\)$/\1\n    C[1] = 0.5;/' strided/contract_part*.c
"$cmake" --build strided_build >log 2>&1 || { cat log; exit 1; }
"$cmake" -E chdir strided_build ctest -V >log 2>&1 && fail 'it writes between elements, and passes'
grep -q 'it writes between the elements of the result' log || { cat log; fail 'expected the reason'; }

# Block-sparse products: functions in the same files, each with a test of its own, which fails if a block is wrong. A library may
# have nothing else.
cat >sparse.xml <<'XML'
<library format="1"><contraction name="banded" formula="C_ij=A_ik*B_kj"><sizes sections="i=j=k=8x4"
    blocks="A:0 0|0 1|1 1|2 2; B:0 0|1 1|2 1">i=j=k=32</sizes></contraction>
  <contraction name="charged" formula="C_ij=2*A_ik*B_kj+3*C_ij"><sizes sections="i=j=k=60@0+50@0+40@1" charge="A:i-k=0; B:k-j=0"
    >i=j=k=150</sizes></contraction></library>
XML
"$tcplan" batch sparse.xml -o sparse_results.xml --no-lock --quiet --effort estimate --threads 2 --oversubscribe --dtype z --emit sparse
[ "$(grep -c '^int contract_[a-z0-9_]*(const contractions_complex_double \*const A\[\]' sparse/contractions.h)" -eq 2 ] ||
    fail 'expected two functions of pointers to blocks'
"$cmake" -G "$generator" -S sparse -B sparse_build -DCMAKE_C_COMPILER="$cc" -DCMAKE_C_FLAGS='-Wall -Wextra -Wpedantic -Werror' >log 2>&1 || { cat log; exit 1; }
"$cmake" --build sparse_build >log 2>&1 || { cat log; exit 1; }
"$cmake" -E chdir sparse_build ctest >log 2>&1 || { cat log; exit 1; }
grep -q '100% tests passed, 0 tests failed out of 2' log || { cat log; fail 'expected two tests'; }
sed -i 's/^    int status = 0;$/&\n    if (C) return 0;/' sparse/contract_banded*.c
"$cmake" --build sparse_build >log 2>&1 || { cat log; exit 1; }
"$cmake" -E chdir sparse_build ctest -V >log 2>&1 && fail 'it computes nothing, and passes'
grep -q 'contract_banded_i32_j32_k32: check FAILED' log || { cat log; fail 'expected the failure'; }

# Contractions that cannot be emitted are reported with their position.
"$tcplan" batch list --emit emitted 2>log && fail 'emitted without a file of results'
grep -q 'emit needs --output' log || { cat log; fail 'expected the reason'; }
touch taken
"$tcplan" batch list -o results.xml --no-lock --quiet --emit taken 2>log && fail 'emitted into a file'
grep -q "cannot write 'taken/contractions.h'" log || { cat log; fail 'expected the reason'; }

command -v c++ >/dev/null || exit 0
"$cmake" --install build --prefix "$work/prefix" >log 2>&1 || { cat log; exit 1; }
mkdir user
cat >user/CMakeLists.txt <<'CMAKE'
cmake_minimum_required(VERSION 3.21)
project(user LANGUAGES CXX)
find_package(contractions REQUIRED)
add_executable(user user.cpp)
target_link_libraries(user PRIVATE contractions::contractions)
CMAKE
cat >user/user.cpp <<'CPP'
#include <contractions.h>
#include <vector>
int main() {
    const std::vector<double> A(200, 2.0), B(300, 3.0);
    std::vector<double> C(600);
    return contract_product_a20_b30_i10(A.data(), B.data(), C.data()) == 0 && C[599] == 60.0 ? 0 : 1;
}
CPP
"$cmake" -G "$generator" -S user -B user/build -DCMAKE_PREFIX_PATH="$work/prefix" >log 2>&1 || { cat log; exit 1; }
"$cmake" --build user/build >log 2>&1 || { cat log; exit 1; }
user/build/user || fail 'the program in C++ found another result'
