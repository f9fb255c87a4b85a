#include <string.h>
#include <unistd.h>

#include "cli/cleanup.h"
#include "cli/commands/commands.h"
#include "cli/kept.h"
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

/** The numbers of threads whose ceilings are wanted: of a file only what the points need, as it may be of another machine. */
static int wanted_threads(int out[2], const struct options *options) {
    const int most = options->threads_given ? options->threads : tcplan_roofline_usual_threads();
    if (options->ceilings) {
        out[0] = options->threads;
        return options->argument || options->threads_given ? 1 : 0;
    }
    out[0] = 1;
    out[1] = most;
    return most > 1 ? 2 : 1;
}

/** Whether ceilings that are kept are as good as those that would be measured. */
static bool is_good_enough(const struct tcplan_roofline *roofline, const struct options *options) {
    return !roofline->rough || options->ceilings || options->quick || options->max_memory_bytes > 0;
}

/** What is kept, or NULL: then it is to be measured. */
static enum exit_status find_kept(struct tcplan_roofline **out, const struct request *request) {
    const struct options *options = request->options;
    const bool named = options->ceilings && access(options->ceilings, F_OK) == 0;
    char reason[TCPLAN_MESSAGE_SIZE];
    int thread[2];
    *out = NULL;
    if (options->remeasure || (options->ceilings ? !named : options->small_pages)) return EXIT_DONE;
    const enum exit_status status = kept_ceilings(out, reason, request, thread, wanted_threads(thread, options));
    if (status != EXIT_DONE) return status;
    if (*out && !is_good_enough(*out, options)) {
        tcplan_roofline_free(*out);
        *out = NULL;
    }
    if (named && !*out) { /* never replaced unasked */
        diagnose("%s; --remeasure replaces them", reason);
        return EXIT_REFUSED;
    }
    if (*reason && !options->quiet) diagnose("note: the ceilings that are kept are not used: %s", reason);
    return EXIT_DONE;
}

/** The ceilings: those that are kept, or measured and kept. */
static enum exit_status obtain(struct tcplan_roofline **out, bool *kept, const struct request *request) {
    enum exit_status status = find_kept(out, request);
    *kept = *out != NULL;
    if (status != EXIT_DONE || *out) return status;
    struct output_file file = {0};
    struct tcplan_error error;
    const char *path = request->options->ceilings;
    if (path && output_open(&file, path, &error) != TCPLAN_OK) return diagnose_error(&error, NULL);
    status = measure(out, request);
    if (status == EXIT_DONE) status = path ? kept_write(request, *out, &file) : kept_keep(request, *out);
    output_file_discard(&file);
    return status;
}

/** Ceilings first: the points are held against them. */
static enum exit_status survey(const struct request *request, struct output_file *out) {
    const struct options *options = request->options;
    struct tcplan_roofline *roofline = NULL;
    struct point_list points = {0};
    bool kept;
    enum exit_status status = obtain(&roofline, &kept, request);
    if (status == EXIT_DONE && options->argument) status = points_make(&points, request, roofline);
    const struct roofline_report report = {.roofline = roofline, .kept = kept, .points = options->argument ? &points : NULL};
    if (status == EXIT_DONE && options->plot) status = points_plot(report.points, roofline, options, options->plot);
    if (status == EXIT_DONE) status = print(&report, options->format, out);
    points_free(&points);
    tcplan_roofline_free(roofline);
    return status;
}

/** Said before anything is measured. */
static enum exit_status check_plot(const char *path) {
    const size_t length = path ? strlen(path) : 0;
    if (!path || (length > 4 && strcmp(path + length - 4, ".svg") == 0)) return EXIT_DONE;
    diagnose("--plot: expected the name of a file that ends in .svg, found '%s'", path);
    return EXIT_USAGE;
}

enum exit_status cmd_roofline(const struct options *options) {
    struct request request = {.options = options};
    struct output_file out = {0};
    struct tcplan_error error;
    enum exit_status status = check_plot(options->plot);
    if (status != EXIT_DONE) return status;
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
