#include <stdlib.h>

#include "cli/commands/commands.h"
#include "cli/commands/network.h"
#include "cli/survey.h"

enum { MEASURED_UNLESS_TOLD = 5 };

/** Measured entries first, by their times. */
static int compare_measured(const void *a, const void *b) {
    const struct tcplan_entry *x = a, *y = b;
    const bool measured = x->status == TCPLAN_ENTRY_MEASURED;
    if (measured != (y->status == TCPLAN_ENTRY_MEASURED)) return measured ? -1 : 1;
    const double first = x->measured.seconds, second = y->measured.seconds;
    return first < second ? -1 : first > second;
}

/** A survey_step: measures the fastest, and the choice if it is not one of them. */
static enum tcplan_status measure(struct tcplan_ranking *ranking, const struct request *request,
                                  const struct tcplan_rank_options *options,
                                  struct tcplan_error *error) {
    const uint64_t top =
        request->options->top > 0 ? (uint64_t)request->options->top : MEASURED_UNLESS_TOLD;
    const size_t wanted = request->options->all ? SIZE_MAX : (size_t)top;
    const size_t count = tcplan_ranking_front(ranking, wanted);
    if (count == 0) return TCPLAN_OK;
    enum tcplan_status status = tcplan_ranking_predict_front(ranking, count, options, error);
    if (status != TCPLAN_OK) return status;
    const size_t front = tcplan_ranking_front(ranking, wanted);
    status = tcplan_ranking_measure(ranking, 0, front, options, error);
    if (status == TCPLAN_OK) qsort(ranking->entry, front, sizeof *ranking->entry, compare_measured);
    return status;
}

/** Whether the largest point, the last, fits the memory: said before anything is timed. */
static enum exit_status check_memory(const struct request *request) {
    const struct tcplan_problem problem = request_problem(request, request_points(request) - 1);
    const struct tcplan_rank_options options = request_rank_options(request);
    struct tcplan_error error;
    return tcplan_measure_check(&problem, &options, &error) == TCPLAN_OK
               ? EXIT_DONE
               : diagnose_error(&error, NULL);
}

/** Each point alone on this machine, as a batch's entries are. */
static enum exit_status survey(const struct request *request) {
    struct tcplan_node_lock *lock = NULL;
    enum exit_status status = lock_open(&lock, request->options);
    if (status == EXIT_DONE) status = survey_run(request, measure, NULL, lock);
    tcplan_node_lock_close(lock);
    return status;
}

enum exit_status cmd_measure(const struct options *options) {
    if (network_is_asked(options)) return network_measure(options);
    struct request request;
    enum exit_status status = request_read(&request, options, "measure",
                                           REQUEST_SIZES | REQUEST_MACHINE | REQUEST_CEILINGS |
                                               REQUEST_EXPERIENCE | REQUEST_PLANS);
    if (status == EXIT_DONE) status = check_memory(&request);
    if (status == EXIT_DONE) status = survey(&request);
    request_free(&request);
    return status;
}
