#include <stdlib.h>

#include "cli/commands/commands.h"
#include "cli/commands/tensors/network.h"
#include "cli/emission.h"
#include "cli/render/text/values.h"
#include "cli/stored.h"
#include "cli/survey.h"

/** Writes C for the chosen algorithm and prints the algorithm's name. */
static enum exit_status emit_chosen(struct emission *emission,
                                    const struct tcplan_algorithm *algorithm, int threads) {
    const struct request *request = emission->request;
    struct strbuf choice = {0};
    const enum exit_status status = emission_write(emission, algorithm, threads);
    if (status != EXIT_DONE) return status;
    char *name = tcplan_algorithm_name(algorithm, request->contraction,
                                       (enum tcplan_dtype)request->options->dtype);
    if (!name) return diagnose_no_memory();
    strbuf_add(&choice, "%s with %s", name, counted(threads, "thread").text);
    free(name);
    char *text = strbuf_finish(&choice);
    if (!text) return diagnose_no_memory();
    emission_say_chosen(request->options, text);
    free(text);
    return status;
}

static enum exit_status emit_fastest(struct emission *emission) {
    struct tcplan_ranking *ranking = NULL;
    enum exit_status status = survey_rank(&ranking, emission->request, 0, NULL);
    const struct tcplan_entry *chosen = NULL;
    if (status == EXIT_DONE) status = emission_choose(&chosen, emission, ranking);
    if (status == EXIT_DONE) status = emit_chosen(emission, &chosen->algorithm, chosen->threads);
    tcplan_ranking_free(ranking);
    return status;
}

/** Emits the stored plan. Without a stored plan, or if its kernel cannot have extents as arguments,
 * emits the algorithm that a ranking chooses. */
static enum exit_status emit_best(struct emission *emission) {
    struct tcplan_found_plan plan;
    bool found = false;
    const enum exit_status status =
        plans_recall(&found, &plan, emission->request, 0,
                     emission->request->options->takes_extents
                         ? "nothing is timed, unless its kernel has fixed extents"
                         : "nothing was timed (--no-plans searches again)");
    if (status != EXIT_DONE) return status;
    return found && emission_keeps_kernel(emission, &plan.algorithm)
               ? emit_chosen(emission, &plan.algorithm, plan.threads)
               : emit_fastest(emission);
}

static unsigned opens_more(const struct options *options) {
    return options->algorithm ? 0 : REQUEST_MACHINE | REQUEST_EXPERIENCE | REQUEST_PLANS;
}

static enum exit_status run(struct task *task) {
    struct emission emission = {0};
    const struct request *request = &task->request;
    enum exit_status status = emission_open(&emission, request, task->options->output);
    if (status == EXIT_DONE) {
        status = task->options->algorithm
                     ? emission_write(&emission, &request->algorithm, task->options->threads)
                     : emit_best(&emission);
    }
    emission_discard(&emission);
    return status;
}

const struct command command_emit = {
    "emit",
    COMMAND(EMIT),
    "CONTRACTION --sizes SIZES [--algorithm NAME] [OPTIONS]",
    "write C for the fastest or a named algorithm",
    "  tcplan emit \"C_abc=A_ai*B_ibc\" --sizes a=b=c=400,i=8 -o contract.c --with-main\n"
    "  tcplan emit \"C_abc=A_ai*B_ibc\" --sizes a=b=c=400,i=8 --algorithm c-dgemm \\\n"
    "      --function multiply\n"
    "  tcplan emit \"E_ad=A_ab*B_bc*C_cd\" --sizes a=c=400,b=d=20 -o chain.c\n",
    .opens = TASK_CONTRACTION | REQUEST_SIZES | REQUEST_ONE_POINT,
    .opens_more = opens_more,
    .run = run,
    .run_several = network_emit,
    .manual =
        "The C file is self-contained. `--algorithm` needs no timing. An expression of several tensors becomes one function with a pointer for each "
        "tensor, for the best order of its products or for that of `--path`; it also needs no timing."};
