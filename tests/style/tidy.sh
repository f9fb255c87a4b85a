#!/bin/sh
# clang-tidy over every compiled file of the modules, with the checks in .clang-tidy. A file found clean is looked at again once it, a
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

# Everything is stale once a header or the configuration is newer than the last look.
touch "$stamps/.now"
if [ -e "$stamps/.last" ]; then
    newer=$(find .clang-tidy base ast contractions gen cachesim models microbench store plan roofline sampler advise blocked api network study tapp cli include \
        \( -name '*.h' -o -name .clang-tidy \) -newer "$stamps/.last" 2>/dev/null | head -n 1)
    if [ -n "$newer" ]; then rm -f "$stamps"/*.clean; fi
fi
mv "$stamps/.now" "$stamps/.last"

# shellcheck disable=SC2016 # the inner shell expands its arguments
sed -n 's/^ *"file": "\(.*\)",\{0,1\}$/\1/p' "$build/compile_commands.json" | sort -u |
    grep -E "^$(pwd)/(base|ast|contractions|gen|cachesim|models|microbench|store|plan|roofline|sampler|advise|blocked|api|network|study|tapp|cli)/" |
    while read -r file; do
        stamp=$stamps/$(echo "$file" | tr / _).clean
        if [ ! -e "$stamp" ] || [ -n "$(find "$file" -newer "$stamp")" ]; then printf '%s\n%s\n' "$file" "$stamp"; fi
    done |
    xargs -r -n 2 -P "$(nproc)" sh -c '"$tool" -p "$0" --quiet --checks="$checks" --warnings-as-errors="*" "$1" 2>"$2.log" && rm "$2.log" && touch "$2" ||
        { cat "$2.log"; exit 1; }' "$build"
