#include "cli/commands/commands.h"
#include "cli/output/progress.h"
#include "cli/render/roofs/roofline.h"

static enum exit_status run(struct task *task) {
    const struct options *options = task->options;
    const struct tcplan_selftest_options testing = {.per_cycle = options->per_cycle,
                                                    .max_memory_bytes = options->max_memory_bytes,
                                                    .counters = options->counters,
                                                    .progress = progress_update};
    struct tcplan_selftest selftest;
    enum exit_status status = diagnosed(tcplan_selftest_run(&selftest, &testing, &failure));
    if (status == EXIT_DONE) status = task_print(task, &selftest_view, &selftest);
    return status == EXIT_DONE && selftest.verdict != TCPLAN_VERDICT_HOLDS ? EXIT_ENVIRONMENT
                                                                           : status;
}

const struct command command_selftest = {
    "selftest",
    COMMAND(SELFTEST),
    "[OPTIONS]",
    "check daxpy, dgemv and dgemm, cold and warm, against known bounds",
    "  tcplan selftest\n"
    "  tcplan selftest --counters simulated --format json\n",
    .no_argument = true,
    .opens = TASK_OUTPUT,
    .run = run,
    .manual =
        "Bounds are measured at the same time; the table has the ratios of measured to expected values. If operations and bytes are counted (see "
        "`--counters`), it also compares the counts. Exit status 3 means that a ratio is out of bounds, or that other load disturbed every window in "
        "which it was measured."};
