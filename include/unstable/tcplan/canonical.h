/**
 * Compares problems regardless of the names of their indices and tensors.
 */
#ifndef TCPLAN_CANONICAL_H
#define TCPLAN_CANONICAL_H

#include "tcplan/problem.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Returns a problem as text without names. Problems with equal texts have equal types, storage
 * orders, extents, alpha and beta. Their dimensions run over the same indices in the same places,
 * with the same strides if given. Index number i is then the same in both problems, so an
 * algorithm of one is an algorithm of the other and takes the same time.
 *
 * @return text such as `d column-major 0,1,2=1*0,3*3,1,2+0 400 400 400 8`, of a strided tensor
 *         `0,3@1,-400`, with an addend `+2*1,0,2`; to be freed with free(), NULL if memory runs
 *         out
 */
TCPLAN_API char *tcplan_problem_canonical(const struct tcplan_problem *problem);

#ifdef __cplusplus
}
#endif

#endif
