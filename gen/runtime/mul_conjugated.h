/*
 * Element-wise products of vectors with conjugated factors.
 */
__attribute__((always_inline)) static inline void mul_rows(ptrdiff_t count, mul_element alpha,
                                                           const mul_element *a,
                                                           const mul_element *b, mul_element beta,
                                                           mul_element *c, const ptrdiff_t step[3],
                                                           int conjugated) {
    for (ptrdiff_t k = 0; k < count; k++) {
        mul_element x = a[k * step[0]], y = b[k * step[1]];
        if (conjugated & 1) __imag__ x = -__imag__ x;
        if (conjugated & 2) __imag__ y = -__imag__ y;
        const mul_element product = mul_two(alpha, mul_two(x, y));
        mul_element *const out = c + k * step[2];
        *out = beta == 0 ? product : product + mul_two(beta, *out);
    }
}

/* Computes c = alpha * a * b + beta * c like mul_vectors(), with the conjugate of a (`conjugated`
 * is 1), of b (2), of both (3) or of none (0). */
static void mul_conjugated(ptrdiff_t count, mul_element alpha, const mul_element *a,
                           const mul_element *b, mul_element beta, mul_element *c,
                           const ptrdiff_t step[3], int conjugated) {
    const ptrdiff_t sequence[3] = {1, 1, 1};
    const bool is_sequence = step[0] == 1 && step[1] == 1 && step[2] == 1;
    if (conjugated == 0) {
        mul_vectors(count, alpha, a, b, beta, c, step);
    } else if (is_sequence && conjugated == 1) {
        mul_rows(count, alpha, a, b, beta, c, sequence, 1);
    } else if (is_sequence && conjugated == 2) {
        mul_rows(count, alpha, a, b, beta, c, sequence, 2);
    } else {
        mul_rows(count, alpha, a, b, beta, c, step, conjugated);
    }
}
