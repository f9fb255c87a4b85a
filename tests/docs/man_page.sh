#!/bin/sh
# Checks the man page: groff has nothing to say about it, it has a line and a paragraph for each command, and a paragraph for each option, and its
# examples run.
#
# usage: man_page.sh TCPLAN PAGE
set -eu
tcplan=$(readlink -f "$1")
page=$2
failed=0

refuse() {
    echo "${page##*/}: $1"
    failed=1
}

# The lines of section $1.
section() {
    awk -v name="$1" '/^\.SH/ { inside = substr($0, 5) == name } inside' "$page"
}

commands=$("$tcplan" --help | sed -n 's/^  \([a-z]*\)  *[a-z].*/\1/p' | sed '/^tcplan$/d')
[ -n "$commands" ] || refuse "tcplan --help lists no commands"
for command in $commands; do
    section SYNOPSIS | grep -B 1 -x "\.B tcplan $command" | grep -q -x '\.br' || refuse "SYNOPSIS: '$command' does not begin a line"
    section COMMANDS | grep -B 1 -x "\.B $command" | grep -q -x '\.TP' || refuse "COMMANDS: '$command' has no paragraph of its own"
    for option in $("$tcplan" "$command" --help | sed -n 's/^  ...  *--\([a-z-]*\).*/\1/p'); do
        escaped=$(echo "$option" | sed 's/-/\\-/g')
        section OPTIONS | grep -A 1 -x '\.TP' | grep -q -F -e "\\fB\\-\\-$escaped\\fR" || refuse "OPTIONS: '--$option' has no paragraph"
    done
done

if command -v groff >/dev/null; then
    said=$(groff -man -ww -Tutf8 "$page" 2>&1 >/dev/null)
    [ -z "$said" ] || refuse "groff: $said"
fi

# As a reader would type them, one after the other in one folder.
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/bin" "$folder/work"
ln -s "$tcplan" "$folder/bin/tcplan"
section EXAMPLES | sed -n '/^\.nf/,/^\.fi/p' | sed -e '/^\./d' -e 's/\\-/-/g' >"$folder/examples"
[ -s "$folder/examples" ] || refuse "EXAMPLES: there are none"
while read -r example; do
    echo "$example" >"$folder/example"
    (cd "$folder/work" && PATH="$folder/bin:$PATH" sh "$folder/example" >"$folder/output" 2>&1 </dev/null) || refuse "EXAMPLES: failed: $example
$(cat "$folder/output")"
done <"$folder/examples"
exit "$failed"
