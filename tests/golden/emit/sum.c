/*
 * contraction: C_abc=A_aji*B_jbic
 * sizes: a=64,b=64,c=64,j=8,i=8
 * type: double
 * storage: column-major: the first index is contiguous
 * algorithm: c.i+-dbrgemm@libxsmm
 *
 * for c = 1:c
 *   dbrgemm_NN@libxsmm: C[:,:,c] := sum(i) A[:,:,i] B[:,:,i,c]
 *
 * The tensors are dense; C must not overlap A or B, which may overlap each other:
 *
 *   A = A[a,j,i]: 64 x 8 x 8, strides 1, 64, 512
 *   B = B[j,b,i,c]: 8 x 64 x 8 x 64, strides 1, 8, 512, 4096
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
    static _Atomic(libxsmm_dmmfunction_reducebatch_strd) made;
    libxsmm_dmmfunction_reducebatch_strd kernel =
        atomic_load_explicit(&made, memory_order_acquire);
    if (!kernel) {
        const double alpha = 1.0, first = 0.0;
        const libxsmm_blasint lda = 64, ldb = 8, ldc = 64;
        const int flags = LIBXSMM_GEMM_FLAG_NONE, prefetch = LIBXSMM_GEMM_PREFETCH_NONE;
        kernel =
            libxsmm_dmmdispatch_reducebatch_strd(64, 64, 8, 4096, 4096, &lda, &ldb, &ldc, &alpha, &first, &flags, &prefetch);
        atomic_store_explicit(&made, kernel, memory_order_release);
    }
    for (ptrdiff_t i_c = 0; i_c < 64; i_c++) {
        if (kernel) {
            kernel(A, B + 4096 * i_c, C + 4096 * i_c,
                   &(const unsigned long long){8});
            kernel_leave();
        } else {
            for (ptrdiff_t i_i = 0; i_i < 8; i_i++) {
                const double beta = i_i == 0 ? 0.0 : 1.0;
                cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, 64, 64, 8,
                            1.0, A + 512 * i_i, 64, B + 4096 * i_c + 512 * i_i, 8,
                            beta, C + 4096 * i_c, 64);
            }
        }
    }
    return 0;
}
