#!/bin/sh
# The shared library exports tcplan_* and nothing else.
# usage: exports.sh LIBRARY NM
set -eu
names=$("$2" -D --defined-only "$1" | awk '{ print $NF }')
# The names of the instrumented builds (sanitizers, gcov) belong to the compiler.
foreign=$(printf '%s\n' "$names" | grep -v -E '^(tcplan_|__?asan|__?ubsan|__odr_asan|__?gcov|mangle_path$)' || true)
if [ -n "$foreign" ]; then
    printf 'exported, but not tcplan_*:\n%s\n' "$foreign"
    exit 1
fi
