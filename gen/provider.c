#include "gen/provider.h"

#include <limits.h>

#include "ast/kernel_class.h"
#include "base/error.h"

/**
 * What libxsmm is still offered, in bytes of the first factor, of a sum in those of all products. It neither packs nor blocks: every few
 * columns of the result read all of the
 * first factor again. That is the fastest way while the factor stays in the second-level cache, and no more than half as fast as others
 * beyond it: measured with bench/providers.c, libxsmm won at 1.2 MB and lost from 1.5 to 2 MB where that cache has 2 MiB (docs/providers.md).
 * Twice this cache leaves the decision near the edge, and on machines with more of it, to the prediction.
 */
#define LIBXSMM_MAX_FACTOR_BYTES ((int64_t)4 << 20)

void blas_call_set_strides(struct blas_call *call) {
    for (int part = 0; part < 3; part++) {
        const bool transposed = part < 2 && call->transposed[part];
        call->strides[part][0] = transposed ? call->ld[part] : 1;
        call->strides[part][1] = transposed ? 1 : call->ld[part];
    }
}

/** Whether the strides of a gemm are those that its leading dimensions and transpositions say. */
static bool has_leading_dimensions(const struct blas_call *call) {
    struct blas_call plain = *call;
    blas_call_set_strides(&plain);
    for (int part = 0; part < 3; part++) {
        if (call->strides[part][0] != plain.strides[part][0] || call->strides[part][1] != plain.strides[part][1]) return false;
    }
    return true;
}

static bool is_real(struct tcplan_scalar scalar, double value) {
    return scalar.re == value && scalar.im == 0;
}

static bool libxsmm_has(const struct blas_call *call, enum tcplan_dtype dtype) {
    return !tcplan_dtype_is_complex(dtype) && has_leading_dimensions(call) && !call->transposed[0] && is_real(call->alpha, 1) &&
           (is_real(call->beta, 0) || is_real(call->beta, 1));
}

static bool has_routine(const struct blas_call *call, enum tcplan_dtype dtype, enum tcplan_provider provider) {
    if (!kernel_has_provider(call->kernel, provider)) return false;
    if (provider == TCPLAN_PROVIDER_LIBXSMM) return libxsmm_has(call, dtype);
    return provider == TCPLAN_PROVIDER_BLIS || !kernel_class_of(call->kernel)->others || has_leading_dimensions(call);
}

/*
 * Limits. blas_call_lower() takes extents, leading dimensions and increments up to INT_MAX, the BLAS integer, and any strides for BLIS, whose
 * integers have 64 bits. What else calls must not exceed stands here; the amounts grow with the extents. Nothing else was found: each kernel was
 * run on reserved memory with leading dimensions and increments of INT_MAX and compared with naive loops, of OpenBLAS 0.3.21 (core types Prescott,
 * Nehalem, Sandybridge, Haswell, Zen, SkylakeX, Cooperlake, SapphireRapids), the reference BLAS 3.11 and BLIS 0.9.0 (tests/gen/test_limits.c).
 */

static int64_t larger(int64_t a, int64_t b) {
    return a > b ? a : b;
}

static int64_t smaller(int64_t a, int64_t b) {
    return a < b ? a : b;
}

/** From the first to behind the last column of the matrix of a gemm that is largest so. */
static int64_t matrix_bytes(const struct blas_call *call, enum tcplan_dtype dtype) {
    const int64_t first = (int64_t)call->ld[0] * (call->transposed[0] ? call->m : call->k);
    const int64_t second = (int64_t)call->ld[1] * (call->transposed[1] ? call->k : call->n);
    const int64_t elems = larger(larger(first, second), (int64_t)call->ld[2] * call->n);
    return elems > INT64_MAX / (int64_t)tcplan_dtype_bytes(dtype) ? INT64_MAX : elems * (int64_t)tcplan_dtype_bytes(dtype);
}

/** From the first to the last of the columns of a result that are written together. */
static int64_t scattered_elems(const struct blas_call *call, enum tcplan_dtype dtype) {
    (void)dtype;
    return (int64_t)call->ld[2] * (smaller(call->n, call->transposed[1] ? 16 : 4) - 1);
}

/** The x of a ger that is made contiguous. */
static int64_t packed_bytes(const struct blas_call *call, enum tcplan_dtype dtype) {
    return call->ld[0] == 1 ? 0 : (int64_t)call->m * (int64_t)tcplan_dtype_bytes(dtype);
}

/** From one product of a sum to the next. */
static int64_t product_bytes(const struct blas_call *call, enum tcplan_dtype dtype) {
    const int64_t elems = larger(call->product_elems[0], call->product_elems[1]);
    return elems > INT64_MAX / (int64_t)tcplan_dtype_bytes(dtype) ? INT64_MAX : elems * (int64_t)tcplan_dtype_bytes(dtype);
}

