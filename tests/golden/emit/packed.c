/*
 * contraction: C_abc=A_ija*B_jbic
 * sizes: a=12,b=13,c=14,i=8,j=9
 * type: double
 * storage: column-major: the first index is contiguous
 * algorithm: c'B-dgemm
 *
 * for c = 1:c
 *   B~[:i,:j,:b] := B[:,:,:,c]
 *   dgemm_TN: C[:,:,c] := A[:,:,:]^T B~[:i,:j,:b]
 *
 * The tensors are dense; C must not overlap A or B, which may overlap each other:
 *
 *   A = A[i,j,a]: 8 x 9 x 12, strides 1, 8, 72
 *   B = B[j,b,i,c]: 9 x 13 x 8 x 14, strides 1, 9, 117, 936
 *   C = C[a,b,c]: 12 x 13 x 14, strides 1, 12, 156
 *
 * Planned for 1 thread of the BLAS.
 *
 * Returns 0, or ENOMEM when a temporary cannot be allocated; C is then untouched.
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
        copy_d_block(B_copy, B + 936 * i_c, 2, (const struct copy_d_dimension[]){{8, 1, 117}, {117, 8, 1}}, 0, 0.0, NULL);
        cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, 12, 13, 72,
                    1.0, A, 72, B_copy, 72,
                    0.0, C + 156 * i_c, 12);
    }
    copy_d_fence();
    free(B_copy);
    return 0;
}
