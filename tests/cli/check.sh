#!/bin/sh
# Tests tcplan check: our own library conforms, and faults that are built into another library are found.
# usage: check.sh TCPLAN LIBRARY CC INCLUDE
set -eu
tcplan=$(readlink -f "$1")
library=$(readlink -f "$2")
cc=$3
include=$(readlink -f "$4")
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
TCPLAN_STORE='' TCPLAN_PLANS=''
export TCPLAN_STORE TCPLAN_PLANS

fail() {
    echo "$1"
    exit 1
}

"$tcplan" check "$library" --random 100 -q >own 2>&1 || fail "our own library: $(cat own)"
grep -q '^The library conforms: all [0-9]* cases passed.$' own || fail "our own library: $(cat own)"

"$tcplan" check "$library" --random 3 --seed 7 --json -q -o own.json
grep -q '"seed": 7' own.json || fail "--seed: $(cat own.json)"
grep -A 1 '"name": "random"' own.json | grep -q '"passed": 3' || fail "--random: $(cat own.json)"

"$cc" -std=c11 -O1 -shared -fPIC -I "$include" -o faulty.so "$here/faulty_tapp.c"

# found FAULT RULES: exactly these rules fail, and the exit status is that of failures.
found() {
    status=0
    FAULT=$1 "$tcplan" check ./faulty.so --random 0 --time-limit 0.3 --format csv -q >out.csv 2>told || status=$?
    rules=$(awk -F, 'NR > 1 && $5 > 0 {printf "%s%s", separator, $3; separator = " "}' out.csv)
    [ -n "$2" ] && expected=1 || expected=0
    [ $status = "$expected" ] || fail "$1: exit status $status: $(cat told out.csv)"
    [ "$rules" = "$2" ] || fail "$1: '$rules' failed, expected '$2'"
}
found none ""
found conjugation "conjugation"
found nan "nan"
found strides "strides bounds"
found refuses "indices scalars sums conjugation nan bounds"
found accepts "errors"
found crash "indices"
found hang "indices"
FAULT=writes "$tcplan" check ./faulty.so --random 0 -q >out && fail "writes: nothing found"
grep -q 'memory between the elements of D changed\|wrong: ' out || fail "writes: $(cat out)"

# The program that is printed compiles, and shows the fault.
FAULT=strides "$tcplan" check ./faulty.so --random 0 -q >out && fail "strides: nothing found"
grep -q '^  D = einsum(".*; B strides -1' out || fail "it is not reduced: $(cat out)"
sed -n 's/^    //p' out | sed '/^}/q' >program.c
"$cc" -std=c11 -I "$include" -o program program.c ./faulty.so -lm
# wrong: returns whether the program ran and printed a number that it did not expect.
wrong() {
    ./program >printed
    grep -q '^error 0$' printed || fail "the program fails: $(cat printed)"
    awk '/expected/ {split($0, part, ", expected "); if (part[1] != part[2]) wrong = 1} END {exit !wrong}' printed
}
FAULT=none wrong && fail "the program is wrong: $(cat printed)"
FAULT=strides wrong || fail "the program does not show the fault: $(cat printed)"

# Times of each correct library on each contraction.
printf 'small | abc | ai | ibc | a=8 b=9 c=10 i=11\nfour | ab | acde | edcb | a=3 b=4 c=2 d=3 e=4\n' >list.txt
FAULT=crash "$tcplan" check ./faulty.so "$library" --random 0 --library list.txt --no-lock -q >out && fail "crash: nothing found"
grep -q '^small  .*  [0-9][0-9.]*  *[0-9][0-9.]*$' out || fail "small is not timed: $(tail -n 8 out)"
grep -q '^four  .*  -  *[0-9][0-9.]*$' out || fail "four is not timed: $(tail -n 8 out)"
grep -q '^four, ./faulty.so: killed by SIGABRT$' out || fail "the crash is not printed: $(tail -n 8 out)"
"$tcplan" check "$library" --random 0 --library list.txt --only small --json --no-lock -q -o times.json
grep -q '"gflops"' times.json || fail "--json: $(cat times.json)"
grep -q '"name": "four"' times.json && fail "--only: $(cat times.json)"

"$tcplan" check "$library" --random 0 --library list.txt --only small --format csv --no-lock -q --page page.html >times.csv
grep -q ',small,.*libtcplan-tapp[^,]*,[0-9.e-]*,[0-9]' times.csv || fail "--format csv: $(tail -n 3 times.csv)"
{ grep -q '<h3>small: ' page.html && grep -q 'strides of either sign' page.html && grep -q '^</html>$' page.html; } || fail "--page: $(cat page.html)"

# A CBLAS with a wrong gemm.
if "$cc" -shared -fPIC -o wrong.so "$here/wrong_blas.c" -Wl,--no-as-needed -lopenblas 2>log; then
    status=0
    "$tcplan" check ./wrong.so --random 0 --format csv -q >out.csv || status=$?
    [ $status = 1 ] || fail "a wrong CBLAS: exit status $status"
    grep -q '^./wrong.so,CBLAS,gemm,[0-9]*,[1-9]' out.csv || fail "a wrong CBLAS: $(cat out.csv)"
fi

# Files that cannot be opened as libraries.
echo text >text.so
for file in ./text.so ./nowhere.so; do
    status=0
    "$tcplan" check $file -q >out 2>told || status=$?
    [ $status = 3 ] || fail "$file: exit status $status"
    grep -q "^tcplan: cannot open '$file'" told || fail "$file: $(cat told)"
done
