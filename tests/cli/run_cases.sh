#!/bin/sh
# Runs command lines and compares stdout, stderr and exit status with what their case files expect.
#
# usage: run_cases.sh TCPLAN [NAME...]       all of cases/, or only cases/NAME.case
#
# A case file holds, for each command, one after the other:
#
#   # a comment
#   $ the command, run by sh in an empty directory; tcplan is in PATH, $TESTS is the folder tests/, its version shows as @VERSION@
#   > a line of stdout
#   ! a line of stderr
#   = exit status, unless it is 0
#
# `>~` and `!~` are followed by an extended regular expression for the whole line; `>*` and `!*` stand for any lines up to the end.
# TCPLAN_UPDATE_GOLDEN=1 writes what was found into the case files, where it differs.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
command=$(readlink -f "$1")
[ -x "$command" ] || { echo "$0: no program $1" >&2; exit 2; }
shift

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin"
ln -s "$command" "$work/bin/tcplan"
PATH=$work/bin:$PATH
TESTS=$(dirname "$here")
LC_ALL=C
TCPLAN_STORE= # what the user keeps stays as it is; cases about the store have one of their own
TCPLAN_LOCK=$work/lock # does not wait for other tests
export PATH TESTS LC_ALL TCPLAN_STORE TCPLAN_LOCK
version=$(tcplan --version | sed -n '1s/^tcplan //p')

# Splits case file $1 into directories $2/N with head (comments), command, expected (all expectations), stdout, stderr, status, and run (the working folder).
split() {
    count=$(grep -c '^\$ ' "$1") || :
    (mkdir "$2" && cd "$2" && seq -f %03g "$count" | sed 's,.*,& &/run,' | xargs -r mkdir)
    awk -v directory="$2" '
    function next_case() {
        place = directory "/" sprintf("%03d", ++count)
        printf "%s", head > (place "/head")
        printf "" > (place "/expected"); printf "" > (place "/stdout"); printf "" > (place "/stderr")
        print 0 > (place "/status")
        close(place "/status")
        head = ""
    }
    /^\$ / { next_case(); print substr($0, 3) > (place "/command"); next }
    /^(>|!|=)/ { print > (place "/expected") }
    /^>/ { print > (place "/stdout"); next }
    /^!/ { print > (place "/stderr"); next }
    /^=/ { print substr($0, 3) > (place "/status"); next }
    { head = head $0 "\n" }
    END { printf "%s", head > (directory "/tail") }' "$1"
}

# Compares the lines of file $2 with the expectations in file $1, and prints the first difference, with the name $3.
compare() {
    awk -v expectations="$1" -v name="$3" '
    function refuse(expected, found) {
        printf "    %s, line %d\n      expected %s\n      found    %s\n", name, FNR, expected, found
        refused = 1
        exit 1
    }
    BEGIN { while ((getline line < expectations) > 0) expected[++count] = line }
    FNR <= count && substr(expected[FNR], 2) == "*" { rest = 1; exit 0 }
    {
        pattern = substr(expected[FNR], 4)
        if (FNR > count) refuse("nothing more", $0)
        if (substr(expected[FNR], 2, 1) == "~") { if ($0 !~ ("^(" pattern ")$")) refuse(expected[FNR], $0) }
        else if ($0 != substr(expected[FNR], 3)) refuse(substr(expected[FNR], 3), $0)
    }
    END {
        if (refused || rest) exit refused
        if (FNR < count && substr(expected[FNR + 1], 2) != "*") { FNR++; refuse(substr(expected[FNR], 3), "nothing more") }
    }' "$2"
}

# Runs the case in directory $1 and prints differences.
run_case() {
    status=0
    read -r expected_status <"$1/status"
    IFS= read -r line <"$1/command"
    (cd "$1/run" && exec sh -c "$line") >"$1/raw" 2>"$1/found_stderr" </dev/null || status=$?
    sed "s/\(tcplan[\": =]*\)$version/\1@VERSION@/g" "$1/raw" >"$1/found_stdout"
    {
        if [ "$status" != "$expected_status" ]; then printf '    expected exit status %s, found %s\n' "$expected_status" "$status"; fi
        for stream in stdout stderr; do
            [ ! -s "$1/$stream" ] && [ ! -s "$1/found_$stream" ] || compare "$1/$stream" "$1/found_$stream" "$stream" || :
        done
    } >"$1/differences"
    echo "$status" >"$1/found_status"
}

# Prints the case in directory $1 as text, with the actual output where it differs.
print_case() {
    cat "$1/head"
    sed 's/^/$ /' "$1/command"
    if [ ! -s "$1/differences" ]; then
        cat "$1/expected"
        return
    fi
    sed -e 's/^/> /' -e 's/^> $/>/' "$1/found_stdout"
    sed -e 's/^/! /' -e 's/^! $/!/' "$1/found_stderr"
    if [ "$(cat "$1/found_status")" != 0 ]; then sed 's/^/= /' "$1/found_status"; fi
}

failed=0
run=0
if [ $# -eq 0 ]; then
    for file in "$here"/cases/*.case; do
        name=${file##*/}
        set -- "$@" "${name%.case}"
    done
fi
for name in "$@"; do
    file=$here/cases/$name.case
    split "$file" "$work/$name"
    for case in "$work/$name"/*/; do
        case=${case%/}
        run_case "$case"
        run=$((run + 1))
        if [ -s "$case/differences" ]; then
            failed=$((failed + 1))
            printf '%s: %s\n' "$name" "$(cat "$case/command")"
            cat "$case/differences"
        fi
    done
    if [ -n "${TCPLAN_UPDATE_GOLDEN:-}" ]; then
        for case in "$work/$name"/*/; do print_case "${case%/}"; done >"$work/updated"
        cat "$work/$name/tail" >>"$work/updated"
        cmp -s "$work/updated" "$file" || cat "$work/updated" >"$file"
    fi
done
echo "$run command lines, $failed failed"
[ "$failed" -eq 0 ] || [ -n "${TCPLAN_UPDATE_GOLDEN:-}" ]
