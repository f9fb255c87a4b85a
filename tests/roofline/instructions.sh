#!/bin/sh
# The measuring loops hold the instructions that they are meant to measure, as many as they should and no others that compute.
#
# usage: instructions.sh DIRECTORY PROCESSOR FP16 BF16
# DIRECTORY: the objects of roofline/kernels/kernels_*.c are below it, for PROCESSOR; x86-64 only. FP16, BF16: 1 where the compiler knows these instructions, otherwise 0.
set -eu
for tool in objdump awk; do
    command -v "$tool" >/dev/null || { echo "SKIPPED: no $tool"; exit 77; }
done
case $2 in
x86_64) ;;
*) echo "SKIPPED: the expected instructions are those of x86-64"; exit 77 ;;
esac

# The innermost loops of each function, one a line: file, function, then each instruction as mnemonic and register kinds.
loops() {
    objdump -d --no-show-raw-insn "$1" | awk -v file="$(basename "$1" .c.o)" '
    function width(text) { return text ~ /%zmm/ ? "z" : text ~ /%ymm/ ? "y" : text ~ /%xmm/ ? "x" : "" }
    function memory(text) { return text ~ /\(%r/ ? (text ~ /\(%r[^)]*\)$/ ? ">" : "<") : "" }
    function finish(   i, j, t, inner) {
        for (i = 1; i <= n; i++) {
            if (op[i] !~ /^j/ || !(target[i] in at) || at[target[i]] >= i) continue
            inner = 1
            for (j = at[target[i]]; j < i; j++) if (op[j] ~ /^j/) inner = 0
            if (!inner) continue
            printf "%s %s", file, name
            for (j = at[target[i]]; j <= i; j++) printf " %s", text[j]
            printf "\n"
        }
    }
    /^[0-9a-f]+ </ { finish(); name = $2; gsub(/[<>:]/, "", name); n = 0; split("", at); next }
    /^ *[0-9a-f]+:/ {
        address = $1; sub(/:/, "", address)
        n++; op[n] = $2; target[n] = $3; at[address] = n
        rest = $0; sub(/^[^\t]*\t/, "", rest)
        operands = rest; sub(/^[^ ]+ */, "", operands)
        text[n] = $2 "/" width(operands) memory(operands)
    }
    END { finish() }'
}


objects=$(find "$1" -name 'kernels_*.o' ! -name '*.gcno' | sort)
# shellcheck disable=SC2086 # a list of files without spaces
for object in $objects; do loops "$object"; done | awk -v fp16="$3" -v bf16="$4" '
function count(pattern,   i, c) { c = 0; for (i = 3; i <= NF; i++) if ($i ~ pattern) c++; return c }
function vectors() { return count("/[xyz]") }
function refuse(reason) { printf "%s, %s: %s\n    %s\n", $1, $2, reason, $0; refused = 1 }

# Twelve of one operation on registers of one width, or a multiple where the compiler unrolled, and a counter. Loops with fewer are no measuring loops: they check results.
function check_compute(   part, precision, width, kind, letter, suffix, wanted, found) {
    if (vectors() < 12) return
    split($2, part, "_")
    precision = substr($2, 1, 1)
    width = part[1] ~ /[0-9]/ ? substr(part[1], 2) : "scalar"
    kind = $2
    sub(width == "scalar" ? "^[sd]_scalar_" : "^[sd][0-9]+_", "", kind)
    letter = width == "512" ? "z" : width == "256" ? "y" : "x"
    suffix = (width == "scalar" ? "s" : "p") precision
    wanted = "^v?(add|mul)" suffix
    if (kind == "fma") wanted = "^vfn?madd[0-9]+" suffix
    if (kind == "add") wanted = "^v?add" suffix
    if (kind == "multiply") wanted = "^v?mul" suffix
    if (kind == "divide") wanted = "^v?div" suffix
    seen[$1 " " $2]++
    found = count(wanted "/" letter "$")
    if (found == 0 || found % 12 != 0) refuse("expected 12 of " wanted " on registers of " width ", found " found)
    else if (vectors() != found) refuse("expected nothing else that computes or moves vectors")
    else if (kind == "mul_add" && 2 * count("^v?mul") != found) refuse("expected as many multiplications as additions")
}

