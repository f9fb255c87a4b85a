/* 512-bit vectors of x86; compiled for AVX-512F. */
#include "roofline/kernels/kernels.h"
#include "roofline/kernels/kernels_gcc.h"

#if defined(__x86_64__)

#include <float.h>
#include <immintrin.h>

#define HAVE_FMA

typedef float vector_s512 __attribute__((vector_size(64)));
typedef double vector_d512 __attribute__((vector_size(64)));

#define VECTOR vector_s512
#define ELEMENT float
#define ELEMENTS 16
#define ELEMENT_ULP FLT_EPSILON
#define FUNCTION(name) s512_##name
#include "roofline/kernels/kernels_body.h"

#define VECTOR vector_d512
#define ELEMENT double
#define ELEMENTS 8
#define ELEMENT_ULP DBL_EPSILON
#define FUNCTION(name) d512_##name
#include "roofline/kernels/kernels_body.h"

#define VECTOR vector_d512
#define STORE_PAST_CACHES(to, vector) _mm512_stream_pd((double *)(to), (__m512d)(vector))
#define FENCE_STORES() _mm_sfence()
#include "roofline/kernels/streams_body.h"

/* Numbers in single precision, converted to double when used, multiplied by numbers in double and
 * summed in double. */
#define SUM __m512d
#define SPREAD(value) _mm512_set1_pd(value)
#define PART __m256
#define ONES _mm256_set1_ps(1)
#define OTHER __m512d
#define SHARES _mm512_set1_pd(1)
#define ACCUMULATE(sum, part, other) _mm512_fmadd_pd(_mm512_cvtps_pd(part), other, sum)
#define MOST_ROUNDS COMPUTE_MAX_ROUNDS
#define FUNCTION(name) sd512_##name
#include "roofline/kernels/mixed_body.h"

static const struct compute_kernel compute_table[] = {
    {COMPUTE_FMA, TCPLAN_DOUBLE, 512, d512_fma},
    {COMPUTE_MUL_ADD, TCPLAN_DOUBLE, 512, d512_mul_add},
    {COMPUTE_ADD, TCPLAN_DOUBLE, 512, d512_add},
    {COMPUTE_MULTIPLY, TCPLAN_DOUBLE, 512, d512_multiply},
    {COMPUTE_DIVIDE, TCPLAN_DOUBLE, 512, d512_divide},
    {COMPUTE_FMA, TCPLAN_FLOAT, 512, s512_fma},
    {COMPUTE_MUL_ADD, TCPLAN_FLOAT, 512, s512_mul_add},
    {COMPUTE_ADD, TCPLAN_FLOAT, 512, s512_add},
    {COMPUTE_MULTIPLY, TCPLAN_FLOAT, 512, s512_multiply},
    {COMPUTE_DIVIDE, TCPLAN_FLOAT, 512, s512_divide},
    {COMPUTE_FMA_S_D, TCPLAN_DOUBLE, 512, sd512_fma},
};

const struct kernel_set kernels_avx512 = {sizeof compute_table / sizeof *compute_table,
                                          compute_table,
                                          sizeof stream_table / sizeof *stream_table,
                                          stream_table,
                                          stream_flops,
                                          8 * sizeof(VECTOR)};

#else

const struct kernel_set kernels_avx512 = {0};

#endif
