/* 128-bit and scalar instructions that every CPU of the architecture has: SSE2 on x86, the native
 * vectors elsewhere. */
#include "roofline/kernels/kernels.h"
#include "roofline/kernels/kernels_gcc.h"

#include <float.h>

#if defined(__x86_64__)
#include <emmintrin.h>
#define STORE_PAST_CACHES(to, vector) _mm_stream_pd((double *)(to), (__m128d)(vector))
#define FENCE_STORES() _mm_sfence()
#endif

#if defined(__FP_FAST_FMA) && defined(__FP_FAST_FMAF)
#define HAVE_FMA
#endif

#include "roofline/kernels/narrow_body.h"

#define VECTOR vector_d128
#include "roofline/kernels/streams_body.h"

static const struct compute_kernel compute_table[] = {
#ifdef HAVE_FMA
    {COMPUTE_FMA, TCPLAN_DOUBLE, 128, d128_fma},
#endif
    {COMPUTE_MUL_ADD, TCPLAN_DOUBLE, 128, d128_mul_add},
    {COMPUTE_ADD, TCPLAN_DOUBLE, 128, d128_add},
    {COMPUTE_MULTIPLY, TCPLAN_DOUBLE, 128, d128_multiply},
    {COMPUTE_DIVIDE, TCPLAN_DOUBLE, 128, d128_divide},
#ifdef HAVE_FMA
    {COMPUTE_FMA, TCPLAN_DOUBLE, 64, d_scalar_fma},
#endif
    {COMPUTE_MUL_ADD, TCPLAN_DOUBLE, 64, d_scalar_mul_add},
    {COMPUTE_ADD, TCPLAN_DOUBLE, 64, d_scalar_add},
    {COMPUTE_MULTIPLY, TCPLAN_DOUBLE, 64, d_scalar_multiply},
    {COMPUTE_DIVIDE, TCPLAN_DOUBLE, 64, d_scalar_divide},
#ifdef HAVE_FMA
    {COMPUTE_FMA, TCPLAN_FLOAT, 128, s128_fma},
#endif
    {COMPUTE_MUL_ADD, TCPLAN_FLOAT, 128, s128_mul_add},
    {COMPUTE_ADD, TCPLAN_FLOAT, 128, s128_add},
    {COMPUTE_MULTIPLY, TCPLAN_FLOAT, 128, s128_multiply},
    {COMPUTE_DIVIDE, TCPLAN_FLOAT, 128, s128_divide},
#ifdef HAVE_FMA
    {COMPUTE_FMA, TCPLAN_FLOAT, 32, s_scalar_fma},
#endif
    {COMPUTE_MUL_ADD, TCPLAN_FLOAT, 32, s_scalar_mul_add},
    {COMPUTE_ADD, TCPLAN_FLOAT, 32, s_scalar_add},
    {COMPUTE_MULTIPLY, TCPLAN_FLOAT, 32, s_scalar_multiply},
    {COMPUTE_DIVIDE, TCPLAN_FLOAT, 32, s_scalar_divide},
};

const struct kernel_set kernels_baseline = {sizeof compute_table / sizeof *compute_table,
                                            compute_table,
                                            sizeof stream_table / sizeof *stream_table,
                                            stream_table,
                                            stream_flops,
                                            8 * sizeof(VECTOR)};
