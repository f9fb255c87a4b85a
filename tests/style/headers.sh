#!/bin/sh
# Every public header compiles on its own, as strict C11, and one that declares functions declares them for C++, too.
# usage: headers.sh ROOT BUILD_DIR CC
set -eu
cd "$1"
status=0
for header in include/tcplan/*.h include/tcplan/*/*.h; do
    printf '#include "tcplan/%s"\nint main(void) { return 0; }\n' "${header#include/tcplan/}" |
        "$3" -std=c11 -Wall -Wextra -Wpedantic -Werror -fsyntax-only -Iinclude "-I$2/include" -x c - || status=1
    if grep -q '^TCPLAN_API' "$header" && ! grep -q '^extern "C" {' "$header"; then
        echo "$header declares functions without extern \"C\"" >&2
        status=1
    fi
done
exit $status
