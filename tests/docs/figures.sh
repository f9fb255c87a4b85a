#!/bin/sh
# The page about reliability has a place for each part of scripts/reliability, in it what a run of that part's command printed, and no other figures of runs.
# usage: figures.sh ROOT
set -eu
cd "$1"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
scripts/reliability --list | sort >"$work/parts"
awk '
    /^<!-- figures: / { part = $3; runs = 0; next }
    /^<!-- end -->$/ { if (part && !runs) print part ": nothing was run"; part = ""; next }
    /^```/ { inside = !inside; if (inside && /^```$/) first = 1; next }
    inside && first && part { runs++; print part > commands; print > commands; first = 0 }
    inside && first { if (figures) print "line " NR ": a run that stands in no part"; first = 0 }
    /^## / { figures = /^## Figures/ }' commands="$work/commands" docs/reliability.md >"$work/wrong"
paste -d ' ' - - <"$work/commands" | while read -r part command; do
    of=$(awk -v part="$part" '$1 == part { sub(/^[^ ]+ +/, ""); print }' "$work/parts")
    case "$command " in
        "$of "*) ;;
        *) echo "$part: '$command' is not the command of this part, '$of'" ;;
    esac
done >>"$work/wrong"
sed 's/ .*//' "$work/parts" | while read -r part; do
    grep -q "^<!-- figures: $part -->\$" docs/reliability.md || echo "$part: has no place in docs/reliability.md"
done >>"$work/wrong"
cat "$work/wrong"
[ -s "$work/parts" ] && [ -s "$work/commands" ] && [ ! -s "$work/wrong" ]
