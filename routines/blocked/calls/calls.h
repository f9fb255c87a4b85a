/**
 * The sequence of calls of a blocked algorithm: the interpreter of its nest. A pure function of
 * algorithm, sizes, block size and leading dimensions.
 *
 * Prediction, execution, emission of drivers and the cache studies all walk here; only this module
 * determines the sequence of steps. A struct blocked_call has the input of call_prepare()
 * (routines/sampler/timing/routine.h): values, scalars, and for each argument with data the matrix
 * and the element where it begins.
 */
#ifndef BLOCKED_CALLS_H
#define BLOCKED_CALLS_H

#include "routines/blocked/algorithms/algorithm.h"

/** Where an argument's data are: a part of a matrix. */
struct blocked_data {
    int matrix; /**< number in tcplan_blocks.matrix; -1: none (scalars, sizes, work and info, which
                   who calls has to find) */
    int64_t offset; /**< elements from the matrix's first one to the block's */
    int64_t rows; /**< of the block as the text has it: what is touched, a triangle of it where the
                     signature says so */
    int64_t columns;
};

/** A call. Lives as long as the visit. */
struct blocked_call {
    const struct blocked_statement *statement; /**< routine, flags, node */
    const struct signature *signature;         /**< the statement's */
    int64_t number; /**< in the sequence, from 0 on, empty ones counted */
    int64_t step; /**< of the outermost loop, from 0 on; of a recursion how many blocks are done */
    bool empty;   /**< a size is 0: nothing to do, estimate 0 (table 4.1) */
    int64_t value[SIGNATURE_MAX_ARGUMENTS]; /**< complete, as signature.h has them: flags, sizes,
                                               leading dimensions, increments, lengths */
    double scalar[SIGNATURE_MAX_ARGUMENTS]; /**< real parts of alpha, beta; imaginary ones are 0 */
    struct blocked_data data[SIGNATURE_MAX_ARGUMENTS];
    const struct tcplan_range_values *values; /**< where all ranges are */
};

/** Told every call; false ends the walk. */
typedef bool blocked_visit_fn(void *context, const struct blocked_call *call);

/** Walks through the calls at sizes that tcplan_blocked_check() accepts. Returns false if a visit
 * ended the walk. */
bool blocked_walk(const struct tcplan_blocked *blocked, const struct tcplan_blocked_sizes *sizes,
                  blocked_visit_fn *visit, void *context);

/** How many calls there are: all, those that are not empty, and of these those of libraries. */
struct blocked_counts {
    int64_t all, made, library;
};
struct blocked_counts blocked_count(const struct tcplan_blocked *blocked,
                                    const struct tcplan_blocked_sizes *sizes);

/** Rows, columns and leading dimension of a matrix at some sizes. Those of temporaries are what
 * their largest block needs. */
struct blocked_extent {
    int64_t rows, columns, leading;
};
struct blocked_extent blocked_extent_of(const struct tcplan_blocked *blocked,
                                        const struct tcplan_blocked_sizes *sizes, int matrix);

/** Elements of a matrix, gaps included. */
int64_t blocked_elements(const struct blocked_extent *extent);

#endif
