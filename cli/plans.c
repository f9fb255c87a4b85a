#include "cli/plans.h"

#include <stdlib.h>

#include "cli/render/text/date.h"

/** The user's file or folder; NULL: none. */
static const char *named_place(const struct options *options) {
    return options->plans ? options->plans : getenv("TCPLAN_PLANS");
}

enum exit_status plans_open_place(struct tcplan_stored_plans **out,
                                  const struct tcplan_machine *machine,
                                  const struct options *options) {
    struct stored stored;
    const char *named = named_place(options);
    *out = NULL;
    const enum exit_status status = stored_open(&stored, machine);
    if (status != EXIT_DONE) return status;
    if (named) stored.store.folder = NULL;
    enum tcplan_status opened =
        tcplan_stored_plans_open(out, &stored.store, named && *named ? named : NULL, &failure);
    if (opened == TCPLAN_OK && options->plans) opened = tcplan_stored_plans_check(*out, &failure);
    stored_close(&stored);
    return diagnosed(opened);
}

enum exit_status plans_open(struct tcplan_stored_plans **out, const struct request *request) {
    const struct options *options = request->options;
    *out = NULL;
    const bool wanted = !options->no_plans && (options->plans || !options->no_store);
    return request->machine.live && wanted ? plans_open_place(out, &request->machine, options)
                                           : EXIT_DONE;
}

enum tcplan_status plans_rank(struct tcplan_ranking **out, const struct request *request,
                              int64_t point, const struct tcplan_rank_options *options) {
    const struct tcplan_problem problem = request_problem(request, point);
    struct tcplan_algorithm start[TCPLAN_RECALL_STARTS];
    struct tcplan_rank_options started = *options;
    started.start = start;
    if (request->plans)
        started.start_count = tcplan_recall_starts(start, request->plans, &problem, options);
    return tcplan_rank(out, &problem, &started, &failure);
}

enum exit_status plans_recall(bool *found, struct tcplan_found_plan *out,
                              const struct request *request, int64_t point, const char *use) {
    const struct tcplan_problem problem = request_problem(request, point);
    const struct tcplan_rank_options options = request_rank_options(request);
    *found = false;
    if (!request->plans) return EXIT_DONE;
    const enum tcplan_status status =
        tcplan_recall(out, request->plans, &problem, &options, &failure);
    *found = status == TCPLAN_OK;
    if (status == TCPLAN_NO_MEMORY) return diagnose_no_memory();
    if (status == TCPLAN_NOT_APPLICABLE) return EXIT_DONE;
    if (*found) {
        note(request->options, "stored plan of %s, found with effort %s: %s",
             date_minute(out->made).text, tcplan_word(tcplan_words_efforts, out->effort), use);
    } else {
        note(request->options, "no stored plan is used: %s", failure.message);
    }
    return EXIT_DONE;
}

enum exit_status plans_keep(const struct request *request, const struct tcplan_ranking *ranking,
                            const struct tcplan_rank_options *options) {
    if (!request->plans) return EXIT_DONE;
    const enum tcplan_status status =
        tcplan_recall_keep(NULL, request->plans, ranking, options, &failure);
    if (status == TCPLAN_NO_MEMORY) return diagnose_no_memory();
    if (status != TCPLAN_OK && status != TCPLAN_NOT_APPLICABLE)
        note(request->options, "the plan is not stored: %s", failure.message);
    return EXIT_DONE;
}
