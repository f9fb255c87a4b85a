#if defined(__x86_64__)
__attribute__((target("avx2"))) static void mul_sequence_avx2(ptrdiff_t count, mul_element alpha,
                                                              const mul_element *a,
                                                              const mul_element *b,
                                                              mul_element beta, mul_element *c) {
    mul_sequence(count, alpha, a, b, beta, c);
}
#endif

static void mul_strided(ptrdiff_t count, mul_element alpha, const mul_element *a,
                        const mul_element *b, mul_element beta, mul_element *c,
                        const ptrdiff_t step[3]) {
    for (ptrdiff_t k = 0; k < count; k++) {
        const mul_element product = mul_two(alpha, mul_two(a[k * step[0]], b[k * step[1]]));
        mul_element *const out = c + k * step[2];
        *out = beta == 0 ? product : product + mul_two(beta, *out);
    }
}

/* Computes c = alpha * a * b + beta * c for each element; elements of the vectors are step[]
 * apart. If beta is 0, c is not read. */
static void mul_vectors(ptrdiff_t count, mul_element alpha, const mul_element *a,
                        const mul_element *b, mul_element beta, mul_element *c,
                        const ptrdiff_t step[3]) {
    if (step[0] != 1 || step[1] != 1 || step[2] != 1) {
        mul_strided(count, alpha, a, b, beta, c, step);
#if defined(__x86_64__)
    } else if (__builtin_cpu_supports("avx2")) {
        mul_sequence_avx2(count, alpha, a, b, beta, c);
#endif
    } else {
        mul_sequence(count, alpha, a, b, beta, c);
    }
}
