/*
 * contraction: C_abc=A_bda*B_dc
 * sizes: arguments; planned for a=20,b=16,c=17,d=24
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
 *   A = A[b,d,a]: n_b x n_d x n_a
 *   B = B[d,c]: n_d x n_c
 *   C = C[a,b,c]: n_a x n_b x n_c
 *
 * Planned for 1 thread of the BLAS.
 *
 * Takes the extents, in the order in which the formula first names the indices. Returns 0; EINVAL if one is
 * negative, or if they are too large for the integers of the BLAS or for memory; ENOMEM when a temporary cannot be allocated.
 * On failure, C is unchanged.
 *
 * Emitted by tcplan @VERSION@.
 * link: -lopenblas
 */
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cblas.h>

int contract(int64_t n_a, int64_t n_b, int64_t n_c, int64_t n_d, const double *A, const double *B, double *C) {
    if (n_a < 0 || n_b < 0 || n_c < 0 || n_d < 0) return EINVAL;
    if (n_a == 0 || n_b == 0 || n_c == 0) return 0;
    if ((double)n_b * (double)n_d * (double)n_a > 1e15) return EINVAL;
    if ((double)n_d * (double)n_c > 1e15) return EINVAL;
    if ((double)n_a * (double)n_b * (double)n_c > 1e15) return EINVAL;
    if (n_b > 2147483647) return EINVAL;
    if (n_c > 2147483647) return EINVAL;
    if (n_d > 2147483647) return EINVAL;
    if (n_d == 0) {
        for (ptrdiff_t j2 = 0; j2 < n_c; j2++) {
            for (ptrdiff_t j1 = 0; j1 < n_b; j1++) {
                for (ptrdiff_t j0 = 0; j0 < n_a; j0++) {
                    C[n_a * n_b * j2 + n_a * j1 + j0] = 0.0;
                }
            }
        }
        return 0;
    }
    double *C_copy = aligned_alloc(64, (size_t)(n_b * n_c * 8 + 7) / 8 * 64);
    if (!C_copy) {
        free(C_copy);
        return ENOMEM;
    }
    for (ptrdiff_t s_a = 0; 8 * s_a < n_a; s_a++) { /* a in steps of 8 */
        const int64_t w_a = n_a - 8 * s_a < 8 ? n_a - 8 * s_a : 8;
        for (ptrdiff_t i_a = 0; i_a < w_a; i_a++) {
            cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, n_b, n_c, n_d,
                        1.0, A + n_b * n_d * i_a + 8 * n_b * n_d * s_a, n_b, B, n_d,
                        0.0, C_copy + n_b * n_c * i_a, n_b);
        }
        copy_d_block(C + 8 * s_a, C_copy, 3, (const struct copy_d_dimension[]){{w_a, 1, n_b * n_c}, {n_b, n_a, 1}, {n_c, n_a * n_b, n_b}}, COPY_D_STREAM, 0.0, NULL);
    }
    copy_d_fence();
    free(C_copy);
    return 0;
}
