/** Heap allocation for the whole library, so that tests can make the n-th request fail. */
#ifndef BASE_ALLOC_H
#define BASE_ALLOC_H

#include <stddef.h>

/** Allocates like malloc(). */
void *base_alloc(size_t bytes);

/** Allocates like calloc(). */
void *base_alloc_zero(size_t count, size_t bytes);

/** Copies a text like strdup(). */
char *base_strdup(const char *text);

/** Allocates like aligned_alloc(); `alignment` is a power of two, `bytes` is rounded up to a
 * multiple of it. */
void *base_aligned_alloc(size_t alignment, size_t bytes);

/*
 * Requests of this size or more are backed by pages of 2 MiB where the system has them: one address
 * translation instead of 512. Smaller requests would waste memory.
 */
enum { BASE_LARGE_BYTES = 4 << 20, BASE_LARGE_PAGE_BYTES = 2 << 20 };

/** Allocates like base_aligned_alloc(), and requests large pages for BASE_LARGE_BYTES or more. For
 * memory that is used as a whole, such as temporaries. */
void *base_large_alloc(size_t alignment, size_t bytes);

/** Requests large pages for mapped memory before it is first touched; does nothing below
 * BASE_LARGE_BYTES. */
void base_large_advise(void *memory, size_t bytes);

/** Resizes an allocation like realloc(). */
void *base_realloc(void *memory, size_t bytes);

/** Makes room for one more object after `count`, in a list that only this function grows: the
 * capacity doubles whenever `count` is a power of two. Returns NULL if out of memory; the list is
 * then unchanged. */
void *base_grow(void *list, size_t count, size_t size);

/** Frees like free(); memory from base_alloc() may also be passed to free(). */
void base_free(void *memory);

/** For tests: makes every request fail after `successes` more requests. A negative number ends
 * this. */
void base_alloc_fail_after(long successes);

#endif
