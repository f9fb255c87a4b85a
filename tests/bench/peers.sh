#!/bin/sh
# Tests bench/peers on a contraction of a millisecond: it runs, checks results, keeps its samples and reports failures. Times are not checked.
# usage: peers.sh TCPLAN ROOT CC
set -eu
tcplan=$1 peers=$2/bench/peers cc=$3
# shellcheck source=tests/support/find_python.sh
. "$2/tests/support/find_python.sh"
find_python numpy
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

fail() {
    echo "$1" >&2
    shift
    for file; do cat "$file" >&2; done
    exit 1
}

study() { "$python" "$peers" --tcplan "$tcplan" --cc "$cc" --no-ceilings --repetitions 2 --effort quick "$@"; }

# A product of two matrices, and of a matrix and a vector.
study --contraction 'C_abc=A_ai*B_ibc' --sizes a=b=c=12,i=5 --output one.json --markdown one.md >out 2>err || fail 'it failed' err
cmp out one.md || fail 'expected the tables in the file'
grep -q '^| case | C_abc=A_ai\*B_ibc *| a=12,b=12,c=12,i=5 *| 12, 144, 5 |' out || fail 'expected a row' out
study --contraction 'C_a=A_iaj*B_ji' --sizes a=9,i=j=7 --no-compiler --output vector.json >out 2>err || fail 'it failed' err
"$python" - <<'PYTHON' || fail 'expected every sample of every contender' one.json vector.json
import json
for file, ideals in (("one.json", ("dgemm_mn", "dgemm_nm")), ("vector.json", ("dgemv_n", "dgemv_t"))):
    record, = json.load(open(file))["cases"]
    contenders = record["contenders"]
    assert {"winner", "np_out", "np_free", *ideals} <= set(contenders), contenders
    assert all(len(c["samples"]) == 2 and min(c["samples"]) > 0 for c in contenders.values())
    assert all(contenders[name]["error"] < 1e-12 for name in ("winner", "np_out", "np_free"))
    assert ("no_compiler" in contenders) == (file == "vector.json"), contenders
    assert record["flops"] == 2.0 * record["m"] * record["n"] * record["k"]
PYTHON
study --set elementwise --cases 'product_three_cache|scale_turned_cache|row_.*_cache' --output elements.json >out 2>err || fail 'it failed' err
grep -q '^| scale_turned_cache *| C_ab=2\*A_ba\*B ' out || fail 'expected a row without an ideal' out
[ "$(grep -c '"np_out": {' elements.json)" -eq 4 ] || fail 'expected numpy in each' elements.json
study --set transposes --cases 'ab->ba 1000|236x' --no-peers --markdown turned.md >out 2>err || fail 'transpositions failed' out err
cmp out turned.md || fail 'expected the table in the file' out
[ "$(grep -c '^| ab.*->.*[0-9)] | [0-9]* | [0-9.]* | [0-9.]* | - | [0-9.]* |$' out)" -eq 2 ] || fail 'expected two rows without HPTT' out
status=0
study --set transposes --output turned.json >out 2>err || status=$?
[ $status -eq 2 ] || fail "transpositions in JSON: expected status 2, not $status" err
study --tables one.json >out || fail 'expected the tables of earlier results'
cmp out one.md || fail 'expected the same tables' out

printf 'before\n<!-- peers, 1 thread, Some CPU -->\nold\n<!-- end -->\nafter\n' >page.md
study --tables one.json --machine-name 'Some CPU' --update page.md >named.md || fail 'expected an updated page'
{ printf 'before\n<!-- peers, 1 thread, Some CPU -->\n\n'; cat named.md; printf '\n<!-- end -->\nafter\n'; } >expected.md
cmp page.md expected.md || fail 'expected the tables in the page' page.md
grep -q '^- machine: Some CPU, Linux' named.md || fail 'expected the name of the machine' named.md
status=0
study --tables one.json --plot limit.svg >out 2>err || status=$?
[ $status -eq 2 ] || fail "a picture without limits: expected status 2, not $status" err

# Earlier results are kept unless their case is requested again, and only with the same settings.
cp one.json kept.json
add() { study --contraction 'C_abc=A_ai*B_ibc' --sizes a=b=c=12,i=5 --output one.json --add "$@"; }
add >out 2>err || fail 'it failed to add nothing' err
grep -q 'has all of these cases' err || fail 'expected nothing to do' err
cmp one.json kept.json || fail 'expected the same results'
add --again >out 2>err || fail 'it failed to measure again' err
if cmp -s one.json kept.json; then fail 'expected other results'; fi
status=0
study --contraction 'C_ab=A_ai*B_ib' --sizes a=b=i=9 --output one.json --add --again --align 64 >out 2>err || status=$?
[ $status -eq 2 ] || fail "other arrays: expected status 2, not $status" err
grep -q "arrays was 'from malloc" err || fail 'expected what differs' err
study --contraction 'C_ab=A_ai*B_ib' --sizes a=b=i=9 --align 256 --no-peers --output aligned.json >out 2>err || fail 'it failed' err
"$python" -c 'import json; assert not any(o % 256 for o in json.load(open("aligned.json"))["cases"][0]["offsets"])' || fail 'expected aligned arrays'

