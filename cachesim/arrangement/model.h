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
    STREAMS = 3 * TCPLAN_OPERANDS, /**< three streams for each operand: in the kernel; the tensor
                                      that is copied; the temporary that is filled or copied back */
    REMEMBERED_LOOPS = 8,
    REMEMBERED = 1 << REMEMBERED_LOOPS
};

struct model {
    const struct tcplan_refinement *refinement;
    const struct tcplan_costs *costs;
    const struct tcplan_copy_costs *copy; /**< costs of copies for the problem's type */
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
    bool by_rules; /**< whether the structure belongs to the `blas` space, whose rules determine
                      where copies are placed, and whether the result's temporary is filled */
    double start_seconds; /**< time to scale the result, or to copy the addend to it, at the start
                           */
    double streamed_call_seconds; /**< time of the incomplete lines that one kernel call writes with
                                     non-temporal stores; 0 if it writes none */
    double (*remembered)[STREAMS][REMEMBERED]; /**< borrowed table of numbers of blocks that were
                                                  computed before, by kind, stream and set of loops;
                                                  a negative entry is unknown */
};

/**
 * Makes a model, except for `remembered`. Problem and costs are borrowed; the refinement is in the
 * arena.
 * @param structure  only the presence of its copies matters
 * @param by_rules the structure is an algorithm of the `blas` space
 * @return false if memory runs out
 */
bool model_make(struct model *out, struct arena *arena, const struct tcplan_problem *problem,
                const struct tcplan_costs *costs, double line_bytes,
                const struct tcplan_algorithm *structure, bool by_rules);

/** Marks all entries of `remembered` as unknown. */
void model_forget(struct model *model);

/** Returns whether a stream advances with an index. */
bool model_varies(const struct model *model, int stream, int index);

/** Returns the seconds per element of a copy over some indices. They depend on the contiguous runs
 * on both sides and on the length of rows. */
double model_copied_element_seconds(const struct model *model, const struct stream *tensor,
                                    const struct stream *temporary, uint64_t inside);

/** Returns the seconds per element for incomplete lines at the ends of the result's rows, where
 * `inside` are the indices of a copy or of the kernel; 0 if non-temporal stores do not write the
 * result. */
double model_streamed_row_seconds(const struct model *model, const struct stream *result,
                                  uint64_t inside);

#endif
