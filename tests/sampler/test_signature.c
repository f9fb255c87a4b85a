#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "routines/sampler/signatures/signature.h"

enum { M = 5, N = 7, K = 3, GAP = 2, STEP = 2 };

static const struct signature *find(const char *name) {
    const struct signature *signature;
    struct tcplan_error error;
    if (signature_find(&signature, name, &error) != TCPLAN_OK) fail_msg("%s", error.message);
    return signature;
}

/** Sets flags from letters and digits such as `LUN` or `1LN` (`-` is -1), and sizes in order.
 * Leading dimensions are GAP above the minimum, increments are STEP. */
static void set(int64_t value[], const struct signature *signature, const char *flags,
                const int *sizes) {
    bool given[SIGNATURE_MAX_ARGUMENTS] = {false};
    for (int a = 0; a < signature->count; a++) {
        const struct signature_argument *argument = &signature->argument[a];
        value[a] = 0;
        if (argument->class == SIGNATURE_FLAG) {
            value[a] = argument->elements == SIGNATURE_CHARACTER ? *flags
                       : *flags == '-'                           ? -1
                                                                 : *flags - '0';
            if (argument->value[0] > 100 && argument->elements == SIGNATURE_INTEGER)
                value[a] = argument->value[*flags - '0'];
            flags++;
        }
        if (argument->class == SIGNATURE_DIM) value[a] = *sizes++;
        if (argument->class == SIGNATURE_INC) value[a] = STEP;
        given[a] = argument->class == SIGNATURE_FLAG || argument->class == SIGNATURE_DIM ||
                   argument->class == SIGNATURE_INC;
    }
    signature_complete(signature, value, given);
    for (int a = 0; a < signature->count; a++)
        value[a] += signature->argument[a].class == SIGNATURE_LD ? GAP : 0;
}

/** The expected signature of a routine: shapes of its operands in order, and its metrics in double
 * precision (elements, not bytes). */
struct expected {
    const char *name;
    const char *flags;
    int sizes[4];
    int shapes[4][2]; /* rows and columns; a vector has 0 columns, a triangle twice its order; 0
                         rows end the list */
    double flops, volume, movement;
};

/* Elements of a triangle of order n, diagonal included; products of sizes. */
#define T(n) ((n) * ((n) + 1) / 2)

