#!/bin/sh
# Twenty terms of the doubles residual of CCSD, in spin orbitals: planned, emitted as one C function, compiled, and checked against naive loops.
#
#   ccsd_residual.sh [TCPLAN [OCCUPIED VIRTUAL]]
#
# T. D. Crawford, H. F. Schaefer III, Rev. Comp. Chem. 14, 33 (2000). The residual still lacks its antisymmetrisation in i, j and in a, b, which the factors in
# ccsd_residual.txt take into account. Where tcplan is a program of /usr or the like pkg-config finds its libraries; CC and CFLAGS are taken from the environment.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
tcplan=${1:-tcplan} occupied=${2:-4} virtual=${3:-6}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

expression=$(tr -d ' \n' <"$here/ccsd_residual.txt")
sizes=i=j=k=l=$occupied,a=b=c=d=$virtual

"$tcplan" explain "$expression" --sizes "$sizes" --quiet
"$tcplan" emit "$expression" --sizes "$sizes" --function residual -o "$folder/residual.c" --quiet
links=$(sed -n 's/^ \* link://p' "$folder/residual.c")
# shellcheck disable=SC2086
${CC:-cc} -O2 ${CFLAGS:-} "$here/ccsd_residual.c" "$folder/residual.c" -o "$folder/check" $links -lm
"$folder/check" "$expression" "$occupied" "$virtual"
