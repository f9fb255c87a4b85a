#!/bin/sh
# Builds programs of users against an installed tree: with find_package and with pkg-config, in C, C++ and Fortran if there are compilers, with the stable and the unstable
# headers. The C++ program takes the address of every public function.
# usage: consumers.sh PREFIX WORK CMAKE GENERATOR CC FORTRAN|'' [FLAGS]
set -eu
prefix=$1 work=$2 cmake=$3 generator=$4 cc=$5 fortran=$6 flags=${7:-}
here=$(cd "$(dirname "$0")" && pwd)
expected='C_ab=A_ai*B_ib'
warnings='-Wall -Wextra -Wpedantic -Werror'

check() {
    output=$("$1") || { echo "$1 failed: $?" >&2; exit 1; }
    echo "$1: $output"
    case $output in *"$expected") ;; *) echo "expected: $expected" >&2; exit 1 ;; esac
}

rm -rf "$work"
mkdir -p "$work"

set --
if [ -n "$fortran" ]; then set -- -DWITH_FORTRAN=ON "-DCMAKE_Fortran_COMPILER=$fortran" "-DCMAKE_Fortran_FLAGS=$flags"; fi
"$cmake" -G "$generator" -S "$here" -B "$work/find_package" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER="$cc" -DCMAKE_C_FLAGS="$flags" "$@" >"$work/log" 2>&1 ||
    { cat "$work/log"; exit 1; }
"$cmake" --build "$work/find_package" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
check "$work/find_package/consumer"
check "$work/find_package/consumer_unstable"
if [ -n "$fortran" ]; then check "$work/find_package/consumer_fortran"; fi

pc=$(dirname "$(find "$prefix" -name tcplan.pc)")
export PKG_CONFIG_PATH="$pc${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}"
rpath="-Wl,-rpath,$(pkg-config --variable=libdir tcplan)"
# shellcheck disable=SC2046,SC2086 # flags are lists of words
"$cc" -std=c11 $warnings $flags "$here/main.c" -o "$work/with_pkg_config" $(pkg-config --cflags --libs tcplan) "$rpath"
check "$work/with_pkg_config"

if [ -n "$fortran" ]; then
    # shellcheck disable=SC2046,SC2086 # flags are lists of words
    "$fortran" -std=f2018 -Wall -Wextra -Werror $flags -J "$work" "$(pkg-config --variable=fortran tcplan)" "$here/main.f90" -o "$work/in_fortran" \
        $(pkg-config --libs tcplan) "$rpath"
    check "$work/in_fortran"
else
    echo 'not checked: Fortran; there is no compiler'
fi

# The C++ compiler that belongs to the one for C, with its version if it has one: gcc-12 and g++-12.
cxx=$(echo "$cc" | sed -e 's/gcc\([^/]*\)$/g++\1/;t' -e 's/clang\([^/]*\)$/clang++\1/;t' -e 's/cc$/c++/')
if command -v "$cxx" >/dev/null; then
    headers=$(find "$prefix/include/tcplan" "$prefix/include/tcplan-unstable/tcplan" -maxdepth 1 -name '*.h' ! -name mpi.h)
    # shellcheck disable=SC2086 # a list of files
    {
        printf '#include <cstddef>\n'
        for header in $headers; do printf '#include <tcplan/%s>\n' "${header##*/}"; done
        printf 'extern void (*const tcplan_functions[])();\nvoid (*const tcplan_functions[])() = {\n'
        sed -n 's/^TCPLAN_API .*[ *]\(tcplan_[a-z0-9_]*\)(.*/    reinterpret_cast<void (*)()>(\1),/p' $headers
        printf '};\nextern const std::size_t tcplan_function_count;\n'
        printf 'const std::size_t tcplan_function_count = sizeof tcplan_functions / sizeof *tcplan_functions;\n'
    } >"$work/functions.cpp"
    # shellcheck disable=SC2046,SC2086 # flags are lists of words
    "$cxx" -std=c++11 $warnings $flags "$here/main.cpp" "$work/functions.cpp" -o "$work/in_cpp" $(pkg-config --cflags --libs tcplan-unstable) "$rpath"
    check "$work/in_cpp"
else
    echo "not checked: C++; there is no $cxx"
fi
