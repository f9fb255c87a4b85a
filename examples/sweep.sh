#!/bin/sh
# The fastest algorithm of a contraction at each point of a sweep.
#
#   sweep.sh [TCPLAN]      the command to call, default: tcplan
set -eu
tcplan=${1:-tcplan}
"$tcplan" "C_abc=A_ai*B_ibc" --sizes a=b=c=16:48:16,i=8 --format csv --top 1 --quiet
