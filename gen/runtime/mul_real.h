/*
 * Element-wise products of vectors, first part: real numbers. The text is written for one type,
 * `mul_element`.
 */
#include <stdbool.h>
#include <stddef.h>

/* Vectors of 32 bytes, with any alignment. */
typedef mul_element mul_many
    __attribute__((vector_size(32), aligned(__alignof__(mul_element)), may_alias));
enum { MUL_MANY = 32 / sizeof(mul_element) };

__attribute__((always_inline)) static inline mul_element mul_two(mul_element x, mul_element y) {
    return x * y;
}

/* Multiplies elements that are contiguous in all three vectors. */
__attribute__((always_inline)) static inline void mul_sequence(ptrdiff_t count, mul_element alpha,
                                                               const mul_element *a,
                                                               const mul_element *b,
                                                               mul_element beta, mul_element *c) {
    const ptrdiff_t whole = count - count % MUL_MANY;
    if (beta == 0) {
        for (ptrdiff_t k = 0; k < whole; k += MUL_MANY) {
            *(mul_many *)(c + k) =
                alpha * (*(const mul_many *)(a + k) * *(const mul_many *)(b + k));
        }
        for (ptrdiff_t k = whole; k < count; k++) c[k] = alpha * (a[k] * b[k]);
    } else {
        for (ptrdiff_t k = 0; k < whole; k += MUL_MANY) {
            mul_many *const out = (mul_many *)(c + k);
            *out = alpha * (*(const mul_many *)(a + k) * *(const mul_many *)(b + k)) + beta * *out;
        }
        for (ptrdiff_t k = whole; k < count; k++) c[k] = alpha * (a[k] * b[k]) + beta * c[k];
    }
}
