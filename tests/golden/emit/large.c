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
 * Returns 0, or ENOMEM when a temporary cannot be had; C is then untouched.
 * The memory of large temporaries stays for the next call; tcplan_release_memory() frees it.
 *
 * Emitted by tcplan @VERSION@.
 * link: -lopenblas
 */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

#include <cblas.h>


#ifndef TCPLAN_KEPT /* emitted files may be put together */
#define TCPLAN_KEPT

/*
 * Reuses the memory of temporaries in later calls of any emitted function: mapping and clearing new
 * pages in each call can take longer than the copies into them. A program stores at most
 * four blocks, for temporaries of A, B and C and for the intermediates of several products, each
 * as large as the largest so far. tcplan_release_memory() and the end of the program free them.
 * Several threads may call concurrently: a thread that finds no block allocates its own memory.
 * Pages of 2 MiB are requested for 2 MiB or more: they need 512 times fewer address translations.
 */
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#if defined(__GNUC__)
#define TCPLAN_ONE __attribute__((weak)) /* one definition for all emitted files of a program */
void tcplan_release_memory(void) __attribute__((weak, destructor));
#else
#define TCPLAN_ONE static
static void tcplan_release_memory(void);
#endif

enum {
    KEPT_BLOCKS = 4,
    KEPT_FRONT = 4096, /* a page before the memory, which stores its size */
    KEPT_PAGE = 2 << 20
};

TCPLAN_ONE _Atomic(void *) tcplan_kept[KEPT_BLOCKS];

#if defined(__linux__)
#include <sys/syscall.h>

/* declared here, as the C library declares it only on request */
long syscall(long, ...);

static void kept_advise(void *memory, size_t bytes) {
    syscall(SYS_madvise, memory, bytes, 14); /* MADV_HUGEPAGE */
}
#else
static void kept_advise(void *memory, size_t bytes) {
    (void)memory, (void)bytes;
}
#endif

/* Returns page-aligned memory of a block; NULL if out of memory. */
static void *kept_take(int block, size_t bytes) {
    char *memory = atomic_exchange(&tcplan_kept[block], NULL);
    if (memory && *(const size_t *)(const void *)memory < bytes) {
        free(memory);
        memory = NULL;
    }
    if (!memory && bytes < (size_t)PTRDIFF_MAX - KEPT_FRONT - KEPT_PAGE) {
        const size_t page = bytes < KEPT_PAGE ? KEPT_FRONT : KEPT_PAGE;
        const size_t all = (bytes + KEPT_FRONT + page - 1) / page * page;
        memory = aligned_alloc(page, all);
        if (memory && page == KEPT_PAGE) kept_advise(memory, all);
        if (memory) *(size_t *)(void *)memory = bytes;
    }
    return memory ? memory + KEPT_FRONT : NULL;
}

/* Stores memory for reuse; frees a block that another thread has stored meanwhile. */
static void kept_give(int block, void *memory) {
    if (memory) free(atomic_exchange(&tcplan_kept[block], (char *)memory - KEPT_FRONT));
}

void tcplan_release_memory(void) {
    for (int block = 0; block < KEPT_BLOCKS; block++)
        free(atomic_exchange(&tcplan_kept[block], NULL));
}

#endif

int contract(const double *A, const double *B, double *C) {
    double *A_copy = kept_take(0, 33600000);
    if (!A_copy) {
        kept_give(0, A_copy);
        return ENOMEM;
    }
    copy_d_block(A_copy, A, 3, (const struct copy_d_dimension[]){{1050, 1, 1}, {2, 2100000, 1050}, {2000, 1050, 2100}}, COPY_D_STREAM, 0.0, NULL);
    copy_d_fence();
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, 2100000, 2, 2,
                1.0, A_copy, 2100000, B, 2,
                0.0, C, 2100000);
    copy_d_fence();
    kept_give(0, A_copy);
    return 0;
}
