/**
 * Arrangements of an algorithm: the order of its loops, and how many of them are around each copy.
 *
 * A coarse model rates them. Loops are added around the kernel from the inside out. While what they
 * touch together fits a cache, an operand that does not vary with the next loop is found there
 * again, and one that does brings in only the lines that are new; once they exceed it, every
 * iteration brings in everything anew. What stays in a cache from one execution to the next is
 * there, as contractions are repeated; what is streamed goes to memory whatever caches would hold.
 * (The reuse that access distances tell exactly, dissertation, section 6.2.3, here for a set of
 * loops at a time.) Lines weigh by the level they come from, pages by what a translation costs;
 * copies are accesses of their own, and so is an addend. It knows bandwidths only roughly: it is
 * there to tell what is worth timing, never what is fastest.
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
    double executions; /**< 0: it is used in place */
    double elements;   /**< of one of them; of a temporary that is filled and emptied twice those */
    int rank; /**< of one of them: dimensions, those as one that continue each other on both sides;
                 0: it sums over some, or has more */
    struct arrangement_dimension dimension[ARRANGEMENT_COPY_DIMENSIONS]; /**< as they lie in the
                                                                            temporary, the nearest
                                                                            elements first */
    double seconds;      /**< of all, with what they bring from memory and caches */
    double line_seconds; /**< of these, what bringing that takes */
    bool from_memory;    /**< the tensor's lines come from memory, most of them */
    bool streams; /**< what an execution has of the tensor follows, in memory, what the one before
                     had of it */
};

/** What the seconds of an arrangement are made of. */
struct arrangement_parts {
    double operand_seconds; /**< bringing the kernel's operands from where they are */
    double start_seconds;   /**< scaling the result, or making it of the addend, before all else */
    double memory_share; /**< of the lines that kernels touch, those that come from memory, by the
                            model */
    bool streams; /**< what comes from there follows, in memory, what the call before had of it */
    struct arrangement_copy copy[TCPLAN_OPERANDS];
};

struct arrangement {
    struct tcplan_algorithm algorithm;
    double seconds; /**< of one execution, the kernels themselves left out: the sum of the parts */
    struct arrangement_parts parts;
};

/** Rates algorithms of one problem, and finds arrangements: the best `width` beginnings are
 * followed, the best one alone beyond the deadline. */
struct arranger;

/** Problem and machine are borrowed. To be freed with arranger_free(); NULL when memory is out. */
struct arranger *arranger_new(const struct tcplan_problem *problem,
                              const struct tcplan_machine *machine, int width,
                              struct deadline deadline);

/** NULL is fine. */
void arranger_free(struct arranger *arranger);

/**
 * The best arrangements of `structure`, by the model.
 *
 * @param out        has room for the arranger's width; receives the best first
 * @param structure  an algorithm but for the depths of copies (-1: used in place, else copied) and
 *                   the order of its loops
 * @return their number; 0 where none can be built, or memory is out
 */
int arrangements_best(struct arranger *arranger, struct arrangement *out,
                      const struct tcplan_algorithm *structure);

/**
 * The same of an algorithm of the `blas` space: orders of its loops, with copies where that space's
 * rules have them; all where they are no more than the width.
 */
int arrangements_by_rules(struct arranger *arranger, struct arrangement *out,
                          const struct tcplan_algorithm *structure);

/** Seconds of one execution of an algorithm as it is, the kernels themselves left out, and their
 * parts (NULL: not wanted); INFINITY when memory is out. */
double arrangement_seconds(struct arranger *arranger, const struct tcplan_algorithm *algorithm,
                           struct arrangement_parts *parts);

#endif
