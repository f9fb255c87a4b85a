/**
 * A ranking in the making: what its stages share.
 */
#ifndef PLAN_RANK_H
#define PLAN_RANK_H

#include "microbench/thesis.h"
#include "microbench/window.h"
#include "tcplan/plan.h"

struct ranker {
    struct tcplan_ranking *ranking;
    size_t front_count; /**< entries that the stage is about */
    struct tcplan_rank_options options;
    struct tcplan_machine machine;
    struct window_settings settings;
    struct thesis thesis; /**< of the predictor of that name */
};

/** Predicts one entry with the full number of samples; TCPLAN_NOT_APPLICABLE is noted in the entry as well. */
enum tcplan_status ranker_predict(struct ranker *ranker, struct tcplan_entry *entry, struct tcplan_error *error);

/** Predicts every entry that can win, the others too where all are asked for. */
enum tcplan_status ranker_search(struct ranker *ranker, struct tcplan_error *error);

/** The ranking's tensors, reserved at the first call. Pages that fit the bound are all backed at once. */
enum tcplan_status ranking_buffers(struct buffers **out, struct tcplan_ranking *ranking, int64_t max_memory_bytes,
                                   struct tcplan_error *error);

/** Sorts the entries and marks ties. */
void ranker_sort(struct tcplan_ranking *ranking);

#endif
