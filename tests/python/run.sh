#!/bin/sh
# Runs a Python test of the package, or a script with arguments, with the library just built.
# usage: run.sh SOURCE_DIR LIBRARY FILE.py [argument...]
set -eu
# shellcheck source=tests/support/find_python.sh
. "$1/tests/support/find_python.sh"
find_python numpy
TCPLAN_STORE='' TCPLAN_LIBRARY=$(readlink -f "$2") PYTHONPATH=$1/bindings/python${PYTHONPATH:+:$PYTHONPATH} PYTHONDONTWRITEBYTECODE=1
export TCPLAN_STORE TCPLAN_LIBRARY PYTHONPATH PYTHONDONTWRITEBYTECODE
unset TCPLAN_EFFORT TCPLAN_PLANS
file=$3
shift 3
# What sanitizers need has to be there before python is.
sanitizer=$(ldd "$TCPLAN_LIBRARY" | awk '/lib(asan|tsan)\.so/ { print $3 }')
[ -z "$sanitizer" ] || export LD_PRELOAD="$sanitizer" ASAN_OPTIONS="detect_leaks=0${ASAN_OPTIONS:+:$ASAN_OPTIONS}"
exec "$python" "$file" "$@"
