#include "base/quantity.h"
#include "cli/commands/commands.h"
#include "cli/commands/tensors/network.h"
#include "cli/output/progress.h"
#include "cli/render/algorithms/results.h"
#include "cli/stored.h"

/** Makes the stored plan, with its stored time, the chosen entry of a new ranking. Prints a note if
 * the new ranking has a faster entry. */
static void restore_plan(struct tcplan_ranking *ranking, const struct tcplan_found_plan *plan,
                         const struct options *options) {
    const struct tcplan_entry *chosen = tcplan_ranking_chosen(ranking);
    const double seconds = tcplan_recall_restore(ranking, plan);
    if (seconds == 0) {
        note(options, "the stored plan could not be evaluated; the fastest algorithm is explained "
                      "instead");
    } else if (chosen && !chosen->picked) {
        note(options,
             "a new ranking chose an algorithm that is %.0f %% faster than the stored plan: "
             "`tcplan rank` would replace the plan",
             100 * (plan->seconds / chosen->prediction.seconds - 1));
    } else if (seconds < plan->low || seconds > plan->high) {
        note(options,
             "the stored plan took %s in a new ranking, outside its stored interval of %s to %s; "
             "the stored time is explained (`tcplan rank` would replace the plan)",
             quantity_seconds(seconds).text, quantity_seconds(plan->low).text,
             quantity_seconds(plan->high).text);
    }
}

/**
 * @param algorithm  the algorithm to explain; NULL: the fastest one
 * @param plan       the stored plan, if it has this algorithm; otherwise NULL
 */
static enum tcplan_status make(struct tcplan_explanation **out, struct tcplan_ranking **ranking,
                               const struct request *request,
                               const struct tcplan_algorithm *algorithm,
                               const struct tcplan_found_plan *plan) {
    struct tcplan_rank_options options = request_rank_options(request);
    options.exact_threads = true;
    options.progress = progress_update;
    enum tcplan_status status = plans_rank(ranking, request, 0, &options);
    if (status == TCPLAN_OK && (*ranking)->out_of_time)
        note(request->options, "the time limit ended planning: a faster algorithm may exist");
    if (status == TCPLAN_OK && plan) restore_plan(*ranking, plan, request->options);
    if (status == TCPLAN_OK) status = tcplan_explain(out, *ranking, algorithm, &options, &failure);
    return status;
}

/** Finds the algorithm to explain: the named algorithm, else the algorithm of the stored plan, else
 * NULL for the fastest one. */
static enum exit_status choose(const struct tcplan_algorithm **out, struct tcplan_found_plan *plan,
                               const struct request *request) {
    bool found = false;
    *out = &request->algorithm;
    if (request->options->algorithm) return EXIT_DONE;
    const enum exit_status status = plans_recall(
        &found, plan, request, 0,
        "it is explained with its stored time (--no-plans explains the fastest of a new ranking)");
    *out = found ? &plan->algorithm : NULL;
    return status;
}

static enum exit_status run(struct task *task) {
    const struct request *request = &task->request;
    const struct tcplan_algorithm *algorithm;
    struct tcplan_found_plan plan;
    struct tcplan_ranking *ranking = NULL;
    struct tcplan_explanation *explanation = NULL;
    if (task->options->plot)
        return diagnose_as(EXIT_REFUSED, "--plot is for an expression of several tensors");
    enum exit_status status = choose(&algorithm, &plan, request);
    if (status != EXIT_DONE) return status;
    status = diagnosed(make(&explanation, &ranking, request, algorithm,
                            algorithm == &plan.algorithm ? &plan : NULL));
    if (status == EXIT_DONE) {
        struct explained_report report;
        status = explained_report_make(&report, request, explanation)
                     ? task_print(task, &explained_view, &report)
                     : diagnose_no_memory();
        explained_report_free(&report);
    }
    tcplan_explanation_free(explanation);
    tcplan_ranking_free(ranking);
    /* Observations are stored even if there was nothing to explain. */
    const enum exit_status written = stored_add_experience(request);
    return status == EXIT_DONE ? written : status;
}

const struct command command_explain = {
    "explain",
    COMMAND(EXPLAIN),
    "CONTRACTION --sizes SIZES [--algorithm NAME] [OPTIONS]",
    "explain why the fastest algorithm is faster than another",
    "  tcplan explain \"C_abc=A_ai*B_ibc\" --sizes a=b=c=128,i=8\n"
    "  tcplan explain \"C_abc=A_ai*B_ibc\" --sizes a=b=c=128,i=8 \\\n"
    "      --algorithm ca-dgemv --format json\n",
    .opens = TASK_CONTRACTION | REQUEST_SIZES | REQUEST_MACHINE | REQUEST_EXPERIENCE |
             REQUEST_PLANS | REQUEST_ONE_POINT | TASK_OUTPUT,
    .run = run,
    .run_several = network_explain,
    .manual =
        "The other algorithm is the named one, or the fastest that is not tied with the winner (the second if all are tied). "
        "A stored plan is the winner, with its stored time; a note says if a new ranking finds another algorithm clearly faster. "
        "Both predicted times "
        "are split into four parts: call overhead (the kernel with all extents 1, times the calls), the kernel itself (on the same operands "
        "repeatedly, without the overhead), copies and scalings, and the rest: waiting for operands, and loops. For each operand of the kernel a "
        "table shows its cache level and the cache lines and pages that a call touches. Each number is labelled predicted, measured, counted, or "
        "analytic, which means computed from the loop nest and the sizes of tensors and caches. Sentences name the deciding parts. Only the "
        "predictor `window` can explain."};
