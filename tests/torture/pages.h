/**
 * Memory between two guard pages. The rest of its pages is filled with NaN.
 */
#ifndef TORTURE_PAGES_H
#define TORTURE_PAGES_H

#include <stdbool.h>
#include <stddef.h>

/** Larger ones are not poisoned: they are 0, and take memory only where they are written. */
enum { PAGES_POISONED_MAX = 1 << 22 };

struct pages {
    char *map; /* from one guard page to the other */
    size_t map_bytes;
    char *memory; /* what was asked for */
    size_t bytes;
};

/**
 * @param slack   bytes behind it that may be touched
 * @param unit    its place is a multiple of that beyond a page's begin
 * @param at_end  it ends, with its slack, where the other guard page begins, up to a unit; else it
 *                begins behind the first one
 * @return false if out of memory
 */
bool pages_init(struct pages *out, size_t bytes, size_t slack, size_t unit, bool at_end);

/** The memory between the guard pages: PROT_READ, PROT_NONE. */
void pages_protect(const struct pages *pages, int protection);

/** From where on, and how much, is between the guard pages. */
char *pages_begin(const struct pages *pages);
size_t pages_room(const struct pages *pages);

void pages_free(struct pages *pages);

#endif
