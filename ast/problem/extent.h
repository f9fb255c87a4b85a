/** Parses extents in sizes and shapes. */
#ifndef AST_PROBLEM_EXTENT_H
#define AST_PROBLEM_EXTENT_H

#include <stdint.h>

#include "ast/scan.h"

/** Returns whether a character may have been meant as part of a number, so that `1.5`, `1e3` or
 * `10x` is rejected as a whole. */
bool extent_belongs(char c);

/**
 * Reads a word as a whole number from `least` to the largest BLAS integer, or rejects it; `what`
 * describes the number in messages: "an extent".
 */
bool extent_read(int64_t *out, struct scan *scan, struct word word, const char *what,
                 int64_t least);

#endif
