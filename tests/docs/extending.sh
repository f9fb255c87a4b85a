#!/bin/sh
# The examples of examples/extending work: a copy of the source tree with their files and lines is
# built, the new kernel class and provider are ranked, emitted, compiled and compared with naive
# loops, and the new column and command are printed in all formats. A second run builds only what changed.
# usage: extending.sh ROOT WORK_DIR CMAKE GENERATOR CC [LAUNCHER]
set -eu
root=$1 work=$2 cmake=$3 generator=$4 cc=$5 launcher=${6-}
page=$root/examples/extending/README.md

fail() {
    echo "extending: $*" >&2
    exit 1
}

mkdir -p "$work"
rm -rf "$work/previous"
if [ -d "$work/source" ]; then mv "$work/source" "$work/previous"; fi
mkdir "$work/source"
(cd "$root" && tar -cf - CMakeLists.txt README.md LICENSE CHANGELOG.md cmake include base ast contractions gen cachesim models \
    microbench store plan roofline routines api network blocks distributed study bindings cli docs) |
    tar -xf - -C "$work/source"

# Extracts the examples. A fence after a paragraph that ends in `PATH`: is a new file. In a diff fence
# the lines with + go between the lines of the file around them.
awk -v root="$work/source/" '
    function refuse(text) { print "README.md: " text > "/dev/stderr"; failed = 1; exit 1 }
    function apply(   line, count, i, at, found) {
        while ((getline line < (root path)) > 0) text[++count] = line
        close(root path)
        for (i = 1; i < count; i++)
            if (text[i] == before && text[i + 1] == after) { at = i; found++ }
        if (found != 1) refuse(path " does not have the lines around:\n" added)
        for (i = 1; i <= count; i++) {
            print text[i] > (root path)
            if (i == at) printf "%s", added > (root path)
        }
        close(root path)
        print path
    }
    /^##+ / { example = /^## Example: / }
    !example { next }
    /^```diff/ { kind = "diff"; path = before = after = added = ""; next }
    /^```c(make)?$/ {
        if (last !~ /`[a-z\/_.]+`:$/) refuse("a fence without the name of its file: " last)
        kind = "file"; path = last; sub(/`:$/, "", path); sub(/^.*`/, "", path)
        print path
        next
    }
    /^```/ && kind {
        if (kind == "diff") apply()
        if (kind == "file") close(root path)
        kind = ""
        next
    }
    kind == "file" { print > (root path); next }
    kind == "diff" && /^--- / { path = $2; next }
    kind == "diff" && /^\+/ { added = added substr($0, 2) "\n"; next }
    kind == "diff" { if (added == "") before = substr($0, 2); else after = substr($0, 2); next }
    NF { last = $0 }
    END { if (failed) exit 1 }' "$page" >"$work/files"
# A file that is as in the last run keeps its time, so that nothing is built again.
while read -r file; do
    if cmp -s "$work/previous/$file" "$work/source/$file"; then touch -r "$work/previous/$file" "$work/source/$file"; fi
done <"$work/files"
[ "$(grep -c . "$work/files")" -ge 11 ] || fail "expected four examples, found the files $(cat "$work/files")"

build() {
    if ! { "$cmake" -S "$work/source" -B "$work/build" -G "$generator" -DCMAKE_C_COMPILER="$cc" -DCMAKE_C_COMPILER_LAUNCHER="$launcher" \
        -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG=-O0 -DTCPLAN_TESTS=OFF -DTCPLAN_WERROR=ON \
        -DCMAKE_DISABLE_FIND_PACKAGE_OpenMP=ON "$@" && "$cmake" --build "$work/build" --target tcplan_cli; } >"$work/log" 2>&1; then
        tail -n 40 "$work/log"
        fail "the examples do not build"
    fi
}
build
tcplan=$work/build/bin/tcplan
LD_LIBRARY_PATH=$work/build/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export LD_LIBRARY_PATH

# A class without a needed member does not compile.
compile_code() {
    sed "$1" "$work/source/gen/kernels/axpby.c" >"$work/axpby.c"
    "$cc" -std=c11 -fsyntax-only -I"$work/source" -I"$work/source/include" -I"$work/source/include/unstable" -I"$work/build/include" \
        "$work/axpby.c" 2>"$work/log"
}
compile_code '' || fail "gen/kernels/axpby.c does not compile by itself: $(cat "$work/log")"
if compile_code 's/role_at, step, emit/role_at, emit/'; then fail "a class compiles without step"; fi

# The provider is there. Without a reference BLAS it is the linked BLAS, as a file.
if ! "$tcplan" --version | grep -qx netlib; then
    build "-DTCPLAN_NETLIB_LIBRARY=$(ldd "$work/build/lib/libtcplan.so" | awk '/blas/ { print $3; exit }')"
fi
"$tcplan" --version | grep -qx netlib || fail "tcplan --version does not list netlib"

# A search times the class if asked, and ranks it, at a cost like axpy's.
"$tcplan" measure 'C_a=A_a*B' --sizes a=20000 --algorithm daxpby >"$work/measured"
grep -q '^ *1 *daxpby ' "$work/measured" || fail "measure does not time daxpby: $(cat "$work/measured")"
"$tcplan" rank 'C_a=A_a*B' --sizes a=20000 --effort estimate --baseline daxpby >"$work/estimate"
awk '$2 ~ /^daxpb?y$/ { us[$2] = $3 == "(baseline)" ? $4 : $3 }
    END { exit !(us["daxpby"] > us["daxpy"] / 3 && us["daxpby"] < us["daxpy"] * 3) }' "$work/estimate" ||
    fail "the estimate of daxpby is not like that of daxpy: $(cat "$work/estimate")"

# The column is in all formats, and where they are described.
column() {
    "$tcplan" rank 'C_abc=A_ija*B_jbic' --sizes a=b=c=8,i=j=4 --effort estimate -q "$@"
}
column --format csv | head -n 1 | grep -q ',copy_count,extent_a,' || fail "CSV has no column copy_count"
column --json | grep -q '^ *"copy_count": [1-9]' || fail "JSON has no member copy_count"
column --format xml | grep -q '<algorithm .* copy_count="[1-9]' || fail "XML has no attribute copy_count"
column -v | grep -q '^rank .* copied$' || fail "text has no column: $(column -v)"
"$tcplan" help columns | grep -q 'Number of copied operands' || fail "the column is not described"

# The command is in the help, in completion and among the man pages; it prints all formats.
"$tcplan" --help | grep -q '^  providers  *list the libraries whose kernels are tried' || fail "--help has no command providers"
"$tcplan" completion bash | grep -q "^    'providers')" || fail "completion does not know providers"
"$tcplan" help providers --man | grep -q '^\.B tcplan providers$' || fail "providers has no man page"
"$tcplan" providers | grep -q '^netlib  *netlib ' || fail "text has no netlib: $("$tcplan" providers)"
"$tcplan" providers --format csv | head -n 1 | grep -qx 'name,library,version' || fail "CSV of providers is wrong"
"$tcplan" providers --json | grep -q '"library": "netlib"' || fail "JSON of providers has no netlib"
"$tcplan" providers --format xml | grep -q '<provider name="netlib"' || fail "XML of providers has no netlib"
if "$tcplan" providers here 2>"$work/log"; then fail "providers takes an argument"; fi
grep -q "providers takes no argument, found 'here'" "$work/log" || fail "providers refuses in other words: $(cat "$work/log")"

# Emitted programs check themselves.
run_emitted() {
    "$tcplan" emit "$@" --with-main >"$work/emitted.c"
    # shellcheck disable=SC2046 # the link line is words
    "$cc" -Werror -Wall -o "$work/emitted" "$work/emitted.c" $(sed -n 's/^ \* link: //p' "$work/emitted.c")
    "$work/emitted" | grep 'check passed' || fail "the program of emit $* does not pass its check"
}
for dtype in s d c z; do
    run_emitted 'C_abc=2*A_a*conj(B)_bc' --sizes a=64,b=8,c=8 --algorithm "cb-${dtype}axpby" --dtype $dtype
done
run_emitted 'C_abc=A_a*B_bc' --sizes a=64,b=8,c=8 --algorithm cb-daxpby --extents runtime
run_emitted 'C_abc=A_ai*B_ibc' --sizes a=64,b=8,c=8,i=9 --algorithm c-dgemm@netlib

# In-process, sums with beta equal naive loops: complex numbers have zero imaginary parts.
cat >"$work/check.c" <<'END'
#include <stdio.h>
#include <tcplan/tcplan.h>

enum { PARTS = 2 * 4 * 4 };

static double at(const void *tensor, enum tcplan_dtype dtype, int element) {
    switch (dtype) {
    case TCPLAN_FLOAT: return ((const float *)tensor)[element];
    case TCPLAN_FLOAT_COMPLEX: return ((const float *)tensor)[2 * element];
    case TCPLAN_DOUBLE_COMPLEX: return ((const double *)tensor)[2 * element];
    default: return ((const double *)tensor)[element];
    }
}

static void set(void *tensor, enum tcplan_dtype dtype, int element, double value) {
    switch (dtype) {
    case TCPLAN_FLOAT: ((float *)tensor)[element] = (float)value; break;
    case TCPLAN_FLOAT_COMPLEX: ((float *)tensor)[2 * element] = (float)value; break;
    case TCPLAN_DOUBLE_COMPLEX: ((double *)tensor)[2 * element] = value; break;
    default: ((double *)tensor)[element] = value;
    }
}

/* C_ab = 2 A_ai B_ib + C_ab, where every extent is 4; whole numbers, so that sums are exact. */
static int check(const char *name, enum tcplan_dtype dtype) {
    double A[PARTS] = {0}, B[PARTS] = {0}, C[PARTS] = {0};
    struct tcplan_product *product = NULL;
    struct tcplan_plan *plan = NULL;
    struct tcplan_error error;
    int wrong = 0;
    for (int e = 0; e < 16; e++) set(A, dtype, e, e % 5), set(B, dtype, e, e % 7), set(C, dtype, e, e);
    if (tcplan_product_parse(&product, "C_ab+=2*A_ai*B_ib", "a=b=i=4", NULL, dtype, TCPLAN_COLUMN_MAJOR, &error) != TCPLAN_OK ||
        tcplan_plan_named(&plan, NULL, product, name, &error) != TCPLAN_OK ||
        tcplan_plan_execute(plan, A, B, C, &error) != TCPLAN_OK) {
        fprintf(stderr, "%s: %s\n", name, error.message);
        return 1;
    }
    for (int a = 0; a < 4; a++) {
        for (int b = 0; b < 4; b++) {
            double sum = a + 4 * b;
            for (int i = 0; i < 4; i++) sum += 2 * at(A, dtype, a + 4 * i) * at(B, dtype, i + 4 * b);
            wrong += at(C, dtype, a + 4 * b) != sum;
        }
    }
    if (wrong) fprintf(stderr, "%s: %d elements are wrong\n", name, wrong);
    tcplan_plan_free(plan);
    tcplan_product_free(product);
    return wrong > 0;
}

int main(void) {
    return check("bi-saxpby", TCPLAN_FLOAT) + check("bi-daxpby", TCPLAN_DOUBLE) + check("bi-caxpby", TCPLAN_FLOAT_COMPLEX) +
           check("bi-zaxpby", TCPLAN_DOUBLE_COMPLEX) + check("dgemm@netlib", TCPLAN_DOUBLE) + check("b-zgemv@netlib", TCPLAN_DOUBLE_COMPLEX);
}
END
"$cc" -I"$work/source/include" -I"$work/build/include" -o "$work/check" "$work/check.c" -L"$work/build/lib" -ltcplan
"$work/check" || fail "a kernel computes wrongly"
