/**
 * Memory between two guard pages. The rest of its pages is filled with NaN.
 */
#ifndef TORTURE_PAGES_H
#define TORTURE_PAGES_H

#include <stdbool.h>
#include <stddef.h>

/** Larger blocks are not filled with NaN, but 0: physical memory is used only where they are
 * written. */
enum { PAGES_POISONED_MAX = 1 << 22 };

struct pages {
    char *map; /* all pages, including the guard pages */
    size_t map_bytes;
    char *memory; /* the requested memory */
    size_t bytes;
};

/**
 * Allocates memory between guard pages.
 *
 * @param slack bytes after the block that may be read
 * @param unit the block's offset in its page is a multiple of this
 * @param at_end the block and its slack end at the second guard page; false: the block starts
 *     after the first guard page
 * @return false if memory runs out
 */
bool pages_init(struct pages *out, size_t bytes, size_t slack, size_t unit, bool at_end);

/** Sets the protection of the memory between the guard pages: PROT_READ or PROT_NONE. */
void pages_protect(const struct pages *pages, int protection);

/** Return the start and the size of the memory between the guard pages. */
char *pages_begin(const struct pages *pages);
size_t pages_room(const struct pages *pages);

void pages_free(struct pages *pages);

#endif
