/* 256-bit, 128-bit and scalar instructions of x86; compiled for AVX2 with FMA. */
#include "roofline/kernels/kernels.h"
#include "roofline/kernels/kernels_gcc.h"

#if defined(__x86_64__)

#include <float.h>
#include <immintrin.h>

#define HAVE_FMA

#include "roofline/kernels/narrow_body.h"

typedef float vector_s256 __attribute__((vector_size(32)));
typedef double vector_d256 __attribute__((vector_size(32)));

#define VECTOR vector_s256
#define ELEMENT float
#define ELEMENTS 8
#define ELEMENT_ULP FLT_EPSILON
#define FUNCTION(name) s256_##name
#include "roofline/kernels/kernels_body.h"

#define VECTOR vector_d256
#define ELEMENT double
#define ELEMENTS 4
#define ELEMENT_ULP DBL_EPSILON
#define FUNCTION(name) d256_##name
#include "roofline/kernels/kernels_body.h"

#define VECTOR vector_d256
#define STORE_PAST_CACHES(to, vector) _mm256_stream_pd((double *)(to), (__m256d)(vector))
#define FENCE_STORES() _mm_sfence()
#include "roofline/kernels/streams_body.h"

/* Numbers in single precision, converted to double when used, multiplied by numbers in double and
 * summed in double. */
#define SUM __m256d
#define SPREAD(value) _mm256_set1_pd(value)
#define PART __m128
#define ONES _mm_set1_ps(1)
#define OTHER __m256d
#define SHARES _mm256_set1_pd(1)
#define ACCUMULATE(sum, part, other) _mm256_fmadd_pd(_mm256_cvtps_pd(part), other, sum)
#define MOST_ROUNDS COMPUTE_MAX_ROUNDS
#define FUNCTION(name) sd256_##name
#include "roofline/kernels/mixed_body.h"

#define SUM __m128d
#define SPREAD(value) _mm_set1_pd(value)
#define PART __m128
#define ONES _mm_set1_ps(1)
#define OTHER __m128d
#define SHARES _mm_set1_pd(1)
#define ACCUMULATE(sum, part, other) _mm_fmadd_pd(_mm_cvtps_pd(part), other, sum)
#define MOST_ROUNDS COMPUTE_MAX_ROUNDS
#define FUNCTION(name) sd128_##name
#include "roofline/kernels/mixed_body.h"

static const struct compute_kernel compute_table[] = {
    {COMPUTE_FMA, TCPLAN_DOUBLE, 256, d256_fma},
    {COMPUTE_MUL_ADD, TCPLAN_DOUBLE, 256, d256_mul_add},
    {COMPUTE_ADD, TCPLAN_DOUBLE, 256, d256_add},
    {COMPUTE_MULTIPLY, TCPLAN_DOUBLE, 256, d256_multiply},
    {COMPUTE_DIVIDE, TCPLAN_DOUBLE, 256, d256_divide},
    {COMPUTE_FMA, TCPLAN_DOUBLE, 128, d128_fma},
    {COMPUTE_MUL_ADD, TCPLAN_DOUBLE, 128, d128_mul_add},
    {COMPUTE_ADD, TCPLAN_DOUBLE, 128, d128_add},
    {COMPUTE_MULTIPLY, TCPLAN_DOUBLE, 128, d128_multiply},
    {COMPUTE_DIVIDE, TCPLAN_DOUBLE, 128, d128_divide},
    {COMPUTE_FMA, TCPLAN_DOUBLE, 64, d_scalar_fma},
    {COMPUTE_MUL_ADD, TCPLAN_DOUBLE, 64, d_scalar_mul_add},
    {COMPUTE_ADD, TCPLAN_DOUBLE, 64, d_scalar_add},
    {COMPUTE_MULTIPLY, TCPLAN_DOUBLE, 64, d_scalar_multiply},
    {COMPUTE_DIVIDE, TCPLAN_DOUBLE, 64, d_scalar_divide},
    {COMPUTE_FMA, TCPLAN_FLOAT, 256, s256_fma},
    {COMPUTE_MUL_ADD, TCPLAN_FLOAT, 256, s256_mul_add},
    {COMPUTE_ADD, TCPLAN_FLOAT, 256, s256_add},
    {COMPUTE_MULTIPLY, TCPLAN_FLOAT, 256, s256_multiply},
    {COMPUTE_DIVIDE, TCPLAN_FLOAT, 256, s256_divide},
    {COMPUTE_FMA, TCPLAN_FLOAT, 128, s128_fma},
    {COMPUTE_MUL_ADD, TCPLAN_FLOAT, 128, s128_mul_add},
    {COMPUTE_ADD, TCPLAN_FLOAT, 128, s128_add},
    {COMPUTE_MULTIPLY, TCPLAN_FLOAT, 128, s128_multiply},
    {COMPUTE_DIVIDE, TCPLAN_FLOAT, 128, s128_divide},
    {COMPUTE_FMA, TCPLAN_FLOAT, 32, s_scalar_fma},
    {COMPUTE_MUL_ADD, TCPLAN_FLOAT, 32, s_scalar_mul_add},
    {COMPUTE_ADD, TCPLAN_FLOAT, 32, s_scalar_add},
    {COMPUTE_MULTIPLY, TCPLAN_FLOAT, 32, s_scalar_multiply},
    {COMPUTE_DIVIDE, TCPLAN_FLOAT, 32, s_scalar_divide},
    {COMPUTE_FMA_S_D, TCPLAN_DOUBLE, 256, sd256_fma},
    {COMPUTE_FMA_S_D, TCPLAN_DOUBLE, 128, sd128_fma},
};

const struct kernel_set kernels_avx2 = {sizeof compute_table / sizeof *compute_table,
                                        compute_table,
                                        sizeof stream_table / sizeof *stream_table,
                                        stream_table,
                                        stream_flops,
                                        8 * sizeof(VECTOR)};

#else

const struct kernel_set kernels_avx2 = {0};

#endif
