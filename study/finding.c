#include "study/finding.h"

#include <stdio.h>

#include "base/alloc.h"
#include "base/error.h"
#include "tcplan/ceilings.h"
#include "tcplan/recall.h"

/* Maximum number of tied entries that are recorded, because large spaces have hundreds of
 * algorithms with negligible differences. */
enum { MOST_TIED = 32 };

static bool is_measured(const struct tcplan_entry *entry) {
    return entry->status == TCPLAN_ENTRY_MEASURED;
}

/** Returns whether an entry is recorded: the choice, the first algorithms tied with it, and all
 * measured ones. */
static bool is_recorded(const struct tcplan_ranking *ranking, size_t e) {
    const struct tcplan_entry *entry = &ranking->entry[e];
    return entry == tcplan_ranking_chosen(ranking) || (entry->tied && e < MOST_TIED) ||
           is_measured(entry);
}

/** Describes an entry. If the ranking timed algorithms, estimates get no interval, because the
 * intervals of a record are those of runs. */
static struct found_algorithm describe(const struct tcplan_ranking *ranking,
                                       const struct tcplan_entry *entry) {
    const bool chosen = entry == tcplan_ranking_chosen(ranking);
    struct found_algorithm out = {.algorithm = entry->algorithm,
                                  .numbers = {.chosen = chosen,
                                              .threads = entry->threads,
                                              .tied = entry->tied || chosen,
                                              .calls = entry->calls}};
    struct tcplan_result_algorithm *numbers = &out.numbers;
    if (entry->predicted) {
        numbers->predicted_seconds = entry->prediction.seconds;
        const bool has_interval = entry->basis != TCPLAN_BASIS_ESTIMATE || ranking->is_untimed;
        numbers->predicted_low = has_interval ? entry->prediction.low : 0;
        numbers->predicted_high = has_interval ? entry->prediction.high : 0;
    }
    if (is_measured(entry)) {
        numbers->measured_seconds = entry->measured.seconds;
        numbers->measured_low = entry->measured.low;
        numbers->measured_high = entry->measured.high;
    }
    return out;
}

/** Converts a count, which is approximate in large spaces and may exceed an int64_t. */
static int64_t whole_number(double count) {
    return count < 0x1p62 ? (int64_t)count : INT64_MAX;
}

static struct finding *summarise(const struct tcplan_ranking *ranking, double limit_seconds) {
    size_t count = 0;
    for (size_t e = 0; e < ranking->entry_count; e++) count += is_recorded(ranking, e);
    struct finding *out = base_alloc(sizeof *out + count * sizeof *out->algorithm);
    if (!out) return NULL;
    *out = (struct finding){.numbers = {.flops = ranking->problem.flops,
                                        .planning_seconds = ranking->planning_seconds,
                                        .gemm_gflops = ranking->gemm_gflops,
                                        .limit_seconds = limit_seconds,
                                        .algorithm_total = whole_number(ranking->algorithm_count),
                                        .pruned_count = whole_number(ranking->pruned_count),
                                        .max_memory_bytes = ranking->max_memory_bytes}};
    for (size_t e = 0; e < ranking->entry_count; e++) {
        if (is_recorded(ranking, e))
            out->algorithm[out->count++] = describe(ranking, &ranking->entry[e]);
    }
    return out;
}

static enum tcplan_status measure(struct tcplan_ranking *ranking,
                                  const struct tcplan_rank_options *options, size_t measured,
                                  struct tcplan_error *error) {
    enum tcplan_status status = tcplan_ranking_predict_front(
        ranking, tcplan_ranking_front(ranking, measured), options, error);
    return status == TCPLAN_OK
               ? tcplan_ranking_measure(ranking, 0, tcplan_ranking_front(ranking, measured),
                                        options, error)
               : status;
}

static enum tcplan_status finish(struct finding **out, struct tcplan_ranking *ranking,
                                 const struct tcplan_rank_options *options, size_t measured,
                                 struct tcplan_error *error) {
    if (tcplan_ranking_front(ranking, 1) == 0) {
        return error_set(error, TCPLAN_NOT_APPLICABLE,
                         "no algorithm can run at these sizes: %.220s",
                         *ranking->cannot_run ? ranking->cannot_run
                                              : "a stride or matrix exceeds what its kernel takes");
    }
    enum tcplan_status status =
        measured > 0 ? measure(ranking, options, measured, error) : TCPLAN_OK;
    if (status != TCPLAN_OK) return status;
    const struct tcplan_roofline *ceilings = options->machine ? options->machine->ceilings : NULL;
    *out = summarise(ranking,
                     tcplan_roofline_limit_seconds(ceilings, &ranking->problem, options->threads));
    return *out ? TCPLAN_OK : error_no_memory(error);
}

/** Stores the choice of a ranking as a plan. If that fails, records the reason; the finding is
 * still valid. */
static void keep_plan(struct finding_plan *out, struct tcplan_stored_plans *plans,
                      const struct tcplan_ranking *ranking,
                      const struct tcplan_rank_options *options) {
    struct tcplan_error error;
    if (!plans || !tcplan_stored_plans_path(plans)) return;
    const enum tcplan_status status =
        tcplan_recall_keep(&out->stored, plans, ranking, options, &error);
    if (status == TCPLAN_OK) return;
    out->stored = false;
    if (status != TCPLAN_NOT_APPLICABLE)
        snprintf(out->unstored, sizeof out->unstored, "%.*s", (int)sizeof out->unstored - 1,
                 error.message);
}

enum tcplan_status finding_make(struct finding **out, const struct tcplan_problem *problem,
                                const struct tcplan_rank_options *options, size_t measured,
                                struct tcplan_stored_plans *plans, struct finding_plan *plan,
                                struct tcplan_error *error) {
    struct tcplan_algorithm start[TCPLAN_RECALL_STARTS];
    struct tcplan_rank_options started = *options;
    struct tcplan_ranking *ranking = NULL;
    *plan = (struct finding_plan){0};
    tcplan_recall_starts(&started, start, plans, problem);
    enum tcplan_status status =
        measured > 0 ? tcplan_measure_check(problem, options, error) : TCPLAN_OK;
    if (status == TCPLAN_OK) status = tcplan_rank(&ranking, problem, &started, error);
    if (status == TCPLAN_OK) status = finish(out, ranking, options, measured, error);
    if (status == TCPLAN_OK) keep_plan(plan, plans, ranking, options);
    tcplan_ranking_free(ranking);
    return status;
}
