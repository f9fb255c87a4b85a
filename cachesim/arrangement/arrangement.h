/**
 * Arrangements of an algorithm: the order of its loops, and the number of loops around each copy,
 * rated by a coarse model.
 *
 * Loops are added around the kernel from the inside out. While the data that the loops touch
 * together fit a cache, an operand that does not vary with the next loop stays in the cache, and a
 * varying operand loads only new lines. If the data exceed the cache, every iteration loads all of
 * them again. Contractions are repeated, so data that stays in a cache is not loaded by the next
 * execution; non-temporal stores go to memory in any case. (This applies the dissertation's access
 * distances, section 6.2.3, to sets of loops.) A line has the cost of the level from which it
 * comes, and a smaller one in a long run of consecutive lines, which the processor prefetches. A
 * page costs a translation; copies and an addend add accesses. The model's bandwidths
 * are rough: it selects candidates for timing, not the fastest one.
 */
#ifndef CACHESIM_ARRANGEMENT_ARRANGEMENT_H
#define CACHESIM_ARRANGEMENT_ARRANGEMENT_H

#include "base/deadline.h"
#include "tcplan/algorithm.h"
#include "tcplan/costs.h"
#include "tcplan/machine.h"

enum { ARRANGEMENT_COPY_DIMENSIONS = 6 };

/** A dimension of a copy: its extent, and its strides in elements in the tensor and in the
 * temporary. */
struct arrangement_dimension {
    double extent;
    double tensor;
    double temporary;
};

/** The copies of an operand: into its temporary and, for a result, out of it. */
struct arrangement_copy {
    double executions; /**< number of executions; 0: the operand is used in place */
    double elements;   /**< number of elements that one execution copies; twice as many if the
                          temporary is both filled and copied back */
    int rank; /**< number of dimensions of one execution; dimensions that are contiguous on both
                 sides count as one; 0: the copy sums over indices, or has more dimensions */
    struct arrangement_dimension dimension[ARRANGEMENT_COPY_DIMENSIONS]; /**< dimensions in the
                                                                            order of the temporary,
                                                                            the contiguous one first
                                                                          */
    double seconds;      /**< time of all executions, including loads from memory and caches */
    double line_seconds; /**< part of that time spent on these loads */
    bool from_memory;    /**< whether most of the tensor's lines come from memory */
    bool streams; /**< whether consecutive executions use consecutive parts of the tensor's memory
                   */
};

/** The components of an arrangement's seconds. */
struct arrangement_parts {
    double operand_seconds; /**< loads of the kernel's operands */
    double start_seconds;   /**< scaling the result, or initialising it from the addend */
    double memory_share;    /**< share of the kernels' lines that come from memory, by the model */
    bool streams;           /**< whether consecutive calls use consecutive parts of memory */
    struct arrangement_copy copy[TCPLAN_OPERANDS];
};

struct arrangement {
    struct tcplan_algorithm algorithm;
    double seconds; /**< time of one execution without the kernels: the sum of the parts */
    struct arrangement_parts parts;
};

/** Rates algorithms of one problem, and finds arrangements by beam search: after each loop the best
 * `width` partial arrangements are kept, after the deadline only the best one. */
struct arranger;

/** Makes an arranger, which borrows problem and machine. To be freed with arranger_free(); NULL if
 * memory runs out. */
struct arranger *arranger_new(const struct tcplan_problem *problem,
                              const struct tcplan_machine *machine, int width,
                              struct deadline deadline);

/** Frees an arranger; NULL is fine. */
void arranger_free(struct arranger *arranger);

/**
 * Finds the best arrangements of `structure` by the model.
 * @param out receives up to `width` arrangements, the best first
 * @param structure  an algorithm without the depths of copies (-1: used in place, else copied) and
 *   the order of its loops
 * @return the number of arrangements; 0 if none can be built, or memory runs out
 */
int arrangements_best(struct arranger *arranger, struct arrangement *out,
                      const struct tcplan_algorithm *structure);

/**
 * Finds arrangements of an algorithm of the `blas` space: orders of its loops, with copies placed
 * by that space's rules; all orders if there are at most `width`.
 */
int arrangements_by_rules(struct arranger *arranger, struct arrangement *out,
                          const struct tcplan_algorithm *structure);

/** Returns the seconds of one execution of an algorithm without the kernels; `parts` receives the
 * components of the time, and may be NULL; INFINITY if memory runs out. */
double arrangement_seconds(struct arranger *arranger, const struct tcplan_algorithm *algorithm,
                           struct arrangement_parts *parts);

#endif
