/*
 * contraction: C_abx=2*A_abix*B_abi-3*C_abx
 * sizes: a=30,b=40,x=6,i=5
 * type: double
 * storage: column-major: the first index is contiguous
 * algorithm: x.i=.b:16-dmul
 *
 * for x = 1:x
 *   for i = 1:i
 *     for b = 1:16:b
 *       dmul: C[:,b:b+15,x] += 2 A[:,b:b+15,i,x] .* B[:,b:b+15,i] (to -3 C[:,b:b+15,x] where i = 1)
 *
 * The tensors are dense; C must not overlap A or B, which may overlap each other:
 *
 *   A = A[a,b,i,x]: 30 x 40 x 5 x 6, strides 1, 30, 1200, 6000
 *   B = B[a,b,i]: 30 x 40 x 5, strides 1, 30, 1200
 *   C = C[a,b,x]: 30 x 40 x 6, strides 1, 30, 1200
 *
 * Returns 0.
 *
 * Emitted by tcplan @VERSION@.
 * link: -lm
 */
#include <stddef.h>

int contract(const double *A, const double *B, double *C) {
    for (ptrdiff_t i_x = 0; i_x < 6; i_x++) {
        for (ptrdiff_t i_i = 0; i_i < 5; i_i++) {
            for (ptrdiff_t s_b = 0; s_b < 3; s_b++) { /* b in steps of 16 */
                const int n_b = s_b < 2 ? 16 : 8;
                mul_d_vectors((ptrdiff_t)30 * n_b, 2.0, A + 6000 * i_x + 1200 * i_i + 480 * s_b, B + 1200 * i_i + 480 * s_b,
                            i_i == 0 ? -3.0 : 1.0, C + 1200 * i_x + 480 * s_b, (const ptrdiff_t[]){1, 1, 1});
            }
        }
    }
    return 0;
}
