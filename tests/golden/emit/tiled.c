/*
 * contraction: C_abc=A_bda*B_dc
 * sizes: a=20,b=16,c=17,d=24
 * type: double
 * storage: column-major: the first index is contiguous
 * algorithm: a:8'Cs.a-dgemm
 *
 * for a = 1:8:a
 *   for a' = a:a+7
 *     dgemm_NN: C~[:b,:c,a'] := A[:,:,a'] B[:,:]
 *   C[a:a+7,:,:] := C~[:b,:c,:a'] (streamed)
 *
 * The tensors are dense; C must not overlap A or B, which may overlap each other:
 *
 *   A = A[b,d,a]: 16 x 24 x 20, strides 1, 16, 384
 *   B = B[d,c]: 24 x 17, strides 1, 24
 *   C = C[a,b,c]: 20 x 16 x 17, strides 1, 20, 320
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
    double *C_copy = aligned_alloc(64, 17408);
    struct copy_d_end *C_ends = calloc(544, sizeof *C_ends);
    if (!C_copy || !C_ends) {
        free(C_copy);
        free(C_ends);
        return ENOMEM;
    }
    for (ptrdiff_t s_a = 0; s_a < 3; s_a++) { /* a in steps of 8 */
        const int n_a = s_a < 2 ? 8 : 4;
        for (ptrdiff_t i_a = 0; i_a < n_a; i_a++) {
            cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, 16, 17, 24,
                        1.0, A + 384 * i_a + 3072 * s_a, 16, B, 24,
                        0.0, C_copy + 272 * i_a, 16);
        }
        copy_d_block(C + 8 * s_a, C_copy, 2, (const struct copy_d_dimension[]){{n_a, 1, 272}, {272, 20, 1}}, COPY_D_STREAM, 0.0, C_ends);
    }
    copy_d_ends_write(C_ends, 544);
    copy_d_fence();
    free(C_copy);
    free(C_ends);
    return 0;
}
