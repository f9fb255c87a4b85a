#include <unistd.h>

#include "cli/commands/commands.h"
#include "cli/output/cleanup.h"
#include "cli/output/printed.h"
#include "cli/output/progress.h"
#include "cli/render/roofs/selftest.h"

static enum tcplan_status test(struct tcplan_selftest *out, const struct options *options,
                               struct tcplan_error *error) {
    struct progress progress = {.enabled = !options->quiet && isatty(STDERR_FILENO), .points = 1};
    const struct tcplan_selftest_options testing = {.per_cycle = options->per_cycle,
                                                    .max_memory_bytes = options->max_memory_bytes,
                                                    .counters = options->counters,
                                                    .progress = progress_update,
                                                    .progress_context = &progress};
    enum tcplan_status status = tcplan_selftest_run(out, &testing, error);
    progress_clear(&progress);
    return status;
}

enum exit_status cmd_selftest(const struct options *options) {
    struct output_file out = {0};
    struct tcplan_selftest selftest;
    struct tcplan_error error;
    if (options->argument) {
        diagnose("selftest takes no argument, found '%.200s'", options->argument);
        return options_usage(options);
    }
    if (output_open(&out, options->output, &error) != TCPLAN_OK)
        return diagnose_error(&error, NULL);
    enum exit_status status = EXIT_DONE;
    if (test(&selftest, options, &error) != TCPLAN_OK) status = diagnose_error(&error, NULL);
    if (status == EXIT_DONE)
        status = printed_into(&out, options->format, &selftest_view, &selftest);
    if (status == EXIT_DONE && selftest.verdict != TCPLAN_VERDICT_HOLDS) status = EXIT_ENVIRONMENT;
    output_file_discard(&out);
    return status;
}
