#include "cli/contest.h"

#include "cli/output/progress.h"

/* Limit on the extra time of a ranking for its baseline. */
#define BASELINE_SECONDS 1.0

static struct tcplan_turns_options limits_of(const struct options *options) {
    return (struct tcplan_turns_options){.threads = options->threads,
                                         .alignment_bytes = options->alignment_bytes,
                                         .max_memory_bytes = options->max_memory_bytes,
                                         .time_limit_seconds = options->time_limit_seconds};
}

double contest_speedup(const struct request *request, const struct tcplan_ranking *ranking,
                       const struct tcplan_algorithm *other) {
    const struct tcplan_entry *chosen = tcplan_ranking_chosen(ranking);
    struct tcplan_turns turns = {
        .count = 2,
        .contender = {{.algorithm = &chosen->algorithm, .threads = chosen->threads},
                      {.algorithm = other}}};
    struct tcplan_turns_options limits = limits_of(request->options);
    if (!(limits.time_limit_seconds > 0) || limits.time_limit_seconds > BASELINE_SECONDS)
        limits.time_limit_seconds = BASELINE_SECONDS;
    if (tcplan_turns_run(&turns, &ranking->problem, &limits, &failure) != TCPLAN_OK ||
        turns.rounds == 0)
        return 0;
    return turns.contender[1].ratio / turns.contender[0].ratio;
}

/* Python starts within seconds even on a busy machine. */
#define PATIENCE_SECONDS 10.0

enum exit_status contest_check_numpy(const struct options *options) {
    const double patience_seconds =
        options->time_limit_seconds > 0 ? options->time_limit_seconds : PATIENCE_SECONDS;
    return diagnosed(tcplan_turns_find_numpy(patience_seconds, &failure));
}

enum exit_status contest_run(struct tcplan_turns *turns, const struct request *request,
                             const struct tcplan_problem *problem) {
    struct tcplan_turns_options limits = limits_of(request->options);
    limits.progress = progress_update;
    return diagnosed(tcplan_turns_run(turns, problem, &limits, &failure));
}

/** Whether an index is in all three tensors: numpy.einsum multiplies no matrices then. */
static bool has_batch(const struct tcplan_contraction *contraction) {
    return tcplan_contraction_indices(contraction, TCPLAN_BATCH) != 0;
}

enum exit_status contest_run_winner(struct tcplan_turns *turns, const struct request *request,
                                    const struct tcplan_ranking *ranking) {
    const struct tcplan_entry *chosen = tcplan_ranking_chosen(ranking);
    *turns = (struct tcplan_turns){
        .count = 3,
        .contender = {{.algorithm = &chosen->algorithm, .threads = chosen->threads},
                      {.kind = TCPLAN_CONTENDER_NUMPY},
                      {.kind = TCPLAN_CONTENDER_NUMPY_BEST}}};
    if (has_batch(request->contraction))
        turns->contender[turns->count++].kind = TCPLAN_CONTENDER_NUMPY_MATMUL;
    return contest_run(turns, request, &ranking->problem);
}
