#include "cli/points_plot.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "cli/cleanup.h"
#include "cli/page/roofline_plot.h"
#include "cli/trajectories.h"

static int compare_speed(const void *a, const void *b) {
    const double x = ((const struct plot_point *)a)->at.gflops;
    const double y = ((const struct plot_point *)b)->at.gflops;
    return (x < y) - (x > y);
}

/** A point as the picture takes it: measured where it was measured. */
static struct plot_point plotted(const struct listed_point *listed, int line) {
    const struct tcplan_point *at = listed->measured_too ? &listed->measured : &listed->predicted;
    return (struct plot_point){.name = listed->row.name, .line = line, .kernel = listed->row.nest->algorithm.kernel, .at = *at};
}

/** The points of a list, fastest first. NULL when memory is out. */
static struct plot_point *plot_list(const struct point_list *points, size_t *count) {
    struct plot_point *out = base_alloc_zero(points->count + 1, sizeof *out);
    for (size_t p = 0; out && p < points->count; p++) out[(*count)++] = plotted(&points->point[p], 0);
    if (out) qsort(out, *count, sizeof *out, compare_speed);
    return out;
}

/** A line for each series, in the order of the sizes. NULL when memory is out. */
static struct plot_point *plot_lines(const struct trajectories *trajectories, size_t *count) {
    struct plot_point *out = base_alloc_zero(trajectories->count * trajectories->size_count + 1, sizeof *out);
    for (size_t s = 0; out && s < trajectories->count; s++) {
        for (size_t size = 0; size < trajectories->size_count; size++) {
            const struct listed_point *point = trajectories_point(trajectories, s, size);
            if (point) out[(*count)++] = plotted(point, (int)s + 1);
        }
    }
    return out;
}

static enum exit_status write_plot(const struct roofline_plot *plot, const char *path) {
    struct output_file out = {0};
    struct tcplan_error error;
    if (output_open(&out, path, &error) != TCPLAN_OK) return diagnose_error(&error, NULL);
    enum exit_status status = roofline_plot_print(out.file, plot) ? EXIT_DONE : diagnose_no_memory();
    if (status == EXIT_DONE && output_file_commit(&out, &error) != TCPLAN_OK) status = diagnose_error(&error, NULL);
    output_file_discard(&out);
    return status;
}

/** "C_abc=A_ai*B_ibc, a=8,b=8,c=8,i=8: 36 algorithms", or how many sizes; without points that it is the ceilings. */
static void print_title(char *out, size_t size, const struct roofline_report *report) {
    const struct trajectories *lines = report->trajectories;
    const struct request *request = lines ? lines->request : report->points ? report->points->request : NULL;
    const size_t count = lines ? lines->count : report->points ? report->points->count : 0;
    char *contraction = request ? tcplan_contraction_text(request->contraction) : NULL;
    char *sizes = report->points ? report_sizes(&report->points->problem) : NULL;
    char places[32] = "";
    if (lines) snprintf(places, sizeof places, "%zu size%s", lines->size_count, lines->size_count == 1 ? "" : "s");
    snprintf(out, size, "Ceilings");
    if (request) {
        snprintf(out, size, "%s, %s: %zu algorithm%s", contraction ? contraction : "", sizes ? sizes : places, count,
                 count == 1 ? "" : "s");
    }
    free(contraction);
    free(sizes);
}

static void print_subtitle(char *out, size_t size, const struct tcplan_roofline *roofline, const struct options *options) {
    static const char *const precisions[TCPLAN_DTYPES] = {"single", "double", "single complex", "double complex"};
    const char *cpu = *roofline->machine.cpu ? roofline->machine.cpu : roofline->machine.source;
    snprintf(out, size, "%s, %d thread%s, %s precision", cpu, options->threads, options->threads == 1 ? "" : "s",
             precisions[options->dtype]);
}

enum exit_status points_plot(const struct roofline_report *report, const struct options *options, const char *path) {
    char title[512], subtitle[512];
    size_t count = 0;
    struct plot_point *point = report->points         ? plot_list(report->points, &count)
                               : report->trajectories ? plot_lines(report->trajectories, &count)
                                                      : NULL;
    if ((report->points || report->trajectories) && !point) return diagnose_no_memory();
    print_title(title, sizeof title, report);
    print_subtitle(subtitle, sizeof subtitle, report->roofline, options);
    const bool fed = count > 0 && point[0].at.model_bandwidth;
    const struct roofline_plot plot = {.roofline = report->roofline,
                                       .title = title,
                                       .subtitle = subtitle,
                                       .bandwidth = fed ? point[0].at.model_bandwidth->name : "load",
                                       .dtype = (enum tcplan_dtype)options->dtype,
                                       .threads = options->threads,
                                       .count = count,
                                       .point = point};
    const enum exit_status status = write_plot(&plot, path);
    free(point);
    return status;
}
