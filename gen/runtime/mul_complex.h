/*
 * Element-wise products of vectors, first part: complex numbers. The text is written for one type,
 * `mul_element`.
 */
#include <stdbool.h>
#include <stddef.h>

/* Multiplies complex numbers by their parts; the product of C would check for infinities. */
__attribute__((always_inline)) static inline mul_element mul_two(mul_element x, mul_element y) {
    mul_element product;
    __real__ product = __real__ x * __real__ y - __imag__ x * __imag__ y;
    __imag__ product = __real__ x * __imag__ y + __imag__ x * __real__ y;
    return product;
}

/* Multiplies elements that are contiguous in all three vectors. */
__attribute__((always_inline)) static inline void mul_sequence(ptrdiff_t count, mul_element alpha,
                                                               const mul_element *a,
                                                               const mul_element *b,
                                                               mul_element beta, mul_element *c) {
    if (beta == 0 && alpha == 1) {
        for (ptrdiff_t k = 0; k < count; k++) c[k] = mul_two(a[k], b[k]);
    } else if (beta == 0) {
        for (ptrdiff_t k = 0; k < count; k++) c[k] = mul_two(alpha, mul_two(a[k], b[k]));
    } else {
        for (ptrdiff_t k = 0; k < count; k++)
            c[k] = mul_two(alpha, mul_two(a[k], b[k])) + mul_two(beta, c[k]);
    }
}
