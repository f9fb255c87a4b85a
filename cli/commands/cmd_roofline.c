#include "cli/commands/commands.h"
#include "cli/output/cleanup.h"
#include "cli/render/roofs/roofline.h"
#include "cli/roofs/ceilings.h"
#include "cli/roofs/kernels.h"
#include "cli/roofs/points.h"
#include "cli/roofs/points_plot.h"
#include "cli/roofs/regions.h"

/** Writes the picture and the text; a picture in the terminal comes after the text. */
static enum exit_status show(struct task *task, const struct roofline_report *report) {
    const struct options *options = task->options;
    const bool curves = curves_are_of_intensities(options),
               in_terminal = options->plot && points_plot_is_terminal(options->plot);
    enum exit_status status = curves ? curves_plot_intensities(report->roofline, options->plot)
                              : options->plot && !in_terminal
                                  ? points_plot(report, options, options->plot)
                                  : EXIT_DONE;
    if (status == EXIT_DONE) status = task_print(task, roofline_view_of(report), report);
    return status == EXIT_DONE && in_terminal ? points_plot(report, options, options->plot)
                                              : status;
}

/** Default mode: measures the ceilings, then the points under them. Stops at the first failure. */
static enum exit_status survey(struct task *task) {
    struct request *request = &task->request;
    const struct options *options = task->options;
    const struct ceilings_needed needed = {.dtypes = options->argument ? 1U << options->dtype : 0,
                                           .threads = 1};
    struct tcplan_roofline *roofline = NULL;
    struct point_list points = {0};
    struct trajectories trajectories = {0};
    struct roofline_report report = {0};
    request_begin_limit(request);
    enum exit_status status = ceilings_obtain(&roofline, &report.stored, request, needed);
    const bool has_points = options->argument && !interrupt_is_postponed();
    report.roofline = roofline;
    if (status == EXIT_DONE && options->per_cycle)
        status = diagnosed(tcplan_roofline_per_cycle(roofline, &failure));
    if (status == EXIT_DONE && has_points) status = request_read_experience(request);
    if (has_points && trajectories_are_asked(request)) {
        report.trajectories = &trajectories;
        if (status == EXIT_DONE) status = trajectories_make(&trajectories, request, roofline);
    } else if (has_points) {
        report.points = &points;
        if (status == EXIT_DONE) status = points_make(&points, request, 0, roofline);
    }
    if (status == EXIT_DONE && options->curves) status = curves_plot(roofline, options->curves);
    if (status == EXIT_DONE) status = show(task, &report);
    points_free(&points);
    trajectories_free(&trajectories);
    tcplan_roofline_free(roofline);
    return status;
}

/**
 * Mode of regions: measures regions first. Ceilings are needed only if regions can be placed, or if
 * the format includes ceilings. The time limit applies separately to the program and to the
 * ceilings.
 */
static enum exit_status survey_regions(struct task *task) {
    struct request *request = &task->request;
    const struct options *options = task->options;
    struct region_list regions = {0};
    struct tcplan_roofline *roofline = NULL;
    struct roofline_report report = {.regions = &regions};
    enum exit_status status = regions_make(&regions, request);
    const bool wants_roofs =
        options->plot || options->format != OUTPUT_TEXT || regions_have_places(&regions);
    request_begin_limit(request);
    if (status == EXIT_DONE && wants_roofs)
        status = ceilings_obtain(&roofline, &report.stored, request, regions_need(&regions));
    report.roofline = roofline;
    if (status == EXIT_DONE && roofline) status = regions_place(&regions, roofline);
    if (status == EXIT_DONE) status = show(task, &report);
    if (status == EXIT_DONE) status = regions_verdict(&regions);
    regions_free(&regions);
    tcplan_roofline_free(roofline);
    return status;
}

/** Mode of kernels: measures kernels before the ceilings, so that errors of kernels are reported
 * early. */
static enum exit_status survey_kernels(struct task *task) {
    struct request *request = &task->request;
    const struct options *options = task->options;
    struct kernel_list kernels = {0};
    struct tcplan_roofline *roofline = NULL;
    struct roofline_report report = {.kernels = &kernels};
    const struct ceilings_needed needed = {.dtypes = 1U << options->dtype, .threads = 1};
    request_begin_limit(request);
    enum exit_status status = kernels_make(&kernels, request);
    if (status == EXIT_DONE) status = ceilings_obtain(&roofline, &report.stored, request, needed);
    report.roofline = roofline;
    if (status == EXIT_DONE && options->per_cycle)
        status = diagnosed(tcplan_roofline_per_cycle(roofline, &failure));
    if (status == EXIT_DONE) {
        kernels_place(&kernels, roofline);
        status = show(task, &report);
    }
    kernels_free(&kernels);
    tcplan_roofline_free(roofline);
    return status;
}

/** Modes of `roofline`: the first mode whose option is given is used. Without an option, the mode
 * always applies. */
static const struct mode {
    bool (*is_asked)(const struct options *options);
    task_fn *run;
} modes[] = {
    {regions_are_asked, survey_regions}, {kernels_are_asked, survey_kernels}, {NULL, survey}};

static task_fn *mode_of(const struct options *options) {
    size_t m = 0;
    while (modes[m].is_asked && !modes[m].is_asked(options)) m++;
    return modes[m].run;
}

static enum exit_status run(struct task *task) {
    enum exit_status status = points_plot_check(task->options);
    if (status == EXIT_DONE) status = curves_check(task->options);
    if (status == EXIT_DONE) status = mode_of(task->options)(task);
    output_file_discard(&task->out);
    interrupt_finish();
    return status;
}

const struct command command_roofline = {
    "roofline",
    COMMAND(ROOFLINE),
    "[CONTRACTION --sizes SIZES] [OPTIONS]",
    "measure this machine's ceilings and place algorithms under them",
    "  tcplan roofline\n"
    "  tcplan roofline \"C_abc=A_ai*B_ibc\" --sizes a=b=c=400,i=8 --all --measure \\\n"
    "      --plot roofline.svg\n"
    "  tcplan roofline --kernel fft=1024,65536 --kernel daxpy=1000000 --plot -\n",
    .opens = TASK_IF_GIVEN | REQUEST_SIZES | REQUEST_MACHINE | TASK_OUTPUT,
    .run = run,
    .manual =
        "Ceilings are operations per second by kind, precision, vector width and number of threads; the best gemm of the BLAS; and bytes per second "
        "by kind of access for each cache and memory. Figures are medians and quartiles of timed windows. Windows in which a thread lost its core "
        "are dropped and counted. So are figures above the theoretical peak; more than twice the peak is an error. Ceilings are measured for one "
        "thread, the cores of a NUMA node and of a socket, and `--threads` threads (default: one on each core). They are stored (see `store`) and "
        "reused."};
