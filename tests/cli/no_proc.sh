#!/bin/sh
# Without /proc, files in memory have no names: kernels are compiled in a private folder in TMPDIR, which is removed.
# usage: no_proc.sh TCPLAN LIBRARY_FOLDER CC
set -eu
tcplan=$(readlink -f "$1")
cc=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
# The loader finds no $ORIGIN without /proc.
LD_LIBRARY_PATH=$(readlink -f "$2")${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export LD_LIBRARY_PATH TCPLAN_LOCK="$work/lock" TCPLAN_STORE='' TCPLAN_PLANS=''

fail() {
    printf '%s\n' "$1"
    exit 1
}

# usage: hidden COMMAND...: runs it where /proc is empty
hidden() {
    # shellcheck disable=SC2016 # for the inner shell
    unshare --map-root-user --mount sh -c 'mount -t tmpfs none /proc && exec "$@"' sh "$@"
}

hidden test ! -e /proc/self 2>/dev/null || exit 77 # no namespaces for unprivileged users

# A compiler that notes where it works.
mkdir bin temporary
cat >bin/cc <<END
#!/bin/sh
stat -c '%a %n' "\$TMPDIR" >>'$work/note'
exec '$cc' "\$@"
END
chmod +x bin/cc
PATH=$work/bin:$PATH

measure() {
    hidden env TMPDIR="$1" timeout 60 "$tcplan" measure 'C_ab=A_ai*B_ib' --sizes a=b=i=8 --algorithm "dgemm@emitted'1x4"
}

measure "$work/temporary" >measured 2>&1 || fail "nothing is compiled without /proc: $(cat measured)"
grep -q "^ *1 *dgemm@emitted'1x4 " measured || fail "no time: $(cat measured)"
grep -q "^700 $work/temporary/tcplan-kernel-" note || fail "expected a private folder, found: $(cat note)"
rmdir temporary || fail "something is left in TMPDIR"
measure "$work/temporary" >measured 2>&1 && fail "there is no folder to compile in: $(cat measured)"
grep -q "cannot make a folder for compiling in '$work/temporary'" measured || fail "expected the folder, found: $(cat measured)"