/* clang-format off */
static const struct expected expected[] = {
    {"drotg", "", {0}, {{1, 0}, {1, 0}, {1, 0}, {1, 0}}, 6, 0, 0},
    {"drotmg", "", {0}, {{1, 0}, {1, 0}, {1, 0}, {1, 0}}, 0, 0, 0},
    {"drot", "", {N}, {{N, 0}, {N, 0}}, 6 * N, 2 * N, 4 * N},
    {"drotm", "", {N}, {{N, 0}, {N, 0}, {5, 0}}, 6 * N, 2 * N, 4 * N},
    {"dswap", "", {N}, {{N, 0}, {N, 0}}, 0, 2 * N, 4 * N},
    {"dscal", "", {N}, {{N, 0}}, N, N, 2 * N},
    {"dcopy", "", {N}, {{N, 0}, {N, 0}}, 0, 2 * N, 2 * N},
    {"daxpy", "", {N}, {{N, 0}, {N, 0}}, 2 * N, 2 * N, 3 * N},
    {"daxpby", "", {N}, {{N, 0}, {N, 0}}, 2 * N, 2 * N, 3 * N},
    {"ddot", "", {N}, {{N, 0}, {N, 0}}, 2 * N, 2 * N, 2 * N},
    {"dsdot", "", {N}, {{N, 0}, {N, 0}}, 2 * N, N, N}, /* counted in floats */
    {"sdsdot", "", {N}, {{N, 0}, {N, 0}}, 2 * N + 1, 2 * N, 2 * N},
    {"zdotu", "", {N}, {{N, 0}, {N, 0}}, 8 * N, 2 * N, 2 * N},
    {"zdotc", "", {N}, {{N, 0}, {N, 0}}, 8 * N, 2 * N, 2 * N},
    {"dnrm2", "", {N}, {{N, 0}}, 2 * N, N, N},
    {"dasum", "", {N}, {{N, 0}}, N, N, N},
    {"idamax", "", {N}, {{N, 0}}, 0, N, N},
    {"dgemv", "N", {M, N}, {{M, N}, {N, 0}, {M, 0}}, 2 * M * N, M * N + M + N, M * N + N + 2 * M},
    {"dgemv", "T", {M, N}, {{M, N}, {M, 0}, {N, 0}}, 2 * M * N, M * N + M + N, M * N + M + 2 * N},
    {"dgbmv", "N", {M, N, 1, 2}, {{4, N}, {N, 0}, {M, 0}}, 2 * N * 4, 4 * N + M + N, 4 * N + N + 2 * M},
    {"dsymv", "U", {N}, {{N, N}, {N, 0}, {N, 0}}, 2 * N * N, T(N) + 2 * N, T(N) + 3 * N},
    {"zhemv", "L", {N}, {{N, N}, {N, 0}, {N, 0}}, 8 * N * N, T(N) + 2 * N, T(N) + 3 * N},
    {"dsbmv", "L", {N, 2}, {{3, N}, {N, 0}, {N, 0}}, 2 * N * 5, 3 * N + 2 * N, 3 * N + 3 * N},
    {"zhbmv", "L", {N, 2}, {{3, N}, {N, 0}, {N, 0}}, 8 * N * 5, 3 * N + 2 * N, 3 * N + 3 * N},
    {"dspmv", "L", {N}, {{N, 1}, {N, 0}, {N, 0}}, 2 * N * N, T(N) + 2 * N, T(N) + 3 * N},
    {"zhpmv", "L", {N}, {{N, 1}, {N, 0}, {N, 0}}, 8 * N * N, T(N) + 2 * N, T(N) + 3 * N},
    {"dtrmv", "LNN", {N}, {{N, N}, {N, 0}}, N * N, T(N) + N, T(N) + 2 * N},
    {"dtbmv", "LNN", {N, 2}, {{3, N}, {N, 0}}, 2 * N * 3, 3 * N + N, 3 * N + 2 * N},
    {"dtpmv", "LNN", {N}, {{N, 1}, {N, 0}}, N * N, T(N) + N, T(N) + 2 * N},
    {"dtrsv", "UTU", {N}, {{N, N}, {N, 0}}, N * N, T(N) + N, T(N) + 2 * N},
    {"dtbsv", "LNN", {N, 2}, {{3, N}, {N, 0}}, 2 * N * 3, 3 * N + N, 3 * N + 2 * N},
    {"dtpsv", "LNN", {N}, {{N, 1}, {N, 0}}, N * N, T(N) + N, T(N) + 2 * N},
    {"dger", "", {M, N}, {{M, 0}, {N, 0}, {M, N}}, 2 * M * N, M * N + M + N, 2 * M * N + M + N},
    {"zgeru", "", {M, N}, {{M, 0}, {N, 0}, {M, N}}, 8 * M * N, M * N + M + N, 2 * M * N + M + N},
    {"zgerc", "", {M, N}, {{M, 0}, {N, 0}, {M, N}}, 8 * M * N, M * N + M + N, 2 * M * N + M + N},
    {"dsyr", "L", {N}, {{N, 0}, {N, N}}, N * (N + 1), T(N) + N, 2 * T(N) + N},
    {"zher", "L", {N}, {{N, 0}, {N, N}}, 4 * N * (N + 1), T(N) + N, 2 * T(N) + N},
    {"dspr", "L", {N}, {{N, 0}, {N, 1}}, N * (N + 1), T(N) + N, 2 * T(N) + N},
    {"zhpr", "L", {N}, {{N, 0}, {N, 1}}, 4 * N * (N + 1), T(N) + N, 2 * T(N) + N},
    {"dsyr2", "L", {N}, {{N, 0}, {N, 0}, {N, N}}, 2 * N * (N + 1), T(N) + 2 * N, 2 * T(N) + 2 * N},
    {"zher2", "L", {N}, {{N, 0}, {N, 0}, {N, N}}, 8 * N * (N + 1), T(N) + 2 * N, 2 * T(N) + 2 * N},
    {"dspr2", "L", {N}, {{N, 0}, {N, 0}, {N, 1}}, 2 * N * (N + 1), T(N) + 2 * N, 2 * T(N) + 2 * N},
    {"zhpr2", "L", {N}, {{N, 0}, {N, 0}, {N, 1}}, 8 * N * (N + 1), T(N) + 2 * N, 2 * T(N) + 2 * N},
    {"dgemm", "NN", {M, N, K}, {{M, K}, {K, N}, {M, N}}, 2 * M * N * K, M * K + K * N + M * N, M * K + K * N + 2 * M * N},
    {"dgemm", "NT", {M, N, K}, {{M, K}, {N, K}, {M, N}}, 2 * M * N * K, M * K + K * N + M * N, M * K + K * N + 2 * M * N},
    {"dgemm", "TC", {M, N, K}, {{K, M}, {N, K}, {M, N}}, 2 * M * N * K, M * K + K * N + M * N, M * K + K * N + 2 * M * N},
    {"zgemm", "TN", {M, N, K}, {{K, M}, {K, N}, {M, N}}, 8 * M * N * K, M * K + K * N + M * N, M * K + K * N + 2 * M * N},
    {"zgemm3m", "NN", {M, N, K}, {{M, K}, {K, N}, {M, N}}, 8 * M * N * K, M * K + K * N + M * N, M * K + K * N + 2 * M * N},
    {"dsymm", "LL", {M, N}, {{M, M}, {M, N}, {M, N}}, 2 * M * M * N, T(M) + 2 * M * N, T(M) + 3 * M * N},
    {"dsymm", "RU", {M, N}, {{N, N}, {M, N}, {M, N}}, 2 * M * N * N, T(N) + 2 * M * N, T(N) + 3 * M * N},
    {"zhemm", "LL", {M, N}, {{M, M}, {M, N}, {M, N}}, 8 * M * M * N, T(M) + 2 * M * N, T(M) + 3 * M * N},
    {"dtrmm", "LLNN", {M, N}, {{M, M}, {M, N}}, M * M * N, T(M) + M * N, T(M) + 2 * M * N},
    {"dtrsm", "RUTU", {M, N}, {{N, N}, {M, N}}, M * N * N, T(N) + M * N, T(N) + 2 * M * N},
    {"dsyrk", "LN", {N, K}, {{N, K}, {N, N}}, N * (N + 1) * K, T(N) + N * K, 2 * T(N) + N * K},
    {"dsyrk", "UT", {N, K}, {{K, N}, {N, N}}, N * (N + 1) * K, T(N) + N * K, 2 * T(N) + N * K},
    {"zherk", "LC", {N, K}, {{K, N}, {N, N}}, 4 * N * (N + 1) * K, T(N) + N * K, 2 * T(N) + N * K},
    {"dsyr2k", "LN", {N, K}, {{N, K}, {N, K}, {N, N}}, 2 * N * (N + 1) * K, T(N) + 2 * N * K, 2 * T(N) + 2 * N * K},
    {"zher2k", "LC", {N, K}, {{K, N}, {K, N}, {N, N}}, 8 * N * (N + 1) * K, T(N) + 2 * N * K, 2 * T(N) + 2 * N * K},
    {"domatcopy", "CT", {M, N}, {{M, N}, {N, M}}, 0, 2 * M * N, 2 * M * N},
    {"dlauum", "L", {N}, {{N, N}}, N * (N + 1) * (2 * N + 1) / 6., T(N), 2 * T(N)},
    {"dlauu2", "L", {N}, {{N, N}}, N * (N + 1) * (2 * N + 1) / 6., T(N), 2 * T(N)},
    {"dtrtri", "LN", {N}, {{N, N}}, N * (N + 1) * (2 * N + 1) / 6., T(N), 2 * T(N)},
    {"dtrti2", "LN", {N}, {{N, N}}, N * (N + 1) * (2 * N + 1) / 6., T(N), 2 * T(N)},
    {"dpotrf", "L", {N}, {{N, N}}, N * (N + 1) * (2 * N + 1) / 6., T(N), 2 * T(N)},
    {"dpotrf2", "L", {N}, {{N, N}}, N * (N + 1) * (2 * N + 1) / 6., T(N), 2 * T(N)},
    {"dpotf2", "L", {N}, {{N, N}}, N * (N + 1) * (2 * N + 1) / 6., T(N), 2 * T(N)},
    {"dsygst", "1L", {N}, {{N, N}, {N, N}}, N * (N + 1) * (N + 1), 2 * T(N), 3 * T(N)},
    {"dsygs2", "3U", {N}, {{N, N}, {N, N}}, N * (N + 1) * (N + 1), 2 * T(N), 3 * T(N)},
    {"zhegst", "1L", {N}, {{N, N}, {N, N}}, 4 * N * (N + 1) * (N + 1), 2 * T(N), 3 * T(N)},
    {"zhegs2", "2L", {N}, {{N, N}, {N, N}}, 4 * N * (N + 1) * (N + 1), 2 * T(N), 3 * T(N)},
    {"dgetrf", "", {M, N}, {{M, N}, {M, 0}}, 2. / 3 * M * N * M, M * N, 2 * M * N},
    {"dgetrf2", "", {N, M}, {{N, M}, {M, 0}}, 2. / 3 * M * N * M, M * N, 2 * M * N},
    {"dgetf2", "", {M, N}, {{M, N}, {M, 0}}, 2. / 3 * M * N * M, M * N, 2 * M * N},
    {"dlaswp", "", {N, 2, M}, {{M, N}, {M, 0}}, 0, M * N, 2 * M * N},
    {"dgeqrf", "", {N, M}, {{N, M}, {M, 0}}, 2. * M * M * (N - M / 3.), M * N + M, 2 * M * N + M},
    {"dgeqrf", "", {M, N}, {{M, N}, {M, 0}}, 2. * M * M * (N - M / 3.), M * N + M, 2 * M * N + M},
    {"dgeqr2", "", {N, M}, {{N, M}, {M, 0}}, 2. * M * M * (N - M / 3.), M * N + M, 2 * M * N + M},
    /* dlarft computes, for each reflector i, products with earlier reflectors, without their unit
     * elements, and a triangular product: 2 (n - i) (i - 1) + (i - 1)^2 */
    {"dlarft", "FC", {N, K}, {{N, K}, {K, 0}, {K, K}}, (2 * (N - 2) * 1 + 1) + (2 * (N - 3) * 2 + 4), N * K + K + T(K), N * K + K + T(K)},
    {"dlarft", "BR", {N, K}, {{K, N}, {K, 0}, {K, K}}, (2 * (N - 2) * 1 + 1) + (2 * (N - 3) * 2 + 4), N * K + K + T(K), N * K + K + T(K)},
    /* dlarfb computes two products with V, whose triangle has a unit diagonal, and one with T,
     * from the left: 2 n k (k - 1) / 2 * 2 + 2 * 2 (m - k) k n + n k^2 + n k */
    {"dlarfb", "LNFC", {M, N, K}, {{M, K}, {K, K}, {M, N}}, 4 * M * N * K - N * K * K, M * K + T(K) + M * N, M * K + T(K) + 2 * M * N},
    {"dlarfb", "RTBR", {M, N, K}, {{K, N}, {K, K}, {M, N}}, 4 * M * N * K - M * K * K, N * K + T(K) + M * N, N * K + T(K) + 2 * M * N},
    {"dtrsyl", "NT-", {M, N}, {{M, M}, {N, N}, {M, N}, {1, 0}}, M * N * (M + N + 4), T(M) + T(N) + M * N, T(M) + T(N) + 2 * M * N},
    {"dtrtrs", "LNN", {N, K}, {{N, N}, {N, K}}, N * N * K, T(N) + N * K, T(N) + 2 * N * K},
    {"dpotrs", "L", {N, K}, {{N, N}, {N, K}}, 2 * N * N * K, T(N) + N * K, T(N) + 2 * N * K},
    {"dpotri", "L", {N}, {{N, N}}, N * (N + 1) * (2 * N + 1) / 3., T(N), 2 * T(N)},
    {"dposv", "L", {N, K}, {{N, N}, {N, K}}, N * (N + 1) * (2 * N + 1) / 6. + 2 * N * N * K, T(N) + N * K, 2 * T(N) + 2 * N * K},
    {"dgetrs", "N", {N, K}, {{N, N}, {N, 0}, {N, K}}, 2 * N * N * K, N * N + N * K, N * N + 2 * N * K},
    {"dgetri", "", {N}, {{N, N}, {N, 0}}, 4. / 3 * N * N * N, N * N, 2 * N * N},
    {"dgesv", "", {N, K}, {{N, N}, {N, 0}, {N, K}}, 2. / 3 * N * N * N + 2 * N * N * K, N * N + N * K, 2 * N * N + 2 * N * K},
    {"dsytrf", "L", {N}, {{N, N}, {N, 0}}, N * N * N / 3., T(N), 2 * T(N)},
    {"zhetrf", "U", {N}, {{N, N}, {N, 0}}, 4. / 3 * N * N * N, T(N), 2 * T(N)},
    {"dorgqr", "", {N, M, K}, {{N, M}, {K, 0}}, 4. * N * M * K - 2. * (N + M) * K * K + 4. / 3 * K * K * K, N * M + K, 2 * N * M + K},
    {"zungqr", "", {N, M, K}, {{N, M}, {K, 0}}, 4 * (4. * N * M * K - 2. * (N + M) * K * K + 4. / 3 * K * K * K), N * M + K, 2 * N * M + K},
    {"dormqr", "LN", {M, N, K}, {{M, K}, {K, 0}, {M, N}}, 4 * M * N * K - 2 * N * K * K, M * K + K + M * N, M * K + K + 2 * M * N},
    {"zunmqr", "RC", {M, N, K}, {{N, K}, {K, 0}, {M, N}}, 4 * (4 * M * N * K - 2 * M * K * K), N * K + K + M * N, N * K + K + 2 * M * N},
    {"dgelqf", "", {M, N}, {{M, N}, {M, 0}}, 2. * M * M * (N - M / 3.), M * N + M, 2 * M * N + M},
    {"dgelq2", "", {M, N}, {{M, N}, {M, 0}}, 2. * M * M * (N - M / 3.), M * N + M, 2 * M * N + M},
    {"dgeqp3", "", {M, N}, {{M, N}, {N, 0}, {M, 0}}, 2. * M * M * (N - M / 3.), M * N + M, 2 * M * N + M},
    {"dgels", "N", {N, M, K}, {{N, M}, {N, K}}, 2. * M * M * (N - M / 3.) + K * M * (4 * N - M), N * M + N * K, 2 * N * M + 2 * N * K},
    {"dlatrd", "L", {N, K}, {{N, N}, {N, 0}, {N, 0}, {N, K}}, 2 * N * N * K, T(N) + 2 * N + N * K, 2 * T(N) + 2 * N + N * K},
    {"dsytrd", "L", {N}, {{N, N}, {N, 0}, {N, 0}, {N, 0}}, 4. / 3 * N * N * N, T(N) + 3 * N, 2 * T(N) + 3 * N},
    {"zhetrd", "U", {N}, {{N, N}, {N, 0}, {N, 0}, {N, 0}}, 16. / 3 * N * N * N, T(N) + 2 * N, 2 * T(N) + 2 * N},
    {"dormtr", "LUN", {M, N}, {{M, M}, {M, 0}, {M, N}}, 2 * M * M * N, T(M) + M + M * N, T(M) + M + 2 * M * N},
    {"zunmtr", "RLC", {M, N}, {{N, N}, {N, 0}, {M, N}}, 8 * M * N * N, T(N) + N + M * N, T(N) + N + 2 * M * N},
    {"dgebrd", "", {M, N}, {{M, N}, {M, 0}, {M, 0}, {M, 0}}, 4. * M * M * (N - M / 3.), M * N + 4 * M, 2 * M * N + 4 * M},
    {"dgehrd", "", {N, 1, N}, {{N, N}, {N, 0}}, 10. / 3 * N * N * N, N * N + N, 2 * N * N + N},
    {"dsyev", "VL", {N}, {{N, N}, {N, 0}}, 9 * N * N * N, N * N + N, 2 * N * N + N},
    {"zheev", "NU", {N}, {{N, N}, {N, 0}}, 16. / 3 * N * N * N, N * N + N / 2., 2 * N * N + N / 2.},
    {"dsyevd", "VL", {N}, {{N, N}, {N, 0}}, 14. / 3 * N * N * N, N * N + N, 2 * N * N + N},
    {"zheevd", "NU", {N}, {{N, N}, {N, 0}}, 16. / 3 * N * N * N, N * N + N / 2., 2 * N * N + N / 2.},
    {"dstev", "V", {N}, {{N, 0}, {N, 0}, {N, N}}, 6 * N * N * N, 2 * N + N * N, 4 * N + N * N},
    {"dgesdd", "S", {M, N}, {{M, N}, {M, 0}, {M, M}, {N, N}}, 6 * N * M * M + 20 * M * M * M, M * N + M + M * M + N * N, 2 * M * N + M + M * M + N * N},
    {"dgesdd", "N", {M, N}, {{M, N}, {M, 0}, {M, M}, {N, N}}, 4. * M * M * (N - M / 3.), M * N + M + M * M + N * N, 2 * M * N + M + M * M + N * N},
    {"dlange", "M", {M, N}, {{M, N}}, M * N, M * N, M * N},
    {"zlacgv", "", {N}, {{N, 0}}, 0, N, 2 * N},
    {"dlacpy", "A", {M, N}, {{M, N}, {M, N}}, 0, 2 * M * N, 2 * M * N},
    {"ilaenv", "1", {M, N, K, N}, {{0, 0}}, 0, 0, 0},
    {"dmemset", "", {M, N}, {{M, N}}, 0, M * N, M * N},
    {"dgerand", "", {M, N}, {{M, N}}, 0, M * N, M * N},
    {"dporand", "L", {N}, {{N, N}}, 0, T(N), T(N)},
    {"dreadfile", "", {M, N}, {{M, N}}, 0, M * N, M * N},
    {"dwritefile", "", {M, N}, {{M, N}}, 0, M * N, M * N},
    {"dtranspose", "0", {M, N}, {{M, N}, {N, M}}, 0, 2 * M * N, 2 * M * N},
    {"dpermute", "01", {M, N, K}, {{M * N * K, 0}, {M * N * K, 0}}, 0, 2 * M * N * K, 2 * M * N * K},
    {"dmove", "", {N}, {{N, 0}, {N, 0}}, 0, 2 * N, 2 * N},
    {"dsytrd_sy2sb", "L", {N, K}, {{N, N}, {K + 1, N}, {N - K, 0}}, 4. / 3 * N * N * N, T(N) + (K + 1) * N + N - K, 2 * T(N) + (K + 1) * N + N - K},
    {"zhetrd_he2hb", "U", {N, K}, {{N, N}, {K + 1, N}, {N - K, 0}}, 16. / 3 * N * N * N, T(N) + (K + 1) * N + N - K, 2 * T(N) + (K + 1) * N + N - K},
    {"dtridi", "L", {N, K}, {{N, N}, {K, 0}, {N, 0}}, 0, T(N) + K + N, 2 * T(N) + K + N},
    {"dunfold", "C", {M, N}, {{M, N}, {M, N}}, 0, 2 * M * N, 2 * M * N},
    {"daddop", "T", {M, N}, {{N, M}, {M, N}}, M * N, 2 * M * N, 3 * M * N},
    {"dshift", "", {N, K}, {{N, 0}}, 0, 0, 0},
    {"dloops3", "", {M, N, K}, {{M, K}, {K, N}, {M, N}}, 2 * M * N * K, M * K + K * N + M * N, M * K + K * N + 2 * M * N},
    {"dloops6", "", {M, N, K, 2}, {{M, K}, {K, N}, {M, N}}, 2 * M * N * K, M * K + K * N + M * N, M * K + K * N + 2 * M * N},
    {"dmul", "", {N}, {{N, 0}, {N, 0}, {N, 0}}, 2 * N, 3 * N, 4 * N},
};
/* clang-format on */
enum { EXPECTED = sizeof expected / sizeof *expected };

