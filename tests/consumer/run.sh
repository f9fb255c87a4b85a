#!/bin/sh
# Installs the built tree into a prefix of its own, then builds and runs the consumer against it with find_package and with pkg-config, and
# one in C++, where there is a compiler for that, which takes the address of every public function.
# usage: run.sh CMAKE GENERATOR BUILD_DIR CC [FLAGS]
set -eu
cmake=$1 generator=$2 build=$3 cc=$4 flags=${5:-}
here=$(cd "$(dirname "$0")" && pwd)
work=$build/consumer
prefix=$work/prefix
expected='C_ab=A_ai*B_ib'

check() {
    output=$("$1") || { echo "$1 failed" >&2; exit 1; }
    echo "$1: $output"
    case $output in *"$expected") ;; *) echo "expected: $expected" >&2; exit 1 ;; esac
}

rm -rf "$work"
mkdir -p "$work"
"$cmake" --install "$build" --prefix "$prefix" >"$work/install.log" || { cat "$work/install.log"; exit 1; }

"$cmake" -G "$generator" -S "$here" -B "$work/find_package" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER="$cc" -DCMAKE_C_FLAGS="$flags"
"$cmake" --build "$work/find_package"
check "$work/find_package/consumer"

pc=$(dirname "$(find "$prefix" -name tcplan.pc)")
export PKG_CONFIG_PATH="$pc${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}"
# shellcheck disable=SC2046,SC2086 # flags are lists of words
"$cc" -std=c11 -Wall -Wextra -Wpedantic -Werror $flags "$here/main.c" -o "$work/with_pkg_config" \
    $(pkg-config --cflags --libs tcplan-unstable) "-Wl,-rpath,$(pkg-config --variable=libdir tcplan)"
check "$work/with_pkg_config"

# The C++ compiler that belongs to the one for C, with its version if it has one: gcc-12 and g++-12.
cxx=$(echo "$cc" | sed -e 's/gcc\([^/]*\)$/g++\1/;t' -e 's/clang\([^/]*\)$/clang++\1/;t' -e 's/cc$/c++/')
if command -v "$cxx" >/dev/null; then
    headers="$prefix/include/tcplan $prefix/include/tcplan-unstable/tcplan"
    # shellcheck disable=SC2086 # two folders
    {
        printf '#include <cstddef>\n#include <tcplan/unstable.h>\n'
        printf 'extern void (*const tcplan_functions[])();\nvoid (*const tcplan_functions[])() = {\n'
        find $headers -maxdepth 1 -name '*.h' -exec sed -n 's/^TCPLAN_API .*\(tcplan_[a-z0-9_]*\)(.*/    reinterpret_cast<void (*)()>(\1),/p' {} +
        printf '};\nextern const std::size_t tcplan_function_count;\n'
        printf 'const std::size_t tcplan_function_count = sizeof tcplan_functions / sizeof *tcplan_functions;\n'
    } >"$work/functions.cpp"
    # shellcheck disable=SC2046,SC2086 # flags are lists of words
    "$cxx" -std=c++11 -Wall -Wextra -Wpedantic -Werror $flags "$here/main.cpp" "$work/functions.cpp" -o "$work/in_cpp" \
        $(pkg-config --cflags --libs tcplan-unstable) "-Wl,-rpath,$(pkg-config --variable=libdir tcplan)"
    check "$work/in_cpp"
else
    echo "not checked: the headers in C++; there is no $cxx"
fi

command=$prefix/bin/tcplan
if [ -x "$command" ]; then "$command" --version; fi
