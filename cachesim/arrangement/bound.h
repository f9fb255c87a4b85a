/**
 * Lower bounds on the times of structures before they are arranged, by the model of arrangements:
 * each tensor is loaded once, and each element is copied at the lowest cost.
 */
#ifndef CACHESIM_ARRANGEMENT_BOUND_H
#define CACHESIM_ARRANGEMENT_BOUND_H

#include <stdbool.h>

#include "cachesim/arrangement/units.h"
#include "tcplan/algorithm.h"
#include "tcplan/machine.h"

/** The data for lower bounds that all structures of a problem share, computed once to sort
 * thousands of structures. */
struct arrangement_bound {
    const struct tcplan_problem *problem; /**< the problem, borrowed */
    struct tcplan_costs costs;
    int unit_count;
    struct arrangement_unit unit[ARRANGEMENT_UNITS];
    struct {
        uint64_t moving; /**< indices with an extent above 1 */
        int nearest;     /**< the `moving` index with the smallest stride; -1: none */
        double elements;
        double run;       /**< upper bound on the number of contiguous elements */
        double run_bytes; /**< bytes of the runs of consecutive lines of the whole tensor */
        double blocks[ARRANGEMENT_BLOCKS]; /**< number of cache lines or pages of the whole tensor
                                            */
        double line_seconds[2]; /**< seconds to load these blocks once into each unit that cannot
                                   hold all tensors; [1]: if the result is streamed */
    } tensor[TCPLAN_OPERANDS];
};

/** Computes the data for lower bounds. The problem is borrowed. */
struct arrangement_bound arrangement_bound_of(const struct tcplan_problem *problem,
                                              const struct tcplan_machine *machine);

/** Returns a lower bound for all structures: each tensor is read or written once; a streamed
 * result bypasses the caches. */
double arrangement_bound_tensors_seconds(const struct arrangement_bound *least, bool streamed);

/**
 * Returns a lower bound, by the model, on the seconds of every arrangement of a structure, without
 * the kernels themselves. Needs no memory and little time.
 * @param in_any_way whether the bound must also hold if indices are split and the copy of the
 *     result is streamed; the data of single calls are then ignored
 */
double arrangement_bound_seconds(const struct arrangement_bound *least,
                                 const struct tcplan_algorithm *structure, bool in_any_way);

#endif
