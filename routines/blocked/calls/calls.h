/**
 * The sequence of calls of a blocked algorithm: the interpreter of its nest. A pure function of
 * algorithm, sizes, block size and leading dimensions.
 *
 * Prediction, execution, emission of drivers and the cache studies all use it, and no other code
 * determines the sequence of calls. A struct blocked_call contains the input of call_prepare()
 * (routines/sampler/timing/routine.h): values, scalars, and for each argument with data the matrix
 * and the first element.
 */
#ifndef BLOCKED_CALLS_H
#define BLOCKED_CALLS_H

#include "routines/blocked/algorithms/algorithm.h"

/** Where an argument's data are: a part of a matrix. */
struct blocked_data {
    int matrix; /**< number in tcplan_blocks.matrix; -1: none (scalars, sizes, and work and info,
                   which the caller provides) */
    int64_t offset; /**< elements from the first element of the matrix to the first element of the
                       block */
    int64_t rows;   /**< rows of the accessed block; only a triangle of it is accessed if the
                       signature says so */
    int64_t columns;
};

/** A call. Its members are valid during the visit. */
struct blocked_call {
    const struct blocked_statement *statement; /**< routine, flags and node of the call */
    const struct signature *signature;         /**< signature of the routine */
    int64_t number; /**< number in the sequence, from 0, including empty calls */
    int64_t step;   /**< step of the outermost loop, from 0; for a recursion the number of completed
                       blocks */
    bool empty;     /**< whether a size is 0; then there is nothing to do, and the estimate is 0
                       (table 4.1) */
    int64_t value[SIGNATURE_MAX_ARGUMENTS]; /**< complete values, as in signature.h: flags, sizes,
                                               leading dimensions, increments, lengths */
    double scalar[SIGNATURE_MAX_ARGUMENTS]; /**< alpha and beta, whose imaginary parts are 0 */
    struct blocked_data data[SIGNATURE_MAX_ARGUMENTS];
    const struct tcplan_range_values *values; /**< the ranges at this step */
};

/** Receives every call; returning false ends the walk. */
typedef bool blocked_visit_fn(void *context, const struct blocked_call *call);

/** Visits the calls at sizes that tcplan_blocked_check() accepts. Returns false if a visit ended
 * the walk. */
bool blocked_walk(const struct tcplan_blocked *blocked, const struct tcplan_blocked_sizes *sizes,
                  blocked_visit_fn *visit, void *context);

/** Numbers of calls: all calls, the calls that are not empty, and among the latter the calls of
 * library routines. */
struct blocked_counts {
    int64_t all, made, library;
};
struct blocked_counts blocked_count(const struct tcplan_blocked *blocked,
                                    const struct tcplan_blocked_sizes *sizes);

/** Rows, columns and leading dimension of a matrix at some sizes; for temporaries those that their
 * largest block needs. */
struct blocked_extent {
    int64_t rows, columns, leading;
};
struct blocked_extent blocked_extent_of(const struct tcplan_blocked *blocked,
                                        const struct tcplan_blocked_sizes *sizes, int matrix);

/** Returns the type of a matrix's elements; the algorithm's type if they are integers. */
enum tcplan_dtype blocked_element_type(const struct tcplan_blocked *blocked, int matrix);

/** Returns the number of elements of a matrix, gaps included. */
int64_t blocked_elements(const struct blocked_extent *extent);

#endif