# Twelve sums of products: of half precision, of pairs of bfloat16, or of as many conversions from single to double precision.
function check_mixed(   width, letter, wanted, found, converted) {
    if (vectors() < 12) return
    width = $2
    gsub(/^[a-z]+|_.*/, "", width)
    letter = width == "512" ? "z" : width == "256" ? "y" : "x"
    wanted = $2 ~ /^h/ ? "^vfn?madd[0-9]+ph" : $2 ~ /^b/ ? "^vdpbf16ps" : "^vfn?madd[0-9]+pd"
    found = count(wanted "/" letter "$")
    if (found == 0) return # the loop around, which starts and checks
    seen[$1 " " $2]++
    converted = count("^vcvtps2pd/" letter)
    if (found % 12 != 0) refuse("expected 12 of " wanted " on registers of " width ", found " found)
    else if (converted != ($2 ~ /^sd/ ? found : 0)) refuse("expected a conversion for each sum of double precision, found " converted)
    else if (vectors() != found + converted) refuse("expected nothing else that computes or moves vectors")
}

# Scalar accesses, one after the other: eight, or as many as a block has.
function check_strided(kind,   stride, wanted, access, found) {
    stride = kind
    sub(/.*_/, "", stride)
    wanted = 128 / stride < 8 ? 128 / stride : 8
    access = kind ~ /^load/ ? "^v?movsd/x<$" : "^v?movsd/x>$"
    found = count(access)
    if (found < wanted) return
    seen[$1 " " $2]++
    if (found % wanted != 0 || vectors() != found) refuse("expected " wanted " scalar accesses and nothing else")
}

function check_stream(   kind, letter, loads, stores, found) {
    kind = substr($2, 8)
    if (kind ~ /_[0-9]+$/) {
        check_strided(kind)
        return
    }
    if (kind == "flops") {
        letter = $1 ~ /512/ ? "z" : $1 ~ /avx2/ ? "y" : "x"
        found = count($1 ~ /baseline/ ? "^v?(add|mul)pd/" letter "$" : "^vfn?madd[0-9]+pd/" letter "$")
        if (vectors() < 8) return
        seen[$1 " " $2]++
        if (found % 8 != 0 || vectors() != found) refuse("expected 8 vectors that are multiplied and added, and nothing else")
        return
    }
    if (vectors() < 16) return
    letter = $1 ~ /512/ ? "z" : $1 ~ /avx2/ ? "y" : "x"
    seen[$1 " " $2]++
    loads = count("/" letter "<$")
    stores = count("/" letter ">$")
    found = kind ~ /^load/ ? loads : stores
    if (found == 0 || found % 16 != 0) refuse("expected 16 vectors in a round, found " found)
    if (kind ~ /^load/ && stores > 0) refuse("found " stores " stores")
    if (loads != (kind ~ /^store/ ? 0 : kind ~ /triad|axpy/ ? 2 * found : found)) refuse("found " loads " loads for " stores " stores")
    if (kind ~ /_nt$/ && count("^v?movntpd/") != found) refuse("expected non-temporal stores")
}

$2 ~ /^[sd](_scalar|128|256|512)_/ { check_compute() }
$2 ~ /^(h|b|sd)(128|256|512)_/ { check_mixed() }
$2 ~ /^stream_/ { check_stream() }
END {
    for (name in seen) total++
    # Operations times precisions times widths: 5 x 2 of 512 bits, 5 x 2 x 3 of up to 256, 4 x 2 x 2 without fma; 24 stream kernels thrice, and loads of parts; three widths
    # of each mixed precision.
    expected = 10 + 30 + 16 + 72 + 3 + 3 + 3 * fp16 + 3 * bf16
    if (total != expected) { print "found " total + 0 " kernels with measuring loops, expected " expected; refused = 1 }
    print total + 0 " kernels"
    exit refused
}'
