/**
 * Rewrites algorithms of a canonical product with the indices of its problem. An index that is
 * fused in the kernel becomes all of its parts in the kernel; a loop over it becomes loops over
 * its parts, outermost first. Steps of a fused index become loops over the outer parts and steps
 * of the part in which they end. Names therefore only use indices of the problem.
 */
#ifndef AST_ALGORITHM_EXPAND_H
#define AST_ALGORITHM_EXPAND_H

#include "ast/problem/canonical_product.h"
#include "tcplan/algorithm.h"

/**
 * Rewrites an algorithm of a canonical product with the indices of the problem.
 *
 * Calls and their order stay the same, except for steps that end within a part and do not divide
 * it: these are rounded to a multiple of the parts before it. Of the loops into which a parallel
 * loop is expanded, the outermost one becomes parallel, or the two outermost collapsed if the
 * first one has few iterations. Dropped indices become loops around everything else.
 * @return false if the problem has no such algorithm: a tensor has an index of extent 1 between
 *   fused kernel indices, or there are too many loops over steps
 */
bool algorithm_expand(struct tcplan_algorithm *out, const struct canonical_product *product,
                      const struct tcplan_algorithm *algorithm);

#endif
