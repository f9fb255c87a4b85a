/* Products of bfloat16 that are summed in single precision, on x86: compiled for AVX-512 BF16 if
 * the compiler supports it, and empty otherwise. */
#include "roofline/kernels/kernels.h"
#include "roofline/kernels/kernels_gcc.h"

#if defined(__AVX512BF16__) && defined(__AVX512VL__)

#include <immintrin.h>

/** 1 and 1/2 in bfloat16, the upper halves of these numbers in single precision. A round adds two
 * products to each sum, 1 * 1/2 twice. */
enum { ONE_BITS = 0x3f80, HALF_BITS = 0x3f00 };

#define SUM __m512
#define SPREAD(value) _mm512_set1_ps(value)
#define PART __m512bh
#define ONES (__m512bh) _mm512_set1_epi16(ONE_BITS)
#define OTHER __m512bh
#define SHARES (__m512bh) _mm512_set1_epi16(HALF_BITS)
#define ACCUMULATE(sum, part, other) _mm512_dpbf16_ps(sum, part, other)
#define MOST_ROUNDS COMPUTE_MAX_ROUNDS
#define FUNCTION(name) b512_##name
#include "roofline/kernels/mixed_body.h"

#define SUM __m256
#define SPREAD(value) _mm256_set1_ps(value)
#define PART __m256bh
#define ONES (__m256bh) _mm256_set1_epi16(ONE_BITS)
#define OTHER __m256bh
#define SHARES (__m256bh) _mm256_set1_epi16(HALF_BITS)
#define ACCUMULATE(sum, part, other) _mm256_dpbf16_ps(sum, part, other)
#define MOST_ROUNDS COMPUTE_MAX_ROUNDS
#define FUNCTION(name) b256_##name
#include "roofline/kernels/mixed_body.h"

#define SUM __m128
#define SPREAD(value) _mm_set1_ps(value)
#define PART __m128bh
#define ONES (__m128bh) _mm_set1_epi16(ONE_BITS)
#define OTHER __m128bh
#define SHARES (__m128bh) _mm_set1_epi16(HALF_BITS)
#define ACCUMULATE(sum, part, other) _mm_dpbf16_ps(sum, part, other)
#define MOST_ROUNDS COMPUTE_MAX_ROUNDS
#define FUNCTION(name) b128_##name
#include "roofline/kernels/mixed_body.h"

static const struct compute_kernel compute_table[] = {
    {COMPUTE_FMA_BF16_S, TCPLAN_FLOAT, 512, b512_fma},
    {COMPUTE_FMA_BF16_S, TCPLAN_FLOAT, 256, b256_fma},
    {COMPUTE_FMA_BF16_S, TCPLAN_FLOAT, 128, b128_fma},
};

const struct kernel_set kernels_bf16 = {
    .compute_count = sizeof compute_table / sizeof *compute_table, .compute = compute_table};

#else

const struct kernel_set kernels_bf16 = {0};

#endif
