#if defined(__x86_64__)
/* Transposes a 2 x 2 block of elements of 16 bytes: vector j receives element j of each of the 2
 * rows. */
__attribute__((target("avx2"), always_inline)) static inline void copy_transpose(
    __m256i out[2], const copy_element *from, ptrdiff_t row) {
    const __m256i a = _mm256_loadu_si256((const __m256i *)(const void *)from);
    const __m256i b = _mm256_loadu_si256((const __m256i *)(const void *)(from + row));
    out[0] = _mm256_permute2x128_si256(a, b, 0x20);
    out[1] = _mm256_permute2x128_si256(a, b, 0x31);
}
#endif
