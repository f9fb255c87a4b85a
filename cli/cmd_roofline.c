#include <unistd.h>

#include "cli/cleanup.h"
#include "cli/commands.h"
#include "cli/points.h"
#include "cli/progress.h"
#include "cli/render/ceilings.h"

enum { QUICK_WINDOWS = 5 };

static struct tcplan_roofline_options measuring_options(const struct request *request) {
    const struct options *options = request->options;
    struct tcplan_roofline_options out = tcplan_roofline_defaults();
    if (!request->machine.live) out.machine = &request->machine;
    out.threads = options->threads_given ? options->threads : 0;
    out.max_memory_bytes = options->max_memory_bytes;
    out.small_pages = options->small_pages;
    if (options->quick) {
        out.windows = QUICK_WINDOWS;
        out.window_seconds = 1e-3;
        out.untuned = true;
    }
    return out;
}

static enum exit_status measure(struct tcplan_roofline **out, const struct request *request) {
    struct progress progress = {.enabled = !request->options->quiet && isatty(STDERR_FILENO), .points = 1};
    struct tcplan_roofline_options measuring = measuring_options(request);
    struct tcplan_error error;
    measuring.progress = progress_update;
    measuring.progress_context = &progress;
    enum tcplan_status status = tcplan_roofline_measure(out, &measuring, &error);
    progress_clear(&progress);
    return status == TCPLAN_OK ? EXIT_DONE : diagnose_error(&error, NULL);
}

static enum exit_status print(const struct roofline_report *report, int output_format, struct output_file *out) {
    const struct format *format = format_of(output_format);
    struct writer writer = {.file = out->file, .points = 1};
    struct tcplan_error error;
    if (format->begin) format->begin(&writer);
    format->roofline(&writer, report);
    if (format->end) format->end(&writer);
    if (writer.no_memory) return diagnose_no_memory();
    return output_file_commit(out, &error) == TCPLAN_OK ? EXIT_DONE : diagnose_error(&error, NULL);
}

/** Ceilings first: the points are held against them. */
static enum exit_status survey(const struct request *request, struct output_file *out) {
    const struct options *options = request->options;
    struct tcplan_roofline *roofline = NULL;
    struct point_list points = {0};
    enum exit_status status = measure(&roofline, request);
    if (status == EXIT_DONE && options->argument) status = points_make(&points, request, roofline);
    const struct roofline_report report = {.roofline = roofline, .points = options->argument ? &points : NULL};
    if (status == EXIT_DONE && options->plot) status = points_plot(report.points, roofline, options, options->plot);
    if (status == EXIT_DONE) status = print(&report, options->format, out);
    points_free(&points);
    tcplan_roofline_free(roofline);
    return status;
}

enum exit_status cmd_roofline(const struct options *options) {
    struct request request = {.options = options};
    struct output_file out = {0};
    struct tcplan_error error;
    enum exit_status status = EXIT_DONE;
    if (options->argument) {
        status = request_read(&request, options, "roofline", REQUEST_SIZES | REQUEST_MACHINE | REQUEST_ONE_POINT);
    } else {
        status = request_read_machine(&request, 0);
    }
    if (status == EXIT_DONE && output_open(&out, options->output, &error) != TCPLAN_OK) status = diagnose_error(&error, NULL);
    if (status == EXIT_DONE) status = survey(&request, &out);
    output_file_discard(&out);
    request_free(&request);
    return status;
}
