/**
 * Extents as sizes and shapes write them.
 */
#ifndef AST_PROBLEM_EXTENT_H
#define AST_PROBLEM_EXTENT_H

#include <stdint.h>

#include "ast/scan.h"

/** Whether a character may be meant as part of a number, so that `1.5`, `1e3` or `10x` is refused
 * as a whole. */
bool extent_belongs(char c);

/**
 * The value of a word that stands for a whole number from `least` to the largest BLAS integer;
 * refused where it is none. `what` is wanted here: "an extent".
 */
bool extent_read(int64_t *out, struct scan *scan, struct word word, const char *what,
                 int64_t least);

#endif
