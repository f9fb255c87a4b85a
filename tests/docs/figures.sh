#!/bin/sh
# bench/results/reliability.txt has a place for each part of scripts/reliability, with the output of
# a run of that part's command and no other run; the tests that docs/reliability.md names exist.
# usage: figures.sh ROOT
set -eu
cd "$1"
page=docs/reliability.md results=bench/results/reliability.txt
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
scripts/reliability --list | sort >"$work/parts"
: >"$work/commands"

# Prints the parts without a run and the runs outside of a part; writes the part and the command of
# each run into `commands`.
runs() {
    awk '
        /^<!-- figures: / { part = $3; runs = 0; next }
        /^<!-- end -->$/ { if (part && !runs) print part ": nothing was run"; part = ""; next }
        /^```/ { inside = !inside; first = inside; next }
        inside && first && part { runs++; print part, $0 > commands }
        inside && first && !part { print "line " NR ": a run outside of a part" }
        { first = 0 }' commands="$work/commands" "$results"
}

# A run calls the script of its part. Arguments may differ: they choose which checks run.
commands() {
    while read -r part command; do
        of=$(sed -n "s/^$part  *//p" "$work/parts")
        [ "${command%% *}" = "${of%% *}" ] || echo "$part: '$command' is no run of this part, '$of'"
    done <"$work/commands"
    sed 's/ .*//' "$work/parts" | while read -r part; do
        grep -q "^<!-- figures: $part -->\$" "$results" || echo "$part: has no place in $results"
    done
}

# Prints each name in the last column of the table of promises that is not a test.
promises() {
    sed -n '/^## Promises/,/^## /s/.*| \(\x60.*\) |$/\1/p' "$page" | tr '\140' '\n' |
        sed -n '/^[a-z_]*\(\.[a-z_]*\)*$/p' | sort -u | while read -r name; do
        file=$(echo "$name" | sed 's|\.|[./]|')
        [ -z "$name" ] || grep -qE "(_test\\(|NAME )$file\\b" tests/CMakeLists.txt ||
            echo "promises: there is no test '$name'"
    done
}

{
    runs
    commands
    promises
} >"$work/wrong"
cat "$work/wrong"
[ -s "$work/parts" ] && [ -s "$work/commands" ] && [ ! -s "$work/wrong" ]
