#!/bin/sh
# Checks the man pages: groff gives no warnings. The page of tcplan has a line and a paragraph for each command, and a paragraph for each
# option, and its examples run. The page of each command has a paragraph for each of its options.
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

# Prints the lines of section $1.
section() {
    awk -v name="$1" '/^\.SH/ { inside = substr($0, 5) == name } inside' "$page"
}

# Prints the options of each command according to its help: lines COMMAND OPTION, and COMMAND alone.
commands=$("$tcplan" --help | sed -n 's/^  \([a-z]*\)  *[a-z].*/\1/p' | sed '/^tcplan$/d')
[ -n "$commands" ] || refuse "tcplan --help lists no commands"
options=$(for command in $commands; do
    echo "$command"
    "$tcplan" "$command" --help all | sed -n "s/^  ...  *--\([a-z-]*\).*/$command \1/p"
done)
missing=$(echo "$options" | awk -v page="$page" '
    FILENAME == page && /^\.SH/ { section = substr($0, 5); before = "" }
    FILENAME == page {
        if (section == "SYNOPSIS" && before == ".br") begins[$0] = 1
        if (section == "COMMANDS" && before == ".TP") paragraph[$0] = 1
        if (section == "OPTIONS" && before == ".TP") option_lines = option_lines "\n" $0
        before = $0
        next
    }
    NF == 1 {
        if (!((".B tcplan " $1) in begins)) print "SYNOPSIS: \047" $1 "\047 does not begin a line"
        if (!((".B " $1) in paragraph)) print "COMMANDS: \047" $1 "\047 has no paragraph of its own"
    }
    NF == 2 {
        escaped = $2
        gsub(/-/, "\\-", escaped)
        if (!index(option_lines, "\\fB\\-\\-" escaped "\\fR")) print "OPTIONS: \047--" $2 "\047 has no paragraph"
    }' "$page" -)
[ -z "$missing" ] || refuse "$missing"
for command in $commands; do
    [ -f "${page%.1}-$command.1" ] || refuse "$command has no page of its own"
    for option in $(echo "$options" | sed -n "s/^$command //p" | sed 's/-/\\-/g'); do
        grep -q -F "\\fB\\-\\-$option\\fR" "${page%.1}-$command.1" || refuse "the page of $command: --$option has no paragraph"
    done
done
if command -v groff >/dev/null; then
    said=$(groff -man -ww -Tutf8 "$page" "${page%.1}"-*.1 2>&1 >/dev/null)
    [ -z "$said" ] || refuse "groff: $said"
fi

# Runs the examples in their order in one folder.
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
