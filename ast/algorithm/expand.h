/**
 * Algorithms of a canonical product, written with the indices of its problem.
 *
 * An index that is fused in the kernel becomes all of its parts in the kernel, a loop over it
 * becomes loops over its parts, the outermost part outside. Steps of it become loops over the outer
 * parts, and steps of the part in which they end: no name but those of the problem's indices is
 * needed.
 */
#ifndef AST_ALGORITHM_EXPAND_H
#define AST_ALGORITHM_EXPAND_H

#include "ast/problem/canonical_product.h"
#include "tcplan/algorithm.h"

/**
 * Writes an algorithm of a canonical product with the indices of the problem.
 *
 * Calls and their order are the same, but for steps that end within a part and do not divide it:
 * they are rounded to a multiple of the parts before it. A loop that threads share becomes the
 * outermost of its loops, or the two outermost together where the first by itself is short. Dropped
 * indices are loops around all else.
 *
 * @return false where the problem has no such algorithm: a tensor has an index of extent 1 between
 *         indices that the kernel fuses, or there are too many loops over steps
 */
bool algorithm_expand(struct tcplan_algorithm *out, const struct canonical_product *product,
                      const struct tcplan_algorithm *algorithm);

#endif