/** Counts the elements between the first and the last element of an operand by visiting all of
 * them. */
static int64_t walked(const struct signature *signature, const int64_t value[], int a,
                      const int shape[2]) {
    const struct signature_argument *argument = &signature->argument[a];
    int64_t last = -1;
    for (int j = 0; j < (shape[1] > 0 ? shape[1] : 1); j++) {
        for (int i = 0; i < shape[0]; i++) {
            int64_t place = i;
            if (argument->storage == SIGNATURE_VECTOR && argument->stride >= 0)
                place = i * value[argument->stride];
            if (argument->storage != SIGNATURE_VECTOR && argument->stride >= 0)
                place = i + j * value[argument->stride];
            if (argument->storage == SIGNATURE_PACKED) place = T(shape[0]) - 1;
            if (place > last) last = place;
        }
    }
    return last + 1;
}

static void sizes_and_costs_are_those_of_the_formulas_by_hand(void **state) {
    (void)state;
    for (int e = 0; e < EXPECTED; e++) {
        const struct expected *row = &expected[e];
        const struct signature *signature = find(row->name);
        const double bytes = (double)tcplan_dtype_bytes(signature->dtype);
        int64_t value[SIGNATURE_MAX_ARGUMENTS];
        struct tcplan_error error;
        int data = 0;
        set(value, signature, row->flags, row->sizes);
        if (signature_check(signature, value, NULL, &error) != TCPLAN_OK)
            fail_msg("%s: %s", row->name, error.message);
        for (int a = 0; a < signature->count; a++) {
            int64_t rows, columns;
            if (signature->argument[a].class != SIGNATURE_DATA) continue;
            const int *shape = data < 4 ? row->shapes[data++] : (const int[]){5, 0};
            signature_shape(signature, value, a, &rows, &columns);
            if (rows != shape[0] || columns != (shape[1] > 0 ? shape[1] : 1)) {
                fail_msg("%s: %s is %lld x %lld, expected %d x %d", row->name,
                         signature->argument[a].name, (long long)rows, (long long)columns, shape[0],
                         shape[1]);
            }
            assert_int_equal(signature_extent(signature, value, a),
                             walked(signature, value, a, shape));
        }
        if (fabs(signature_flops(signature, value) - row->flops) > 1e-9 * row->flops) {
            fail_msg("%s: %.17g operations, expected %.17g", row->name,
                     signature_flops(signature, value), row->flops);
        }
        if (signature_bytes(signature, value) != bytes * row->volume)
            fail_msg("%s: volume %g", row->name, signature_bytes(signature, value));
        if (signature_movement(signature, value) != bytes * row->movement) {
            fail_msg("%s: movement %g", row->name, signature_movement(signature, value) / bytes);
        }
    }
}

