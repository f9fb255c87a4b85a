#!/bin/sh
# Checks the man pages of section 3: every public header of the first tier has a page, every function has a section and a page that refers to it, and groff gives no
# warnings.
# usage: functions.sh ROOT MAN3
set -eu
root=$1 pages=$2
failed=0

refuse() {
    echo "$1"
    failed=1
}

functions=0
for header in "$root"/include/tcplan/*.h; do
    name=tcplan_$(basename "$header" .h)
    if [ "$name" = tcplan_tcplan ]; then name=tcplan; fi
    [ -s "$pages/$name.3" ] || { refuse "no page of ${header##*/}"; continue; }
    if command -v groff >/dev/null; then
        said=$(groff -man -ww -Tutf8 "$pages/$name.3" 2>&1 >/dev/null)
        [ -z "$said" ] || refuse "groff: $name: $said"
    fi
    names=$(sed -n 's/^TCPLAN_API .*[ *]\(tcplan_[a-z0-9_]*\)(.*/\1/p' "$header")
    for function in $names; do
        functions=$((functions + 1))
        grep -q -x -F ".SS $function()" "$pages/$name.3" || refuse "$name: no section of $function"
        grep -A 1 -x -F ".SS $function()" "$pages/$name.3" | grep -q -v '^\.S' || refuse "$name: nothing is said about $function"
        [ "$function" = "$name" ] || grep -q -x -F ".so man3/$name.3" "$pages/$function.3" || refuse "no page of $function"
    done
done
[ "$functions" -gt 0 ] || refuse 'found no functions'
echo "$functions functions"
exit "$failed"
