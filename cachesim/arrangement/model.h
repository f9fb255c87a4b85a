/**
 * The part of the model that does not depend on the arrangement: streams, caches, and the loops
 * that must be outside or inside a copy.
 */
#ifndef CACHESIM_ARRANGEMENT_MODEL_H
#define CACHESIM_ARRANGEMENT_MODEL_H

#include "ast/nest/refine.h"
#include "base/arena.h"
#include "cachesim/arrangement/stream.h"
#include "cachesim/arrangement/units.h"

enum {
    KERNEL_STREAMS = TCPLAN_OPERANDS,
    STREAMS = 3 * TCPLAN_OPERANDS, /**< of the kernel; tensors that are copied; temporaries that are
                                      filled or emptied */
    REMEMBERED_LOOPS = 8,
    REMEMBERED = 1 << REMEMBERED_LOOPS
};

struct model {
    const struct tcplan_refinement *refinement;
    const struct tcplan_costs *costs;
    const struct tcplan_copy_costs *copy; /**< of the type */
    struct refined_problem problem;
    struct tcplan_algorithm structure;
    double element_bytes;
    double line_bytes;
    uint64_t kernel; /**< indices in the kernel */
    uint64_t summed; /**< indices that copies sum over */
    int unit_count;
    struct arrangement_unit unit[ARRANGEMENT_UNITS];
    struct stream stream[STREAMS];
    unsigned copied;                  /**< copied operands, as bits */
    uint64_t steps[TCPLAN_OPERANDS];  /**< loops that have to be outside an operand's copy */
    uint64_t points[TCPLAN_OPERANDS]; /**< loops that have to be inside an operand's copy */
    uint64_t contracted;              /**< loops over contracted indices */
    bool by_rules; /**< of the `blas` space: copies are placed, and the result's filled, as its
                      rules have it */
    double start_seconds; /**< of scaling the result, or making it of the addend, before all else */
    double (*remembered)[STREAMS][REMEMBERED]; /**< blocks by kind, stream and set of loops,
                                                  borrowed; negative: unknown */
};

/**
 * Makes everything but `remembered`. Problem and costs are borrowed; the refinement is in the
 * arena.
 * @param structure  only the presence of its copies counts
 * @param by_rules   it is an algorithm of the `blas` space
 * @return false if out of memory
 */
bool model_make(struct model *out, struct arena *arena, const struct tcplan_problem *problem,
                const struct tcplan_costs *costs, double line_bytes,
                const struct tcplan_algorithm *structure, bool by_rules);

/** Marks all that is remembered as not known yet. */
void model_forget(struct model *model);

/** Returns whether a stream advances with an index. */
bool model_varies(const struct model *model, int stream, int index);

/** Seconds per element of a copy over some indices, depending on contiguous runs on both sides and
 * on the length of rows. */
double model_copied_element_seconds(const struct model *model, const struct stream *tensor,
                                    const struct stream *temporary, uint64_t inside);

#endif
