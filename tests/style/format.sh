#!/bin/sh
# Every C file is as clang-format leaves it. `format.sh ROOT --fix` formats them.
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
fi
