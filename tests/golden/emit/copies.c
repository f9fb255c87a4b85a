/*
 * contraction: C_xacb=2*A_ija*B_jbicx-0.5*C_xacb
 * sizes: x=3,a=12,c=14,b=13,i=8,j=9
 * type: float
 * storage: column-major: the first index is contiguous
 * algorithm: xb'i'-sgemm
 *
 * for x = 1:x
 *   for b = 1:b
 *     C~[:,:] := C[x,:,:,b]
 *     C~[:,:] := -0.5 C~[:,:]
 *     for i = 1:i
 *       A~[:,:] := A[i,:,:]
 *       sgemm_TN: C~[:,:] += 2 A~[:,:]^T B[:,b,i,:,x]
 *     C[x,:,:,b] := C~[:,:]
 *
 * The tensors are dense and must not overlap:
 *
 *   A = A[i,j,a]: 8 x 9 x 12, strides 1, 8, 72
 *   B = B[j,b,i,c,x]: 9 x 13 x 8 x 14 x 3, strides 1, 9, 117, 936, 13104
 *   C = C[x,a,c,b]: 3 x 12 x 14 x 13, strides 1, 3, 36, 504
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

int contract(const float *A, const float *B, float *C) {
    float *A_copy = aligned_alloc(64, 448);
    float *C_copy = aligned_alloc(64, 704);
    if (!A_copy || !C_copy) {
        free(A_copy);
        free(C_copy);
        return ENOMEM;
    }
    for (ptrdiff_t i_x = 0; i_x < 3; i_x++) {
        for (ptrdiff_t i_b = 0; i_b < 13; i_b++) {
            for (ptrdiff_t i_c = 0; i_c < 14; i_c++) {
                for (ptrdiff_t i_a = 0; i_a < 12; i_a++) {
                    C_copy[i_a + 12 * i_c] = C[i_x + 3 * i_a + 36 * i_c + 504 * i_b];
                }
            }
            for (ptrdiff_t j0 = 0; j0 < 168; j0++) {
                C_copy[j0] *= -0.5f;
            }
            for (ptrdiff_t i_i = 0; i_i < 8; i_i++) {
                for (ptrdiff_t i_a = 0; i_a < 12; i_a++) {
                    for (ptrdiff_t i_j = 0; i_j < 9; i_j++) {
                        A_copy[9 * i_a + i_j] = A[72 * i_a + i_i + 8 * i_j];
                    }
                }
                cblas_sgemm(CblasColMajor, CblasTrans, CblasNoTrans, 12, 14, 9,
                            2.0f, A_copy, 9, B + 13104 * i_x + 9 * i_b + 117 * i_i, 936,
                            1.0f, C_copy, 12);
            }
            for (ptrdiff_t i_c = 0; i_c < 14; i_c++) {
                for (ptrdiff_t i_a = 0; i_a < 12; i_a++) {
                    C[i_x + 3 * i_a + 36 * i_c + 504 * i_b] = C_copy[i_a + 12 * i_c];
                }
            }
        }
    }
    free(A_copy);
    free(C_copy);
    return 0;
}
