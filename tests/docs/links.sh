#!/bin/sh
# Checks the pages of docs/, the READMEs and CONTRIBUTING.md: relative links lead to files, and anchors to
# headings; pages of docs/ that sources name exist; lines of docs/ have 100 columns at most, apart
# from fences and the generated table; each page of docs/ is in docs/README.md and asks a question
# before its first section; the glossary has at most 60 entries.
# usage: links.sh ROOT
set -eu
cd "$1"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

pages=$(find . \( -name 'build*' -o -name .git \) -prune -o -name '*.md' ! -name CHANGELOG.md -print)
# shellcheck disable=SC2086 # the names are words
awk '
    # The anchor of a heading, as GitHub makes it.
    function anchor_of(text) {
        gsub(/`|\*/, "", text)
        text = tolower(text)
        gsub(/[^a-z0-9_ -]/, "", text)
        gsub(/ /, "-", text)
        return text
    }
    FNR == 1 { fenced = 0 }
    /^ *```/ { fenced = !fenced; next }
    fenced { next }
    /^#+ / { text = $0; sub(/^#+ /, "", text); print FILENAME "#" anchor_of(text) > anchors; next }
    {
        rest = $0
        gsub(/`[^`]*`/, "", rest)
        while (match(rest, /\]\([^)]*\)/)) {
            print FILENAME, FNR, substr(rest, RSTART + 2, RLENGTH - 3) > links
            rest = substr(rest, RSTART + RLENGTH)
        }
    }' anchors="$work/anchors" links="$work/links" $pages

{
    while read -r page line link; do
        case $link in http*|mailto*) continue ;; esac
        file=${link%%#*}
        target=$page
        [ -z "$file" ] || target=$(dirname "$page")/$file
        if [ ! -e "$target" ]; then
            echo "$page:$line: no file '$link'"
        elif [ "$link" != "$file" ]; then
            # Removes `..` from the name of the page.
            target=./$(realpath --relative-to=. "$target")
            grep -qxF "$target#${link#*#}" "$work/anchors" || echo "$page:$line: no heading '$link'"
        fi
    done <"$work/links"

    grep -rnoE --exclude-dir=.git --exclude-dir='build*' --exclude=CHANGELOG.md \
        '\bdocs/[a-z][a-z/-]*\.(md|svg)' . | while IFS=: read -r file line page; do
        [ -e "$page" ] || [ -e "bindings/python/$page" ] || case $file in
            ./bench/network_study/*) ;; # pages of opt_einsum
            *) echo "$file:$line: no page '$page'" ;;
        esac
    done

    for page in docs/*.md docs/*/*.md; do
        LC_ALL=C awk -v page="$page" '
            /^```/ { fenced = !fenced }
            /^<!-- The fields/ { generated = 1 }
            /^<!-- The end/ { generated = 0 }
            /^#/ && !/^# / { section = 1 }
            !section && /\?/ { asked = 1 }
            { gsub(/[\200-\277]/, "") } # the further bytes of a character in UTF-8
            !fenced && !generated && length($0) > 100 { print page ":" FNR ": " length($0) " columns" }
            END { if (!asked) print page ": no question before the first section" }' "$page"
    done
    for page in docs/*.md; do
        name=${page#docs/}
        [ "$name" = README.md ] || grep -q "($name)" docs/README.md || echo "docs/README.md: no link to $name"
    done
    entries=$(($(grep -c '^| ' docs/glossary.md) - 1))
    [ "$entries" -le 60 ] || echo "docs/glossary.md: $entries entries"
} >"$work/wrong"
cat "$work/wrong"
[ -s "$work/links" ] && [ ! -s "$work/wrong" ]
