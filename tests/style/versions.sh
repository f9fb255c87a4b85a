#!/bin/sh
# Functions declared in headers of the first tier are exported in the stable version, all others in the version of the second tier.
# usage: versions.sh LIBRARY NM HEADERS FIRST_VERSION SECOND_VERSION
set -eu
names=$("$2" -D --defined-only --with-symbol-versions "$1" | awk '$2 != "A" { print $NF }')
status=0
first=$(sed -n 's/^TCPLAN_API .*[ *]\(tcplan_[a-z0-9_]*\)(.*/\1/p' "$3"/*.h | sort)
[ -n "$first" ] || { echo "no functions in the headers of the first tier"; exit 1; }
for name in $first; do
    if ! printf '%s\n' "$names" | grep -q -x "$name@@$4"; then
        echo "of the first tier, but not exported as $name@@$4: $(printf '%s\n' "$names" | grep "^$name@" || echo missing)"
        status=1
    fi
done
for name in $(printf '%s\n' "$names" | grep "@@$4\$"); do
    if ! printf '%s\n' "$first" | grep -q -x "${name%@@*}"; then
        echo "$name is in no header of the first tier"
        status=1
    fi
done
others=$(printf '%s\n' "$names" | grep '^tcplan_' | grep -v -E "@@($4|$5)\$" || true)
if [ -n "$others" ]; then
    printf 'without a version, or of another one:\n%s\n' "$others"
    status=1
fi
exit $status
