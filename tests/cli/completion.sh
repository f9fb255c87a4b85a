#!/bin/sh
# Completion: each script is one of its shell, and the one for bash offers what there is.
#
# usage: completion.sh TCPLAN
set -eu
tcplan=$1
failed=0
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT

refuse() {
    echo "$1"
    failed=1
}

for shell in bash zsh fish; do
    "$tcplan" completion "$shell" >"$folder/$shell"
    command -v "$shell" >/dev/null || continue
    "$shell" -n "$folder/$shell" || refuse "$shell does not read its script"
done
if command -v shellcheck >/dev/null; then shellcheck -s bash "$folder/bash" || failed=1; fi
command -v bash >/dev/null || exit "$failed"

# What bash offers for the last of the words, one a line.
offered() {
    (cd "$folder" && bash -c '. ./bash; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _tcplan; printf "%s\n" "${COMPREPLY[@]}"' bash "$@")
}

# usage: expect WORDS-OFFERED WORD...
expect() {
    expected=$1
    shift
    found=$(offered "$@" | tr '\n' ' ')
    [ "$found" = "$expected " ] || refuse "$*: expected '$expected', found '$found'"
}

expect 'batch' tcplan ba
expect '--format' tcplan list --fo
expect 'json' tcplan list --format j
expect 'text json xml' tcplan machine --format ''
expect 'window' tcplan explain --predictor ''
expect '--sizes --shapes --strides --stage --space --seed' tcplan 'C_ab=A_ai*B_ib' --s
expect 'fish' tcplan completion f
expect 'bash' tcplan batch b
expect 'zsh' tcplan merge x.xml -o z
exit "$failed"
