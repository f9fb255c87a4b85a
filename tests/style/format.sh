#!/bin/sh
# Every C file is as clang-format leaves it. `format.sh ROOT --fix` formats them.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/style/sources.sh
. "$here/sources.sh"
cd "${1:-$here/../..}"

if ! command -v clang-format >/dev/null; then
    echo "SKIPPED: clang-format is not installed"
    exit 77
fi
if [ "${2:-}" = --fix ]; then
    c_files | xargs clang-format -i
else
    c_files | xargs clang-format --dry-run -Werror
fi