static void every_line_of_the_table_is_good_and_has_its_formulas_by_hand(void **state) {
    (void)state;
    for (int r = 0; r < signature_count(); r++) {
        const struct signature *signature;
        struct tcplan_error error;
        bool is_expected = false;
        if (signature_at(&signature, r, &error) != TCPLAN_OK) fail_msg("%s", error.message);
        for (int e = 0; e < EXPECTED && !is_expected; e++)
            is_expected = strcmp(find(expected[e].name)->base, signature->base) == 0;
        if (!is_expected) fail_msg("%s has no formulas in this test", signature->name);
        assert_ptr_equal(find(signature->name), signature);
    }
}

static void other_types_have_the_same_sizes(void **state) {
    (void)state;
    for (int e = 0; e < EXPECTED; e++) {
        const struct signature *own = find(expected[e].name);
        for (int r = 0; r < signature_count(); r++) {
            const struct signature *other;
            int64_t value[SIGNATURE_MAX_ARGUMENTS];
            assert_int_equal(signature_at(&other, r, NULL), TCPLAN_OK);
            if (strcmp(own->base, other->base) != 0 || own->count != other->count) continue;
            set(value, own, expected[e].flags, expected[e].sizes);
            for (int a = 0; a < own->count; a++) {
                assert_string_equal(own->argument[a].name, other->argument[a].name);
                assert_int_equal(signature_extent(own, value, a),
                                 signature_extent(other, value, a));
            }
        }
    }
}

