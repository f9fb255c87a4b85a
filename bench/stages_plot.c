#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/stages.h"
#include "cli/page/markup.h"
#include "cli/page/picture.h"

enum { MAX_CURVES = 40, PANELS = 2, PANEL_WIDTH = 520, PANEL_HEIGHT = 380, TEXT = 160 };
enum { APART = PICTURE_LEFT + PANEL_WIDTH + PICTURE_RIGHT, WIDTH = PANELS * APART };

/** Both panels: predicted at the left, measured at the right. */
struct figure {
    const struct stages_point *point;
    size_t points;
    int stage;
    int index; /* its extent is the x axis */
    struct picture_key key[MAX_CURVES];
    char *name[MAX_CURVES];
    size_t row[MAX_CURVES]; /* of the points, a curve each */
    size_t curves;
};

/** The index whose extent makes the x axis. */
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

/** "a = b = c": every index that is swept. */
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

/** The contraction and the extents that are the same everywhere. */
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

/** Colours tell kernels apart, shapes and dashes the algorithms of a kernel. */
static void collect_curves(struct figure *figure) {
    int of_kernel[TCPLAN_KERNELS] = {0};
    const struct tcplan_problem *problem = &figure->point->problem;
    for (size_t r = 0; r < figure->point->count && figure->curves < MAX_CURVES; r++) {
        const struct stages_row *row = &figure->point->row[r];
        if (row->measured <= 0) continue;
        const int kernel = (int)row->algorithm.kernel, n = of_kernel[kernel]++;
        char *name = tcplan_algorithm_name(&row->algorithm, problem->contraction, problem->dtype);
        if (!name) exit(3);
        figure->key[figure->curves] = (struct picture_key){.text = name,
                                                           .is_line = true,
                                                           .style = {.colour = kernel % PLOT_SERIES,
                                                                     .shape = n % PLOT_SERIES,
                                                                     .dash = n % PLOT_DASHES}};
        figure->name[figure->curves] = name;
        figure->row[figure->curves++] = r;
    }
}

/** The highest performance in both panels, so that they share an axis. */
static double highest(const struct figure *figure) {
    double highest = 0;
    for (size_t p = 0; p < figure->points; p++) {
        for (size_t c = 0; c < figure->curves; c++) {
            for (int panel = 0; panel < PANELS; panel++)
                highest = fmax(highest, gflops_at(figure, p, figure->row[c], panel));
        }
    }
    return highest;
}

static void draw_curve(const struct figure *figure, struct plot *plot, size_t curve, int panel) {
    const struct picture_key *key = &figure->key[curve];
    double before_x = 0, before_y = 0;
    for (size_t p = 0; p < figure->points; p++) {
        const double x = (double)figure->point[p].problem.extent[figure->index],
                     y = gflops_at(figure, p, figure->row[curve], panel);
        if (p > 0) plot_curve(plot, key->style, before_x, before_y, x, y);
        if (plot_mark(plot, key->style, x, y)) {
            markup_text(plot->file, key->text);
            fprintf(plot->file, " at %g: %.4g GFLOP/s", x, y);
            plot_mark_end(plot);
        }
        before_x = x;
        before_y = y;
    }
}

static bool draw_panel(FILE *file, const struct figure *figure, const char *axis, const char *title,
                       int panel) {
    const double last = (double)figure->point[figure->points - 1].problem.extent[figure->index];
    struct plot plot = {
        .file = file,
        .x = {.title = axis, .span = {0, last}, .linear = true, .label = plot_label_number},
        .y = {.title = title,
              .span = {0, highest(figure)},
              .linear = true,
              .label = plot_label_number},
        .left = PICTURE_LEFT + panel * APART,
        .top = PICTURE_TOP,
        .width = PANEL_WIDTH,
        .height = PANEL_HEIGHT};
    if (!plot_begin(&plot, "")) return false;
    for (size_t c = 0; c < figure->curves; c++) draw_curve(figure, &plot, c, panel);
    plot_end(&plot);
    return true;
}

static bool draw(FILE *file, const struct figure *figure, const char *stage_name) {
    const double key_top = PICTURE_TOP + PANEL_HEIGHT + PICTURE_BELOW;
    char title[TEXT], axis[TEXT], predicted[TEXT];
    print_title(title, figure);
    print_axis(axis, figure);
    snprintf(predicted, sizeof predicted, "GFLOP/s, predicted (%s)", stage_name);
    picture_begin(file, WIDTH, key_top + picture_key_height(figure->key, figure->curves, WIDTH),
                  title, "one thread", false);
    const bool drawn = draw_panel(file, figure, axis, predicted, 0) &&
                       draw_panel(file, figure, axis, "GFLOP/s, measured", 1);
    picture_write_key(file, figure->key, figure->curves, key_top, WIDTH);
    picture_end(file);
    return drawn;
}

bool stages_plot(const char *path, const struct stages_point *point, size_t points, int stage,
                 const char *stage_name) {
    struct figure figure = {
        .point = point, .points = points, .stage = stage, .index = swept_index(point, points)};
    FILE *file = fopen(path, "w");
    collect_curves(&figure);
    bool drawn = file && draw(file, &figure, stage_name);
    if (file && fclose(file) != 0) drawn = false;
    if (!drawn) fprintf(stderr, "bench_stages: cannot draw '%s'\n", path);
    for (size_t c = 0; c < figure.curves; c++) free(figure.name[c]);
    return drawn;
}
