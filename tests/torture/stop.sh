#!/bin/sh
# usage: stop.sh TORTURE - a signal to the program or its process group makes it print its summary and leave no folder behind; folders of a killed run are removed by the next run
set -eu
torture=$1
folder=$(mktemp -d "${TMPDIR:-/tmp}/tcplan-stop.XXXXXX")
trap 'rm -rf "$folder"' EXIT
cd "$folder"

fail() { echo "$1"; cat out; ls; exit 1; }

# run SIGNAL [-]: runs until checks have begun, then sends the signal; `-`: to the process group.
run() {
    setsid "$torture" --seconds 1000 --seed 8 >out 2>&1 &
    process=$!
    until [ -n "$(ls -d "torture-$process-"* 2>/dev/null)" ] || ! kill -0 "$process"; do sleep 0.1; done
    kill -s "$1" -- "${2-}$process"
    status=0
    wait "$process" || status=$?
}

for group in '' -; do
    run TERM "$group"
    [ "$status" = 0 ] || fail "TERM, to '${group}process': exit status $status"
    grep -q 'the next seed is' out || fail "TERM, to '${group}process': no sum"
    [ "$(ls)" = out ] || fail "TERM, to '${group}process': leaves files"
done
run KILL -
mkdir -p "torture-$process-abcdef/of" "torture-1-abcdef" other
"$torture" --checks 1 --seed 8 >out 2>&1 || fail 'a check fails'
[ "$(ls)" = "other
out
torture-1-abcdef" ] || fail 'what was killed is not swept'