static void complex_operations_count_their_real_ones(void **state) {
    static const char *const names[] = {"zscal", "zdscal", "zaxpy", "dznrm2", "dzasum", "zdrot"};
    static const double flops[] = {6 * N, 2 * N, 8 * N, 4 * N, 2 * N, 12 * N};
    (void)state;
    for (int i = 0; i < 6; i++) {
        int64_t value[SIGNATURE_MAX_ARGUMENTS];
        set(value, find(names[i]), "", (const int[]){N});
        assert_true(signature_flops(find(names[i]), value) == flops[i]);
    }
}

/* Expected polynomial degrees of the models in Peise (2017). */

struct degrees {
    const char *name;
    const char *flags;
    int sizes[4];
    const char *expected; /* one digit for each size, and one for the total degree */
};

static void degrees_are_those_of_the_operations(void **state) {
    static const struct degrees rows[] = {{"daxpy", "", {N}, "11"},
                                          {"ddot", "", {N}, "11"},
                                          {"dcopy", "", {N}, "11"},
                                          {"dgemv", "N", {M, N}, "112"},
                                          {"dger", "", {M, N}, "112"},
                                          {"dtrsv", "LNN", {N}, "22"},
                                          {"dgemm", "NN", {M, N, K}, "1113"},
                                          {"dsymm", "LL", {M, N}, "213"},
                                          {"dsymm", "RL", {M, N}, "123"},
                                          {"dtrsm", "LLNN", {M, N}, "213"},
                                          {"dtrmm", "RLNN", {M, N}, "123"},
                                          {"dsyrk", "LN", {N, K}, "213"},
                                          {"dsyr2k", "LN", {N, K}, "213"},
                                          {"dpotf2", "L", {N}, "33"},
                                          {"dtrti2", "LN", {N}, "33"},
                                          {"dlauu2", "L", {N}, "33"},
                                          {"dsygs2", "1L", {N}, "33"},
                                          {"dgetf2", "", {M, N}, "223"},
                                          {"dgeqr2", "", {M, N}, "223"},
                                          {"dtrsyl", "NN1", {M, N}, "223"},
                                          {"dpermute", "00", {M, N, K}, "1113"}};
    (void)state;
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        const struct signature *signature = find(rows[r].name);
        int64_t value[SIGNATURE_MAX_ARGUMENTS];
        int degree[SIGNATURE_MAX_ARGUMENTS], total;
        set(value, signature, rows[r].flags, rows[r].sizes);
        const int count = signature_degrees(signature, value, degree, &total);
        assert_int_equal(count + 1, strlen(rows[r].expected));
        for (int d = 0; d < count; d++) {
            if (degree[d] != rows[r].expected[d] - '0')
                fail_msg("%s: degree %d of size %d", rows[r].name, degree[d], d);
        }
        if (total != rows[r].expected[count] - '0')
            fail_msg("%s: total degree %d", rows[r].name, total);
    }
}

