#include "cli/commands/commands.h"
#include "cli/output/progress.h"
#include "cli/render/roofs/roofline.h"

static enum exit_status run(struct task *task) {
    const struct options *options = task->options;
    struct progress progress = progress_begin(options->quiet);
    const struct tcplan_selftest_options testing = {.per_cycle = options->per_cycle,
                                                    .max_memory_bytes = options->max_memory_bytes,
                                                    .counters = options->counters,
                                                    .progress = progress_update,
                                                    .progress_context = &progress};
    struct tcplan_selftest selftest;
    struct tcplan_error error;
    const enum tcplan_status tested = tcplan_selftest_run(&selftest, &testing, &error);
    progress_clear(&progress);
    enum exit_status status = diagnosed(tested, &error);
    if (status == EXIT_DONE) status = task_print(task, &selftest_view, &selftest);
    return status == EXIT_DONE && selftest.verdict != TCPLAN_VERDICT_HOLDS ? EXIT_ENVIRONMENT
                                                                           : status;
}

const struct command command_selftest = {
    "selftest",
    COMMAND(SELFTEST),
    "[OPTIONS]",
    "hold daxpy, dgemv and dgemm, cold and warm, against their bounds",
    "  tcplan selftest\n"
    "  tcplan selftest --counters simulated --format json\n",
    .no_argument = true,
    .opens = TASK_OUTPUT,
    .run = run,
    .manual =
        "Bounds are measured beside them; what is printed is measured over expected. Where the machine counts operations and bytes, or `--counters` "
        "says who does, these stand beside what is expected, too. Exit status 3 where a ratio does not hold or, beside other work, could not be tested: "
        "it stops where there is no undisturbed window."};
