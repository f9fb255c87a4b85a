/**
 * The one place heap memory comes from, so that tests can make the n-th request fail.
 */
#ifndef BASE_ALLOC_H
#define BASE_ALLOC_H

#include <stddef.h>

/** As malloc(). */
void *base_alloc(size_t bytes);

/** As calloc(). */
void *base_alloc_zero(size_t count, size_t bytes);

/** As strdup(). */
char *base_strdup(const char *text);

/** As aligned_alloc(); `alignment` is a power of two, `bytes` is rounded up to a multiple of it. */
void *base_aligned_alloc(size_t alignment, size_t bytes);

/*
 * Memory of so many bytes and more is large: the system is asked to back it with pages of 2 MiB,
 * each of which takes one translation of addresses instead of 512. Below, it would take more memory
 * than is asked for.
 */
enum { BASE_LARGE_BYTES = 4 << 20, BASE_LARGE_PAGE_BYTES = 2 << 20 };

/** As base_aligned_alloc(), for what nobody else lays out, as temporaries: on large pages where it
 * is large, and the system has them for who asks. */
void *base_large_alloc(size_t alignment, size_t bytes);

/** Asks for large pages of mapped memory before it is touched; nothing where `bytes` are fewer than
 * BASE_LARGE_BYTES. */
void base_large_advise(void *memory, size_t bytes);

/** As realloc(). */
void *base_realloc(void *memory, size_t bytes);

/** Room for one more object behind `count`, in a list that is only ever grown by this: it doubles
 * at powers of two. NULL when memory is out; the list is as it was. */
void *base_grow(void *list, size_t count, size_t size);

/** As free(); memory from base_alloc() may be given to free() as well. */
void base_free(void *memory);

/** For tests: after `successes` more requests every further one fails; a negative number ends the
 * failing. */
void base_alloc_fail_after(long successes);

#endif
