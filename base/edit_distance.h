/** Suggests the name that a mistyped word probably means. */
#ifndef BASE_EDIT_DISTANCE_H
#define BASE_EDIT_DISTANCE_H

#include <stdbool.h>
#include <stddef.h>

enum { EDIT_DISTANCE_LONGEST = 255 };

/**
 * Returns the number of insertions, deletions, replacements and swaps of adjacent characters, none
 * of which is edited twice (optimal string alignment); SIZE_MAX if a word is longer than
 * EDIT_DISTANCE_LONGEST.
 */
size_t edit_distance(const char *a, const char *b);

/** The nearest name considered so far; zero-initialise before use. */
struct nearest {
    const char *name; /* the nearest name; NULL: no name is near enough */
    size_t distance;
};

/** Considers a name and stores it if `typed` is a prefix of it, or nearer to it than to the names
 * considered before. A name is near enough with at most one edit for every three characters of the
 * longer word, rounded to the nearest number. */
void nearest_consider(struct nearest *nearest, const char *typed, const char *name);

#endif
