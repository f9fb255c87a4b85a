#!/bin/sh
# A contraction whose evaluation ends the worker process has a result with the reason. The batch continues, and evaluates it only
# once. An interrupted batch leaves no process behind.
# usage: batch_crash.sh TCPLAN CC
set -eu
tcplan=$(readlink -f "$1")
cc=$2
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
TCPLAN_LOCK=$work/lock
ASAN_OPTIONS=${ASAN_OPTIONS:-}:handle_segv=0:handle_abort=0
export TCPLAN_LOCK ASAN_OPTIONS

fail() {
    echo "$1"
    exit 1
}

# A library with an entry for each extent; dgemm fails at some of them.
entries() {
    for extent in "$@"; do echo "x$extent | ab | ai | ib | a=$extent b=5 i=6"; done
}

# Prints the names in a file of results and their outcomes.
outcomes() {
    sed -n 's/.*<result .* name="\([^"]*\)".* status="done".*/\1 done/p; s/.*<result .* name="\([^"]*\)".* reason="\([^"]*\)".*/\1 \2/p' "$1"
}

expect() {
    outcomes "$1" >found
    cmp -s expected found || fail "$1: expected $(cat expected)
found $(cat found)"
}

# Waits until a command succeeds, without a time limit: ctest ends a test that hangs.
await() {
    until "$@"; do sleep 0.05; done
}

# Returns whether a process has ended; a zombie counts as ended.
has_ended() {
    [ ! -e "/proc/$1/stat" ] || grep -q '^[0-9]* (.*) [ZX] ' "/proc/$1/stat" 2>/dev/null
}

# shellcheck disable=SC2086
"$cc" -shared -fPIC -o fragile.so "$here/fragile_blas.c" -Wl,--no-as-needed -lopenblas 2>log || {
    cat log
    exit 77
}

# All ways to fail, and successful contractions before, between and after them.
entries 12 13 17 14 19 23 29 15 >library.txt
cat >expected <<'END'
x12 done
x13 killed by SIGSEGV
x17 killed by SIGABRT
x14 done
x19 the process exited by itself, for example by calling exit()
x23 killed by SIGKILL, possibly because memory ran out
x29 killed by SIGSEGV
x15 done
END
status=0
"$tcplan" batch library.txt --blas ./fragile.so --effort quick -o r.xml 2>told || status=$?
[ $status = 1 ] || fail "exit status $status: $(cat told)"
expect r.xml
grep -q '^tcplan: library.txt: x13 failed: killed by SIGSEGV$' told || fail "a failure is not told: $(cat told)"
grep -q '^tcplan: 8 contractions evaluated, 5 failed' told || fail "the sum is not told: $(cat told)"

# Failed contractions are not evaluated again, in any format.
status=0
"$tcplan" batch library.txt --blas ./fragile.so --effort quick -o r.xml 2>told || status=$?
[ $status = 1 ] || fail "resume: exit status $status: $(cat told)"
grep -q '^tcplan: 0 contractions evaluated, 8 already had results, 5 failed' told || fail "resume: $(cat told)"
entries 13 14 | "$tcplan" batch - --blas ./fragile.so --effort quick --format csv >r.csv && fail "a stream: exit status 0"
grep -q ',x13,.*,failed,killed by SIGSEGV' r.csv || fail "CSV: $(cat r.csv)"
[ "$(wc -l <r.csv)" = 3 ] || fail "CSV: $(cat r.csv)"

# Interrupted while a contraction hangs: by Ctrl-C, which reaches all processes of the terminal, by signals to the batch alone, and without
# notice. The worker ends with the batch, and the batch can be continued at once.
as_in_terminal="setsid env --default-signal=INT,QUIT" # a process group of its own, and signals as usual: background jobs have neither
entries 12 31 14 >library.txt
printf 'x12 done\n' >expected
for signal in INT- TERM- TERM HUP QUIT KILL; do
    rm -f r.xml
    : >hang
    $as_in_terminal "$tcplan" batch library.txt --blas ./fragile.so --effort quick -o r.xml 2>told &
    batch=$!
    await test -s hang
    worker=$(cat hang)
    rm hang
    case $signal in
    *-) kill -s "${signal%-}" -- "-$batch" ;;
    *) kill -s "$signal" "$batch" ;;
    esac
    status=0
    wait "$batch" 2>/dev/null || status=$?
    [ $status -gt 128 ] || fail "SIG$signal: exit status $status: $(cat told)"
    [ "$worker" != "$batch" ] || fail "SIG$signal: the batch evaluates by itself"
    expect r.xml
    printf 'x12 done\nx31 done\nx14 done\n' >expected
    "$tcplan" batch library.txt --blas ./fragile.so --effort quick -o r.xml 2>told || fail "SIG$signal: not gone on with: $(cat told)"
    expect r.xml
    printf 'x12 done\n' >expected
    await has_ended "$worker"
done

# If the worker is killed but not the batch, the contraction is evaluated again by another worker.
rm -f r.xml
: >hang
"$tcplan" batch library.txt --blas ./fragile.so --effort quick -o r.xml 2>told &
batch=$!
await test -s hang
worker=$(cat hang)
rm hang
kill -s KILL "$worker"
wait "$batch" || fail "a worker was killed: exit status $?: $(cat told)"
printf 'x12 done\nx31 done\nx14 done\n' >expected
expect r.xml

# Other commands end with the crash, and leave only the files that existed before.
mkdir rank
cd rank
echo old >winner.c
status=0
"$tcplan" rank "C_ab=A_ai*B_ib" --sizes a=13,b=5,i=6 --blas ../fragile.so --emit winner.c -o ranking.txt >told 2>&1 || status=$?
[ $status = 139 ] || fail "rank: exit status $status: $(cat told)"
[ "$(echo .* *)" = ". .. told winner.c" ] || fail "rank left $(ls -A)"
[ "$(cat winner.c)" = old ] || fail "rank wrote half of its output"
