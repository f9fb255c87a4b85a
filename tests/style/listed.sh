#!/bin/sh
# Every source of the modules and every test is compiled, every template embedded, every file of command lines run: none was
# forgotten in a CMakeLists.txt.
# usage: listed.sh ROOT BUILD_DIR
set -eu
cd "$1"
forgotten=0
{
    find base ast contractions gen cachesim models microbench store plan roofline routines api network blocks distributed study bindings cli \
        -name templates -prune -o -name '*.c' -print
    ls tests/*/test_*.c tests/fuzz/fuzz_*.c
} | { if grep -q libtcplan-mpi "$2/build.ninja" "$2/Makefile" 2>/dev/null; then cat; else grep -v '^bindings/mpi/'; fi; } | awk -v root="$PWD/" -v commands="$2/compile_commands.json" '
    BEGIN {
        while ((getline line < commands) > 0) {
            if (match(line, /"file": "[^"]*"/)) listed[substr(line, RSTART + 9, RLENGTH - 10)]
        }
    }
    !((root $0) in listed) { print "in no CMakeLists.txt: " $0; forgotten = 1 }
    END { exit forgotten }' || forgotten=1
for file in gen/templates/*.* gen/templates/*/*; do
    if ! grep -q -F " ${file#gen/}" gen/CMakeLists.txt; then
        echo "not embedded: $file"
        forgotten=1
    fi
done
for file in tests/cli/cases/*.case; do
    name=${file##*/}
    if ! grep -q "cli\.cases\.${name%.case}[] ]" "$2/tests/CTestTestfile.cmake"; then
        echo "in no CMakeLists.txt: $file"
        forgotten=1
    fi
done
exit $forgotten
