#!/bin/sh
# Runs the examples of the documentation: every line that starts with `$ ` inside a fence marked `console` must succeed. Inside a fence
# marked `console exact`, which holds one command, what it prints must be what stands below it.
#
#   run_examples.sh TCPLAN FILE.md...
set -u
tcplan=$1
shift
if ! command -v cc >/dev/null && grep -q '^[$] cc ' "$@"; then
    echo "skipped: the examples compile C, and no cc is on the search path"
    exit 77
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT INT TERM

# Each command becomes a file NNN.sh, what should be printed NNN.expected (exact fences only). A command may end in a backslash and go on.
extract() {
    awk -v folder="$folder" -v source="$(basename "$1")" '
        /^```console/ { inside = 1; exact = ($0 ~ /exact/); next }
        /^```/ { inside = 0; next }
        !inside { next }
        continued || /^\$ / {
            if (!continued) name = sprintf("%s/%s.%03d", folder, source, ++count)
            line = $0
            sub(/^\$ /, "", line)
            print line > (name ".sh")
            continued = (line ~ /\\$/)
            if (exact) printf "" > (name ".expected")
            next
        }
        exact { print > (name ".expected") }
    ' "$1"
}

# The documentation was written for a build with OpenBLAS; link lines of another BLAS name its library.
with_openblas() {
    linked=$linked awk '$0 == " * link: " ENVIRON["linked"] { $0 = " * link: -lopenblas" } { print }' "$1"
}

run() {
    name=${1%.sh}
    # The documentation calls the command as a reader would; here it is the one just built.
    sed -e 's#scripts/tcplan#tcplan#g' "$1" >"$name.run"
    (cd "$folder/work" && PATH="$folder/bin:$PATH" sh "$name.run" >"$name.output" 2>&1 </dev/null)
    status=$?
    if [ $status -ne 0 ]; then
        echo "FAILED ($status): $(cat "$1")"
        cat "$name.output"
        return 1
    fi
    [ -f "$name.expected" ] || return 0
    with_openblas "$name.output" >"$name.found"
    diff -u "$name.expected" "$name.found" || { echo "DIFFERS: $(cat "$1")"; return 1; }
}

mkdir "$folder/work" "$folder/bin"
ln -s "$tcplan" "$folder/bin/tcplan"
ln -s "$(CDPATH='' cd "$(dirname "$0")/../.." && pwd)/examples" "$folder/work/examples"
linked=$("$tcplan" emit "C_ab=A_ai*B_ib" --sizes a=2,b=2,i=2 --algorithm dgemm | sed -n 's/^ \* link: //p')
for file in "$@"; do extract "$file"; done
commands=0
failed=0
for script in "$folder"/*.sh; do
    [ -f "$script" ] || continue
    commands=$((commands + 1))
    run "$script" || failed=$((failed + 1))
done
echo "$commands commands, $failed failed"
[ "$commands" -gt 0 ] && [ "$failed" -eq 0 ]
