# shellcheck shell=bash disable=SC2154 # root: the caller's
# Sourced by scripts/tcplan and scripts/test, with `root` set to the checkout: installs missing packages and builds a preset.
# All functions write to stderr only and do not read stdin.

readonly EXIT_ENVIRONMENT=3

say() { printf 'tcplan: %s\n' "$*" >&2; }

die() {
    printf 'tcplan: error: %s\n' "$*" >&2
    exit "$EXIT_ENVIRONMENT"
}

# with_lock NAME command...: runs one command at a time per checkout. The command does not inherit the descriptor of the lock, so that a process that it leaves behind does not keep
# the lock.
with_lock() {
    local lock=$root/build/.$1.lock descriptor status=0
    shift
    mkdir -p "$root/build" || die "cannot write to $root/build"
    exec {descriptor}>"$lock" || die "cannot write to $root/build"
    if ! flock --nonblock "$descriptor"; then
        say "waiting for another run in $root"
        flock "$descriptor"
    fi
    "$@" {descriptor}>&- || status=$?
    exec {descriptor}>&-
    return "$status"
}

# --- packages ---------------------------------------------------------------------------------------------------------------------

have() { command -v "$1" >/dev/null 2>&1; }

have_library() { have pkg-config && pkg-config --exists "$1" 2>/dev/null; }

# Prints the Debian packages that `what` (build or test) lacks, one a line. A tool or library that was installed in another way is not missing.
missing_packages() {
    have cmake || echo cmake
    have cc || have gcc || have clang || printf '%s\n' gcc libc6-dev
    have pkg-config || echo pkg-config
    have ninja || have make || echo ninja-build
    have_library openblas || echo libopenblas-dev
    have_library hwloc || echo libhwloc-dev
    have_library libxml-2.0 || echo libxml2-dev
    [[ $1 == test ]] || return 0
    have_library cmocka || echo libcmocka-dev
    have_library jansson || echo libjansson-dev
    have_module jsonschema || echo python3-jsonschema
    have clang-format || echo clang-format
    have clang-tidy || echo clang-tidy
}

have_header() { printf '#include <%s>\n' "$1" | cc -E - >/dev/null 2>&1; }

# Tests whether a python3 has a module: the first one in PATH or the system's own, as in
# tests/support/find_python.sh.
have_module() { python3 -c "import $1" 2>/dev/null || /usr/bin/python3 -c "import $1" 2>/dev/null; }

# Prints the optional Debian packages that `what` (build or test) lacks: libraries whose kernels are often the fastest,
# and numpy for the tests of the Python package.
optional_packages() {
    have_library libxsmm || echo libxsmm-dev
    have_header blis.h || have_header blis/blis.h || echo libblis-dev
    [[ $1 != test ]] || have_module numpy || echo python3-numpy
    [[ $1 != test ]] || have mpicc || printf '%s\n' openmpi-bin libopenmpi-dev
    [[ $1 != test ]] || have_module mpi4py || echo python3-mpi4py
}

as_root() {
    if ((EUID == 0)); then
        env DEBIAN_FRONTEND=noninteractive "$@"
    else
        sudo env DEBIAN_FRONTEND=noninteractive "$@"
    fi
}

# folder_without_compilers FOLDER: fills it with links to all programs on the search path that are no compilers; prints its name.
folder_without_compilers() {
    local compiler='^(.*-)?(cc|gcc|g[+][+]|c[+][+]|c89|c99|tcc|icc|icx|clang|clang[+][+])(-[0-9.]+)?$' place program
    rm -rf "$1"
    mkdir -p "$1" || die "cannot write to $1"
    while IFS= read -r -d : place; do
        for program in "$place"/*; do
            [[ -x $program && ! -d $program && ! ${program##*/} =~ $compiler ]] && printf '%s\0' "$program"
        done
    done <<<"$PATH:" | xargs -0 ln -st "$1" 2>/dev/null || : # a later one of the same name stays hidden
    printf '%s\n' "$1"
}

# quietly LOG command...: writes the output to LOG; prints it if the command fails.
quietly() {
    local log=$1
    shift
    "$@" </dev/null >"$log" 2>&1 && return
    tail -n 60 "$log" >&2
    say "failed: $* (all of it: $log)"
    return 1
}

