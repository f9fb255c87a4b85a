/*
 * contraction: C_abc=A_ai*B_ibc
 * sizes: a=12,b=13,c=14,i=8
 * type: float _Complex
 * storage: column-major: the first index is contiguous
 * algorithm: ic-cgeru
 *
 * C[:,:,:] := 0
 * for i = 1:i
 *   for c = 1:c
 *     cgeru: C[:,:,c] += A[:,i] B[i,:,c]^T
 *
 * The tensors are dense; C must not overlap A or B, which may overlap each other:
 *
 *   A = A[a,i]: 12 x 8, strides 1, 12
 *   B = B[i,b,c]: 8 x 13 x 14, strides 1, 8, 104
 *   C = C[a,b,c]: 12 x 13 x 14, strides 1, 12, 156
 *
 * Planned for 1 thread of the BLAS.
 *
 * Returns 0.
 *
 * Emitted by tcplan @VERSION@.
 * link: -lopenblas
 */
#include <complex.h>
#include <stddef.h>

#include <cblas.h>

int contract(const float _Complex *A, const float _Complex *B, float _Complex *C) {
    const float _Complex alpha = 1.0f;
    for (ptrdiff_t j0 = 0; j0 < 2184; j0++) {
        C[j0] = 0.0f;
    }
    for (ptrdiff_t i_i = 0; i_i < 8; i_i++) {
        for (ptrdiff_t i_c = 0; i_c < 14; i_c++) {
            cblas_cgeru(CblasColMajor, 12, 13, &alpha, A + 12 * i_i, 1, B + 104 * i_c + i_i, 8, C + 156 * i_c, 12);
        }
    }
    return 0;
}