/* Values. */

static void values_that_follow_from_sizes_are_completed(void **state) {
    const struct signature *gemm = find("dgemm"), *qr = find("dgeqrf");
    int64_t value[SIGNATURE_MAX_ARGUMENTS] = {0};
    bool given[SIGNATURE_MAX_ARGUMENTS] = {false};
    (void)state;
    value[signature_argument(gemm, "m")] = M;
    value[signature_argument(gemm, "n")] = N;
    value[signature_argument(gemm, "k")] = K;
    for (int a = 2; a < 5; a++) given[a] = true;
    value[1] = 'T';
    given[1] = true;
    signature_complete(gemm, value, given);
    assert_int_equal(value[0], 'N');
    assert_int_equal(value[signature_argument(gemm, "ldA")], M);
    assert_int_equal(value[signature_argument(gemm, "ldB")], N);
    assert_int_equal(value[signature_argument(gemm, "ldC")], M);
    memset(given, 0, sizeof given);
    memset(value, 0, sizeof value);
    value[0] = value[1] = 10;
    given[0] = given[1] = true;
    signature_complete(qr, value, given);
    assert_int_equal(value[signature_argument(qr, "lwork")], 320);
    assert_int_equal(signature_extent(qr, value, signature_argument(qr, "work")), 320);
    value[signature_argument(qr, "lwork")] = -1;
    assert_int_equal(signature_check(qr, value, NULL, NULL), TCPLAN_OK);
    assert_int_equal(signature_extent(qr, value, signature_argument(qr, "work")), 1);
}

