#!/bin/sh
# Without cmocka, a plain configure says that there will be no tests, and succeeds; a configure that requests tests fails.
# usage: plain_configure.sh CMAKE GENERATOR ROOT CC
set -eu
cmake=$1 generator=$2 root=$3 cc=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# A pkg-config without cmocka.
real=$(command -v pkg-config || command -v pkgconf) || { echo 'skipped: there is no pkg-config'; exit 77; }
cat >"$work/pkg-config" <<SCRIPT
#!/bin/sh
for word in "\$@"; do case \$word in cmocka*) exit 1 ;; esac; done
exec "$real" "\$@"
SCRIPT
chmod +x "$work/pkg-config"

configure() {
    "$cmake" -G "$generator" -S "$root" -B "$1" -DCMAKE_C_COMPILER="$cc" -DPKG_CONFIG_EXECUTABLE="$work/pkg-config" "$2" >"$work/log" 2>&1
}
configure "$work/plain" -DTCPLAN_FORTRAN=OFF || { cat "$work/log"; exit 1; }
grep -q 'Without tests, which need cmocka' "$work/log" || { cat "$work/log"; echo 'expected it to say that there are no tests'; exit 1; }
if [ -d "$work/plain/tests" ]; then echo 'expected no tests'; exit 1; fi
if configure "$work/asked" -DTCPLAN_TESTS=ON; then echo 'expected tests that were asked for to be missed'; exit 1; fi
