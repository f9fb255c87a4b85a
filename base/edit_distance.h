/**
 * How far a mistyped word is from another one.
 */
#ifndef BASE_EDIT_DISTANCE_H
#define BASE_EDIT_DISTANCE_H

#include <stddef.h>

enum { EDIT_DISTANCE_LONGEST = 255 };

/** Insertions, deletions and replacements of characters (Levenshtein); SIZE_MAX where a word is longer than EDIT_DISTANCE_LONGEST. */
size_t edit_distance(const char *a, const char *b);

#endif
