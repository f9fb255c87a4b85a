#!/bin/sh
# The reference of the public headers of the first tier as HTML. A warning is a failure.
# usage: doxygen.sh DOXYGEN ROOT OUT VERSION
set -eu
doxygen=$1 root=$2 out=$3 version=$4
mkdir -p "$out"
{
    cat "$root/docs/reference/Doxyfile"
    printf 'PROJECT_NUMBER = %s\nOUTPUT_DIRECTORY = "%s"\nINPUT = "%s/include/tcplan" "%s/docs/reference/main.md"\n' "$version" "$out" "$root" "$root"
    printf 'USE_MDFILE_AS_MAINPAGE = "%s/docs/reference/main.md"\nSTRIP_FROM_PATH = "%s/include"\nSTRIP_FROM_INC_PATH = "%s/include"\n' "$root" "$root" "$root"
} >"$out/Doxyfile"
"$doxygen" "$out/Doxyfile" >"$out/doxygen.log" 2>"$out/warnings" || { cat "$out/warnings" >&2; exit 1; }
if [ -s "$out/warnings" ]; then
    cat "$out/warnings" >&2
    exit 1
fi
