#!/usr/bin/env bash
# scripts/test --bare: tries scripts/tcplan and scripts/test, each alone, in a fresh Debian 12 made by debootstrap.
#
# What runs is HEAD, unpacked into the system's /root/tcplan. Packages come from where this machine's apt gets Debian 12, or from
# debootstrap's own mirror where it does not. All mounts live in a mount namespace that ends before the files are removed.
set -euo pipefail
root=$(dirname "$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")")
source "$root/scripts/lib/common.sh"

release=bookworm

# Where this machine's apt gets the release, as lines "URI suite component".
host_sources() {
    # shellcheck disable=SC2016 # apt's placeholders
    apt-get indextargets --format '$(ORIGIN) $(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
        awk -v release="$release" '$1 == "Debian" && $4 == "main" && $3 ~ "^" release "(-updates|-security)?$" { print $2, $3, $4 }' |
        sort -u
}

# The apt settings for reaching mirrors (proxies, certificates, date checks) that also hold inside.
host_apt_settings() { apt-config dump | grep -E '^Acquire::(https?|ftp|socks|Check|Retries|ForceIP)' || true; }

http_proxy_of_apt() {
    local proxy=
    eval "$(apt-config shell proxy Acquire::http::Proxy)"
    printf '%s' "${proxy:-${http_proxy:-}}"
}

# make_system DIRECTORY: a minimal Debian that reaches its mirror as this machine does.
make_system() {
    local system=$1 sources mirror proxy
    sources=$(host_sources)
    mirror=$(awk -v release="$release" '$2 == release { print $1; exit }' <<<"$sources")
    proxy=$(http_proxy_of_apt)
    say "debootstrap of $release"
    quietly "$system.log" env ${proxy:+http_proxy="$proxy"} debootstrap --variant=minbase "$release" "$system" ${mirror:+"$mirror"} ||
        die "debootstrap failed"
    if [[ -n $mirror ]]; then
        awk '{ print "deb", $0 }' <<<"$sources" >"$system/etc/apt/sources.list"
    fi
    host_apt_settings >"$system/etc/apt/apt.conf.d/90host"
    cp -rL /etc/apt/trusted.gpg.d /etc/apt/keyrings /etc/apt/auth.conf.d "$system/etc/apt/" 2>/dev/null || true
    cp -L /etc/resolv.conf /etc/hosts "$system/etc/" 2>/dev/null || true
    git -c safe.directory="$root" -C "$root" archive --prefix=root/tcplan/ HEAD | tar -x -C "$system"
}

# inside SYSTEM command...: runs in the system, in a directory that is not the checkout.
inside() {
    local system=$1
    shift
    mount -t proc proc "$system/proc"
    mount -t sysfs -o ro sysfs "$system/sys"
    mount --bind "$work/archives" "$system/var/cache/apt/archives"
    chroot "$system" /usr/bin/env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin ${http_proxy:+http_proxy="$http_proxy"} \
        ${https_proxy:+https_proxy="$https_proxy"} ${no_proxy:+no_proxy="$no_proxy"} /bin/bash -c 'cd /tmp && exec "$@"' bash "$@" </dev/null
}

try_both() {
    local ranking=$work/ranking status=0
    mkdir -p "$work/archives/partial"
    make_system "$work/first"
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

mkdir -p "$root/build"
packages=()
have debootstrap || packages+=(debootstrap)
[[ -e /usr/share/keyrings/debian-archive-keyring.gpg ]] || packages+=(debian-archive-keyring)
((${#packages[@]} == 0)) || with_lock install install_packages "$root/build/install.log" "${packages[@]}"
[[ -n $(host_sources) ]] || quietly "$root/build/install.log" apt-get -o Acquire::Retries=3 -q update || true

work=$(mktemp -d "${TMPDIR:-/var/tmp}/tcplan-bare.XXXXXX")
child=

# The namespace dies with its first process, and its mounts were never visible out here; --one-file-system is the second lock on that door.
# shellcheck disable=SC2317 # called by the trap
clean_up() {
    if [[ -n $child ]]; then
        kill -KILL "$child" 2>/dev/null || true
        wait "$child" 2>/dev/null || true
    fi
    rm -rf --one-file-system "$work" 2>/dev/null || { sleep 2 && rm -rf --one-file-system "$work"; }
}
trap clean_up EXIT
trap 'exit 130' INT TERM HUP

# In the background, so that a signal is acted on at once.
unshare --mount --pid --fork --kill-child --mount-proc --propagation private "$0" --in "$work" &
child=$!
status=0
wait "$child" || status=$?
child=
exit "$status"
