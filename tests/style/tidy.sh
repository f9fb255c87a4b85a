#!/bin/sh
# Runs clang-tidy over every compiled C file of the modules, with the checks in .clang-tidy. A file found clean is checked again once it, a
# header or the checks have changed.
# usage: tidy.sh ROOT BUILD_DIR checks|analyzer
#
# The static analyzer takes thirty times as long as all other checks together, so it is a test of its own (scripts/test --long).
set -eu
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/style/sources.sh
. "$here/sources.sh"
cd "$1"
build=$2
case $3 in
checks) checks='-clang-analyzer-*' ;;
analyzer) checks='-*,clang-analyzer-*,-clang-analyzer-alpha*,-clang-analyzer-optin.performance.Padding,-clang-analyzer-security.insecureAPI.*' ;;
*) echo "tidy.sh: expected 'checks' or 'analyzer', found '$3'" >&2; exit 2 ;;
esac
export checks

find_clang_tool clang-tidy
export tool
stamps=$build/tidy/$3
mkdir -p "$stamps"

# All files are checked again if a header or the configuration is newer than the last check.
touch "$stamps/.now"
if [ -e "$stamps/.last" ]; then
    newer=$(find .clang-tidy base ast contractions gen cachesim models microbench store plan roofline routines api network blocks distributed study bindings cli include \
        \( -name '*.h' -o -name .clang-tidy \) -newer "$stamps/.last" 2>/dev/null | head -n 1)
    if [ -n "$newer" ]; then rm -rf "$stamps/clean"; fi
fi
mv "$stamps/.now" "$stamps/.last"

# clang-tidy takes ten times as long to start as to check a file, so each process gets several.
list=$stamps/.stale
sed -n 's/^ *"file": "\(.*\)",\{0,1\}$/\1/p' "$build/compile_commands.json" | sort -u |
    grep -E "^$(pwd)/(base|ast|contractions|gen|cachesim|models|microbench|store|plan|roofline|routines|api|network|distributed|study|bindings|cli)/.*\.c$" |
    while read -r file; do
        # shellcheck disable=SC3013 # dash and bash have -nt
        [ "$stamps/clean$file" -nt "$file" ] || echo "$file"
    done >"$list"
if [ "$3" = checks ]; then together=32; else together=1; fi # the analyzer spends seconds on a file
# shellcheck disable=SC2016 # the inner shell expands its arguments
xargs -r -n "$together" -P "$(nproc)" sh -c 'stamps=$1 build=$2
    shift 2
    log=$stamps/$$.log
    "$tool" -p "$build" --quiet --checks="$checks" --warnings-as-errors="*" "$@" 2>"$log" ||
        { grep -v "warnings\{0,1\} generated\.$" "$log"; exit 1; }
    rm "$log"
    for file; do
        [ -d "$stamps/clean${file%/*}" ] || mkdir -p "$stamps/clean${file%/*}"
        : >"$stamps/clean$file"
    done' sh "$stamps" "$build" <"$list"
