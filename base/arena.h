/** An arena: allocations that are freed together. */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stddef.h>

struct arena_block;

/** Zero-initialise before use; never copy one that is in use. */
struct arena {
    struct arena_block *blocks;
};

/** Returns zeroed memory aligned for any type, valid until arena_free(); NULL if out of memory. */
void *arena_alloc(struct arena *arena, size_t bytes);

/** Copies the first `length` bytes of `text` and terminates the copy; NULL if out of memory. */
char *arena_strndup(struct arena *arena, const char *text, size_t length);

/** Frees all of the arena's memory and leaves it empty. */
void arena_free(struct arena *arena);

#endif
