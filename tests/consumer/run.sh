#!/bin/sh
# Installs the built tree into a new prefix, and builds and runs programs of users against it, with the compiler of the tree.
# usage: run.sh CMAKE GENERATOR BUILD_DIR CC FORTRAN|'' [FLAGS]
set -eu
cmake=$1 generator=$2 build=$3 cc=$4 fortran=$5 flags=${6:-}
here=$(cd "$(dirname "$0")" && pwd)
prefix=$build/consumer/prefix
rm -rf "$build/consumer"
mkdir -p "$build/consumer"
"$cmake" --install "$build" --prefix "$prefix" >"$build/consumer/install.log" || { cat "$build/consumer/install.log"; exit 1; }
sh "$here/consumers.sh" "$prefix" "$build/consumer/work" "$cmake" "$generator" "$cc" "$fortran" "$flags"

# The libraries that a shared library is linked with need no development files.
if [ -n "$(find "$prefix" -name 'libtcplan.so')" ]; then
    pc=$(dirname "$(find "$prefix" -name tcplan.pc)")
    PKG_CONFIG_LIBDIR=$pc PKG_CONFIG_PATH='' pkg-config --cflags --libs tcplan tcplan-unstable >/dev/null || { echo 'tcplan.pc needs what strangers do not have'; exit 1; }
fi

command=$prefix/bin/tcplan
if [ -x "$command" ]; then "$command" --version; fi
for file in share/man/man3/tcplan_plan.3 share/man/man3/tcplan_plan_new.3 share/man/man1/tcplan.1 share/man/man1/tcplan-rank.1 share/bash-completion/completions/tcplan; do
    [ -s "$prefix/$file" ] || { echo "not installed: $file"; exit 1; }
done
