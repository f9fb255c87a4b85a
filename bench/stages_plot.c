#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/stages.h"
#include "cli/page/plot.h"

enum { PANELS = 2, PANEL_WIDTH = 610, PANEL_HEIGHT = 380, TEXT = 160 };

/** The figure with both panels: predicted on the left, measured on the right. */
struct figure {
    const struct stages_point *point;
    size_t points;
    int stage;
    int index; /* number of the index whose extent is the x axis */
    struct plot panel[PANELS];
};

/** Returns the index whose extent is the x axis. */
static int swept_index(const struct stages_point *point, size_t points) {
    const int indices = point->problem.contraction->index_count;
    for (int i = 0; i < indices; i++) {
        if (points > 1 && point[0].problem.extent[i] != point[1].problem.extent[i]) return i;
    }
    return 0;
}

static bool is_swept(const struct figure *figure, int index) {
    const int64_t *first = figure->point[0].problem.extent,
                  *last = figure->point[figure->points - 1].problem.extent;
    return first[index] == first[figure->index] && last[index] == last[figure->index];
}

/** Prints the label of the axis, "a = b = c": every index that is swept. */
static void print_axis(char out[TEXT], const struct figure *figure) {
    const struct tcplan_contraction *contraction = figure->point->problem.contraction;
    size_t length = 0;
    *out = '\0';
    for (int i = 0; i < contraction->index_count && length < TEXT; i++) {
        if (!is_swept(figure, i)) continue;
        length += (size_t)snprintf(out + length, TEXT - length, "%s%s", length > 0 ? " = " : "",
                                   contraction->index[i].name);
    }
}

/** Prints the contraction and the constant extents. */
static void print_title(char out[TEXT], const struct figure *figure) {
    const struct stages_point *first = &figure->point[0],
                              *last = &figure->point[figure->points - 1];
    const struct tcplan_contraction *contraction = first->problem.contraction;
    char *text = tcplan_contraction_text(contraction);
    size_t length = (size_t)snprintf(out, TEXT, "%s", text ? text : "");
    for (int i = 0; i < contraction->index_count && length < TEXT; i++) {
        if (first->problem.extent[i] != last->problem.extent[i]) continue;
        length += (size_t)snprintf(out + length, TEXT - length, ", %s = %lld",
                                   contraction->index[i].name, (long long)first->problem.extent[i]);
    }
    free(text);
}

static double gflops_at(const struct figure *figure, size_t point, size_t row, int panel) {
    const struct stages_row *at = &figure->point[point].row[row];
    const double seconds = panel == 0 ? at->predicted[figure->stage] : at->measured;
    return seconds > 0 ? 1e-9 * figure->point[point].problem.flops / seconds : 0;
}

/** Adds the curve of an algorithm to a panel. */
static void add_curve(struct figure *figure, int panel, size_t row, struct plot_series series) {
    struct plot *plot = &figure->panel[panel];
    const int number = plot_add_series(plot, series);
    for (size_t p = 0; p < figure->points; p++) {
        const double x = (double)figure->point[p].problem.extent[figure->index],
                     y = gflops_at(figure, p, row, panel);
        plot_add_place(plot, (struct plot_mark){.series = number, .x = x, .y = y});
    }
}

/** Adds all curves. Kernels have different colours, algorithms of one kernel different shapes and
 * dashes. */
static void add_curves(struct figure *figure) {
    int of_kernel[TCPLAN_KERNELS] = {0};
    const struct tcplan_problem *problem = &figure->point->problem;
    for (size_t r = 0; r < figure->point->count; r++) {
        const struct stages_row *row = &figure->point->row[r];
        if (row->measured <= 0) continue;
        const int kernel = (int)row->algorithm.kernel, n = of_kernel[kernel]++;
        char *name = tcplan_algorithm_name(&row->algorithm, problem->contraction, problem->dtype);
        if (!name) exit(3);
        for (int panel = 0; panel < PANELS; panel++)
            add_curve(figure, panel, r,
                      (struct plot_series){.name = plot_text(&figure->panel[panel], "%s", name),
                                           .style = {.colour = kernel % PLOT_SERIES,
                                                     .shape = n % PLOT_SERIES,
                                                     .dash = n % PLOT_DASHES},
                                           .line = true});
        free(name);
    }
}

/** Sets the range of both panels to the highest performance of either. */
static void share_axis(struct plot panel[PANELS]) {
    double highest = 0;
    for (int p = 0; p < PANELS; p++) {
        for (size_t m = 0; m < panel[p].mark_count; m++)
            highest = fmax(highest, panel[p].mark[m].y);
    }
    for (int p = 0; p < PANELS; p++) panel[p].y.span.high = highest;
}

static bool draw(FILE *file, struct figure *figure, const char *stage_name) {
    char title[TEXT], axis[TEXT], predicted[TEXT];
    print_title(title, figure);
    print_axis(axis, figure);
    snprintf(predicted, sizeof predicted, "GFLOP/s, predicted (%s)", stage_name);
    for (int panel = 0; panel < PANELS; panel++)
        figure->panel[panel] =
            (struct plot){.title = title,
                          .subtitle = "one thread",
                          .x = {.title = axis, .linear = true, .label = plot_label_number},
                          .y = {.title = panel == 0 ? predicted : "GFLOP/s, measured",
                                .linear = true,
                                .label = plot_label_number},
                          .unit = "GFLOP/s",
                          .width = PANEL_WIDTH,
                          .height = PANEL_HEIGHT,
                          .is_still = true};
    add_curves(figure);
    share_axis(figure->panel);
    return plot_print(file, figure->panel, PANELS);
}

bool stages_plot(const char *path, const struct stages_point *point, size_t points, int stage,
                 const char *stage_name) {
    struct figure figure = {
        .point = point, .points = points, .stage = stage, .index = swept_index(point, points)};
    FILE *file = fopen(path, "w");
    bool drawn = file && draw(file, &figure, stage_name);
    if (file && fclose(file) != 0) drawn = false;
    if (!drawn) fprintf(stderr, "bench_stages: cannot draw '%s'\n", path);
    return drawn;
}
