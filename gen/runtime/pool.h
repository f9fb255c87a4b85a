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
    POOL_BLOCKS = 4,
    POOL_FRONT = 4096, /* a page before the memory, which stores its size */
    POOL_PAGE = 2 << 20
};

TCPLAN_ONE _Atomic(void *) tcplan_pool[POOL_BLOCKS];

#if defined(__linux__)
#include <sys/syscall.h>

/* declared here, as the C library declares it only on request */
long syscall(long, ...);

static void pool_advise(void *memory, size_t bytes) {
    syscall(SYS_madvise, memory, bytes, 14); /* MADV_HUGEPAGE */
}
#else
static void pool_advise(void *memory, size_t bytes) {
    (void)memory, (void)bytes;
}
#endif

/* Returns page-aligned memory of a block; NULL if out of memory. */
static void *pool_take(int block, size_t bytes) {
    char *memory = atomic_exchange(&tcplan_pool[block], NULL);
    if (memory && *(const size_t *)(const void *)memory < bytes) {
        free(memory);
        memory = NULL;
    }
    if (!memory && bytes < (size_t)PTRDIFF_MAX - POOL_FRONT - POOL_PAGE) {
        const size_t page = bytes < POOL_PAGE ? POOL_FRONT : POOL_PAGE;
        const size_t all = (bytes + POOL_FRONT + page - 1) / page * page;
        memory = aligned_alloc(page, all);
        if (memory && page == POOL_PAGE) pool_advise(memory, all);
        if (memory) *(size_t *)(void *)memory = bytes;
    }
    return memory ? memory + POOL_FRONT : NULL;
}

/* Stores memory for reuse; frees a block that another thread has stored meanwhile. */
static void pool_give(int block, void *memory) {
    if (memory) free(atomic_exchange(&tcplan_pool[block], (char *)memory - POOL_FRONT));
}

void tcplan_release_memory(void) {
    for (int block = 0; block < POOL_BLOCKS; block++)
        free(atomic_exchange(&tcplan_pool[block], NULL));
}