/** Sets one argument of a valid call of dgemm (or dtrsm, dgemv) to a value that must be refused
 * with `message`. */
static void refuse(const char *name, const char *argument, int64_t bad, const char *message) {
    const struct signature *signature = find(name);
    int64_t value[SIGNATURE_MAX_ARGUMENTS];
    struct tcplan_error error;
    int guilty = -1;
    set(value, signature, strcmp(name, "dtrsm") == 0 ? "LLNN" : "NN", (const int[]){M, N, K});
    value[signature_argument(signature, argument)] = bad;
    assert_int_equal(signature_check(signature, value, &guilty, &error), TCPLAN_INVALID);
    assert_int_equal(guilty, signature_argument(signature, argument));
    assert_string_equal(error.message, message);
}

static void values_that_no_routine_takes_are_refused(void **state) {
    (void)state;
    refuse("dgemm", "transA", 'X', "transA is N, T or C, not X");
    refuse("dgemm", "transB", 200, "transB is N, T or C, not 200");
    refuse("dgemm", "n", -1, "n is -1, expected at least 0");
    refuse("dgemm", "ldA", M - 1, "ldA is 4, expected at least 5, the rows of A");
    refuse("dgemm", "m", 3000000000,
           "m is 3000000000, beyond the integers of Fortran (2147483647)");
    refuse("dgemv", "incx", 0, "incx is 0; expected an increment other than 0");
    refuse("dgemv", "incy", INT64_MIN,
           "incy is -9223372036854775808, beyond the integers of Fortran (2147483647)");
    refuse("dtrsm", "side", 'l', "side is L or R, not l");
}

