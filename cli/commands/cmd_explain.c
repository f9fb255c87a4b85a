#include <unistd.h>

#include "cli/commands/commands.h"
#include "cli/commands/network.h"
#include "cli/kept.h"
#include "cli/output/cleanup.h"
#include "cli/output/printed.h"
#include "cli/output/progress.h"
#include "cli/plans.h"
#include "cli/render/algorithms/explain.h"

/** @param algorithm  what is explained; NULL: the fastest */
static enum tcplan_status make(struct tcplan_explanation **out, struct tcplan_ranking **ranking,
                               const struct request *request,
                               const struct tcplan_algorithm *algorithm,
                               struct tcplan_error *error) {
    struct progress progress = {.enabled = !request->options->quiet && isatty(STDERR_FILENO),
                                .points = 1};
    struct tcplan_rank_options options = request_rank_options(request);
    options.exact_threads = true;
    options.progress = progress_update;
    options.progress_context = &progress;
    enum tcplan_status status = plans_rank(ranking, request, 0, &options, error);
    if (status == TCPLAN_OK) status = tcplan_explain(out, *ranking, algorithm, &options, error);
    progress_clear(&progress);
    return status;
}

/** The algorithm that is named, else that of the stored plan; NULL where there is neither. */
static enum exit_status choose(const struct tcplan_algorithm **out, struct tcplan_found_plan *plan,
                               const struct request *request) {
    bool found = false;
    *out = &request->algorithm;
    if (request->options->algorithm) return EXIT_DONE;
    const enum exit_status status =
        plans_recall(&found, plan, request, 0, "it is explained (--no-plans: the fastest)");
    *out = found ? &plan->algorithm : NULL;
    return status;
}

static enum exit_status explain(const struct request *request, struct output_file *out) {
    const struct tcplan_algorithm *algorithm;
    struct tcplan_found_plan plan;
    struct tcplan_error error = {0};
    struct tcplan_ranking *ranking = NULL;
    struct tcplan_explanation *explanation = NULL;
    enum exit_status status = choose(&algorithm, &plan, request);
    if (status != EXIT_DONE) return status;
    if (make(&explanation, &ranking, request, algorithm, &error) != TCPLAN_OK) {
        status = diagnose_error(&error, NULL);
    } else {
        struct explained_report report;
        status = explained_report_make(&report, request, explanation)
                     ? printed_into(out, request->options->format, &explained_view, &report)
                     : diagnose_no_memory();
        explained_report_free(&report);
    }
    tcplan_explanation_free(explanation);
    tcplan_ranking_free(ranking);
    const enum exit_status kept = kept_keep_experience(request); /* whatever there was to explain */
    return status == EXIT_DONE ? kept : status;
}

enum exit_status cmd_explain(const struct options *options) {
    if (network_is_asked(options)) return network_run(options, "explain", true);
    if (options->plot) {
        diagnose("--plot is for an expression of several tensors");
        return EXIT_REFUSED;
    }
    struct request request;
    struct output_file out = {0};
    struct tcplan_error error;
    enum exit_status status = request_read(&request, options, "explain",
                                           REQUEST_SIZES | REQUEST_MACHINE | REQUEST_EXPERIENCE |
                                               REQUEST_PLANS | REQUEST_ONE_POINT);
    if (status == EXIT_DONE && output_open(&out, options->output, &error) != TCPLAN_OK)
        status = diagnose_error(&error, NULL);
    if (status == EXIT_DONE) status = explain(&request, &out);
    output_file_discard(&out);
    request_free(&request);
    return status;
}
