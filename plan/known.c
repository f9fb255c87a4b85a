#include "plan/known.h"

#include <math.h>

#include "base/checked.h"
#include "microbench/reduce.h"
#include "plan/predictor.h"

/* A look executes a kernel that takes longer than a window about so often. */
#define CALLS_OF_A_LOOK 10.0

struct known known_of_candidate(const struct candidate *candidate) {
    const double calls = candidate->call_ns > 0 ? candidate->kernel_seconds / (candidate->call_ns * 1e-9) : 1;
    return (struct known){.kernel_seconds = candidate->kernel_seconds, .calls = calls, .estimate_seconds = candidate->estimate_seconds};
}

struct known known_of_order(struct ranker *ranker, const struct tcplan_family *family, const struct tcplan_algorithm *algorithm) {
    const struct tcplan_problem *problem = &ranker->ranking->problem;
    struct known known = {.kernel_seconds = family->lower_bound_seconds, .calls = 1, .estimate_seconds = INFINITY};
    for (int l = 0; l < algorithm->loop_count; l++) known.calls *= (double)problem->extent[algorithm->loop[l]];
    const bool matters = ranker->deadline.ns > 0 && !ranker_is_late(ranker) && known.kernel_seconds == 0;
    if (matters && candidate_estimate(&known.estimate_seconds, &known.calls, ranker, algorithm, NULL) == TCPLAN_OK) {
        known.kernel_seconds = known.estimate_seconds;
    }
    return known;
}

bool known_has_time(const struct known *known, const struct ranker *ranker) {
    const double call_flops = ranker->ranking->problem.flops / known->calls;
    const double look_seconds = CALLS_OF_A_LOOK * kernel_reduced_seconds(known->kernel_seconds / known->calls, call_flops);
    return !ranker_is_late(ranker) && look_seconds <= deadline_left_seconds(ranker->deadline);
}

enum tcplan_status known_estimate(const struct known *known, struct ranker *ranker, struct tcplan_entry *entry,
                                  struct tcplan_error *error) {
    double seconds = known->estimate_seconds;
    double calls;
    enum tcplan_status status = candidate_estimate(isfinite(seconds) ? NULL : &seconds, &calls, ranker, &entry->algorithm, error);
    if (status == TCPLAN_NOT_APPLICABLE) entry->status = TCPLAN_ENTRY_NOT_APPLICABLE;
    if (status != TCPLAN_OK) return status;
    entry->calls = saturated_i64(calls);
    note_guess(entry, seconds);
    return TCPLAN_OK;
}
