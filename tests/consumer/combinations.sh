#!/bin/sh
# Builds the library with gcc and clang, shared and static, and uses each from programs compiled by the same compiler; a shared library also from programs by the other compiler. Takes some minutes.
# usage: combinations.sh CMAKE GENERATOR ROOT WORK FORTRAN|''
set -eu
cmake=$1 generator=$2 root=$3 work=$4 fortran=$5
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$work"
tried=0
for cc in gcc clang; do
    if ! command -v "$cc" >/dev/null; then
        echo "not checked: $cc is not installed"
        continue
    fi
    for shared in ON OFF; do
        tree=$work/$cc-$shared
        rm -rf "$tree-prefix"
        echo "--- $cc, $(if [ "$shared" = ON ]; then echo shared; else echo static; fi)"
        {
            "$cmake" -G "$generator" -S "$root" -B "$tree" -DCMAKE_C_COMPILER="$cc" -DBUILD_SHARED_LIBS="$shared" -DTCPLAN_TESTS=OFF &&
                "$cmake" --build "$tree" --parallel 2 && "$cmake" --install "$tree" --prefix "$tree-prefix"
        } >"$tree.log" 2>&1 || { tail -n 60 "$tree.log"; exit 1; }
        # gfortran does not link clang's OpenMP, which a static library built by clang needs.
        module=$fortran
        if [ "$cc$shared" = clangOFF ]; then module=; fi
        sh "$here/consumers.sh" "$tree-prefix" "$tree-consumers" "$cmake" "$generator" "$cc" "$module"
        other=$(if [ "$cc" = gcc ]; then echo clang; else echo gcc; fi)
        if [ "$shared" = ON ] && command -v "$other" >/dev/null; then
            sh "$here/consumers.sh" "$tree-prefix" "$tree-others" "$cmake" "$generator" "$other" "$fortran"
        fi
        tried=$((tried + 1))
    done
done
[ "$tried" -gt 0 ] || { echo 'skipped: neither gcc nor clang is installed'; exit 77; }
