/**
 * Heuristic costs of structures: which ones to arrange first.
 *
 * Arranging a structure and timing its kernel takes some hundred microseconds, and there are
 * thousands of structures. A heuristic cost ("sketch"), which takes less than a microsecond,
 * selects those worth arranging. Structures with the same kernel indices form a family. Costs
 * within a family have similar errors, and the first arrangement of a family informs about the
 * others. So the cost of its k-th best structure is multiplied by sqrt(k).
 */
#ifndef PLAN_SKETCH_H
#define PLAN_SKETCH_H

#include "gen/lower/blas_call.h"

/** A structure and its heuristic cost. */
struct sketch {
    double seconds;
    double behind;   /**< sort key: the cost; unless `by_guess`, times sqrt(k) for the k-th best of
                        its family */
    uint32_t number; /**< number in the order of insertion */
    struct tcplan_algorithm structure;
};

/** The best of the structures that were added. All members but `most` and `by_guess` are initially
 * zero. */
struct sketches {
    size_t most;   /**< capacity, at least 1 */
    bool by_guess; /**< whether costs are lower bounds; structures are then sorted by cost alone,
                      regardless of their family */
    size_t count;
    size_t capacity;
    uint32_t added;
    double limit_seconds;  /**< structures with at least this cost are dropped; 0: no limit yet */
    struct sketch *sketch; /**< structures; after sketches_sort(), in the order in which to arrange
                              them */
};

/** Adds a structure if it is among the best; false if out of memory. */
bool sketches_add(struct sketches *sketches, const struct tcplan_algorithm *structure,
                  double seconds);

/** Sorts the structures and drops all but the first `most`. The result depends only on the
 * structures that were added and on their order. */
void sketches_sort(struct sketches *sketches);

void sketches_free(struct sketches *sketches);

/**
 * Returns the kernel, provider and extents of a structure's most frequent call, without lowering
 * it; other members are 0. *calls receives the number of calls.
 */
struct blas_call sketch_call(double *calls, const struct tcplan_problem *problem,
                             const struct tcplan_algorithm *structure);

#endif
