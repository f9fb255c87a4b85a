#!/bin/sh
# Every C file is as clang-format leaves it, 100 columns wide at most; a line with a text that is
# not broken may have 160. `format.sh ROOT --fix` formats them. With `format.sh ROOT STAMP` only files
# newer than the file STAMP are checked, or all of them if .clang-format is; it is then made anew.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/style/sources.sh
. "$here/sources.sh"
cd "${1:-$here/../..}"

find_clang_tool clang-format
if [ "${2:-}" = --fix ]; then
    c_files | xargs "$tool" -i
else
    stamp=${2:-}
    changed_files() {
        if [ -z "$stamp" ] || [ ! -e "$stamp" ] || [ -n "$(find .clang-format -newer "$stamp")" ]; then
            c_files
        else
            # shellcheck disable=SC2185 # the paths come from stdin
            c_files | tr '\n' '\0' | find -files0-from - -newer "$stamp"
        fi
    }
    if [ "$stamp" ]; then : >"$stamp.new"; fi
    changed_files | xargs -r "$tool" --dry-run -Werror
    # shellcheck disable=SC2016 # that is awk's
    changed_files | xargs -r awk 'length($0) > 160 {
        print FILENAME ":" FNR ": " length($0) " columns, 160 at most"
        is_wide = 1
    }
    END { exit is_wide }'
    if [ "$stamp" ]; then mv "$stamp.new" "$stamp"; fi
fi
