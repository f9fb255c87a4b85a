#if defined(__x86_64__)
/* Returns vectors with elements of both rows alternately. */
__attribute__((target("avx2"), always_inline)) static inline __m256i copy_pairs(
    const copy_element *a, const copy_element *b) {
    const __m128i low = _mm_loadu_si128((const __m128i *)(const void *)a),
                  high = _mm_loadu_si128((const __m128i *)(const void *)b);
    return _mm256_inserti128_si256(_mm256_castsi128_si256(low), high, 1);
}

/* Transposes a 4 x 4 block of elements of 8 bytes: vector j receives element j of each of the 4
 * rows. */
__attribute__((target("avx2"), always_inline)) static inline void copy_transpose(
    __m256i out[4], const copy_element *from, ptrdiff_t row) {
    const __m256i a = copy_pairs(from, from + 2 * row), b = copy_pairs(from + row, from + 3 * row);
    const __m256i c = copy_pairs(from + 2, from + 2 * row + 2),
                  d = copy_pairs(from + row + 2, from + 3 * row + 2);
    out[0] = _mm256_unpacklo_epi64(a, b);
    out[1] = _mm256_unpackhi_epi64(a, b);
    out[2] = _mm256_unpacklo_epi64(c, d);
    out[3] = _mm256_unpackhi_epi64(c, d);
}
#endif
