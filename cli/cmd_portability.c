#include <stdlib.h>

#include "base/alloc.h"
#include "cli/commands.h"
#include "cli/output_file.h"
#include "cli/portability.h"

static enum exit_status print(const struct portability_report *report, struct output_file *out) {
    struct tcplan_error error;
    bool printed = true;
    switch (report->options->format) {
    case OUTPUT_JSON: printed = portability_json(out->file, report); break;
    case OUTPUT_CSV: printed = portability_csv(out->file, report); break;
    default: printed = portability_text(out->file, report);
    }
    if (!printed && output_file_good(out)) return diagnose_no_memory();
    return output_file_commit(out, &error) == TCPLAN_OK ? EXIT_DONE : diagnose_error(&error, NULL);
}

static enum exit_status compare(const struct options *options, struct output_file *out) {
    struct portability_report *report = base_alloc_zero(1, sizeof *report);
    if (!report) return diagnose_no_memory();
    enum exit_status status = portability_make(report, options);
    if (status == EXIT_DONE && report->contraction_count == 0) {
        diagnose("the files hold no results yet");
        status = EXIT_REFUSED;
    }
    if (status == EXIT_DONE) status = print(report, out);
    portability_free(report);
    free(report);
    return status;
}

enum exit_status cmd_portability(const struct options *options) {
    struct output_file out = {0};
    struct tcplan_error error;
    if (options->argument_count == 0) {
        diagnose("portability needs files of results, as `tcplan batch` writes them");
        fputs("see 'tcplan portability --help'\n", stderr);
        return EXIT_USAGE;
    }
    if (output_file_open(&out, options->output, &error) != TCPLAN_OK) return diagnose_error(&error, NULL);
    const enum exit_status status = compare(options, &out);
    output_file_discard(&out);
    return status;
}
