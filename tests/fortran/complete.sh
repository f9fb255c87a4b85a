#!/bin/sh
# The Fortran module has every function of the headers of the first tier, and every constant in their order.
# usage: complete.sh ROOT
set -eu
cd "$1"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
shared=bindings/fortran/tcplan_interfaces.inc
module=$work/tcplan.f90
cat bindings/fortran/tcplan.f90 "$shared" >"$module"

cat include/tcplan/*.h | sed -n 's/^TCPLAN_API .*[ *]\(tcplan_[a-z0-9_]*\)(.*/\1/p' | sort >"$work/functions"
[ -s "$work/functions" ] || { echo 'found no functions in include/tcplan'; exit 1; }
sed -n "s/.*bind(C, name='\(tcplan_[a-z0-9_]*\)').*/\1/p" "$module" | sort >"$work/bound"
diff "$work/functions" "$work/bound" || { echo "< in include/tcplan, > in $module"; exit 1; }

# The number of arguments of each. Prototypes and interfaces are joined to one line each.
cat include/tcplan/*.h | tr '\n' ' ' | sed 's|/\*[^*]*\**\([^/*][^*]*\*\**\)*/||g' | tr ';' '\n' |
    sed -n 's/.*TCPLAN_API .*[ *]\(tcplan_[a-z0-9_]*\)(\(.*\)).*/\1 \2/p' |
    awk '{ name = $1; $1 = ""; print name, ($0 == " void" ? 0 : gsub(/,/, ",") + 1) }' | sort >"$work/arguments"
awk '/(function|subroutine) c_/ { joined = "" } { joined = joined $0 }
    /bind\(C, name=/ { name = joined; sub(/.*name=.tcplan/, "tcplan", name); sub(/[^a-z0-9_].*/, "", name)
        list = joined; sub(/ *&? *bind\(C.*/, "", list); sub(/.* c_[a-z0-9_]* *\(?/, "", list); sub(/\).*/, "", list); gsub(/[ &]/, "", list)
        if (name ~ /^tcplan_/) print name, (list == "" ? 0 : gsub(/,/, ",", list) + 1) }' "$module" | sort >"$work/bound_arguments"
diff "$work/arguments" "$work/bound_arguments" || { echo "arguments: < in include/tcplan, > in $module"; exit 1; }

# Fortran's names ignore case, so that TCPLAN_PLAN_NAMED would be the function tcplan_plan_named(): these are called TCPLAN_ORIGIN_ there.
# The words of each enum, a line each, in the order of the words in it.
cat include/tcplan/*.h | sed -e 's|/\*.*\*/||' -e '/\/\*/,/\*\//{ s|/\*.*||; t; s|.*\*/||; t; d; }' |
    awk '/^enum tcplan_[a-z_]* \{/ { inside = 1; sub(/^[^{]*\{/, "") }
        inside { text = text " " $0 }
        inside && /\}/ { inside = 0; sub(/\}.*/, "", text); gsub(/= *[A-Z0-9_]*/, "", text); gsub(/[^A-Za-z0-9_]/, " ", text); n = split(text, word, " "); text = ""
            for (i = 1; i <= n; i++) if (word[i] ~ /^TCPLAN_/) text = text " " word[i]
            print text; text = "" }' |
    sed 's/^ //; s/ $//; s/TCPLAN_PLAN_/TCPLAN_ORIGIN_/g' | grep TCPLAN_ | sort >"$work/enums"
awk '/enumerator ::/ { inside = 1; sub(/.*::/, "") }
    inside { line = $0; more = sub(/&.*/, "", line); text = text " " line; if (!more) { inside = 0; gsub(/= *[A-Z0-9_]*/, "", text); gsub(/[^A-Z0-9_ ]/, "", text); gsub(/  */, " ", text); print text; text = "" } }' \
    "$module" | sed 's/^ //; s/ $//' | sort >"$work/enumerators"
[ -s "$work/enums" ] || { echo 'found no enums in include/tcplan'; exit 1; }
diff "$work/enums" "$work/enumerators" || { echo "< in include/tcplan, > in $module"; exit 1; }

# The module of block-sparse products binds functions of their header, with as many arguments.
blocks=$work/tcplan_blocksparse.f90
cat bindings/fortran/tcplan_blocksparse.f90 "$shared" >"$blocks"
cat include/tcplan/*.h include/unstable/tcplan/blocksparse.h include/unstable/tcplan/contraction.h | tr '\n' ' ' |
    sed 's|/\*[^*]*\**\([^/*][^*]*\*\**\)*/||g' | tr ';' '\n' | sed -n 's/.*TCPLAN_API .*[ *]\(tcplan_[a-z0-9_]*\)(\(.*\)).*/\1 \2/p' |
    awk '{ name = $1; $1 = ""; print name, ($0 == " void" ? 0 : gsub(/,/, ",") + 1) }' | sort >"$work/arguments"
awk '/(function|subroutine) c_/ { joined = "" } { joined = joined $0 }
    /bind\(C, name=/ { name = joined; sub(/.*name=.tcplan/, "tcplan", name); sub(/[^a-z0-9_].*/, "", name)
        list = joined; sub(/ *&? *bind\(C.*/, "", list); sub(/.* c_[a-z0-9_]* *\(?/, "", list); sub(/\).*/, "", list); gsub(/[ &]/, "", list)
        if (name ~ /^tcplan_/) print name, (list == "" ? 0 : gsub(/,/, ",", list) + 1) }' "$blocks" | sort >"$work/bound_arguments"
[ -s "$work/bound_arguments" ] || { echo "found no functions in $blocks"; exit 1; }
comm -13 "$work/arguments" "$work/bound_arguments" >"$work/wrong"
[ ! -s "$work/wrong" ] || { echo "not in the headers, or with other arguments:"; cat "$work/wrong"; exit 1; }

# The types of its structures: as many lists of blocks as the header has.
tensors=$(sed -n 's/.*TCPLAN_BLOCK_TENSORS = \([0-9]*\).*/\1/p' include/unstable/tcplan/blocksparse.h)
grep -q "blocks($((tensors + 1)))" "$blocks" || { echo "$blocks: expected $((tensors + 1)) lists of blocks in c_text"; exit 1; }
