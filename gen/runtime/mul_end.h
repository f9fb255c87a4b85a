#if defined(__x86_64__)
__attribute__((target("avx2"))) static void mul_sequence_avx2(ptrdiff_t count, mul_element alpha, const mul_element *a,
                                                              const mul_element *b, mul_element beta, mul_element *c) {
    mul_sequence(count, alpha, a, b, beta, c);
}
#endif

static inline bool mul_has_avx2(void) {
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx2");
#else
    return false;
#endif
}

static void mul_strided(ptrdiff_t count, mul_element alpha, const mul_element *a, ptrdiff_t a_step, const mul_element *b, ptrdiff_t b_step,
                        mul_element beta, mul_element *c, ptrdiff_t c_step) {
    if (beta == 0) {
        for (ptrdiff_t k = 0; k < count; k++) c[k * c_step] = mul_two(alpha, mul_two(a[k * a_step], b[k * b_step]));
    } else {
        for (ptrdiff_t k = 0; k < count; k++) {
            c[k * c_step] = mul_two(alpha, mul_two(a[k * a_step], b[k * b_step])) + mul_two(beta, c[k * c_step]);
        }
    }
}

/* c = alpha * a * b + beta * c, element by element, of vectors with any steps; beta = 0: c is not read. */
static void mul_vectors(ptrdiff_t count, mul_element alpha, const mul_element *a, ptrdiff_t a_step, const mul_element *b, ptrdiff_t b_step,
                        mul_element beta, mul_element *c, ptrdiff_t c_step) {
    if (a_step != 1 || b_step != 1 || c_step != 1) {
        mul_strided(count, alpha, a, a_step, b, b_step, beta, c, c_step);
#if defined(__x86_64__)
    } else if (mul_has_avx2()) {
        mul_sequence_avx2(count, alpha, a, b, beta, c);
#endif
    } else {
        mul_sequence(count, alpha, a, b, beta, c);
    }
}
