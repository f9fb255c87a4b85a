/*
 * contraction: R_abc=A_ai*T2_ibc
 * sizes: a=4,b=5,c=6,i=8
 * type: double
 * storage: column-major: the first index is contiguous
 * algorithm: c-dgemm
 *
 * The tensors are dense; R must not overlap A or T2, which may overlap each other:
 *
 *   A = A[a,i]: 4 x 8, strides 1, 4
 *   T2 = T2[i,b,c]: 8 x 5 x 6, strides 1, 8, 40
 *   R = R[a,b,c]: 4 x 5 x 6, strides 1, 4, 20
 *
 * Returns 0.
 *
 * Emitted by tcplan @VERSION@.
 */
#ifndef CONTRACT_H
#define CONTRACT_H

#ifdef __cplusplus
extern "C" {
#endif

int contract(const double *A, const double *T2, double *R);

#ifdef __cplusplus
}
#endif

#endif
