# shellcheck shell=bash disable=SC2154 # root: the caller's
# Sourced by bare.sh and check_packages behind common.sh: a fresh Debian made by debootstrap, in a mount namespace that ends with the script.
#
# Packages come from the mirror that this machine's apt uses for that Debian, or else from debootstrap's default mirror. All mounts are in the namespace, which ends
# before the files are removed.

release=bookworm

# Prints the sources from which this machine's apt gets the release, as lines "URI suite component".
host_sources() {
    # shellcheck disable=SC2016 # apt's placeholders
    apt-get indextargets --format '$(ORIGIN) $(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
        awk -v release="$release" '$1 == "Debian" && $4 == "main" && $3 ~ "^" release "(-updates|-security)?$" { print $2, $3, $4 }' |
        sort -u
}

# Prints the apt settings for reaching mirrors (proxies, certificates, date checks) that are also needed in the new system.
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
}

# inside SYSTEM command...: runs the command in the system, in its directory /tmp.
inside() {
    local system=$1
    shift
    mount -t proc proc "$system/proc"
    mount -t sysfs -o ro sysfs "$system/sys"
    mkdir -p "$work/archives/partial"
    mount --bind "$work/archives" "$system/var/cache/apt/archives"
    chroot "$system" /usr/bin/env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin ${http_proxy:+http_proxy="$http_proxy"} \
        ${https_proxy:+https_proxy="$https_proxy"} ${no_proxy:+no_proxy="$no_proxy"} /bin/bash -c 'cd /tmp && exec "$@"' bash "$@" </dev/null
}

# with_namespace SCRIPT: installs debootstrap if it is missing, then runs `SCRIPT --in DIRECTORY` in a new mount namespace; DIRECTORY is removed afterwards.
# Exits with the script's status.
with_namespace() {
    local script=$1 packages=() status=0
    mkdir -p "$root/build"
    have debootstrap || packages+=(debootstrap)
    [[ -e /usr/share/keyrings/debian-archive-keyring.gpg ]] || packages+=(debian-archive-keyring)
    ((${#packages[@]} == 0)) || with_lock install install_packages "$root/build/install.log" "${packages[@]}"
    [[ -n $(host_sources) ]] || quietly "$root/build/install.log" apt-get -o Acquire::Retries=3 -q update || true

    work=$(mktemp -d "${TMPDIR:-/var/tmp}/tcplan-bare.XXXXXX")
    child=
    trap clean_up EXIT
    trap 'exit 130' INT TERM HUP

    # In the background, so that a signal is acted on at once.
    unshare --mount --pid --fork --kill-child --mount-proc --propagation private "$script" --in "$work" &
    child=$!
    wait "$child" || status=$?
    child=
    exit "$status"
}

# The namespace and its mounts, which are invisible outside, end with its first process. --one-file-system is a second protection against deleting mounted files.
# shellcheck disable=SC2317 # called by the trap
clean_up() {
    if [[ -n $child ]]; then
        kill -KILL "$child" 2>/dev/null || true
        wait "$child" 2>/dev/null || true
    fi
    rm -rf --one-file-system "$work" 2>/dev/null || { sleep 2 && rm -rf --one-file-system "$work"; }
}
