#include "cli/commands/commands.h"
#include "cli/commands/network.h"
#include "cli/kept.h"
#include "cli/output/progress.h"
#include "cli/plans.h"
#include "cli/render/algorithms/explain.h"

/** @param algorithm  what is explained; NULL: the fastest */
static enum tcplan_status make(struct tcplan_explanation **out, struct tcplan_ranking **ranking,
                               const struct request *request,
                               const struct tcplan_algorithm *algorithm,
                               struct tcplan_error *error) {
    struct progress progress = progress_begin(request->options->quiet);
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

static enum exit_status run(struct task *task) {
    const struct request *request = &task->request;
    const struct tcplan_algorithm *algorithm;
    struct tcplan_found_plan plan;
    struct tcplan_error error = {0};
    struct tcplan_ranking *ranking = NULL;
    struct tcplan_explanation *explanation = NULL;
    if (task->options->plot) {
        diagnose("--plot is for an expression of several tensors");
        return EXIT_REFUSED;
    }
    enum exit_status status = choose(&algorithm, &plan, request);
    if (status != EXIT_DONE) return status;
    status = diagnosed(make(&explanation, &ranking, request, algorithm, &error), &error);
    if (status == EXIT_DONE) {
        struct explained_report report;
        status = explained_report_make(&report, request, explanation)
                     ? task_print(task, &explained_view, &report)
                     : diagnose_no_memory();
        explained_report_free(&report);
    }
    tcplan_explanation_free(explanation);
    tcplan_ranking_free(ranking);
    const enum exit_status kept = kept_keep_experience(request); /* whatever there was to explain */
    return status == EXIT_DONE ? kept : status;
}

const struct command command_explain = {
    "explain",
    COMMAND(EXPLAIN),
    "CONTRACTION --sizes SIZES [--algorithm NAME] [OPTIONS]",
    "say why the fastest is faster than another, in words and numbers",
    "  tcplan explain \"C_abc=A_ai*B_ibc\" --sizes a=b=c=128,i=8\n"
    "  tcplan explain \"C_abc=A_ai*B_ibc\" --sizes a=b=c=128,i=8 \\\n"
    "      --algorithm ca-dgemv --format json\n",
    .opens = TASK_CONTRACTION | REQUEST_SIZES | REQUEST_MACHINE | REQUEST_EXPERIENCE |
             REQUEST_PLANS | REQUEST_ONE_POINT | TASK_OUTPUT,
    .run = run,
    .run_several = network_explain,
    .manual =
        "The other one is named, or it is the fastest that is not tied with it (the second where all are). Both predicted times "
        "are taken apart: call overhead (the kernel with all extents 1, times the calls), the kernel itself (on the same operands "
        "again and again, less the overhead), copies and scalings, and the rest, which is waiting for operands and loops. For "
        "each operand of the kernel it is shown where it is found (L1 and so on, or memory), and how many cache lines and pages a "
        "call touches. Every number says whether it is predicted, measured, counted or analytic, that is computed from loop nest, "
        "sizes and cache sizes. Sentences name what decides. Only the predictor `window` explains."};
