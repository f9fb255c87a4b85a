#!/bin/sh
# Every public header compiles on its own, as strict C11, those of the first tier without the second; and one that declares functions declares
# them for C++, too.
# usage: headers.sh ROOT BUILD_DIR CC
set -eu
cd "$1"
status=0
for header in include/tcplan/*.h include/unstable/tcplan/*.h include/unstable/tcplan/*/*.h; do
    second=
    case $header in include/unstable/*) second=-Iinclude/unstable ;; esac
    # shellcheck disable=SC2086 # no word, or one
    printf '#include "tcplan/%s"\nint main(void) { return 0; }\n' "${header#include*/tcplan/}" |
        "$3" -std=c11 -Wall -Wextra -Wpedantic -Werror -fsyntax-only -Iinclude $second "-I$2/include" -x c - || status=1
    if grep -q '^TCPLAN_API' "$header" && ! grep -q '^extern "C" {' "$header"; then
        echo "$header declares functions without extern \"C\"" >&2
        status=1
    fi
done
exit $status
