#!/bin/sh
# No shell script of the tree has anything that shellcheck finds, hints included.
# usage: shell.sh ROOT
set -eu
cd "$1"
command -v shellcheck >/dev/null || { echo "skipped: shellcheck is not installed"; exit 77; }
list=$(mktemp)
trap 'rm -f "$list"' EXIT

# Files called .sh, and those whose first line names a shell.
find . \( -name 'build*' -o -name .git \) -prune -o -type f -size -64k -print |
    while read -r file; do
        first=
        IFS= read -r first <"$file" 2>/dev/null || :
        case "$file $first" in
            *.sh\ * | *' #!'*/sh | *' #!'*[\ /]bash | *' #!'*[\ /]dash) echo "$file" ;;
        esac
    done >"$list"
[ -s "$list" ] || { echo "found no scripts"; exit 1; }
xargs shellcheck -x <"$list"
