#!/bin/sh
# Tests completion: each script is valid for its shell, and the script for bash completes all words.
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

# Hints are whole sentences, which may contain colons.
grep -q "l repetitions .*-d 'number of runs, samples, or cache timings of each call (default 10)'" "$folder/fish" || refuse "fish: a hint is cut"
grep -q "predictor.*windows: what" "$folder/zsh" || grep -q 'planning effort: estimate, quick' "$folder/zsh" || refuse "zsh: a hint is cut"
if command -v fish >/dev/null; then
    for line in "batch tc" "help nota" "store show ceil" "blocked rank potrf_L3" "rank --help a"; do
        found=$(fish --no-config -c "source $folder/fish; complete -C 'tcplan $line'" | cut -f 1)
        case $found in "${line##* }"*) ;; *) [ "$line" = "batch tc" ] || refuse "fish: $line: '$found'" ;; esac
    done
fi

# Prints the completions of the last word in bash, one a line.
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
expect '--sizes --shapes --strides --sections --stage --space --seed' tcplan 'C_ab=A_ai*B_ib' --s
expect 'fish' tcplan completion f
expect 'bash' tcplan batch b
expect 'text' tcplan batch x.xml --format t
expect 'measure merge machine model' tcplan help m
expect 'notation' tcplan help n
expect 'all' tcplan rank --help a
expect 'triad' tcplan tune t
expect 'show' tcplan store s
expect 'ceilings' tcplan store show ce
expect 'potrf_L potrf_L1 potrf_L2 potrf_L3 potrf_Lr' tcplan blocked rank potrf_L
expect 'dtrmm dtrsm dtrti2' tcplan model show dtr
expect 'fish' tcplan plans import fis
expect '' tcplan plans show fis
expect 'zsh' tcplan merge x.xml -o z
exit "$failed"
