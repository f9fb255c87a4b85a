/*
 * Loads and stores of the first numbers of a vector: no other memory is accessed.
 * KERNEL_PART_d4(count) selects `count` numbers, at least 1; KERNEL_LOAD_d4() sets the others to 0.
 * AVX-512 has masks, see KERNEL_LOAD_d8().
 */
#if defined(__x86_64__)
#include <immintrin.h>

typedef uint16_t kernel_part_s16;
typedef uint8_t kernel_part_d8;
#define KERNEL_PART_s16(count) ((uint16_t)((1U << (count)) - 1))
#define KERNEL_PART_d8(count) ((uint8_t)((1U << (count)) - 1))

/* Masks begin somewhere in these numbers. */
__attribute__((unused)) static const int32_t kernel_mask_s[16] = {-1, -1, -1, -1, -1, -1, -1, -1};
__attribute__((unused)) static const int64_t kernel_mask_d[8] = {-1, -1, -1, -1};
typedef __m256i kernel_part_s8;
typedef __m256i kernel_part_d4;
#define KERNEL_PART_s8(count) _mm256_loadu_si256((const __m256i *)(kernel_mask_s + 8 - (count)))
#define KERNEL_PART_d4(count) _mm256_loadu_si256((const __m256i *)(kernel_mask_d + 4 - (count)))
#define KERNEL_LOAD_s8(from, part) ((kernel_s8)_mm256_maskload_ps(from, part))
#define KERNEL_LOAD_d4(from, part) ((kernel_d4)_mm256_maskload_pd(from, part))
#define KERNEL_STORE_s8(to, part, x) _mm256_maskstore_ps(to, part, (__m256)(x))
#define KERNEL_STORE_d4(to, part, x) _mm256_maskstore_pd(to, part, (__m256d)(x))
#endif

typedef ptrdiff_t kernel_part_s4;
typedef ptrdiff_t kernel_part_d2;
#define KERNEL_PART_s4(count) (count)
#define KERNEL_PART_d2(count) (count)
__attribute__((unused)) static inline kernel_s4 kernel_load_s4(const float *from, ptrdiff_t count) {
    kernel_s4 x = {from[0]};
    if (count > 1) x[1] = from[1];
    if (count > 2) x[2] = from[2];
    return x;
}
__attribute__((unused)) static inline void kernel_store_s4(float *to, ptrdiff_t count,
                                                           kernel_s4 x) {
    to[0] = x[0];
    if (count > 1) to[1] = x[1];
    if (count > 2) to[2] = x[2];
}
#define KERNEL_LOAD_s4(from, part) kernel_load_s4(from, part)
#define KERNEL_STORE_s4(to, part, x) kernel_store_s4(to, part, x)
#define KERNEL_LOAD_d2(from, part) ((void)(part), (kernel_d2){*(from)})
#define KERNEL_STORE_d2(to, part, x) ((void)(part), (void)(*(to) = (x)[0]))