static int64_t vector_elems(const struct blas_call *call, enum tcplan_dtype dtype) {
    (void)dtype;
    return (int64_t)call->m + call->n;
}

#define OF(bit) (1U << (bit))
#define CBLAS (~(OF(TCPLAN_PROVIDER_LIBXSMM) | OF(TCPLAN_PROVIDER_BLIS)))
#define ANY_TYPE (~0U)

/** The most that some calls may have of something. */
struct limit {
    unsigned providers; /**< whose calls: sets of bits */
    unsigned kernels;
    unsigned dtypes;
    int64_t most;
    int64_t (*amount)(const struct blas_call *call, enum tcplan_dtype dtype);
    const char *what;
};

static const struct limit limits[] = {
    /* The code of libxsmm 1.17 adds ld * columns * bytes to pointers as a sign-extended 32-bit constant, and uses parts of it as displacements.
     * 300 random calls with a matrix of just below 2 GiB were right with its code for SSE, AVX, AVX2 and AVX-512; of 300 with one of 4 GiB
     * 134 crashed. */
    {OF(TCPLAN_PROVIDER_LIBXSMM), OF(TCPLAN_GEMM) | OF(TCPLAN_BRGEMM), ANY_TYPE, INT32_MAX, matrix_bytes,
     "bytes from the first to behind the last column of a matrix"},

    /* Its code multiplies the number of a product by a 32-bit constant. */
    {OF(TCPLAN_PROVIDER_LIBXSMM), OF(TCPLAN_BRGEMM), ANY_TYPE, INT32_MAX, product_bytes, "bytes from one product of a sum to the next"},

    /* For small products on AVX-512 the sgemm of OpenBLAS 0.3.21, and of its development branch, writes 16 columns at once where the second factor
     * is transposed, otherwise 4, through 32-bit offsets: 40 x 33 x 37 with ldc = INT_MAX was wrong, 5 x 3 x 4 crashed. Which products are small
     * is its own affair. */
    {CBLAS, OF(TCPLAN_GEMM), OF(TCPLAN_FLOAT), INT32_MAX, scattered_elems,
     "elements between columns of the result that are written together"},

    /* The ger of OpenBLAS copies an x with gaps to its buffer: of 128 MiB on x86-64 (0.3.21: m = 20000000 in double precision crashed), of 32 MiB
     * on 64-bit Arm and RISC-V. */
    {CBLAS, OF(TCPLAN_GER), ANY_TYPE, (int64_t)32 << 20, packed_bytes, "bytes in a vector with gaps"},

    /* The complex gemv of OpenBLAS 0.3.21 counts 2 (m + n) + 32 numbers of a buffer in 32 bits: where that wraps around, the buffer is too small.
     * By reading its source, not measured. */
    {CBLAS, OF(TCPLAN_GEMV), OF(TCPLAN_FLOAT_COMPLEX) | OF(TCPLAN_DOUBLE_COMPLEX), INT_MAX - 64, vector_elems, "elements in both vectors"},
};

enum { LIMITS = sizeof limits / sizeof *limits };

static bool is_of(const struct limit *limit, const struct blas_call *call, enum tcplan_dtype dtype, enum tcplan_provider provider) {
    return limit->providers & OF(provider) && limit->kernels & OF(call->kernel) && limit->dtypes & OF(dtype);
}

enum tcplan_status blas_call_check(const struct blas_call *call, enum tcplan_dtype dtype, enum tcplan_provider provider,
                                   struct tcplan_error *error) {
    const char *name = tcplan_provider_name(provider);
    if (!has_routine(call, dtype, provider)) return error_set(error, TCPLAN_NOT_APPLICABLE, "%s has no routine for this kernel", name);
    for (int l = 0; l < LIMITS; l++) {
        if (!is_of(&limits[l], call, dtype, provider)) continue;
        const int64_t amount = limits[l].amount(call, dtype);
        if (amount <= limits[l].most) continue;
        return error_set(error, TCPLAN_NOT_APPLICABLE, "%s with %lld %s: %s takes at most %lld", tcplan_kernel_name(call->kernel, dtype),
                         (long long)amount, limits[l].what, name, (long long)limits[l].most);
    }
    return TCPLAN_OK;
}

bool blas_call_provider_has(const struct blas_call *call, enum tcplan_dtype dtype, enum tcplan_provider provider) {
    return blas_call_check(call, dtype, provider, NULL) == TCPLAN_OK;
}

bool blas_call_provider_applies(const struct blas_call *call, enum tcplan_dtype dtype, enum tcplan_provider provider) {
    if (!blas_call_provider_has(call, dtype, provider)) return false;
    if (provider != TCPLAN_PROVIDER_LIBXSMM) return true;
    const int64_t most = LIBXSMM_MAX_FACTOR_BYTES / (int64_t)tcplan_dtype_bytes(dtype) / (call->products > 0 ? call->products : 1);
    return (int64_t)call->m * call->k <= most;
}
