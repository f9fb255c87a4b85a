#include "cli/page/pictures.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "cli/page/plot.h"

enum { ROW_HEIGHT = 30, MARKED_POINTS = 40, SMALL_MARK = 7 };

/* Position of the lines below a bar, in rows. */
#define BELOW_BAR 0.78

/** Kinds of bands: from min to max, between quartiles, and around avg. */
enum band { BAND_RANGE, BAND_QUARTILES, BAND_DEVIATION, BANDS };

static const double band_opacity[BANDS] = {0.13, 0.17, 0.2};

/** State of converting an evaluation to a plot. */
struct scene {
    const struct tcplan_evaluation *evaluation;
    struct plot plot;
    bool band[BANDS];
    bool all;                    /* whether every sample is drawn */
    int dash[TCPLAN_STATISTICS]; /* style of the line of each statistic; -1: it has no line */
    int first; /* the first statistic that is drawn as a line; it determines marks and bars */
};

static const struct tcplan_figure *figure_at(const struct scene *scene, size_t point,
                                             int selector) {
    const size_t selectors = (size_t)scene->evaluation->selector_count;
    return &scene->evaluation->figure[point * selectors + (size_t)selector];
}

/** Chooses how to draw the statistics. If no statistic is drawn as a line, bars end at the
 * median. */
static void choose(struct scene *scene, unsigned statistics) {
    static const enum tcplan_statistic order[] = {
        TCPLAN_STATISTIC_P90, TCPLAN_STATISTIC_P75,  TCPLAN_STATISTIC_P25,   TCPLAN_STATISTIC_MAX,
        TCPLAN_STATISTIC_MIN, TCPLAN_STATISTIC_MEAN, TCPLAN_STATISTIC_MEDIAN};
    const bool least = statistics & 1U << TCPLAN_STATISTIC_MIN,
               most = statistics & 1U << TCPLAN_STATISTIC_MAX,
               mean = statistics & 1U << TCPLAN_STATISTIC_MEAN,
               median = statistics & 1U << TCPLAN_STATISTIC_MEDIAN,
               first = statistics & 1U << TCPLAN_STATISTIC_P25,
               third = statistics & 1U << TCPLAN_STATISTIC_P75,
               deviation = statistics & 1U << TCPLAN_STATISTIC_DEVIATION;
    scene->all = statistics & SAMPLES_ALL;
    scene->band[BAND_RANGE] = least && most;
    scene->band[BAND_QUARTILES] = first && third;
    scene->band[BAND_DEVIATION] = deviation;
    scene->dash[TCPLAN_STATISTIC_MEDIAN] = median ? 0 : -1;
    scene->dash[TCPLAN_STATISTIC_MEAN] = !mean && !deviation ? -1 : median;
    scene->dash[TCPLAN_STATISTIC_MIN] = least && !most ? 2 : -1;
    scene->dash[TCPLAN_STATISTIC_MAX] = most && !least ? 2 : -1;
    scene->dash[TCPLAN_STATISTIC_DEVIATION] = -1;
    scene->dash[TCPLAN_STATISTIC_P25] = first && !third ? 2 : -1;
    scene->dash[TCPLAN_STATISTIC_P75] = third && !first ? 2 : -1;
    scene->dash[TCPLAN_STATISTIC_P90] = statistics & 1U << TCPLAN_STATISTIC_P90 ? 1 : -1;
    scene->first = TCPLAN_STATISTIC_MEDIAN;
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        if (scene->dash[order[i]] >= 0) scene->first = order[i];
    }
}

static double shown_factor(const struct tcplan_evaluation *evaluation) {
    return strcmp(evaluation->unit, "%") == 0 ? 100 : 1;
}

