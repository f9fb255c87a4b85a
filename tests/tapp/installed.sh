#!/bin/sh
# Installs the built tree into a new prefix, and builds a client of TAPP against it as a user would: with pkg-config, with CMake, and each header alone in
# strict C11 and C++11. If TAPP_HEADERS names the folder of another library's tapp.h, the client is also compiled with that header and linked with our library.
# usage: installed.sh CMAKE GENERATOR BUILD_DIR CC CLIENT [FLAGS]
set -eu
cmake=$1 generator=$2 build=$3 cc=$4 client=$5 flags=${6:-}
work=$build/tapp_consumer
prefix=$work/prefix

check() {
    output=$("$1") || { echo "$1 failed" >&2; exit 1; }
    echo "$1: $output"
    case $output in 'D[0,0,0] = '*) ;; *) echo "expected: D[0,0,0] = ..." >&2; exit 1 ;; esac
}

rm -rf "$work"
mkdir -p "$work/project"
"$cmake" --install "$build" --prefix "$prefix" >"$work/install.log" || { cat "$work/install.log"; exit 1; }
export TCPLAN_STORE='' TCPLAN_PLANS=''

pc=$(dirname "$(find "$prefix" -name tcplan-tapp.pc)")
export PKG_CONFIG_PATH="$pc${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}"
run_path=-Wl,-rpath,$(pkg-config --variable=libdir tcplan-tapp)
# shellcheck disable=SC2046,SC2086 # flags are lists of words
"$cc" -std=c11 -Wall -Wextra -Wpedantic -Werror $flags "$client" -o "$work/with_pkg_config" $(pkg-config --cflags --libs tcplan-tapp) "$run_path"
check "$work/with_pkg_config"

if [ -n "${TAPP_HEADERS:-}" ]; then
    # shellcheck disable=SC2046,SC2086 # likewise
    "$cc" -std=c11 $flags "-I$TAPP_HEADERS" "$client" -o "$work/with_their_headers" $(pkg-config --libs tcplan-tapp) "$run_path"
    check "$work/with_their_headers"
else
    echo "not checked: another library's headers; TAPP_HEADERS names none"
fi

cat >"$work/project/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.21)
project(client LANGUAGES C)
find_package(tcplan 0.2 REQUIRED)
add_executable(client "$client")
target_link_libraries(client PRIVATE tcplan::tapp)
END
"$cmake" -G "$generator" -S "$work/project" -B "$work/find_package" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER="$cc" -DCMAKE_C_FLAGS="$flags"
"$cmake" --build "$work/find_package"
check "$work/find_package/client"

# The C++ compiler that belongs to the one for C, with its version if it has one: gcc-12 and g++-12.
cxx=$(echo "$cc" | sed -e 's/gcc\([^/]*\)$/g++\1/;t' -e 's/clang\([^/]*\)$/clang++\1/;t' -e 's/cc$/c++/')
command -v "$cxx" >/dev/null || { cxx=; echo "not checked: the headers in C++; there is no C++ compiler"; }
include=$(pkg-config --variable=includedir tcplan-tapp)/tcplan-tapp
for header in "$include/tapp.h" "$include"/tapp/*.h; do
    name=${header#"$include"/}
    printf '#include <%s>\nint main(void) { return 0; }\n' "$name" >"$work/one.c"
    "$cc" -std=c11 -Wall -Wextra -Wpedantic -Werror -fsyntax-only "-I$include" "$work/one.c"
    if [ -n "$cxx" ]; then "$cxx" -std=c++11 -Wall -Wextra -Wpedantic -Werror -fsyntax-only "-I$include" -x c++ "$work/one.c"; fi
done
if [ -n "$cxx" ]; then
    # Every function exists and has C linkage.
    {
        printf '#include <tapp.h>\ntypedef void function();\nfunction *const tapp_functions[] = {\n'
        cat "$include/tapp.h" "$include"/tapp/*.h | sed -n 's/^TAPP_EXPORT .*\(TAPP_[a-z_]*\)(.*/    reinterpret_cast<function *>(\1),/p'
        printf '};\nint main() { return sizeof tapp_functions / sizeof *tapp_functions == 22 ? 0 : 1; }\n'
    } >"$work/functions.cpp"
    # shellcheck disable=SC2046,SC2086 # likewise
    "$cxx" -std=c++11 -Wall -Wextra -Wpedantic -Werror $flags "$work/functions.cpp" -o "$work/in_cpp" $(pkg-config --cflags --libs tcplan-tapp) "$run_path"
    "$work/in_cpp" || { echo "there are not 22 functions" >&2; exit 1; }
fi
