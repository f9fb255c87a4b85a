#!/bin/sh
# Emitted functions are called by programs in C, C++ and Fortran, in all four types and both storage orders, and so is a library of them.
# usage: emitted_languages.sh TCPLAN CMAKE GENERATOR CC
# shellcheck disable=SC2086 # what is linked with is a list of words
set -eu
tcplan=$(readlink -f "$1") cmake=$2 generator=$3 cc=$4
for tool in c++ gfortran; do
    command -v "$tool" >/dev/null || { echo "skipped: no $tool"; exit 77; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export OPENBLAS_NUM_THREADS=1

# One function in three languages: R = T1 T2. In Fortran, row-major tensors have their dimensions in reverse order.
check() {
    dtype=$1 order=$2 c_type=$3 cpp_type=$4 fortran_type=$5 one=$6 two=$7
    set --
    if [ "$order" = row ]; then set -- --row-major; fi
    "$tcplan" emit 'R_ab=T1_ai*T2_ib' --sizes a=4,b=5,i=8 --algorithm "${dtype}gemm" --dtype "$dtype" "$@" \
        --function multiply -o multiply.c --header multiply.h --fortran multiply.f90
    grep -q 'T1, const .* \*T2, .* \*R)' multiply.h || { echo 'expected the names of the notation'; exit 1; }
    link=$(sed -n 's/^ \* link: //p' multiply.c)
    "$cc" -std=c11 -O1 -Wall -Wextra -Wpedantic -Werror -c multiply.c
    cat >user.c <<C
#include "multiply.h"
int main(void) {
    static $c_type T1[32], T2[40], R[20];
    for (int j = 0; j < 32; j++) T1[j] = 2.0f;
    for (int j = 0; j < 40; j++) T2[j] = 3.0f;
    if (multiply(T1, T2, R) != 0) return 1;
    for (int j = 0; j < 20; j++) {
        if (R[j] != 48.0f) return 1;
    }
    return 0;
}
C
    cat >user.cpp <<CPP
#include <complex>
#include <vector>
#include "multiply.h"
int main() {
    const std::vector<$cpp_type> T1(32, 2), T2(40, 3);
    std::vector<$cpp_type> R(20);
    if (multiply(T1.data(), T2.data(), R.data()) != 0) return 1;
    for (const $cpp_type &r : R) {
        if (r != $cpp_type(48)) return 1;
    }
    return 0;
}
CPP
    if [ "$order" = row ]; then
        shapes='T1(8,4), T2(5,8), R(5,4)' product='matmul(T2, T1)'
    else
        shapes='T1(4,8), T2(8,5), R(4,5)' product='matmul(T1, T2)'
    fi
    cat >user.f90 <<FORTRAN
program user
  use, intrinsic :: iso_c_binding
  use multiply_interface
  implicit none
  $fortran_type :: $shapes
  integer :: j
  T1 = reshape([($one * j, j = 1, 32)], shape(T1))
  T2 = reshape([($two * (41 - j), j = 1, 40)], shape(T2))
  R = 7
  if (multiply(T1, T2, R) /= 0) error stop 1
  if (any(abs(R - $product) > 0)) error stop 2
end program
FORTRAN
    "$cc" -std=c11 -Wall -Wextra -Wpedantic -Werror user.c multiply.o -o user_c $link
    c++ -Wall -Wextra -Werror user.cpp multiply.o -o user_cpp $link
    gfortran -std=f2008 -Wall -Wextra -Werror -Wno-compare-reals multiply.f90 user.f90 multiply.o -o user_fortran $link
    for language in c cpp fortran; do
        ./user_$language || { echo "$dtype $order: wrong from $language"; exit 1; }
    done
}

for order in column row; do
    check s "$order" float float 'real(c_float)' 1.0 0.5
    check d "$order" double double 'real(c_double)' 1.0 0.5
    check c "$order" 'float _Complex' 'std::complex<float>' 'complex(c_float_complex)' '(1.0, 1.0)' '(0.5, -1.0)'
    check z "$order" 'double _Complex' 'std::complex<double>' 'complex(c_double_complex)' '(1.0, 1.0)' '(0.5, -1.0)'
done

# An expression of several tensors.
several() {
    dtype=$1 order=$2 fortran_type=$3 one=$4
    set --
    shapes='A(2,3), B(3,4), D(4,5), E(2,5)' product='matmul(matmul(A, B), D)'
    if [ "$order" = row ]; then
        set -- --row-major
        shapes='A(3,2), B(4,3), D(5,4), E(5,2)' product='matmul(D, matmul(B, A))'
    fi
    "$tcplan" emit 'E_ad=A_ab*B_bc*D_cd' --sizes a=2,b=3,c=4,d=5 --effort estimate --dtype "$dtype" "$@" --quiet \
        --function chain -o chain.c --header chain.h --fortran chain.f90
    link=$(sed -n 's/^ \* link: //p' chain.c)
    "$cc" -std=c11 -O1 -Wall -Wextra -Werror -c chain.c
    cat >user_chain.f90 <<FORTRAN
program user
  use, intrinsic :: iso_c_binding
  use chain_interface
  implicit none
  $fortran_type :: $shapes
  integer :: j
  A = reshape([($one * j, j = 1, 6)], shape(A))
  B = reshape([($one * (13 - j), j = 1, 12)], shape(B))
  D = reshape([($one * (j - 9), j = 1, 20)], shape(D))
  E = 7
  if (chain(A, B, D, E) /= 0) error stop 1
  if (any(abs(E - $product) > 0)) error stop 2
end program
FORTRAN
    gfortran -std=f2008 -Wall -Wextra -Werror -Wno-compare-reals chain.f90 user_chain.f90 chain.o -o user_chain $link
    ./user_chain || { echo "$dtype $order: an expression is wrong from Fortran"; exit 1; }
}
several d column 'real(c_double)' 1.0
several d row 'real(c_double)' 1.0
several c column 'complex(c_float_complex)' '(1.0, 1.0)'

# Names that are equal in Fortran, or too long for it.
long=this_is_a_name_of_a_function_that_has_rather_more_than_sixty_three_characters
"$tcplan" emit 'R_ab=t_ai*T_ib' --sizes a=4,b=5,i=8 --algorithm dgemm --function "$long" -o long.c --header long.h --fortran long.f90
"$cc" -std=c11 -Wall -Wextra -Wpedantic -Werror -c long.c
gfortran -std=f2008 -Wall -Wextra -Werror -c long.f90 -o long_f90.o

# Extents as arguments; in Fortran two of them would have the same name.
"$tcplan" emit 'R_aA=t_ai*T_iA' --sizes a=4,A=5,i=8 --algorithm dgemm --extents runtime --function flexible -o flexible.c --header flexible.h --fortran flexible.f90
"$cc" -std=c11 -Wall -Wextra -Wpedantic -Werror -c flexible.c
cat >user_flexible.f90 <<'FORTRAN'
program user
  use, intrinsic :: iso_c_binding
  use flexible_interface
  implicit none
  real(c_double) :: A(3,7), B(7,2), C(3,2)
  A = 2
  B = 3
  if (flexible(3_c_int64_t, 2_c_int64_t, 7_c_int64_t, A, B, C) /= 0) error stop 1
  if (C(1,1) /= 42 .or. C(3,2) /= 42) error stop 2
  if (flexible(-3_c_int64_t, 2_c_int64_t, 7_c_int64_t, A, B, C) == 0) error stop 3
end program
FORTRAN
cat >user_flexible.cpp <<'CPP'
#include "flexible.h"
int main() {
    const double A[6] = {2, 2, 2, 2, 2, 2}, B[3] = {3, 3, 3};
    double C[2] = {0, 0};
    return flexible(2, 1, 3, A, B, C) == 0 && C[0] == 18 && C[1] == 18 ? 0 : 1;
}
CPP
link=$(sed -n 's/^ \* link: //p' flexible.c)
gfortran -std=f2008 -Wall -Wextra -Werror -Wno-compare-reals flexible.f90 user_flexible.f90 flexible.o -o user_flexible_fortran $link
c++ -Wall -Wextra -Werror user_flexible.cpp flexible.o -o user_flexible_cpp $link
./user_flexible_fortran || { echo 'extents as arguments: wrong from Fortran'; exit 1; }
./user_flexible_cpp || { echo 'extents as arguments: wrong from C++'; exit 1; }

# Strides as arguments, for matrices that are parts of larger arrays.
"$tcplan" emit 'R_ab=t_ai*B_ib' --sizes a=4,b=5,i=8 --strides 't=1,6;R=1,7' --algorithm dgemm --extents runtime --function within -o within.c --header within.h --fortran within.f90
"$cc" -std=c11 -Wall -Wextra -Wpedantic -Werror -c within.c
cat >user_within.f90 <<'FORTRAN'
program user
  use, intrinsic :: iso_c_binding
  use within_interface
  implicit none
  real(c_double) :: t(9,7), B(7,2), R(5,2)
  integer(c_int64_t) :: strides_t(2) = [1, 9], strides_R(2) = [1, 5]
  t = 2
  B = 3
  R = 1
  if (within(3_c_int64_t, 2_c_int64_t, 7_c_int64_t, t, strides_t, B, R, strides_R) /= 0) error stop 1
  if (any(abs(R(1:3,:) - 42) > 0) .or. any(abs(R(4:5,:) - 1) > 0)) error stop 2
  if (within(3_c_int64_t, 2_c_int64_t, 7_c_int64_t, t, strides_t / 5 + 1, B, R, strides_R) == 0) error stop 3
end program
FORTRAN
cat >user_within.cpp <<'CPP'
#include "within.h"
int main() {
    const double t[8] = {2, 2, 0, 2, 2, 0, 2, 2}, B[3] = {3, 3, 3};
    const int64_t strides_t[2] = {1, 3}, strides_R[2] = {1, 2};
    double R[2] = {0, 0};
    return within(2, 1, 3, t, strides_t, B, R, strides_R) == 0 && R[0] == 18 && R[1] == 18 ? 0 : 1;
}
CPP
link=$(sed -n 's/^ \* link: //p' within.c)
gfortran -std=f2008 -Wall -Wextra -Werror -Wno-compare-reals within.f90 user_within.f90 within.o -o user_within_fortran $link
c++ -Wall -Wextra -Werror user_within.cpp within.o -o user_within_cpp $link
./user_within_fortran || { echo 'strides as arguments: wrong from Fortran'; exit 1; }
./user_within_cpp || { echo 'strides as arguments: wrong from C++'; exit 1; }

# A library of functions, whose module CMake builds.
cat >list <<'LIST'
product | ab | ai | ib | a=4 b=5 i=8
scaled | R_ab=2*T1_ai*T2_ib | a=4 b=5 i=8 | z
LIST
"$tcplan" batch list -o results.xml --no-lock --quiet --space blas --emit emitted
cat >user.f90 <<'FORTRAN'
program user
  use, intrinsic :: iso_c_binding
  use contractions
  implicit none
  real(c_double) :: A(4,8), B(8,5), C(4,5)
  complex(c_double_complex) :: T1(4,8), T2(8,5), R(4,5)
  A = 2
  B = 3
  T1 = 2
  T2 = (0, 3)
  if (contract_product_a4_b5_i8(A, B, C) /= 0) error stop 1
  if (contract_scaled_a4_b5_i8(T1, T2, R) /= 0) error stop 2
  if (any(abs(C - 48) > 0) .or. any(abs(R - (0, 96)) > 0)) error stop 3
end program
FORTRAN
cat >CMakeLists.txt <<'CMAKE'
cmake_minimum_required(VERSION 3.21)
project(user LANGUAGES C Fortran)
set(CONTRACTIONS_FORTRAN ON)
add_subdirectory(emitted)
add_executable(user user.f90)
target_link_libraries(user PRIVATE contractions::contractions_fortran)
CMAKE
"$cmake" -G "$generator" -S . -B build -DCMAKE_C_COMPILER="$cc" -DCMAKE_Fortran_FLAGS='-Wall -Wextra -Werror' >log 2>&1 || { cat log; exit 1; }
"$cmake" --build build >log 2>&1 || { cat log; exit 1; }
build/user || { echo 'the program in Fortran found another result'; exit 1; }
