#if defined(__x86_64__)
/* Transposes an 8 x 8 block of elements of 4 bytes: vector j receives element j of each of the 8
 * rows. */
__attribute__((target("avx2"), always_inline)) static inline void copy_transpose(
    __m256i out[8], const copy_element *from, ptrdiff_t row) {
    __m256 r[8], t[8];
#pragma GCC unroll 8
    for (int i = 0; i < 4; i++) { /* loads exchange the halves of rows i and i + 4 */
        const float *a = (const float *)(const void *)(from + i * row),
                    *b = (const float *)(const void *)(from + (i + 4) * row);
        r[i] = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(a)), _mm_loadu_ps(b), 1);
        r[i + 4] = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(a + 4)),
                                        _mm_loadu_ps(b + 4), 1);
    }
#pragma GCC unroll 8
    for (int i = 0; i < 8; i += 2) {
        t[i] = _mm256_unpacklo_ps(r[i], r[i + 1]);
        t[i + 1] = _mm256_unpackhi_ps(r[i], r[i + 1]);
    }
#pragma GCC unroll 8
    for (int i = 0; i < 8; i += 4) {
        out[i] = _mm256_castps_si256(_mm256_shuffle_ps(t[i], t[i + 2], 0x44));
        out[i + 1] = _mm256_castps_si256(_mm256_shuffle_ps(t[i], t[i + 2], 0xee));
        out[i + 2] = _mm256_castps_si256(_mm256_shuffle_ps(t[i + 1], t[i + 3], 0x44));
        out[i + 3] = _mm256_castps_si256(_mm256_shuffle_ps(t[i + 1], t[i + 3], 0xee));
    }
}
#endif
