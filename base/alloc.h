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

/** As realloc(). */
void *base_realloc(void *memory, size_t bytes);

/** As free(); memory from base_alloc() may be given to free() as well. */
void base_free(void *memory);

/** For tests: after `successes` more requests every further one fails; a negative number ends the failing. */
void base_alloc_fail_after(long successes);

#endif
