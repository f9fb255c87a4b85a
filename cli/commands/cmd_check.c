#include "cli/commands/commands.h"
#include "cli/output/progress.h"
#include "cli/render/conformance/conformance.h"

/** Checks one library. */
static enum exit_status check(struct conformance_report *out, const struct options *options) {
    struct progress progress = progress_begin(options->quiet);
    const struct tcplan_conformance_options checking = {.seed = options->seed,
                                                        .random_count = options->random_count,
                                                        .case_seconds = options->time_limit_seconds,
                                                        .progress = progress_update,
                                                        .progress_context = &progress};
    struct tcplan_error error;
    const enum tcplan_status status =
        tcplan_conformance_run(&out->of, out->path, &checking, &error);
    progress_clear(&progress);
    if (status == TCPLAN_OK) return EXIT_DONE;
    diagnose_error(&error, NULL);
    return EXIT_ENVIRONMENT;
}

static enum exit_status run(struct task *task) {
    const struct options *options = task->options;
    struct conformance_reports reports = {.seed = options->seed, .count = options->argument_count};
    enum exit_status status = EXIT_DONE;
    bool holds = true;
    if (reports.count > CONFORMANCE_LIBRARIES) {
        diagnose("%d libraries at most, found %d", CONFORMANCE_LIBRARIES, reports.count);
        return options_usage(options);
    }
    for (int l = 0; l < reports.count && status == EXIT_DONE; l++) {
        reports.report[l].path = options->arguments[l];
        status = check(&reports.report[l], options);
        holds = holds && status == EXIT_DONE && tcplan_conformance_holds(reports.report[l].of);
    }
    if (status == EXIT_DONE) status = task_print(task, &conformance_view, &reports);
    for (int l = 0; l < reports.count; l++) tcplan_conformance_free(reports.report[l].of);
    return status == EXIT_DONE && !holds ? EXIT_REFUSED : status;
}

const struct command command_check = {
    "check",
    COMMAND(CHECK),
    "LIBRARY... [OPTIONS]",
    "check whether TAPP libraries or CBLAS conform",
    "  tcplan check ./libtapp.so\n"
    "  tcplan check /usr/lib/x86_64-linux-gnu/libopenblas.so.0 --random 1000\n"
    "  tcplan check ./libtapp.so --json -o check.json\n",
    .arguments_role = FILE_INPUT,
    .needs = "the file of a LIBRARY",
    .opens = TASK_OUTPUT,
    .run = run,
    .manual =
        "Cases of each rule of the interface run first, then random products. Each case runs in a process of its own, so that a crash or a hang is "
        "a result. The first failure of each rule is reduced to a smaller product, printed as einsum and as a program in C. The exit status is 0 if "
        "the library conforms, 1 if a case failed, and 3 if it could not be checked."};
