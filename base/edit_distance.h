/**
 * How far a mistyped word is from another one, and which was meant.
 */
#ifndef BASE_EDIT_DISTANCE_H
#define BASE_EDIT_DISTANCE_H

#include <stdbool.h>
#include <stddef.h>

enum { EDIT_DISTANCE_LONGEST = 255 };

/**
 * Insertions, deletions and replacements of characters, and swaps of neighbours, none of which is
 * touched twice (optimal string alignment); SIZE_MAX where a word is longer than
 * EDIT_DISTANCE_LONGEST.
 */
size_t edit_distance(const char *a, const char *b);

/** The best of the names considered so far; zero-initialise before use. */
struct nearest {
    const char *name; /* NULL: none is near */
    size_t distance;
};

/** Takes a name that what was typed begins, or from which it is nearer than before; one is near
 * if it takes one edit for three typed characters at most. */
void nearest_consider(struct nearest *nearest, const char *typed, const char *name);

#endif
