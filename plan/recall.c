#include "tcplan/recall.h"

#include "base/error.h"
#include "microbench/providers/providers.h"
#include "tcplan/blas.h"

struct tcplan_plan_setup tcplan_recall_setup(const struct tcplan_rank_options *options) {
    return (struct tcplan_plan_setup){.threads = options->threads,
                                      .cache = (int)options->cache,
                                      .space = (int)options->space,
                                      .prefer = (int)options->prefer,
                                      .alignment_bytes = options->alignment_bytes};
}

/** Returns whether a stored plan can be the answer to a ranking with these options. */
static bool is_answered(const struct tcplan_problem *problem,
                        const struct tcplan_rank_options *options) {
    return options->predictor == TCPLAN_PREDICT_WINDOW && !options->predict_all &&
           !tcplan_problem_only_scales(problem) && !provider_has_files();
}

/** Checks that a stored plan can be executed here: its nest is valid, and all its calls are
 * available. */
static enum tcplan_status check(const struct tcplan_found_plan *plan,
                                const struct tcplan_problem *problem,
                                const struct tcplan_rank_options *options,
                                struct tcplan_error *error) {
    struct tcplan_nest *nest = NULL;
    enum tcplan_status status =
        tcplan_nest_build(&nest, problem->contraction, &plan->algorithm, error);
    if (status != TCPLAN_OK) return status;
    const int64_t bytes = tcplan_nest_workspace_bytes(nest, problem, plan->threads);
    tcplan_nest_free(nest);
    if (options->max_workspace_bytes == 0 || bytes <= options->max_workspace_bytes)
        return TCPLAN_OK;
    return error_set(error, TCPLAN_NOT_APPLICABLE,
                     "the stored plan takes more workspace than is allowed");
}

enum tcplan_status tcplan_recall(struct tcplan_found_plan *out, struct tcplan_stored_plans *plans,
                                 const struct tcplan_problem *problem,
                                 const struct tcplan_rank_options *options,
                                 struct tcplan_error *error) {
    const struct tcplan_rank_options defaults = tcplan_rank_defaults();
    const struct tcplan_rank_options *asked = options ? options : &defaults;
    const struct tcplan_plan_setup setup = tcplan_recall_setup(asked);
    if (!is_answered(problem, asked)) return TCPLAN_NOT_APPLICABLE;
    const enum tcplan_status status =
        tcplan_stored_plans_find(out, plans, problem, &setup, (int)asked->effort, error);
    if (status != TCPLAN_OK || asked->max_workspace_bytes == 0) return status;
    return check(out, problem, asked, error);
}

void tcplan_recall_starts(struct tcplan_rank_options *options,
                          struct tcplan_algorithm start[TCPLAN_RECALL_STARTS],
                          struct tcplan_stored_plans *plans, const struct tcplan_problem *problem) {
    struct tcplan_found_plan near[TCPLAN_RECALL_STARTS];
    const struct tcplan_plan_setup setup = tcplan_recall_setup(options);
    options->start = start;
    options->start_count = 0;
    options->stored_threads = 0;
    if (!plans || !is_answered(problem, options)) return;
    if (tcplan_stored_plans_near(near, TCPLAN_RECALL_STARTS, &options->start_count, plans, problem,
                                 &setup, NULL) != TCPLAN_OK)
        options->start_count = 0;
    for (size_t n = 0; n < options->start_count; n++) start[n] = near[n].algorithm;
    if (options->start_count > 0 && near[0].distance == 0)
        options->stored_threads = near[0].threads;
}

/** Returns whether the stored winner was predicted but got too few samples to be compared. */
static bool ignores_stored(const struct tcplan_ranking *ranking) {
    for (size_t e = 0; e < ranking->entry_count; e++) {
        const struct tcplan_entry *entry = &ranking->entry[e];
        if (entry->is_stored && entry->predicted && !entry->compared) return true;
    }
    return false;
}

/** Returns whether the chosen entry is the result of a comparison, so that its plan is stored. */
static bool qualifies(const struct tcplan_ranking *ranking,
                      const struct tcplan_rank_options *options) {
    if (ranking->entry_count == 0 || !is_answered(&ranking->problem, options)) return false;
    const struct tcplan_entry *pick = tcplan_ranking_chosen(ranking);
    return ranking->compared && !ranking->is_single && !ranking->is_untimed && pick->picked &&
           pick->predicted && pick->prediction.seconds > 0 && !ignores_stored(ranking) &&
           pick->algorithm.provider < TCPLAN_PROVIDER_FILE_1;
}

enum tcplan_status tcplan_recall_keep(bool *is_stored, struct tcplan_stored_plans *plans,
                                      const struct tcplan_ranking *ranking,
                                      const struct tcplan_rank_options *options,
                                      struct tcplan_error *error) {
    const bool keeps = qualifies(ranking, options);
    if (is_stored) *is_stored = keeps;
    if (!keeps) return TCPLAN_OK;
    const struct tcplan_entry *pick = tcplan_ranking_chosen(ranking);
    const struct tcplan_plan_setup setup = tcplan_recall_setup(options);
    struct tcplan_nest *nest = NULL;
    enum tcplan_status status =
        tcplan_nest_build(&nest, ranking->problem.contraction, &pick->algorithm, error);
    if (status != TCPLAN_OK) return status;
    const struct tcplan_found_plan plan = {
        .algorithm = pick->algorithm,
        .threads = pick->threads,
        .effort = (int)options->effort,
        .seconds = pick->prediction.seconds,
        .low = pick->prediction.low,
        .high = pick->prediction.high,
        .workspace_bytes = tcplan_nest_workspace_bytes(nest, &ranking->problem, pick->threads)};
    tcplan_nest_free(nest);
    return tcplan_stored_plans_keep(plans, &ranking->problem, &setup, &plan, error);
}

static void scale(struct tcplan_estimate *estimate, double factor) {
    estimate->seconds *= factor;
    estimate->low *= factor;
    estimate->high *= factor;
    for (int s = 0; s < estimate->sample_count; s++) estimate->sample[s] *= factor;
}

double tcplan_recall_restore(struct tcplan_ranking *ranking, const struct tcplan_found_plan *plan) {
    for (size_t e = 0; e < ranking->entry_count; e++) {
        struct tcplan_entry *entry = &ranking->entry[e];
        if (!entry->predicted || entry->threads != plan->threads ||
            !tcplan_algorithm_equal(&entry->algorithm, &plan->algorithm))
            continue;
        const double seconds = entry->prediction.seconds;
        for (size_t o = 0; o < ranking->entry_count; o++) {
            if (ranking->entry[o].predicted)
                scale(&ranking->entry[o].prediction, plan->seconds / seconds);
            ranking->entry[o].picked = o == e;
        }
        entry->prediction.seconds = plan->seconds;
        entry->prediction.low = plan->low;
        entry->prediction.high = plan->high;
        return seconds;
    }
    return 0;
}
