#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/page/pictures.h"
#include "cli/page/plot.h"

/* With more curves than this, the key names only kernels. */
enum { NAMED = 16, PANELS = 2, PANEL_WIDTH = 610, PANEL_HEIGHT = 380 };

/** The panels of a figure: predicted and measured performance, or a single panel. */
struct figure {
    const struct sizes_plot *of;
    int index; /* number of the index whose extent is the x axis */
    int panels;
    struct plot panel[PANELS];
    double error; /* sum of absolute errors, in per cent */
    size_t errors;
};

/** Returns the first index whose extent varies. */
static int swept_index(const struct sizes_plot *of) {
    const struct tcplan_problem *first = of->problem, *last = &of->problem[of->points - 1];
    for (int i = 0; i < first->contraction->index_count; i++) {
        if (first->extent[i] != last->extent[i]) return i;
    }
    return 0;
}

/** Returns the title of the axis, "a = b = c": all indices that vary together. */
static const char *axis_title(struct figure *figure) {
    const struct tcplan_problem *first = figure->of->problem,
                                *last = &figure->of->problem[figure->of->points - 1];
    const char *title = "";
    for (int i = 0; i < first->contraction->index_count; i++) {
        if (first->extent[i] == first->extent[figure->index] &&
            last->extent[i] == last->extent[figure->index])
            title = plot_text(figure->panel, "%s%s%s", title, *title ? " = " : "",
                              first->contraction->index[i].name);
    }
    return title;
}

/** Returns the title: the contraction and the extents that do not vary. */
static const char *title_of(struct figure *figure) {
    const struct tcplan_problem *first = figure->of->problem,
                                *last = &figure->of->problem[figure->of->points - 1];
    const char *title = plot_text_owned(figure->panel, tcplan_contraction_text(first->contraction));
    for (int i = 0; i < first->contraction->index_count; i++) {
        if (first->extent[i] == last->extent[i])
            title = plot_text(figure->panel, "%s, %s = %" PRId64, title,
                              first->contraction->index[i].name, first->extent[i]);
    }
    return title;
}

/** Returns the value of a curve in a panel at a size; NAN: unknown. */
static double value_at(const struct figure *figure, const struct sizes_curve *curve, int panel,
                       size_t point) {
    const double predicted = curve->predicted[point], measured = curve->measured[point];
    if (figure->of->speedups) return curve->speedup[point] > 0 ? curve->speedup[point] : NAN;
    if (figure->of->errors)
        return predicted > 0 && measured > 0 ? 100 * (predicted / measured - 1) : NAN;
    const double seconds = panel == 0 ? predicted : measured;
    return seconds > 0 ? 1e-9 * figure->of->problem[point].flops / seconds : NAN;
}

static void add_curve(struct figure *figure, const struct sizes_curve *curve, int panel,
                      struct plot_style style, bool is_first) {
    struct plot *plot = &figure->panel[panel];
    const bool named = figure->of->count <= NAMED;
    const enum tcplan_dtype dtype = figure->of->problem->dtype;
    const char *key = named      ? curve->name
                      : is_first ? tcplan_kernel_name(curve->kernel, dtype)
                                 : NULL;
    const int series =
        plot_add_series(plot, (struct plot_series){.name = key, .style = style, .line = true});
    bool gap = false; /* whether the value at the previous size is unknown */
    for (size_t p = 0; p < figure->of->points; p++) {
        const double x = (double)figure->of->problem[p].extent[figure->index],
                     y = value_at(figure, curve, panel, p);
        const bool was_gap = gap;
        gap = isnan(y);
        if (gap) continue;
        struct plot_mark *mark = plot_add_mark(
            plot, (struct plot_mark){.series = series, .x = x, .y = y, .apart = was_gap});
        if (mark) mark->tip = plot_text(plot, "%s: %.4g %s at %.0f", curve->name, y, plot->unit, x);
        if (!figure->of->errors) continue;
        figure->error += fabs(y);
        figure->errors++;
    }
}

/** Adds all curves. Few curves have different colours. Many curves have one colour for each kernel.
 * The algorithms of a kernel then differ in shapes and dashes if the key names them. */
static void add_curves(struct figure *figure) {
    int of_kernel[TCPLAN_KERNELS] = {0};
    for (size_t c = 0; c < figure->of->count; c++) {
        const struct sizes_curve *curve = &figure->of->curve[c];
        const bool named = figure->of->count <= NAMED;
        const int kernel = (int)curve->kernel, number = of_kernel[kernel]++;
        const struct plot_style style =
            figure->of->count <= PLOT_SERIES
                ? plot_style_of(c)
                : (struct plot_style){.colour = kernel % PLOT_SERIES,
                                      .shape = named ? number % PLOT_SERIES : PLOT_DOT,
                                      .dash = named ? number % PLOT_DASHES : 0};
        for (int panel = 0; panel < figure->panels; panel++)
            add_curve(figure, curve, panel, style, number == 0);
    }
}

/** Gives both panels the same range, up to the highest performance in either. */
static void share_axis(struct figure *figure) {
    double highest = 0;
    for (int p = 0; p < figure->panels; p++) {
        for (size_t m = 0; m < figure->panel[p].mark_count; m++)
            highest = fmax(highest, figure->panel[p].mark[m].y);
    }
    for (int p = 0; p < figure->panels; p++) figure->panel[p].y.span.high = highest;
}

static bool has_measured(const struct sizes_plot *of) {
    for (size_t c = 0; c < of->count; c++) {
        for (size_t p = 0; p < of->points; p++) {
            if (of->curve[c].measured[p] > 0) return true;
        }
    }
    return false;
}

bool sizes_plot_print(FILE *file, const struct sizes_plot *of) {
    struct figure figure = {.of = of, .index = swept_index(of)};
    figure.panels = !of->errors && !of->speedups && has_measured(of) ? PANELS : 1;
    const char *title = title_of(&figure), *x = axis_title(&figure);
    for (int p = 0; p < figure.panels; p++) {
        struct plot *plot = &figure.panel[p];
        const struct arena arena = plot->arena;
        *plot = (struct plot){.arena = arena,
                              .title = title,
                              .subtitle = of->subtitle,
                              .x = {.title = x, .linear = true, .label = plot_label_number},
                              .y = {.linear = !of->speedups, .label = plot_label_number},
                              .unit = of->errors     ? "%"
                                      : of->speedups ? "times"
                                                     : "GFLOP/s",
                              .is_still = figure.panels > 1};
        if (figure.panels > 1) {
            plot->width = PANEL_WIDTH;
            plot->height = PANEL_HEIGHT;
        }
        plot->y.is_signed = of->errors;
        plot->y.title =
            of->errors ? "predicted minus measured, % of measured"
            : of->speedups
                ? plot_text(plot, "time of the runs / time of the prediction (%s)", of->predictor)
            : p > 0 ? "GFLOP/s, measured"
                    : plot_text(plot, "GFLOP/s, predicted (%s)", of->predictor);
    }
    add_curves(&figure);
    if (of->errors) {
        plot_add_guide(figure.panel, (struct plot_guide){.class = "guide", .x2 = INT32_MAX});
        if (figure.errors > 0)
            figure.panel[0].subtitle =
                plot_text(figure.panel, "%s; mean absolute error %.1f %%", of->subtitle,
                          figure.error / (double)figure.errors);
    } else if (!of->speedups) {
        share_axis(&figure);
    }
    return plot_print(file, figure.panel, (size_t)figure.panels);
}
