# shellcheck shell=bash disable=SC2154 # root: the caller's
# Sourced by scripts/test --arm64, after common.sh: the libraries of an arm64 Debian below build/arm64-system, and compilers for them.
# Nothing is installed in this system: apt uses lists of its own, as if no package were installed, and packages are only unpacked.

arm64_packages() {
    local compiler
    for compiler in gcc g++ gfortran; do
        have "aarch64-linux-gnu-$compiler" || echo "$compiler-aarch64-linux-gnu"
    done
    have qemu-aarch64-static || have qemu-aarch64 || echo qemu-user-static
}

install_arm64_locked() {
    local packages
    mapfile -t packages < <(arm64_packages)
    ((${#packages[@]} == 0)) || install_packages "$root/build/install.log" "${packages[@]}"
}

# unpack_arm64 FOLDER package...: unpacks these packages and the packages that they depend on.
unpack_arm64() {
    local system=$1 package
    shift
    local options=(-q -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o APT::Sandbox::User= -o Debug::NoLocking=1 -o Acquire::Retries=3
        -o Dir::State="$system/apt" -o Dir::State::status=/dev/null -o Dir::Cache="$system/apt")
    mkdir -p "$system/apt/lists/partial" "$system/apt/archives/partial"
    quietly "$root/build/arm64-system.log" apt-get "${options[@]}" update || return
    quietly "$root/build/arm64-system.log" apt-get "${options[@]}" install --download-only -y --no-install-recommends "$@" || return
    for package in "$system/apt/archives"/*.deb; do
        dpkg-deb -x "$package" "$system" || return
    done
    rm -rf "$system/apt"
}

# compiles_for SYSTEM 'COMPILER [option...]' NAME...: the compiler for that system, as its compilers/COMPILER, and under other names.
compiles_for() {
    local system=$1 compiler=${2%% *} name
    # shellcheck disable=SC2016 # expanded by the script that is written
    printf '#!/bin/sh\nexec %q %s --sysroot=%q "$@"\n' "$(command -v "$compiler")" "${2#"$compiler"}" "$system" >"$system/compilers/$compiler"
    chmod +x "$system/compilers/$compiler"
    for name in "${@:3}"; do
        [[ -e $system/compilers/$name ]] || ln -s "$compiler" "$system/compilers/$name"
    done
}

make_arm64_locked() {
    local system=$root/build/arm64-system file libraries headers
    [[ ! -e $system/made ]] || return 0
    have apt-get || die "--arm64 needs apt-get, and a Debian's sources"
    say "unpacking an arm64 Debian's libraries into $system"
    rm -rf "$system"
    unpack_arm64 "$system" libc6-dev libopenblas-dev libblis-dev libhwloc-dev libxml2-dev libcmocka-dev libjansson-dev || return
    libraries=$system/usr/lib/aarch64-linux-gnu
    # Links from the root are links from this folder.
    find "$libraries" -type l -lname '/*' | while read -r file; do
        ln -srf "$system$(readlink "$file")" "$file"
    done || return
    # The links that update-alternatives would make.
    for file in "$libraries"/{openblas-pthread,blis-openmp}/*.so* "$libraries"/openblas-pthread/pkgconfig/openblas.pc; do
        ln -sr "$file" "$libraries/${file#"$libraries"/*/}" 2>/dev/null || : # the first one stays
    done
    headers=$system/usr/include/aarch64-linux-gnu
    ln -sr "$headers"/openblas-pthread/*.h "$headers"/blis-openmp/blis.h "$headers" || return
    # The compilers for arm64, also under their usual names.
    mkdir "$system/compilers" || return
    compiles_for "$system" aarch64-linux-gnu-gcc cc gcc
    compiles_for "$system" aarch64-linux-gnu-g++ c++ g++
    compiles_for "$system" aarch64-linux-gnu-gfortran gfortran
    ! have clang || compiles_for "$system" 'clang --target=aarch64-linux-gnu --gcc-toolchain=/usr' || return
    touch "$system/made"
}

make_arm64() {
    [[ -z $(arm64_packages) ]] || with_lock install install_arm64_locked
    (with_lock arm64 make_arm64_locked) || die "the arm64 libraries could not be unpacked"
    "$root/build/arm64-system/lib/ld-linux-aarch64.so.1" --version >/dev/null 2>&1 ||
        die "this kernel starts no arm64 programs: Debian's qemu-user-static lets it (binfmt_misc)"
}
