/**
 * Structures of the `full` space: all choices of an algorithm except the order of its loops and the
 * depths of its copies. A structure fixes the fused indices (gen/space/groups.h), the kernel and
 * its provider, the copied operands and their layouts, and the indices split into steps.
 *
 * Choices that cannot be worthwhile are left out. Operands are copied if the kernel cannot take
 * them in place or a copy is used more than once. The result gets a temporary if the kernel cannot
 * write it, or for non-temporal stores. Tiles are as large as temporaries of the result that fit
 * in a cache.
 *
 * Batch indices are loops, or the indices of an element-wise product whose loops are all other
 * indices. Element-wise products come first if most indices are batch indices, otherwise last.
 *
 * If several threads may share a loop, there are also structures with a chosen parallel loop: the
 * first one (parallel 0), a free index of the kernel in as many steps as threads; or the first two
 * (collapsed), one of A and one of B with as many steps together.
 */
#ifndef GEN_SPACE_STRUCTURES_H
#define GEN_SPACE_STRUCTURES_H

#include "base/deadline.h"
#include "tcplan/algorithm.h"

enum { STRUCTURES_NEAR_CACHES = 2 };

/** Callback for each structure, in an arrangement that can be built. False ends the enumeration. */
typedef bool structures_fn(void *context, const struct tcplan_algorithm *structure);

struct structures_options {
    const struct tcplan_problem *problem;
    int64_t line_elems;                         /**< elements in a cache line */
    int64_t near_elems[STRUCTURES_NEAR_CACHES]; /**< elements that the L1 and the L2 cache hold */
    bool provider[TCPLAN_PROVIDERS]; /**< whether each provider is available; TCPLAN_PROVIDER_BLAS
                                        always is */
    int threads;                     /**< number of threads that may share a loop */
    bool streams[TCPLAN_PROVIDERS];  /**< whether the provider's kernels may write the result by
                                        non-temporal stores */
    struct deadline deadline;        /**< time at which the enumeration ends */
    /** Returns whether structures with these copies may be the fastest; called for a structure
     * without steps, of any provider. If false, none of them is reported. NULL: all are. */
    structures_fn *may_win;
};

/** Enumerates structures: first those without steps, then the others; in both groups, those whose
 * kernels have the most indices come first. */
void structures_visit(const struct structures_options *options, structures_fn *visit,
                      void *context);

/**
 * Enumerates families: structures with the same indices in the same roles of the same kernel,
 * including those that sum contracted loops in a call. A family is reported as a BLAS structure
 * without copies and steps, whether or not that can be built. Families with most indices in the
 * kernel come first. There may be far fewer families than structures.
 */
void structures_families(const struct structures_options *options, structures_fn *visit,
                         void *context);

/** Returns whether roles may fuse every offered set of indices, because there are few enough
 * families. */
bool structures_has_all_families(const struct tcplan_contraction *contraction);

/** The structures of a family to enumerate. Many times more structures have steps than have
 * none. */
enum structures_steps { STRUCTURES_WITHOUT_STEPS = 1, STRUCTURES_IN_STEPS = 2, STRUCTURES_ALL = 3 };

/** Enumerates the structures of a family. All families together have the structures of
 * structures_visit(). Returns false if `visit` ended the enumeration. */
bool structures_of_family(const struct structures_options *options,
                          const struct tcplan_algorithm *family, enum structures_steps steps,
                          structures_fn *visit, void *context);

#endif
