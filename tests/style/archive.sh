#!/bin/sh
# All symbols of the static library begin with tcplan_.
# usage: archive.sh LIBRARY NM
set -eu
names=$("$2" -g --defined-only "$1" | awk 'NF == 3 { print $3 }')
[ -n "$names" ] || { echo "no symbols in $1"; exit 1; }
foreign=$(printf '%s\n' "$names" | grep -v '^tcplan_' || true)
[ -z "$foreign" ] || { printf 'symbols that are not tcplan_*:\n%s\n' "$foreign"; exit 1; }