# A peer that ends the process in a case, but not in the trial, is left out.
cat >peer.c <<'C'
#include <stdlib.h>
void dTensorMult(double alpha, const double *A, const long *sizes_a, const long *outer_a, const char *a, const double *B, const long *sizes_b,
                 const long *outer_b, const char *b, double beta, double *C) {
    (void)alpha, (void)outer_a, (void)a, (void)sizes_b, (void)outer_b, (void)b, (void)beta;
    if (sizes_a[0] != 4) abort();
    for (int i = 0; i < 16; i++) C[i] = 4 * A[0] * B[0];
}
C
"$cc" -shared -fPIC peer.c -o libpeer.so
study --contraction 'C_ab=A_ai*B_ib' --sizes a=b=i=9 --peer-library tcl=libpeer.so --output ends.json >out 2>err || fail 'it failed with a peer that ends' err
grep -q '^- tcl: it ended with signal 6' out || fail 'expected why the peer has no time' out
grep -q '| np_out |' out || fail 'expected the other peers' out

# Other types.
for type in s c z; do
    study --type $type --contraction 'C_abc=A_ai*B_ibc' --sizes a=b=c=12,i=5 --output type.json >out 2>err || fail "it failed with type $type" err
    grep -q "^- type: $type" out || fail 'expected the type' out
    "$python" - $type <<'PYTHON' || fail "expected results of type $type" type.json
import json
import sys
letter = sys.argv[1]
record, = json.load(open("type.json"))["cases"]
contenders = record["contenders"]
assert {"winner", "np_out", letter + "gemm_mn", letter + "gemm_nm"} <= set(contenders), contenders
assert record["flops"] == (2.0 if letter == "s" else 8.0) * record["m"] * record["n"] * record["k"]
assert contenders["winner"]["error"] < (1e-12 if letter == "z" else 1e-5)
PYTHON
    rm type.json
done

# With two threads the winner of one thread is also measured.
study --contraction 'C_ab=A_ai*B_ib' --sizes a=b=i=9 --threads 2 --no-peers >out 2>err || fail 'it failed with two threads' err
grep -q '| 1 thread | speedup |' out || fail 'expected the speedup' out

