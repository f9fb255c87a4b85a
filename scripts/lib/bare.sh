#!/usr/bin/env bash
# scripts/test --bare: tries scripts/tcplan and scripts/test, each alone, in a fresh Debian 12 made by debootstrap.
#
# The commit HEAD is tested; it is unpacked into /root/tcplan of that system.
set -euo pipefail
root=$(dirname "$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")")
source "$root/scripts/lib/common.sh"
source "$root/scripts/lib/system.sh"

try_both() {
    local ranking=$work/ranking status=0
    make_system "$work/first"
    git -c safe.directory="$root" -C "$root" archive --prefix=root/tcplan/ HEAD | tar -x -C "$work/first"
    cp -a "$work/first" "$work/second"

    say "scripts/tcplan in a bare $release"
    inside "$work/first" /root/tcplan/scripts/tcplan 'C_abc=A_ai*B_ibc' --sizes a=400,b=400,c=400,i=8 >"$ranking" || status=$?
    cat "$ranking"
    ((status == 0)) || die "scripts/tcplan failed in a bare $release (exit status $status)"
    grep -q gemm "$ranking" || die "scripts/tcplan printed no ranking in a bare $release"

    say "scripts/test in a bare $release"
    inside "$work/second" /root/tcplan/scripts/test || die "scripts/test failed in a bare $release"
}

# Runs inside the namespace: `bare.sh --in DIRECTORY`.
if [[ ${1:-} == --in ]]; then
    work=$2
    try_both
    exit
fi

if ((EUID != 0)); then
    have sudo || die "--bare makes a system with debootstrap: it needs root or sudo"
    exec sudo "$0"
fi
for tool in git unshare chroot; do have "$tool" || die "--bare needs $tool"; done
git -c safe.directory="$root" -C "$root" rev-parse --quiet --verify HEAD >/dev/null || die "--bare tests what is committed: there is no commit"
[[ -z $(git -c safe.directory="$root" -C "$root" status --porcelain) ]] || say "uncommitted changes are not tested: --bare takes HEAD"

with_namespace "$0"
