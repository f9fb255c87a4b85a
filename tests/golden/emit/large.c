/*
 * contraction: C_abc=A_aib*B_ic
 * sizes: a=1050,b=2000,c=2,i=2
 * type: double
 * storage: column-major: the first index is contiguous
 * algorithm: 'A-dgemm
 *
 * A~[:a,:b,:i] := A[:,:,:] (streamed)
 * dgemm_NN: C[:,:,:] := A~[:a,:b,:i] B[:,:]
 *
 * The tensors are dense; C must not overlap A or B, which may overlap each other:
 *
 *   A = A[a,i,b]: 1050 x 2 x 2000, strides 1, 1050, 2100
 *   B = B[i,c]: 2 x 2, strides 1, 2
 *   C = C[a,b,c]: 1050 x 2000 x 2, strides 1, 1050, 2100000
 *
 * Planned for 1 thread of the BLAS.
 *
 * Returns 0, or ENOMEM when a temporary cannot be allocated; C is then untouched.
 * The memory of large temporaries is reused by the next call; tcplan_release_memory() frees it.
 *
 * Emitted by tcplan @VERSION@.
 * link: -lopenblas
 */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

#include <cblas.h>


int contract(const double *A, const double *B, double *C) {
    double *A_copy = pool_take(0, 33600000);
    if (!A_copy) {
        pool_give(0, A_copy);
        return ENOMEM;
    }
    copy_d_block(A_copy, A, 3, (const struct copy_d_dimension[]){{1050, 1, 1}, {2, 2100000, 1050}, {2000, 1050, 2100}}, COPY_D_STREAM, 0.0, NULL);
    copy_d_fence();
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, 2100000, 2, 2,
                1.0, A_copy, 2100000, B, 2,
                0.0, C, 2100000);
    copy_d_fence();
    pool_give(0, A_copy);
    return 0;
}