# An emitted function that computes wrong results, and one that cannot be compiled.
cat >wrong <<'SH'
#!/bin/sh
"$TCPLAN" "$@" || exit
while [ $# -gt 1 ]; do
    if [ "$1" = --emit ]; then sed -i "$CHANGE" "$2"; fi
    shift
done
SH
chmod +x wrong
broken() {
    status=0
    TCPLAN=$tcplan CHANGE=$1 study --tcplan "$work/wrong" --contraction 'C_ab=A_ai*B_ib' --sizes a=9,b=8,i=7 --no-peers >out 2>err || status=$?
    [ $status -eq 1 ] || fail "expected status 1, not $status" err
    grep -q "$2" err || fail "expected '$2'" err
    grep -q 'Cases that failed:' out || fail 'expected the failure in the tables' out
}
broken 's/return 0;/C[71] *= 1.001; return 0;/' 'wrong result of winner'
broken 's/return 0;/return 1;/' 'did not return 0'
broken 's/return 0;/return 0/' 'compiling .* failed'

# Rejected options.
status=0
study --contraction 'C_abz=A_az*B_bz' --sizes a=b=z=3 >out 2>err || status=$?
[ $status -eq 2 ] || fail "a batch index: expected status 2, not $status" err
grep -q "index 'z' is not in exactly two tensors" err || fail 'expected the reason' err
status=0
study --cases 'no such case' >out 2>err || status=$?
[ $status -eq 2 ] || fail "no case: expected status 2, not $status" err
study --list | awk 'END { exit NR != 34 }' || fail 'expected 34 cases'
study --list --set drawn --draw 'a test' | awk '$1 ~ /^like_/ { found++ } END { exit found != 24 }' || fail 'expected 24 drawn cases'

# A peer that is named must be known, present and correct; otherwise nothing runs.
refused() {
    status=0
    study --contraction 'C_ab=A_ai*B_ib' --sizes a=b=i=9 --output refused.json "$@" >out 2>err || status=$?
    [ ! -e refused.json ] || fail 'expected no results' refused.json
}
refused --peer-library nonesuch=libpeer.so
[ $status -eq 2 ] || fail "an unknown peer: expected status 2, not $status" err
grep -q 'nonesuch: no such peer; expected tblis, tcl, einsum_ir' err || fail 'expected the known peers' err
refused --peer-library tblis=missing.so
[ $status -eq 3 ] || fail "a missing peer: expected status 3, not $status" err
grep -q 'tblis: .*missing.so cannot be loaded' err || fail 'expected the missing file' err
refused --peer-library tblis=libpeer.so
grep -q 'libpeer.so has no tblis_tensor_mult' err || fail 'expected the missing function' err
printf 'double dTensorMult(void) { return 0; }\n' >idle.c
"$cc" -shared -fPIC idle.c -o libidle.so
refused --peer-library tcl=libidle.so
[ $status -eq 3 ] || fail "a wrong peer: expected status 3, not $status" err
grep -q 'fails a trial or computes a wrong result' err || fail 'expected the failed trial' err

# A correct peer that was compiled without optimisation is reported as slow after known products are timed.
cat >slow.c <<'C'
void dTensorMult(double alpha, const double *A, const long *sizes_a, const long *outer_a, const char *a, const double *B, const long *sizes_b,
                 const long *outer_b, const char *b, double beta, double *C) {
    (void)alpha, (void)outer_a, (void)a, (void)outer_b, (void)b, (void)beta;
    const long m = sizes_a[0], k = sizes_a[1], n = b[3] ? sizes_b[1] * sizes_b[2] : sizes_b[1];
    for (long j = 0; j < n; j++) {
        for (long i = 0; i < m; i++) {
            double sum = 0;
            for (long l = 0; l < k; l++) sum += A[i + l * m] * B[l + j * k];
            C[i + j * m] = sum;
        }
    }
}
C
"$cc" -O0 -shared -fPIC slow.c -o libslow.so
slow() { study --contraction 'C_ab=A_ai*B_ib' --sizes a=b=i=9 --peer-library tcl=libslow.so --output slow.json "$@"; }
slow >out 2>err || fail 'it failed with a slow peer' err
grep -q 'TCL: .* GFLOP/s on matrices of 512 (gemm ' err || fail 'expected the speed of known products' err
grep -q 'warning: TCL: .* it may use kernels for another processor' err || fail 'expected a warning' err
grep -q '^- \*\*warning\*\*: .*TCL: ' out || fail 'expected the warning in the tables' out
grep -q '^- peers: .*TCL (libslow.so, sha256 ' out || fail 'expected what the file reveals' out

# Results of another build of a peer are not combined with these.
"$cc" -O1 -shared -fPIC slow.c -o libslow.so
status=0
slow --add --again >out 2>err || status=$?
[ $status -eq 2 ] || fail "another build: expected status 2, not $status" err
grep -q -- '--add: peers was ' err || fail 'expected what differs' err

# A signal that ends the study ends its processes and leaves no file.
cat >endless.c <<'C'
#include <stdio.h>
#include <unistd.h>
void dTensorMult(double alpha, const double *A, const long *sizes_a, const long *outer_a, const char *a, const double *B, const long *sizes_b,
                 const long *outer_b, const char *b, double beta, double *C) {
    (void)alpha, (void)outer_a, (void)a, (void)sizes_b, (void)outer_b, (void)b, (void)beta;
    for (int i = 0; i < 16; i++) C[i] = 4 * A[0] * B[0];
    if (sizes_a[0] == 4) return;
    FILE *file = fopen("endless.part", "w");
    if (file) {
        fprintf(file, "%ld\n", (long)getpid());
        fclose(file);
        rename("endless.part", "endless.pid");
    }
    for (;;) pause();
}
C
"$cc" -shared -fPIC endless.c -o libendless.so
mkdir temporary
TMPDIR=$work/temporary "$python" "$peers" --tcplan "$tcplan" --cc "$cc" --no-ceilings --contraction 'C_ab=A_ai*B_ib' --sizes a=b=i=9 \
    --peer-library tcl=libendless.so --output ended.json >out 2>err &
study=$!
while [ ! -e endless.pid ]; do
    kill -0 "$study" 2>/dev/null || fail 'it ended by itself' err
    sleep 0.1
done
kill -TERM "$study"
status=0
wait "$study" || status=$?
[ $status -eq 143 ] || fail "a signal: expected status 143, not $status" err
if kill -0 "$(cat endless.pid)" 2>/dev/null; then fail 'expected its processes to be gone'; fi
[ -z "$(ls temporary)" ] || fail 'expected no temporary files'
if ls ./*.part ended.json >/dev/null 2>&1; then fail 'expected no files'; fi