static const char *tip_of(struct scene *scene, size_t point, int selector) {
    const struct tcplan_evaluation *evaluation = scene->evaluation;
    const double *statistic = figure_at(scene, point, selector)->statistic,
                 factor = shown_factor(evaluation);
    const char *at = "";
    if (evaluation->variable)
        at = plot_text(&scene->plot, " at %.32s=%" PRId64, evaluation->variable,
                       evaluation->point[point]);
    return plot_text(
        &scene->plot, "%.80s%s: median %.4g %s (%.4g to %.4g)", evaluation->selector[selector], at,
        factor * statistic[TCPLAN_STATISTIC_MEDIAN], evaluation->unit,
        factor * statistic[TCPLAN_STATISTIC_MIN], factor * statistic[TCPLAN_STATISTIC_MAX]);
}

/** Returns the lower and upper end of a band at one point. */
static struct tcplan_span band_of(const struct tcplan_figure *figure, enum band band) {
    const double *s = figure->statistic;
    const double mean = s[TCPLAN_STATISTIC_MEAN], off = s[TCPLAN_STATISTIC_DEVIATION];
    if (band == BAND_DEVIATION) return (struct tcplan_span){fmax(0, mean - off), mean + off};
    return band == BAND_RANGE
               ? (struct tcplan_span){s[TCPLAN_STATISTIC_MIN], s[TCPLAN_STATISTIC_MAX]}
               : (struct tcplan_span){s[TCPLAN_STATISTIC_P25], s[TCPLAN_STATISTIC_P75]};
}

/** Adds a line for a statistic, or a band if `statistic` is -1. Points without samples are gaps. */
static void add_trace(struct scene *scene, int selector, int statistic, enum band kind) {
    struct plot_series series = {.style = plot_style_of((size_t)selector), .line = statistic >= 0};
    if (statistic >= 0) series.style.dash = scene->dash[statistic];
    if (statistic < 0) series.band = band_opacity[kind];
    struct plot_mark mark = {.series = plot_add_series(&scene->plot, series), .bare = true};
    for (size_t p = 0; p < scene->evaluation->point_count; p++) {
        const struct tcplan_figure *figure = figure_at(scene, p, selector);
        const struct tcplan_span band =
            statistic < 0 ? band_of(figure, kind) : (struct tcplan_span){0, 0};
        mark.x = (double)scene->evaluation->point[p];
        mark.y = statistic >= 0 ? figure->statistic[statistic] : band.low;
        mark.low = statistic >= 0 ? 0 : band.low;
        mark.high = statistic >= 0 ? 0 : band.high;
        if (figure->count > 0) plot_add_mark(&scene->plot, mark);
        mark.apart = figure->count == 0;
    }
}

/** Adds marks for all samples; otherwise marks for the points of the first line, unless the line is
 * dashed. */
static void add_marks(struct scene *scene, int selector, int series, size_t point) {
    const struct tcplan_figure *figure = figure_at(scene, point, selector);
    const bool any = figure->count > 0 && scene->dash[scene->first] == 0;
    for (size_t i = 0; i < (scene->all ? figure->count : any); i++)
        plot_add_mark(&scene->plot,
                      (struct plot_mark){.series = series,
                                         .x = (double)scene->evaluation->point[point],
                                         .y = scene->all ? figure->sample[i]
                                                         : figure->statistic[scene->first],
                                         .apart = true,
                                         .tip = tip_of(scene, point, selector)});
}

static void add_lines(struct scene *scene) {
    const struct tcplan_evaluation *evaluation = scene->evaluation;
    for (int s = 0; s < evaluation->selector_count; s++) {
        for (int b = 0; b < BANDS; b++) {
            if (scene->band[b]) add_trace(scene, s, -1, (enum band)b);
        }
    }
    for (int s = 0; s < evaluation->selector_count; s++) {
        for (int k = 0; k < TCPLAN_STATISTICS; k++) {
            if (scene->dash[k] >= 0) add_trace(scene, s, k, BANDS);
        }
    }
    for (int s = 0; s < evaluation->selector_count; s++) {
        struct plot_series series = {
            .name = evaluation->selector[s], .style = plot_style_of((size_t)s), .line = true};
        if (evaluation->point_count > MARKED_POINTS) series.style.shape = SMALL_MARK;
        const int number = plot_add_series(&scene->plot, series);
        for (size_t p = 0; p < evaluation->point_count; p++) add_marks(scene, s, number, p);
    }
}

