#!/bin/sh
# Emits distributed contractions as programs, compiles them with mpicc and runs them; each checks its own result.
# usage: emitted.sh TCPLAN MPIRUN
set -eu
tcplan=$1 mpirun=$2
here=$(CDPATH='' cd "$(dirname "$0")" && pwd)
for tool in "${mpirun:-mpirun}" mpicc; do
    command -v "$tool" >/dev/null || { echo "skipped: no $tool"; exit 77; }
done
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT INT TERM

# check RANKS CONTRACTION options...
check() {
    ranks=$1 contraction=$2
    shift 2
    program=$folder/program
    "$tcplan" emit "$contraction" --processes "$ranks" --with-main -o "$program.c" "$@"
    links=$(sed -n 's/.*link: //p' "$program.c" | head -n 1)
    # shellcheck disable=SC2086 # several libraries
    mpicc -std=c11 -O1 -Wall -Wextra -Werror -o "$program" "$program.c" $links -lm
    sh "$here/run.sh" "$mpirun" "$ranks" "$program" >"$folder/printed"
    cat "$folder/printed"
    grep -q '^passed: ' "$folder/printed"
    # another number of ranks is an error on all of them
    if sh "$here/run.sh" "$mpirun" 1 "$program" 2>"$folder/refused"; then
        echo "one rank instead of $ranks was accepted"
        return 1
    fi
    grep -q "start $ranks processes" "$folder/refused"
}

for ranks in 2 4; do
    check "$ranks" "C_ab=A_ai*B_ib" --sizes a=101,b=67,i=93
    check "$ranks" "C_abc=(1,2)*conj(A)_iaj*B_jbic+0.5*C_abc" --sizes a=13,b=11,c=7,i=9,j=10 --dtype z
done
check 4 "C_ab=A_ai*B_ib" --sizes a=50,b=40,i=300 --algorithm 2x2:a,b/i:64 # panels
check 4 "C_ab=A_ai*B_ib" --sizes a=50,b=41,i=33 --grid 2x2 --distribute "A=a:0/4,i:1/3 B=i:0/5 C=b:1/7,a:0/2" # block-cyclic

# expressions of several tensors
check 4 "Z_ad=A_ab*B_bc*C_cd" --sizes a=31,b=17,c=23,d=40
check 4 "Z_ad=A_ab*B_bc*C_cd" --sizes a=31,b=17,c=23,d=40 --algorithm slices:2x2:b,d
check 3 "Z_ad=(1,2)*conj(A)_ab*B_bc*A_cd+0.5*Z_ad" --sizes a=31,b=17,c=31,d=17 --dtype z # a tensor that occurs twice
check 4 "R_abij=A_ak*B_bl*T_klij*C_j" --sizes a=7,b=8,k=5,l=9,i=4,j=6 --row-major --dtype s --grid 2x2 \
    --distribute "T=i:0/2,k:1 C=j:1 R=i:0,a:1"

if "$tcplan" explain "C_ab=A_ai*B_ib" --sizes a=b=i=8 --algorithm pdgemm:2x2/2 --processes 4 >/dev/null 2>&1; then
    check 6 "C_ab=A_ai*B_ib" --sizes a=50,b=41,i=33 --algorithm pdgemm:3x2 # one block for each process
    check 4 "C_abc=(1,2)*conj(A)_jia*B_bcji+0.5*C_abc" --sizes a=13,b=11,c=7,i=9,j=10 --dtype z --algorithm pdgemm:1x4/3 \
        --grid 2x2 --distribute "A=a:0,i:1 C=a:1,c:0/2" # moved by pdgemr2d
fi
