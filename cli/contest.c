#include "cli/contest.h"

#include <unistd.h>

#include "cli/output/progress.h"

enum exit_status contest_run(struct tcplan_turns *turns, const struct request *request, const struct tcplan_problem *problem) {
    const struct options *options = request->options;
    struct progress progress = {.enabled = !options->quiet && isatty(STDERR_FILENO), .points = 1};
    const struct tcplan_turns_options limits = {.threads = options->threads,
                                                .alignment_bytes = options->alignment_bytes,
                                                .max_memory_bytes = options->max_memory_bytes,
                                                .time_limit_seconds = options->time_limit_seconds,
                                                .progress = progress_update,
                                                .progress_context = &progress};
    struct tcplan_error error;
    const enum tcplan_status status = tcplan_turns_run(turns, problem, &limits, &error);
    progress_clear(&progress);
    return status == TCPLAN_OK ? EXIT_DONE : diagnose_error(&error, NULL);
}

enum exit_status contest_run_winner(struct tcplan_turns *turns, const struct request *request, const struct tcplan_ranking *ranking) {
    *turns = (struct tcplan_turns){.count = 3,
                                   .contender = {{.algorithm = &ranking->entry[0].algorithm},
                                                 {.kind = TCPLAN_CONTENDER_NUMPY},
                                                 {.kind = TCPLAN_CONTENDER_NUMPY_BEST}}};
    return contest_run(turns, request, &ranking->problem);
}
