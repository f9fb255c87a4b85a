#!/bin/sh
# Every C file is as clang-format leaves it, 100 columns wide at most; a line with a text that is
# not broken may have 160. `format.sh ROOT --fix` formats them.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/style/sources.sh
. "$here/sources.sh"
cd "${1:-$here/../..}"

find_clang_tool clang-format
if [ "${2:-}" = --fix ]; then
    c_files | xargs "$tool" -i
else
    c_files | xargs "$tool" --dry-run -Werror
    # shellcheck disable=SC2016 # that is awk's
    c_files | xargs awk 'length($0) > 160 {
        print FILENAME ":" FNR ": " length($0) " columns, 160 at most"
        is_wide = 1
    }
    END { exit is_wide }'
fi
