/**
 * Structures of the `full` space: everything that an algorithm chooses but for the order of its
 * loops and the depths of its copies.
 *
 * A structure says which indices are fused in the kernel (gen/space/groups.h), whose kernel it is,
 * which operands are copied and how the copies lie, and which indices are run over in steps. What
 * cannot pay is left out: operands are copied where the kernel cannot take them in place, or where
 * a copy is used more than once; the result goes through a temporary where the kernel cannot write
 * it, or to be written past the caches; tiles are as large as temporaries of the result may be to
 * stay in a cache.
 *
 * Batch indices are loops, or those of an element-wise product, whose loops are all other indices.
 * These come first where most indices are batch indices, otherwise last.
 *
 * Where several threads may share a loop there are also structures whose parallel loop is chosen
 * already, the first one (parallel 0): a free index of the kernel in as many steps as there are
 * threads; or the first two (collapsed), one of A and one of B in as many steps together.
 */
#ifndef GEN_SPACE_STRUCTURES_H
#define GEN_SPACE_STRUCTURES_H

#include "base/deadline.h"
#include "tcplan/algorithm.h"

enum { STRUCTURES_NEAR_CACHES = 2 };

/** Told every structure, arranged in some way that can be built. False ends the enumeration. */
typedef bool structures_fn(void *context, const struct tcplan_algorithm *structure);

struct structures_options {
    const struct tcplan_problem *problem;
    int64_t line_elems;                         /**< elements of a cache line */
    int64_t near_elems[STRUCTURES_NEAR_CACHES]; /**< elements that the first and the second cache
                                                   hold */
    bool provider[TCPLAN_PROVIDERS]; /**< whose kernels are there; TCPLAN_PROVIDER_BLAS always */
    int threads;                     /**< that may share a loop */
    bool streams[TCPLAN_PROVIDERS];  /**< whose kernels may write the result past the caches by
                                        themselves */
    struct deadline deadline;        /**< what is not enumerated by then is left out */
    /** Asked of copies once they are chosen, in a structure of any provider without steps: where it
     * says no, nothing with them is told. NULL: all are. */
    structures_fn *may_win;
};

/** The whole of a product as loops of one kernel, `dloops@emitted`; false where it has too many
 * indices of a kind, or none. */
bool structures_loops(struct tcplan_algorithm *out, const struct tcplan_contraction *contraction);

/**
 * The same with a copy of the smaller factor, in which what is contiguous in the larger one is so,
 * too: vectors are read from both then. False where the smaller one lies so already, lacks that
 * index, or is not many times smaller.
 */
bool structures_loops_copied(struct tcplan_algorithm *out, const struct tcplan_problem *problem);

/** Enumerates, those without steps first, and of these and of the others those with most indices in
 * the kernel. */
void structures_visit(const struct structures_options *options, structures_fn *visit,
                      void *context);

/**
 * Enumerates families: the structures of one have the same indices in the same roles of the same
 * kernel (those that sum up contracted loops in a call as well, which are then no longer in loops).
 * A family is told as a structure of the BLAS without copies and steps, whether or not that can be
 * built. Those with most indices in the kernel come first; there may be many times fewer of them
 * than structures.
 */
void structures_families(const struct structures_options *options, structures_fn *visit,
                         void *context);

/** Whether families have every set that roles may fuse: there are few enough of them. */
bool structures_has_all_families(const struct tcplan_contraction *contraction);

/** Which structures of a family: a family has many times more in steps. */
enum structures_steps { STRUCTURES_WITHOUT_STEPS = 1, STRUCTURES_IN_STEPS = 2, STRUCTURES_ALL = 3 };

/** Enumerates structures of a family; those of all families are those of structures_visit(). False:
 * `visit` ended it. */
bool structures_of_family(const struct structures_options *options,
                          const struct tcplan_algorithm *family, enum structures_steps steps,
                          structures_fn *visit, void *context);

#endif