/* Adds, below a bar, a line from min to max or around avg, and marks of samples. */

static void add_reach(struct scene *scene, int selector, const char *kind,
                      struct tcplan_span reach) {
    const double y = selector + BELOW_BAR;
    const char *class = plot_text(&scene->plot, "%s c%d", kind, selector % PLOT_SERIES);
    plot_add_guide(
        &scene->plot,
        (struct plot_guide){.class = class, .x1 = reach.low, .y1 = y, .x2 = reach.high, .y2 = y});
}

static void add_bar(struct scene *scene, int selector) {
    const struct tcplan_figure *figure = figure_at(scene, 0, selector);
    const double value = figure->statistic[scene->first];
    struct plot *plot = &scene->plot;
    struct plot_series samples = {.style = plot_style_of((size_t)selector)};
    struct plot_bar bar = {.colour = samples.style.colour, .y = selector + 0.2, .thick = 0.5};
    samples.style.shape = SMALL_MARK;
    plot_add_row(plot, (struct plot_row){.name = scene->evaluation->selector[selector]});
    bar.value = "no samples";
    if (figure->count > 0) {
        bar.x = value;
        bar.tip = tip_of(scene, 0, selector);
        bar.value = plot_text(plot, "%.4g %s", shown_factor(scene->evaluation) * value,
                              scene->evaluation->unit);
        for (int b = BANDS - 1, drawn = 0; b >= 0; b--) {
            if (scene->band[b])
                add_reach(scene, selector, drawn++ > 0 ? "curve" : "home",
                          band_of(figure, (enum band)b));
        }
    }
    plot_add_bar(plot, bar);
    const int series = plot_add_series(plot, samples);
    for (size_t i = 0; i < figure->count && scene->all; i++)
        plot_add_mark(plot, (struct plot_mark){.series = series,
                                               .x = figure->sample[i],
                                               .y = selector + BELOW_BAR,
                                               .tip = bar.tip});
}

/* The picture. */

/** Returns the subtitle, such as "median, every sample; LIBRARY; MACHINE". */
static const char *describe(struct scene *scene, unsigned statistics) {
    struct plot *plot = &scene->plot;
    const char *drawn = "";
    for (int k = 0; k < TCPLAN_STATISTICS; k++) {
        if (statistics & 1U << k)
            drawn = plot_text(plot, "%s%s%s", drawn, *drawn ? ", " : "",
                              tcplan_statistic_name((enum tcplan_statistic)k));
    }
    if (scene->all) drawn = plot_text(plot, "%s%severy sample", drawn, *drawn ? ", " : "");
    return plot_text(plot, "%s; %.70s; %.70s", drawn, scene->evaluation->library,
                     scene->evaluation->machine);
}

bool samples_plot_print(FILE *file, const struct tcplan_evaluation *evaluation, unsigned statistics,
                        bool embedded) {
    struct scene scene = {.evaluation = evaluation};
    const bool plain = strcmp(evaluation->unit, "%") == 0 ||
                       !*evaluation->unit; /* Shares and counts have no unit. */
    const struct axis values = {.title = plain ? evaluation->metric : evaluation->unit,
                                .linear = true,
                                .label = shown_factor(evaluation) > 1 ? plot_label_share
                                                                      : plot_label_number};
    scene.plot.title = evaluation->title;
    scene.plot.embedded = embedded;
    choose(&scene, statistics);
    scene.plot.subtitle = describe(&scene, statistics);
    if (evaluation->variable) {
        scene.plot.x = (struct axis){.title = evaluation->variable,
                                     .linear = true,
                                     .from_data = true,
                                     .label = plot_label_number};
        scene.plot.y = values;
        add_lines(&scene);
    } else {
        scene.plot.x = values;
        scene.plot.row_height = ROW_HEIGHT;
        for (int s = 0; s < evaluation->selector_count; s++) add_bar(&scene, s);
    }
    return plot_print(file, &scene.plot, 1);
}
