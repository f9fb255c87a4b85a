/* Half precision on x86: compiled for AVX-512 FP16 if the compiler supports it, and empty
 * otherwise. */
#include "roofline/kernels/kernels.h"
#include "roofline/kernels/kernels_gcc.h"

#if defined(__AVX512FP16__) && defined(__AVX512VL__)

#include <immintrin.h>

/** Largest number of rounds counted in half precision, where whole numbers up to 2048 are exact. */
enum { COUNTED_ROUNDS = 2047 };

#define SUM __m512h
#define SPREAD(value) _mm512_set1_ph(value)
#define PART __m512h
#define ONES _mm512_set1_ph(1)
#define OTHER __m512h
#define SHARES _mm512_set1_ph(1)
#define ACCUMULATE(sum, part, other) _mm512_fmadd_ph(part, other, sum)
#define MOST_ROUNDS COUNTED_ROUNDS
#define FUNCTION(name) h512_##name
#include "roofline/kernels/mixed_body.h"

#define SUM __m256h
#define SPREAD(value) _mm256_set1_ph(value)
#define PART __m256h
#define ONES _mm256_set1_ph(1)
#define OTHER __m256h
#define SHARES _mm256_set1_ph(1)
#define ACCUMULATE(sum, part, other) _mm256_fmadd_ph(part, other, sum)
#define MOST_ROUNDS COUNTED_ROUNDS
#define FUNCTION(name) h256_##name
#include "roofline/kernels/mixed_body.h"

#define SUM __m128h
#define SPREAD(value) _mm_set1_ph(value)
#define PART __m128h
#define ONES _mm_set1_ph(1)
#define OTHER __m128h
#define SHARES _mm_set1_ph(1)
#define ACCUMULATE(sum, part, other) _mm_fmadd_ph(part, other, sum)
#define MOST_ROUNDS COUNTED_ROUNDS
#define FUNCTION(name) h128_##name
#include "roofline/kernels/mixed_body.h"

static const struct compute_kernel compute_table[] = {
    {COMPUTE_FMA_FP16, TCPLAN_FLOAT, 512, h512_fma},
    {COMPUTE_FMA_FP16, TCPLAN_FLOAT, 256, h256_fma},
    {COMPUTE_FMA_FP16, TCPLAN_FLOAT, 128, h128_fma},
};

const struct kernel_set kernels_fp16 = {
    .compute_count = sizeof compute_table / sizeof *compute_table, .compute = compute_table};

#else

const struct kernel_set kernels_fp16 = {0};

#endif
