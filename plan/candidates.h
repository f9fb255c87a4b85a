/**
 * The candidates of the `full` space: structures, each with its best arrangements, in the order of a coarse estimate.
 */
#ifndef PLAN_CANDIDATES_H
#define PLAN_CANDIDATES_H

#include "plan/rank.h"

struct candidate {
    struct tcplan_algorithm algorithm;
    double kernel_seconds;   /**< measured: the kernels by themselves, a bound from below */
    double estimate_seconds; /**< the same and, from the model, copies and what caches miss */
};

struct candidates {
    size_t count;
    size_t capacity;
    struct candidate *candidate; /**< by estimate */
    double generated;            /**< arrangements that were rated */
    double structures;
    enum tcplan_status status;
};

/** Fills in the candidates; free them with candidates_free(). */
enum tcplan_status candidates_make(struct candidates *out, struct ranker *ranker, struct tcplan_error *error);

void candidates_free(struct candidates *candidates);

#endif
