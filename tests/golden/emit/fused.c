/*
 * contraction: C_abc=A_ai*B_ibc
 * sizes: a=12,b=13,c=14,i=8
 * type: double
 * storage: column-major: the first index is contiguous
 * algorithm: dgemm
 *
 * dgemm_NN: C[:,:,:] := A[:,:] B[:,:,:]
 *
 * The tensors are dense; C must not overlap A or B, which may overlap each other:
 *
 *   A = A[a,i]: 12 x 8, strides 1, 12
 *   B = B[i,b,c]: 8 x 13 x 14, strides 1, 8, 104
 *   C = C[a,b,c]: 12 x 13 x 14, strides 1, 12, 156
 *
 * Planned for 2 threads of the BLAS.
 *
 * Returns 0.
 *
 * Emitted by tcplan @VERSION@.
 * link: -lopenblas
 */
#include <stddef.h>

#include <cblas.h>

int contract(const double *A, const double *B, double *C) {
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, 12, 182, 8,
                1.0, A, 12, B, 8,
                0.0, C, 12);
    return 0;
}
