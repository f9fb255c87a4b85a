/*
 * contraction: C_abc=A_bda*B_dc
 * sizes: a=37,b=16,c=17,d=24
 * type: double
 * storage: column-major: the first index is contiguous
 * algorithm: 'B.a:8|'ACs-dgemm
 *
 * B~[:,:] := B[:,:]
 * for a = 1:8:a in parallel
 *   A~[:b,:a',:d] := A[:,:,a:a+7]
 *   dgemm_NN: C~[:b,:a',:c] := A~[:b,:a',:d] B~[:,:]
 *   C[a:a+7,:,:] := C~[:b,:a',:c] (streamed)
 *
 * The tensors are dense; C must not overlap A or B, which may overlap each other:
 *
 *   A = A[b,d,a]: 16 x 24 x 37, strides 1, 16, 384
 *   B = B[d,c]: 24 x 17, strides 1, 24
 *   C = C[a,b,c]: 37 x 16 x 17, strides 1, 37, 592
 *
 * Up to 2 threads share the parallel loop; the calling thread runs the iterations that no other takes in time. The BLAS should run on one thread
 * meanwhile: for OpenBLAS the function sets this for the whole process until it returns.
 *
 * Returns 0, or ENOMEM when a temporary cannot be allocated; C is then untouched.
 * The memory of large temporaries is reused by the next call; tcplan_release_memory() frees it.
 *
 * Emitted by tcplan @VERSION@.
 * link: -lopenblas -pthread
 */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

#include <cblas.h>

/* Functions of OpenBLAS; NULL if another BLAS is linked. */
int openblas_get_num_threads(void);
void openblas_set_num_threads(int);
#pragma weak openblas_get_num_threads
#pragma weak openblas_set_num_threads

int contract(const double *A, const double *B, double *C) {
    double *A_copies = pool_take(0, 2 * (size_t)24576);
    double *B_copy = aligned_alloc(64, 3264);
    double *C_copies = pool_take(2, 2 * (size_t)20480);
    struct copy_d_end *C_all_ends = calloc(2 * 544, sizeof *C_all_ends);
    if (!A_copies || !B_copy || !C_copies || !C_all_ends) {
        pool_give(0, A_copies);
        free(B_copy);
        pool_give(2, C_copies);
        free(C_all_ends);
        return ENOMEM;
    }
    const int blas_threads = openblas_get_num_threads ? openblas_get_num_threads() : 1;
    if (blas_threads > 1) openblas_set_num_threads(1); /* the loop already uses the threads */
    struct contract_operands team_operands = {
        .A = A,
        .B = B,
        .C = C,
        .A_copies = A_copies,
        .B_copy = B_copy,
        .C_copies = C_copies,
        .C_all_ends = C_all_ends,
    };
    team_run(2, contract_team, &team_operands);
    if (blas_threads > 1) openblas_set_num_threads(blas_threads);
    copy_d_fence();
    pool_give(0, A_copies);
    free(B_copy);
    pool_give(2, C_copies);
    free(C_all_ends);
    return 0;
}