# progressing LOG: copies the output of a build to LOG, and prints its progress: on a terminal in one line that changes,
# otherwise in a line each minute.
progressing() {
    local line percent last=-1 start=$SECONDS printed=$SECONDS left='' seconds
    while IFS= read -r line; do
        printf '%s\n' "$line" >&3
        if [[ $line =~ ^\[([0-9]+)/([0-9]+)\] ]]; then
            percent=$((100 * BASH_REMATCH[1] / BASH_REMATCH[2])) # output of Ninja
        elif [[ $line =~ ^\[\ *([0-9]+)%\] ]]; then
            percent=${BASH_REMATCH[1]} # output of make
        else
            continue
        fi
        if [[ -t 2 ]]; then ((percent > last)) || continue; else ((SECONDS - printed >= ${TCPLAN_PROGRESS_SECONDS:-60})) || continue; fi
        seconds=$((SECONDS - start)) last=$percent printed=$SECONDS
        if ((seconds >= 5 && percent >= 5 && percent < 100)); then left=", about $((seconds * (100 - percent) / percent + 1)) s left"; else left=''; fi
        if [[ -t 2 ]]; then printf '\r\033[Ktcplan: building: %d %%%s' "$percent" "$left" >&2; else say "building: $percent %$left"; fi
    done 3>"$1"
    [[ ! -t 2 || $last -lt 0 ]] || printf '\r\033[K' >&2
}

# build_showing LOG command...: does the same as quietly, with progress.
build_showing() {
    local log=$1
    shift
    "$@" </dev/null 2>&1 | progressing "$log" && return
    tail -n 60 "$log" >&2
    say "failed: $* (all of it: $log)"
    return 1
}

# install_packages LOG package...: installs the packages.
install_packages() {
    local log=$1
    shift
    have apt-get || die "missing: $*; install them (these are Debian's names), as this system has no apt-get"
    ((EUID == 0)) || have sudo || die "missing: $*; installing them needs root or sudo"
    say "installing $*"
    local options=(-o Acquire::Retries=3 -o DPkg::Lock::Timeout=600 -q)
    quietly "$log" as_root apt-get "${options[@]}" update || say "apt-get update failed; trying with the lists at hand"
    quietly "$log" as_root apt-get "${options[@]}" install -y --no-install-recommends "$@" || die "the packages could not be installed"
}

install_missing_locked() {
    local packages
    mapfile -t packages < <(missing_packages "$1")
    ((${#packages[@]} == 0)) || install_packages "$root/build/install.log" "${packages[@]}"
    install_optional "$1"
}

# Tests whether packages can be installed without asking for a password.
can_install() { have apt-get && { ((EUID == 0)) || { have sudo && sudo -n true 2>/dev/null; }; }; }

# Installs the optional packages that the distribution has, and continues without the others.
install_optional() {
    local package packages=()
    for package in $(optional_packages "$1"); do
        if ! can_install; then
            say "going on without $package; installing it needs apt-get and root or sudo"
            continue
        fi
        if have apt-cache && apt-cache show "$package" >/dev/null 2>&1; then
            packages+=("$package")
        else
            say "no package $package here: going on without"
        fi
    done
    ((${#packages[@]} == 0)) || (install_packages "$root/build/install.log" "${packages[@]}") || say "going on without ${packages[*]}"
}

# install_missing build|test: installs the required and the optional packages that are missing.
install_missing() {
    [[ -z $(missing_packages "$1")$(optional_packages "$1") ]] || with_lock install install_missing_locked "$1"
}

# --- building ---------------------------------------------------------------------------------------------------------------------

# Tests that no source of the program is newer than the last build of a preset. Directories count, as a file may have been deleted.
is_fresh() {
    local stamp=$root/build/$1/.built
    [[ -e $stamp ]] || return 1
    [[ -z $(cd "$root" && find CMakeLists.txt CMakePresets.json cmake include base ast contractions gen cachesim models microbench store plan \
        roofline routines api network blocks distributed study bindings cli docs/tcplan.1.in "${@:2}" -newer "$stamp" ! -name '*.md' -print -quit 2>/dev/null) ]]
}

build_locked() {
    local preset=$1 stamp=$root/build/$1/.built
    shift
    is_fresh "$preset" "$@" && return
    say "building $root/build/$preset; the first time this takes minutes"
    # The stamp has the time of the start, so that a file that is edited during the build is newer.
    mkdir -p "$root/build/$preset" && touch "$stamp.new" || return
    have ninja && [[ ! -e $root/build/$preset/CMakeCache.txt ]] && export CMAKE_GENERATOR=${CMAKE_GENERATOR:-Ninja}
    cd "$root" || return
    quietly "$root/build/$preset.log" cmake --preset "$preset" || return
    build_showing "$root/build/$preset.log" cmake --build --preset "$preset" --parallel "${CMAKE_BUILD_PARALLEL_LEVEL:-$(nproc)}" || return
    mv "$stamp.new" "$stamp"
}

# build_preset PRESET [folder...]: builds build/PRESET if sources, or files in the given folders, changed since the last build.
build_preset() {
    is_fresh "$@" || (with_lock "$1" build_locked "$@") || die "the build failed"
}
