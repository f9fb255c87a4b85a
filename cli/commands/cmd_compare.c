#include "cli/commands/commands.h"
#include "cli/node_lock.h"
#include "cli/render/algorithms/results.h"
#include "cli/survey.h"

static enum exit_status refuse_count(const struct options *options) {
    return options_refuse(
        options, "compare needs two to %d algorithms, as `tcplan list` names them, found %d",
        TCPLAN_CONTENDERS_MAX, options->argument_count);
}

/** Reads the algorithms to compare. */
static enum exit_status read_contenders(struct tcplan_turns *turns,
                                        struct tcplan_algorithm algorithm[],
                                        const struct request *request) {
    const struct options *options = request->options;
    if (options->argument_count < 2 || options->argument_count > TCPLAN_CONTENDERS_MAX)
        return refuse_count(options);
    for (int n = 0; n < options->argument_count; n++) {
        const char *name = options->arguments[n];
        struct tcplan_contender *contender = &turns->contender[turns->count++];
        if (contender_find(&contender->kind, name)) continue;
        contender->algorithm = &algorithm[n];
        const enum exit_status status = request_read_algorithm(&algorithm[n], request, name);
        if (status != EXIT_DONE) return status;
    }
    return EXIT_DONE;
}

static bool has_numpy(const struct tcplan_turns *turns) {
    bool has = false;
    for (int c = 0; c < turns->count; c++)
        has = has || turns->contender[c].kind != TCPLAN_CONTENDER_ALGORITHM;
    return has;
}

static enum exit_status run(struct task *task) {
    struct tcplan_algorithm algorithm[TCPLAN_CONTENDERS_MAX];
    struct tcplan_turns turns = {0};
    const struct options *options = task->options;
    const struct tcplan_problem problem = request_problem(&task->request, 0);
    enum exit_status status = request_check_threads(options);
    if (status == EXIT_DONE) status = read_contenders(&turns, algorithm, &task->request);
    if (status == EXIT_DONE && has_numpy(&turns)) status = contest_check_numpy(options);
    if (status == EXIT_DONE) status = lock_hold(&task->lock, options);
    if (status == EXIT_DONE) status = contest_run(&turns, &task->request, &problem);
    if (status == EXIT_DONE)
        status =
            task_print(task, &compared_view, &(struct compared){&task->request, &problem, &turns});
    return status;
}

const struct command command_compare = {
    "compare",
    COMMAND(COMPARE),
    "CONTRACTION --sizes SIZES NAME NAME ... [OPTIONS]",
    "run algorithms alternately; print which is faster and by how much",
    "  tcplan compare \"C_abc=A_ai*B_ibc\" --sizes a=b=c=128,i=8 c-dgemm cb-dgemv\n"
    "  tcplan compare \"C_abc=A_ai*B_ibc\" --sizes a=b=c=128,i=8 \\\n"
    "      c-dgemm numpy numpy-best\n",
    .opens = TASK_CONTRACTION | REQUEST_SIZES | REQUEST_MACHINE | REQUEST_ONE_POINT | TASK_OUTPUT,
    .run = run,
    .manual =
        "Each round runs every algorithm once, on the same complete arrays. The comparison uses the ratios of times in the same round; `±` is half "
        "of a 95 % interval. Algorithms within two per cent tie. Rounds end when every ratio is known to half a per cent, after 64 rounds, or at "
        "the time limit. NAMEs are two to eight algorithms, as `list` names them. `numpy` is numpy.einsum, `numpy-best` is the same with "
        "optimize=True; both run in a separate python3 with as many BLAS threads. `numpy-matmul` is numpy.matmul on transposed "
        "and reshaped arrays."};
