#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/decimal.h"
#include "cli/cleanup.h"
#include "cli/commands/commands.h"
#include "cli/render/portability_print.h"

/** The numbers of --bandwidth, one for each file, to be freed; NULL where there are none. */
static enum exit_status read_bandwidths(double **out, const struct options *options) {
    const char *text = options->bandwidth;
    int count = 0;
    if (!text) return EXIT_DONE;
    *out = base_alloc_zero((size_t)options->argument_count, sizeof **out);
    if (!*out) return diagnose_no_memory();
    for (const char *at = text; count < options->argument_count;) {
        const size_t length = strcspn(at, ",");
        double *number = &(*out)[count++];
        if (!decimal_read(number, at, length) || !(*number > 0) || !isfinite(*number)) break;
        at += length;
        if (*at == '\0' && count == options->argument_count) return EXIT_DONE;
        if (*at++ == '\0') break;
    }
    diagnose("--bandwidth expects one number of GB/s for each of the %d files, as 28.5,57; found '%.200s'", options->argument_count, text);
    return EXIT_USAGE;
}

/** False where memory ran out. */
static bool print_report(const struct tcplan_platforms *report, const struct options *options, FILE *file) {
    const struct format *format = format_of(options->format);
    struct writer writer = {.file = file, .points = 1};
    if (format->begin) format->begin(&writer);
    if (options->format == OUTPUT_TEXT) {
        writer.no_memory = !portability_text(writer.file, report, options->all) || writer.no_memory;
    } else if (options->format == OUTPUT_CSV) {
        writer.no_memory = !portability_csv(writer.file, report);
    } else {
        document_portability(&writer, report);
    }
    if (format->end) format->end(&writer);
    return !writer.no_memory;
}

static enum exit_status print(const struct tcplan_platforms *report, const struct options *options, struct output_file *out) {
    struct tcplan_error error;
    const bool printed = print_report(report, options, out->file);
    if (!printed && output_file_good(out)) return diagnose_no_memory();
    return output_file_commit(out, &error) == TCPLAN_OK ? EXIT_DONE : diagnose_error(&error, NULL);
}

static enum exit_status compare(const struct options *options, const double gigabytes[], struct output_file *out) {
    struct tcplan_platforms *report = NULL;
    struct tcplan_error error;
    if (tcplan_platforms_read(&report, options->arguments, gigabytes, options->argument_count, &error) != TCPLAN_OK) {
        return diagnose_error(&error, NULL);
    }
    enum exit_status status = EXIT_REFUSED;
    if (report->contraction_count > 0) {
        status = print(report, options, out);
    } else {
        diagnose("the files hold no results yet");
    }
    tcplan_platforms_free(report);
    return status;
}

enum exit_status cmd_portability(const struct options *options) {
    struct output_file out = {0};
    struct tcplan_error error;
    double *gigabytes = NULL;
    if (options->argument_count == 0) {
        diagnose("portability needs files of results, as `tcplan batch` writes them");
        fputs("see 'tcplan portability --help'\n", stderr);
        return EXIT_USAGE;
    }
    if (output_open(&out, options->output, &error) != TCPLAN_OK) return diagnose_error(&error, NULL);
    enum exit_status status = read_bandwidths(&gigabytes, options);
    if (status == EXIT_DONE) status = compare(options, gigabytes, &out);
    output_file_discard(&out);
    base_free(gigabytes);
    return status;
}
