/*
 * contraction: C_abc=A_ija*B_jbic
 * sizes: a=12,b=13,c=14,i=8,j=9
 * type: double
 * storage: column-major: the first index is contiguous
 * algorithm: c'-dgemm
 *
 * for c = 1:c
 *   B~[:,:,:] := B[:,:,:,c]
 *   dgemm: C[:,:,c] := A[:,:,:] B~[:,:,:]
 *
 * The tensors are dense and must not overlap:
 *
 *   A = A[i,j,a]: 8 x 9 x 12, strides 1, 8, 72
 *   B = B[j,b,i,c]: 9 x 13 x 8 x 14, strides 1, 9, 117, 936
 *   C = C[a,b,c]: 12 x 13 x 14, strides 1, 12, 156
 *
 * Returns 0, or ENOMEM when a temporary cannot be had; C is then untouched.
 *
 * Emitted by tcplan @VERSION@.
 * link: -lopenblas
 */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

#include <cblas.h>

int contract(const double *A, const double *B, double *C) {
    double *B_copy = aligned_alloc(64, 7488);
    if (!B_copy) {
        free(B_copy);
        return ENOMEM;
    }
    for (ptrdiff_t i_c = 0; i_c < 14; i_c++) {
        for (ptrdiff_t i_b = 0; i_b < 13; i_b++) {
            for (ptrdiff_t i_j = 0; i_j < 9; i_j++) {
                for (ptrdiff_t i_i = 0; i_i < 8; i_i++) {
                    B_copy[72 * i_b + i_i + 8 * i_j] = B[9 * i_b + 936 * i_c + 117 * i_i + i_j];
                }
            }
        }
        cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, 12, 13, 72,
                    1.0, A, 72, B_copy, 72,
                    0.0, C + 156 * i_c, 12);
    }
    free(B_copy);
    return 0;
}
