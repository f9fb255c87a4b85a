#include "cli/commands/commands.h"
#include "cli/output/cleanup.h"
#include "cli/output/interrupt.h"
#include "cli/output/printed.h"
#include "cli/render/roofs/roofline.h"
#include "cli/roofs/ceilings.h"
#include "cli/roofs/curves.h"
#include "cli/roofs/kernels.h"
#include "cli/roofs/points.h"
#include "cli/roofs/points_plot.h"
#include "cli/roofs/regions.h"
#include "cli/roofs/trajectories.h"

/** What `roofline` does where an option asks for it. Prints to `out`, and completes it. */
typedef enum exit_status mode_fn(struct request *request, struct output_file *out);

/** Picture and text: a picture in the terminal stands behind the text. */
static enum exit_status show(const struct roofline_report *report, const struct options *options,
                             struct output_file *out) {
    const bool curves = curves_are_of_intensities(options),
               in_terminal = options->plot && points_plot_is_terminal(options->plot);
    enum exit_status status = curves ? curves_plot_intensities(report->roofline, options->plot)
                              : options->plot && !in_terminal
                                  ? points_plot(report, options, options->plot)
                                  : EXIT_DONE;
    if (status == EXIT_DONE)
        status = printed_into(out, options->format, roofline_view_of(report), report);
    return status == EXIT_DONE && in_terminal ? points_plot(report, options, options->plot)
                                              : status;
}

static enum exit_status turn_per_cycle(struct tcplan_roofline *roofline) {
    struct tcplan_error error;
    return tcplan_roofline_per_cycle(roofline, &error) == TCPLAN_OK ? EXIT_DONE
                                                                    : diagnose_error(&error, NULL);
}

/** A mode: the ceilings, then what is held against them. Each step is left out where one before it
 * failed. */
static enum exit_status survey(struct request *request, struct output_file *out) {
    const struct options *options = request->options;
    const struct ceilings_needed needed = {.dtypes = options->argument ? 1U << options->dtype : 0,
                                           .threads = 1};
    struct tcplan_roofline *roofline = NULL;
    struct point_list points = {0};
    struct trajectories trajectories = {0};
    struct roofline_report report = {0};
    request_begin_limit(request);
    enum exit_status status = ceilings_obtain(&roofline, &report.kept, request, needed);
    const bool has_points = options->argument && !interrupt_is_postponed();
    report.roofline = roofline;
    if (status == EXIT_DONE && options->per_cycle) status = turn_per_cycle(roofline);
    if (has_points && trajectories_are_asked(request)) {
        report.trajectories = &trajectories;
        if (status == EXIT_DONE) status = trajectories_make(&trajectories, request, roofline);
    } else if (has_points) {
        report.points = &points;
        if (status == EXIT_DONE) status = points_make(&points, request, 0, roofline);
    }
    if (status == EXIT_DONE && options->curves) status = curves_plot(roofline, options->curves);
    if (status == EXIT_DONE) status = show(&report, options, out);
    points_free(&points);
    trajectories_free(&trajectories);
    tcplan_roofline_free(roofline);
    return status;
}

/**
 * A mode: regions come first, as they may be all that can be told; ceilings where something is to
 * be placed, or a document wants them. The time limit is that of the program, and then again that
 * of the ceilings.
 */
static enum exit_status survey_regions(struct request *request, struct output_file *out) {
    const struct options *options = request->options;
    struct region_list regions = {0};
    struct tcplan_roofline *roofline = NULL;
    struct roofline_report report = {.regions = &regions};
    enum exit_status status = regions_make(&regions, request);
    const bool wants_roofs =
        options->plot || options->format != OUTPUT_TEXT || regions_have_places(&regions);
    request_begin_limit(request);
    if (status == EXIT_DONE && wants_roofs)
        status = ceilings_obtain(&roofline, &report.kept, request, regions_need(&regions));
    report.roofline = roofline;
    if (status == EXIT_DONE && roofline) status = regions_place(&regions, roofline);
    if (status == EXIT_DONE) status = show(&report, options, out);
    if (status == EXIT_DONE) status = regions_verdict(&regions);
    regions_free(&regions);
    tcplan_roofline_free(roofline);
    return status;
}

/** A mode: kernels come first, as what is wrong with them should be told at once. */
static enum exit_status survey_kernels(struct request *request, struct output_file *out) {
    const struct options *options = request->options;
    struct kernel_list kernels = {0};
    struct tcplan_roofline *roofline = NULL;
    struct roofline_report report = {.kernels = &kernels};
    const struct ceilings_needed needed = {.dtypes = 1U << options->dtype, .threads = 1};
    request_begin_limit(request);
    enum exit_status status = kernels_make(&kernels, request);
    if (status == EXIT_DONE) status = ceilings_obtain(&roofline, &report.kept, request, needed);
    report.roofline = roofline;
    if (status == EXIT_DONE && options->per_cycle) status = turn_per_cycle(roofline);
    if (status == EXIT_DONE) {
        kernels_place(&kernels, roofline);
        status = show(&report, options, out);
    }
    kernels_free(&kernels);
    tcplan_roofline_free(roofline);
    return status;
}

/** The first whose option is given; NULL: always. */
static const struct mode {
    bool (*is_asked)(const struct options *options);
    mode_fn *run;
} modes[] = {
    {regions_are_asked, survey_regions}, {kernels_are_asked, survey_kernels}, {NULL, survey}};

static mode_fn *mode_of(const struct options *options) {
    size_t m = 0;
    while (modes[m].is_asked && !modes[m].is_asked(options)) m++;
    return modes[m].run;
}

enum exit_status cmd_roofline(const struct options *options) {
    struct request request = {.options = options};
    struct output_file out = {0};
    struct tcplan_error error;
    enum exit_status status = points_plot_check(options);
    if (status == EXIT_DONE) status = curves_check(options);
    if (status != EXIT_DONE) return status;
    if (options->argument) {
        status = request_read(&request, options, "roofline", REQUEST_SIZES | REQUEST_MACHINE);
    } else {
        status = request_read_machine(&request, 0);
    }
    if (status == EXIT_DONE && output_open(&out, options->output, &error) != TCPLAN_OK)
        status = diagnose_error(&error, NULL);
    if (status == EXIT_DONE) status = mode_of(options)(&request, &out);
    output_file_discard(&out);
    request_free(&request);
    interrupt_finish();
    return status;
}
