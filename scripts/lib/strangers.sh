#!/bin/sh
# Uses the packages as a new user would. Runs in a system in which they are installed, or with a folder into which they were unpacked.
# usage: strangers.sh ROOT EXAMPLES runtime|development      ROOT: / or the folder
set -eu
root=${1%/} examples=$2 what=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
libdir=$(dirname "$(find "$root/usr/lib" -name 'libtcplan.so.0.2' | head -n 1)")
export OPENBLAS_NUM_THREADS=1 TCPLAN_STORE='' TCPLAN_LOCK="$work/lock"
if [ -n "$root" ]; then
    export LD_LIBRARY_PATH="$libdir${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" PATH="$root/usr/bin:$PATH"
fi

fail() {
    echo "strangers.sh: $1" >&2
    exit 1
}

used() { echo "  $1"; }

if [ "$what" = runtime ]; then
    tcplan --version | grep -q '^tcplan' || fail 'the command has no version'
    tcplan 'C_abc=A_ai*B_ibc' --sizes a=b=c=40,i=8 --effort estimate --quiet | grep -q gemm || fail 'the command ranks nothing'
    tcplan batch tccg --class small --only ccsd0 --effort estimate --quiet -o results.xml || fail 'the command does not find its libraries'
    used 'the command ranks, and finds its libraries'
    if [ -e "$root/usr/lib/python3/dist-packages/tcplan" ]; then
        PYTHONPATH="$root/usr/lib/python3/dist-packages" python3 - <<'PYTHON' || fail 'the package for Python failed'
import numpy, tcplan
A, B = numpy.random.rand(6, 4), numpy.random.rand(4, 5, 3)
assert numpy.allclose(tcplan.einsum("ai,ibc->abc", A, B), numpy.einsum("ai,ibc->abc", A, B))
PYTHON
        used 'einsum in Python'
    fi
    exit 0
fi

for file in share/man/man1/tcplan.1 share/man/man3/tcplan_plan_new.3 share/bash-completion/completions/tcplan; do
    [ -s "$root/usr/$file" ] || [ -s "$root/usr/$file.gz" ] || fail "there is no $file"
done
if [ -z "$root" ] && command -v man >/dev/null && [ -z "$(find /etc/dpkg/dpkg.cfg.d -type f -exec grep -l 'path-exclude.*man' {} + 2>/dev/null)" ]; then
    man -w 3 tcplan_plan_new >/dev/null || fail 'man does not find tcplan_plan_new'
fi
if [ -n "$root" ]; then export PKG_CONFIG_PATH="$libdir/pkgconfig"; fi
# shellcheck disable=SC2046 # flags are lists of words
gcc -Wall -Wextra -Werror "$examples/plan_once.c" $(pkg-config --cflags --libs tcplan) -o plan_once || fail 'a program in C does not build'
./plan_once || fail 'a program in C failed'
used 'ten lines in C'
# shellcheck disable=SC2046 # flags are lists of words
gcc -Wall -Wextra -Werror "$examples/tapp_client.c" $(pkg-config --cflags --libs tcplan-tapp) -lm -o tapp_client || fail 'a client of TAPP does not build'
./tapp_client || fail 'a client of TAPP failed'
used 'a client of TAPP'
pkg-config --exists tcplan-unstable || fail 'pkg-config does not know tcplan-unstable'
if command -v gfortran >/dev/null; then
    # shellcheck disable=SC2046 # flags are lists of words
    gfortran "$(pkg-config --variable=fortran tcplan)" "$examples/plan_once.f90" $(pkg-config --libs tcplan) -o plan_once_f90 || fail 'a program in Fortran does not build'
    ./plan_once_f90 || fail 'a program in Fortran failed'
    used 'ten lines in Fortran'
else
    used 'not Fortran: there is no gfortran'
fi
