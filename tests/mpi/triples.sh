#!/bin/sh
# Checks 20,000 random triples of a contraction, a distribution and a grid, and 1,000 random expressions of several tensors, on 1 to
# 16 ranks. Ranks share cores, and the more ranks there are, the slower each triple: chunks of many ranks are small, so that each
# ends within the 300 seconds of run.sh.
# usage: triples.sh MPIRUN RANDOM EXPRESSIONS [SHARE]    SHARE: 1/SHARE of all triples (default 1)
set -eu
mpirun=$1 random=$2 expressions=$3 share=${4:-1}
here=$(CDPATH='' cd "$(dirname "$0")" && pwd)
all=0

# chunks PROGRAM RANKS TRIPLES CHUNK
chunks() {
    program=$1 ranks=$2 left=$(($3 / share)) chunk=$4 number=0
    while [ "$left" -gt 0 ]; do
        [ "$left" -ge "$chunk" ] || chunk=$left
        seed=$((ranks * 1000000 + number * 1000 + 500))
        sh "$here/run.sh" "$mpirun" "$ranks" "$program" "$chunk" "$seed" || {
            echo "failed: $ranks ranks, $chunk from seed $seed"
            exit 1
        }
        left=$((left - chunk)) number=$((number + 1)) all=$((all + chunk))
    done
}

while read -r ranks triples chunk; do
    chunks "$random" "$ranks" "$triples" "$chunk" </dev/null
done <<END
1 2000 200
2 6000 100
3 5000 50
4 5000 25
6 1500 10
8 400 5
16 100 2
END
echo "$all triples passed"
all=0
for ranks in 1 2 3 4; do chunks "$expressions" "$ranks" 230 23; done
chunks "$expressions" 6 80 5
echo "$all expressions passed"
