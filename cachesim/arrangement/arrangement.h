/**
 * Arrangements of an algorithm: the order of its loops, and the number of loops around each copy,
 * rated by a coarse model.
 *
 * Loops are added around the kernel from the inside out. While the data that they touch together
 * fits a cache, an operand that does not vary with the next loop is found there again, and a
 * varying one brings in only new lines. Beyond that, every iteration brings in everything again.
 * Contractions are repeated, so data that stays in a cache is found by the next execution; streamed
 * data goes to memory in any case. (This applies the dissertation's access distances, section
 * 6.2.3, to sets of loops.) Lines are weighted by the level they come from, pages by the cost of a
 * translation; copies and an addend are accesses of their own. The model's bandwidths are rough: it
 * selects candidates for timing, not the fastest one.
 */
#ifndef CACHESIM_ARRANGEMENT_ARRANGEMENT_H
#define CACHESIM_ARRANGEMENT_ARRANGEMENT_H

#include "base/deadline.h"
#include "tcplan/algorithm.h"
#include "tcplan/costs.h"
#include "tcplan/machine.h"

enum { ARRANGEMENT_COPY_DIMENSIONS = 6 };

/** A dimension of a copy, and how many elements lie between its neighbours. */
struct arrangement_dimension {
    double extent;
    double tensor;
    double temporary;
};

/** The copies of an operand, or into and out of the result's temporary. */
struct arrangement_copy {
    double executions; /**< number of executions; 0: the operand is used in place */
    double elements;   /**< of one of them; of a temporary that is filled and emptied twice those */
    int rank; /**< of one of them: dimensions, those as one that continue each other on both sides;
                 0: it sums over some, or has more */
    struct arrangement_dimension dimension[ARRANGEMENT_COPY_DIMENSIONS]; /**< as in the temporary,
                                                                            the contiguous dimension
                                                                            first */
    double seconds;      /**< total, including loads from memory and caches */
    double line_seconds; /**< the part of it spent on these loads */
    bool from_memory;    /**< most of the tensor's lines come from memory */
    bool streams;        /**< consecutive executions use consecutive parts of the tensor's memory */
};

/** The components of an arrangement's seconds. */
struct arrangement_parts {
    double operand_seconds; /**< loads of the kernel's operands */
    double start_seconds;   /**< scaling the result, or initialising it from the addend */
    double memory_share;    /**< share of the kernels' lines that come from memory, by the model */
    bool streams;           /**< consecutive calls use consecutive parts of it */
    struct arrangement_copy copy[TCPLAN_OPERANDS];
};

struct arrangement {
    struct tcplan_algorithm algorithm;
    double seconds; /**< of one execution, without the kernels: the sum of the parts */
    struct arrangement_parts parts;
};

/** Rates algorithms of one problem, and finds arrangements: the best `width` beginnings are
 * followed, the best one alone beyond the deadline. */
struct arranger;

/** Problem and machine are borrowed. To be freed with arranger_free(); NULL if out of memory. */
struct arranger *arranger_new(const struct tcplan_problem *problem,
                              const struct tcplan_machine *machine, int width,
                              struct deadline deadline);

/** NULL is fine. */
void arranger_free(struct arranger *arranger);

/**
 * Finds the best arrangements of `structure` by the model.
 * @param out        has room for the arranger's width; receives the best first
 * @param structure  an algorithm without the depths of copies (-1: used in place, else copied) and
 *   the order of its loops
 * @return their number; 0 if none can be built, or memory is out
 */
int arrangements_best(struct arranger *arranger, struct arrangement *out,
                      const struct tcplan_algorithm *structure);

/**
 * Does the same for an algorithm of the `blas` space: orders of its loops, with copies placed by
 * that space's rules; all orders if they are no more than the width.
 */
int arrangements_by_rules(struct arranger *arranger, struct arrangement *out,
                          const struct tcplan_algorithm *structure);

/** Returns the seconds of one execution of an algorithm, without the kernels, and their parts
 * (NULL: not wanted); INFINITY without memory. */
double arrangement_seconds(struct arranger *arranger, const struct tcplan_algorithm *algorithm,
                           struct arrangement_parts *parts);

#endif