static void sizes_beyond_any_memory_do_not_wrap(void **state) {
    const struct signature *signature = find("zgemm");
    int64_t value[SIGNATURE_MAX_ARGUMENTS];
    (void)state;
    set(value, signature, "NN", (const int[]){INT32_MAX, INT32_MAX, INT32_MAX});
    for (int a = 0; a < signature->count; a++)
        value[a] = signature->argument[a].class == SIGNATURE_LD ? INT32_MAX : value[a];
    assert_int_equal(signature_check(signature, value, NULL, NULL), TCPLAN_OK);
    assert_int_equal(signature_extent(signature, value, signature_argument(signature, "A")),
                     INT64_MAX); /* above 2^53 bytes: more than any memory */
    set(value, signature, "NN", (const int[]){10000000, 10000000, 20000000});
    assert_int_equal(signature_extent(signature, value, signature_argument(signature, "A")),
                     10000002LL * 19999999 + 10000000);
    value[signature_argument(signature, "k")] = INT64_MAX;
    assert_int_equal(signature_extent(signature, value, signature_argument(signature, "A")),
                     INT64_MAX);
}

static void an_unknown_name_is_refused_with_the_nearest_one(void **state) {
    const struct signature *signature;
    struct tcplan_error error;
    (void)state;
    assert_int_equal(signature_find(&signature, "dgemmm", &error), TCPLAN_INVALID);
    assert_string_equal(error.message, "unknown kernel 'dgemmm'; did you mean 'dgemm'?");
    assert_int_equal(signature_find(&signature, "a_name_that_is_far_too_long_for_a_kernel", &error),
                     TCPLAN_INVALID);
    assert_int_equal(signature_find(&signature, "", &error), TCPLAN_INVALID);
    assert_ptr_equal(find("DGEMM"), find("dgemm"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_and_costs_are_those_of_the_formulas_by_hand),
        cmocka_unit_test(every_line_of_the_table_is_good_and_has_its_formulas_by_hand),
        cmocka_unit_test(other_types_have_the_same_sizes),
        cmocka_unit_test(complex_operations_count_their_real_ones),
        cmocka_unit_test(degrees_are_those_of_the_operations),
        cmocka_unit_test(values_that_follow_from_sizes_are_completed),
        cmocka_unit_test(values_that_no_routine_takes_are_refused),
        cmocka_unit_test(sizes_beyond_any_memory_do_not_wrap),
        cmocka_unit_test(an_unknown_name_is_refused_with_the_nearest_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
