#include "base/alloc.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static atomic_long successes_left = -1;

static bool may_succeed(void) {
    long left = atomic_load(&successes_left);
    do {
        if (left <= 0) return left < 0;
    } while (!atomic_compare_exchange_weak(&successes_left, &left, left - 1));
    return true;
}

void base_alloc_fail_after(long successes) {
    atomic_store(&successes_left, successes < 0 ? -1 : successes);
}

void *base_alloc(size_t bytes) {
    return may_succeed() ? malloc(bytes ? bytes : 1) : NULL;
}

void *base_alloc_zero(size_t count, size_t bytes) {
    return may_succeed() ? calloc(count ? count : 1, bytes ? bytes : 1) : NULL;
}

char *base_strdup(const char *text) {
    return may_succeed() ? strdup(text) : NULL;
}

void *base_aligned_alloc(size_t alignment, size_t bytes) {
    if (bytes > SIZE_MAX - alignment || !may_succeed()) return NULL;
    size_t rounded = (bytes + alignment - 1) / alignment * alignment;
    return aligned_alloc(alignment, rounded ? rounded : alignment);
}

void base_large_advise(void *memory, size_t bytes) {
#ifdef MADV_HUGEPAGE
    const size_t before =
        (BASE_LARGE_PAGE_BYTES - (uintptr_t)memory % BASE_LARGE_PAGE_BYTES) % BASE_LARGE_PAGE_BYTES;
    if (bytes < BASE_LARGE_BYTES) return;
    madvise((char *)memory + before,
            (bytes - before) / BASE_LARGE_PAGE_BYTES * BASE_LARGE_PAGE_BYTES, MADV_HUGEPAGE);
#else
    (void)memory;
    (void)bytes;
#endif
}

void *base_large_alloc(size_t alignment, size_t bytes) {
    if (bytes < BASE_LARGE_BYTES) return base_aligned_alloc(alignment, bytes);
    void *memory = base_aligned_alloc(BASE_LARGE_PAGE_BYTES, bytes);
    if (memory)
        base_large_advise(memory, (bytes + BASE_LARGE_PAGE_BYTES - 1) / BASE_LARGE_PAGE_BYTES *
                                      BASE_LARGE_PAGE_BYTES);
    return memory;
}

void *base_realloc(void *memory, size_t bytes) {
    return may_succeed() ? realloc(memory, bytes ? bytes : 1) : NULL;
}

void *base_grow(void *list, size_t count, size_t size) {
    if ((count & (count - 1)) != 0)
        return list; /* the list is full only if the count is 0 or a power of two */
    return base_realloc(list, (count > 0 ? 2 * count : 1) * size);
}

void base_free(void *memory) {
    free(memory);
}
