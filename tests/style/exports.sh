#!/bin/sh
# The shared library exports only symbols that begin with tcplan_ or another given prefix.
# Symbols that the linker adds for versions do not count.
# usage: exports.sh LIBRARY NM [BEGINNING]
set -eu
names=$("$2" -D --defined-only "$1" | awk '$(NF - 1) != "A" { print $NF }')
# The names of the instrumented builds (sanitizers, gcov) belong to the compiler.
foreign=$(printf '%s\n' "$names" | grep -v -E '^('"${3:-tcplan_}"'|__?asan|__?ubsan|__odr_asan|__?gcov|mangle_path$)' || true)
if [ -n "$foreign" ]; then
    printf 'exported, but not %s*:\n%s\n' "${3:-tcplan_}" "$foreign"
    exit 1
fi
