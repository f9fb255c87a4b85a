/*
 * contraction: C_ab=(0,1)*A_ai*B_ib
 * sizes: a=4,b=5,i=8
 * type: float _Complex
 * storage: column-major: the first index is contiguous
 * algorithm: 'A-cgemm
 *
 * The tensors are dense; C must not overlap A or B, which may overlap each other:
 *
 *   A = A[a,i]: 4 x 8, strides 1, 4
 *   B = B[i,b]: 8 x 5, strides 1, 8
 *   C = C[a,b]: 4 x 5, strides 1, 4
 *
 * Returns 0, or ENOMEM when a temporary cannot be allocated; C is then untouched.
 *
 * Emitted by tcplan @VERSION@.
 */
#ifndef MULTIPLY_H
#define MULTIPLY_H

/* The complex type, whose layout is the same in both languages. */
#ifdef __cplusplus
#include <complex>
typedef std::complex<float> multiply_element;
#else
typedef float _Complex multiply_element;
#endif

#ifdef __cplusplus
extern "C" {
#endif

int multiply(const multiply_element *A, const multiply_element *B, multiply_element *C);

#ifdef __cplusplus
}
#endif

#endif
