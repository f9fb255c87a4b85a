/**
 * What ranking and measuring a problem found out, without any name: it holds for every problem that is equal but for its names.
 */
#ifndef CLI_FINDING_H
#define CLI_FINDING_H

#include "tcplan/tcplan.h"

/** Seconds as in struct tcplan_result_algorithm. */
struct finding_algorithm {
    struct tcplan_algorithm algorithm;
    bool tied;
    int64_t calls;
    double predicted_seconds;
    double predicted_low;
    double predicted_high;
    double measured_seconds;
    double measured_low;
    double measured_high;
};

struct finding {
    double flops;
    double planning_seconds;
    double gemm_gflops;
    int64_t algorithm_total;
    int64_t pruned_count;
    int64_t max_memory_bytes;
    size_t count;
    struct finding_algorithm algorithm[]; /**< the winner first, then by rank: those tied with it, and all that were measured */
};

/**
 * Ranks a problem and measures the first `measured` algorithms.
 *
 * @param out  receives the finding, to be freed with free()
 * @return a status of tcplan_rank() or tcplan_ranking_measure(); TCPLAN_NOT_APPLICABLE, with a message, where no algorithm can run
 */
enum tcplan_status finding_make(struct finding **out, const struct tcplan_problem *problem, const struct tcplan_rank_options *options,
                                size_t measured, struct tcplan_error *error);

#endif
