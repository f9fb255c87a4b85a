/*
 * contraction: C_abc=A_aji*B_jbic
 * sizes: a=64,b=64,c=64,j=8,i=13
 * type: double
 * storage: column-major: the first index is contiguous
 * algorithm: c.i:4=.i+-dbrgemm@libxsmm
 *
 * for c = 1:c
 *   for i = 1:4:i
 *     dbrgemm_NN@libxsmm: C[:,:,c] += sum(i') A[:,:,i'] B[:,:,i',c] (:= where i = 1)
 *
 * The tensors are dense; C must not overlap A or B, which may overlap each other:
 *
 *   A = A[a,j,i]: 64 x 8 x 13, strides 1, 64, 512
 *   B = B[j,b,i,c]: 8 x 64 x 13 x 64, strides 1, 8, 512, 6656
 *   C = C[a,b,c]: 64 x 64 x 64, strides 1, 64, 4096
 *
 * Planned for 1 thread of the BLAS.
 *
 * If libxsmm generates no code for the machine, the BLAS executes the calls. In its first call libxsmm sets OMP_PROC_BIND=TRUE for the process; set OMP_PROC_BIND to prevent this.
 *
 * Returns 0.
 *
 * Emitted by tcplan @VERSION@.
 * link: -lxsmm -lopenblas -lpthread -lrt -ldl -lm -Wl,-z,nodelete
 */
#include <stddef.h>

#include <cblas.h>
#include <libxsmm.h>
#include <stdatomic.h>
#ifndef KERNEL_LEAVE /* emitted files may be concatenated */
#define KERNEL_LEAVE
/* The code of libxsmm leaves the upper parts of vector registers in use. This slows down code for smaller vectors tenfold. */
static inline void kernel_leave(void) {
#if defined(__x86_64__)
    if (!__builtin_cpu_supports("avx")) return;
    __asm__ volatile("vzeroupper" ::: "memory", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7",
                     "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15");
#endif
}
#endif

int contract(const double *A, const double *B, double *C) {
    const double alpha = 1.0, first = 0.0, later = 1.0;
    const libxsmm_blasint lda = 64, ldb = 8, ldc = 64;
    const int flags = LIBXSMM_GEMM_FLAG_NONE, prefetch = LIBXSMM_GEMM_PREFETCH_NONE;
    const libxsmm_dmmfunction_reducebatch_strd kernel[2] = {
        libxsmm_dmmdispatch_reducebatch_strd(64, 64, 8, 4096, 4096, &lda, &ldb, &ldc, &alpha, &first, &flags, &prefetch),
        libxsmm_dmmdispatch_reducebatch_strd(64, 64, 8, 4096, 4096, &lda, &ldb, &ldc, &alpha, &later, &flags, &prefetch)};
    int has_kernels = 1;
    for (int j = 0; j < 2; j++) has_kernels = has_kernels && kernel[j];
    for (ptrdiff_t i_c = 0; i_c < 64; i_c++) {
        for (ptrdiff_t s_i = 0; s_i < 4; s_i++) { /* i in steps of 4 */
            const int n_i = s_i < 3 ? 4 : 1;
            if (has_kernels) {
                kernel[!(s_i == 0)](A + 2048 * s_i, B + 6656 * i_c + 2048 * s_i, C + 4096 * i_c,
                       &(const unsigned long long){(unsigned long long)(n_i)});
                kernel_leave();
            } else {
                for (ptrdiff_t i_i = 0; i_i < n_i; i_i++) {
                    const double beta = i_i == 0 && s_i == 0 ? 0.0 : 1.0;
                    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, 64, 64, 8,
                                1.0, A + 512 * i_i + 2048 * s_i, 64, B + 6656 * i_c + 512 * i_i + 2048 * s_i, 8,
                                beta, C + 4096 * i_c, 64);
                }
            }
        }
    }
    return 0;
}
