#include <stdlib.h>

#include "cli/commands/commands.h"
#include "cli/output/cleanup.h"
#include "cli/output/printed.h"
#include "cli/output/progress.h"
#include "cli/page/page.h"
#include "cli/providers.h"
#include "cli/render/conformance/conformance.h"
#include "cli/shipped.h"

/** Checks one library. */
static enum exit_status check(struct conformance_report *out, const struct options *options) {
    const struct tcplan_conformance_options checking = {.seed = options->seed,
                                                        .random_count = options->random_count,
                                                        .case_seconds = options->time_limit_seconds,
                                                        .progress = progress_update};
    const enum tcplan_status status =
        tcplan_conformance_run(&out->of, out->path, &checking, &failure);
    return diagnosed(status) == EXIT_DONE ? EXIT_DONE : EXIT_ENVIRONMENT;
}

/** Times all libraries. */
static enum exit_status time_libraries(struct conformance_reports *out, const struct task *task) {
    const struct options *options = task->options;
    const struct tcplan_speeds_options timing = {.roofline = task->request.ceilings,
                                                 .threads = options->threads,
                                                 .case_seconds = options->time_limit_seconds,
                                                 .max_memory_bytes = options->max_memory_bytes,
                                                 .size_class = options->size_class,
                                                 .only = options->only,
                                                 .progress = progress_update};
    char *path = shipped_find(options->contractions);
    if (!path) return diagnose_no_memory();
    providers_set_environment(options->threads);
    const enum tcplan_status status =
        tcplan_speeds_run(&out->speeds, options->arguments, out->count, path, &timing, &failure);
    progress_clear();
    if (status == TCPLAN_INVALID || status == TCPLAN_ENVIRONMENT)
        shipped_suggest(options->contractions);
    free(path);
    return diagnosed(status) == EXIT_DONE ? EXIT_DONE : EXIT_ENVIRONMENT;
}

/** Writes the HTML page, if --page is given. */
static enum exit_status write_page(const struct options *options,
                                   const struct conformance_reports *reports) {
    struct output_file page = {0};
    if (!options->page) return EXIT_DONE;
    enum exit_status status = output_begin(&page, options->page);
    if (status != EXIT_DONE) return status;
    status = check_page_write(page.file, reports) ? printed_complete(&page) : diagnose_no_memory();
    output_file_discard(&page);
    return status;
}

static unsigned opens_more(const struct options *options) {
    return options->contractions ? REQUEST_MACHINE | REQUEST_CEILINGS | TASK_LOCK : 0;
}

static enum exit_status run(struct task *task) {
    const struct options *options = task->options;
    struct conformance_reports reports = {
        .seed = options->seed, .count = options->argument_count, .threads = options->threads};
    enum exit_status status = EXIT_DONE;
    bool holds = true;
    if (reports.count > TCPLAN_SPEED_LIBRARIES)
        return options_refuse(options, "%d libraries at most, found %d", TCPLAN_SPEED_LIBRARIES,
                              reports.count);
    for (int l = 0; l < reports.count && status == EXIT_DONE; l++) {
        reports.report[l].path = options->arguments[l];
        status = check(&reports.report[l], options);
        holds = holds && status == EXIT_DONE && tcplan_conformance_holds(reports.report[l].of);
    }
    if (status == EXIT_DONE && options->contractions) status = time_libraries(&reports, task);
    if (status == EXIT_DONE) status = task_print(task, &conformance_view, &reports);
    if (status == EXIT_DONE) status = write_page(options, &reports);
    for (int l = 0; l < reports.count; l++) tcplan_conformance_free(reports.report[l].of);
    tcplan_speeds_free(reports.speeds);
    return status == EXIT_DONE && !holds ? EXIT_REFUSED : status;
}

const struct command command_check = {
    "check",
    COMMAND(CHECK),
    "LIBRARY... [OPTIONS]",
    "check whether TAPP libraries or CBLAS conform",
    "  tcplan check ./libtapp.so\n"
    "  tcplan check /usr/lib/x86_64-linux-gnu/libopenblas.so.0 --random 1000\n"
    "  tcplan check ./libtapp.so ./libother.so --library tccg --class small\n",
    .arguments_role = FILE_INPUT,
    .needs = "the file of a LIBRARY",
    .opens = TASK_OUTPUT,
    .opens_more = opens_more,
    .run = run,
    .manual =
        "For each rule of the interface, tcplan runs test cases, then random products. Each case "
        "runs in a process of its own, so that a crash or a hang counts as a result. The first "
        "failure of each rule is reduced to a smaller product, printed as einsum and as a program "
        "in C. With `--library` the libraries are then timed alternately; for a CBLAS, the gemm "
        "with the sizes of each contraction is timed. The exit status is 0 if the library "
        "conforms, 1 if a case failed, and 3 if it could not be checked."};
