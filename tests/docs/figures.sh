#!/bin/sh
# The page about reliability has a place for each part of scripts/reliability, in it what a run of that part's command printed, and no other figures of runs;
# the tests that its promises name are there.
# usage: figures.sh ROOT
set -eu
cd "$1"
page=docs/reliability.md
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
scripts/reliability --list | sort >"$work/parts"
: >"$work/commands"

# What is written of runs: a line each where it stands elsewhere, or where there is none; into `commands` the part and command of each run.
runs() {
    awk '
        /^<!-- figures: / { part = $3; runs = 0; next }
        /^<!-- end -->$/ { if (part && !runs) print part ": nothing was run"; part = ""; next }
        /^```/ { inside = !inside; first = inside; next }
        inside && first && part { runs++; print part, $0 > commands }
        inside && first && !part && figures { print "line " NR ": a run that stands in no part" }
        { first = 0 }
        /^## / { figures = /^## Figures/ }' commands="$work/commands" "$page"
}

# Runs are of the scripts that scripts/reliability calls; who runs a part with arguments of their own chooses what is run.
commands() {
    while read -r part command; do
        of=$(sed -n "s/^$part  *//p" "$work/parts")
        [ "${command%% *}" = "${of%% *}" ] || echo "$part: '$command' is no run of this part, '$of'"
    done <"$work/commands"
    sed 's/ .*//' "$work/parts" | while read -r part; do
        grep -q "^<!-- figures: $part -->\$" "$page" || echo "$part: has no place in $page"
    done
}

# The last column of the table of promises.
promises() {
    sed -n '/^## Promises/,/^## What/s/.*| \(\x60.*\) |$/\1/p' "$page" | tr '\140' '\n' | sed -n '/^[a-z_]*\(\.[a-z_]*\)*$/p' | sort -u | while read -r name; do
        file=$(echo "$name" | sed 's|\.|[./]|')
        [ -z "$name" ] || grep -qE "(_test\\(|NAME )$file\\b" tests/CMakeLists.txt || echo "promises: there is no test '$name'"
    done
}

{
    runs
    commands
    promises
} >"$work/wrong"
cat "$work/wrong"
[ -s "$work/parts" ] && [ -s "$work/commands" ] && [ ! -s "$work/wrong" ]
