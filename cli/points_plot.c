#include "cli/points_plot.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "cli/cleanup.h"
#include "cli/page/roofline_plot.h"

static int compare_speed(const void *a, const void *b) {
    const double x = ((const struct plot_point *)a)->at.gflops;
    const double y = ((const struct plot_point *)b)->at.gflops;
    return (x < y) - (x > y);
}

/** Points as the picture takes them, fastest first: measured where they were measured. NULL when memory is out. */
static struct plot_point *plotted(const struct point_list *points, size_t *count) {
    struct plot_point *out = base_alloc_zero(points->count + 1, sizeof *out);
    *count = 0;
    for (size_t p = 0; out && p < points->count; p++) {
        const struct listed_point *listed = &points->point[p];
        const enum tcplan_kernel kernel = listed->row.nest->algorithm.kernel;
        const struct tcplan_point *at = listed->measured_too ? &listed->measured : &listed->predicted;
        out[(*count)++] = (struct plot_point){.name = listed->row.name, .kernel = kernel, .at = *at};
    }
    if (out) qsort(out, *count, sizeof *out, compare_speed);
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

/** "C_abc=A_ai*B_ibc, a=8,b=8,c=8,i=8: 36 algorithms"; without points that it is the ceilings. */
static void print_title(char *out, size_t size, const struct point_list *points) {
    char *contraction = points ? tcplan_contraction_text(points->problem.contraction) : NULL;
    char *sizes = points ? report_sizes(&points->problem) : NULL;
    snprintf(out, size, "Ceilings");
    if (points) {
        snprintf(out, size, "%s, %s: %zu algorithm%s", contraction ? contraction : "", sizes ? sizes : "", points->count,
                 points->count == 1 ? "" : "s");
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

enum exit_status points_plot(const struct point_list *points, const struct tcplan_roofline *roofline, const struct options *options,
                             const char *path) {
    char title[512], subtitle[512];
    size_t count = 0;
    struct plot_point *point = points ? plotted(points, &count) : NULL;
    if (points && !point) return diagnose_no_memory();
    print_title(title, sizeof title, points);
    print_subtitle(subtitle, sizeof subtitle, roofline, options);
    const bool fed = count > 0 && point[0].at.model_bandwidth;
    const struct roofline_plot plot = {.roofline = roofline,
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
