#!/bin/sh
# The example in C and the one in Fortran converge to the same energy in as many iterations; each checks itself by naive loops.
# usage: same_energy.sh PROGRAM PROGRAM
set -eu
one=$("$1" estimate)
two=$("$2" estimate)
printf '%s\n%s\n' "$one" "$two"
printf '%s\n%s\n' "$one" "$two" | awk '
    { for (i = 1; i < NF; i++) { if ($i == "energy") energy[NR] = $(i + 1); if ($i == "after") iterations[NR] = $(i + 1) } }
    END {
        difference = energy[1] - energy[2]
        if (NR != 2 || energy[1] == "" || energy[1] == 0 || difference > 2e-10 || difference < -2e-10 || iterations[1] != iterations[2]) { print "they differ"; exit 1 }
    }'
