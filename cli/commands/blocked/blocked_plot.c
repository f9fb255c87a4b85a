#include "cli/commands/blocked/blocked_job.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "cli/commands/commands.h"
#include "cli/output/printed.h"
#include "cli/page/plot.h"
#include "tcplan/study/words.h"

/** Maximum number of curves in a plot. If there are more algorithms, the plot has the fastest ones
 * and the slowest one. */
enum { CURVES = PLOT_SERIES, MEASURED_CURVES = PLOT_SERIES / 2 };

/** State of drawing a plot. */
struct drawing {
    const struct blocked_picture *picture;
    double *value;           /* coordinates and values of cells, see draw_heat(); owned */
    struct plot_cells cells; /* cells of a colour map */
    /* median times of the alternatives that pick_at() compares; memory of `value` */
    double *predicted, *measured;
    struct plot plot;
};

/* Values. */

/** Returns the size on the horizontal axis: the second size of a point, or its only one. */
static double size_at(const struct tcplan_blocked_map *map, int point) {
    const int count = tcplan_blocked_blocks(map->blocked[0])->size_count;
    return (double)map->point[point].size[count > 1 ? 1 : 0];
}

static struct plot_mark rate_of(double x, const double seconds[TCPLAN_MODEL_STATISTICS],
                                double flops) {
    double performance[TCPLAN_MODEL_STATISTICS];
    tcplan_blocked_performance(performance, seconds, flops);
    return (struct plot_mark){.x = x,
                              .y = 1e-9 * performance[TCPLAN_MODEL_MEDIAN],
                              .low = 1e-9 * performance[TCPLAN_MODEL_MINIMUM],
                              .high = 1e-9 * performance[TCPLAN_MODEL_MAXIMUM]};
}

/** Returns the number of the best block size of an algorithm at a size point. */
static int best_block(const struct blocked_picture *picture, int algorithm, int point) {
    const struct tcplan_blocked_rank *rank =
        picture->job->rank + (size_t)point * (size_t)picture->job->map.algorithms;
    for (int r = 0; r < picture->job->map.algorithms; r++) {
        if (rank[r].algorithm == algorithm) return rank[r].block;
    }
    return 0;
}

/* Curves. */

static int begin_curve(struct plot *plot, const char *name) {
    return plot_add_series(plot,
                           (struct plot_series){.name = plot_text(plot, "%.60s", name),
                                                .style = plot_style_of((size_t)plot->series_count),
                                                .line = true});
}

static void add_place(struct plot *plot, int series, struct plot_mark place) {
    place.series = series;
    if (place.x > 0 && place.y > 0) plot_add_place(plot, place);
}

/** Marks a value of an extrapolated prediction: the mark is hollow, with an interval if `interval`
 * says so. */
static void mark_extrapolated(struct plot_mark *place,
                              const struct tcplan_blocked_prediction *prediction, bool interval) {
    if (prediction->extrapolated == 0) return;
    place->hollow = true;
    place->bare = false;
    place->tip = ", extrapolated";
    if (!interval) return;
    place->low = 1e-9 * prediction->flops / prediction->high_seconds;
    place->high = 1e-9 * prediction->flops / prediction->low_seconds;
}

/** Returns the number of steps on the horizontal axis: size points or, for a single point, block
 * sizes. */
static int steps_of(const struct tcplan_blocked_map *map) {
    return map->points > 1 ? map->points : map->blocks;
}

/** Sets the size point and block size of a step on the horizontal axis. */
static void locate(const struct blocked_picture *picture, int algorithm, int step, int *point,
                   int *block, double *x) {
    const struct tcplan_blocked_map *map = &picture->job->map;
    const bool over_sizes = map->points > 1;
    *point = over_sizes ? step : 0;
    *block = over_sizes ? best_block(picture, algorithm, step) : step;
    *x = over_sizes ? size_at(map, step) : (double)map->block[step];
}

/** Adds the curve of an algorithm's predictions; if it is the only algorithm, also marks. Returns
 * the number of the series. */
static int add_predicted(struct drawing *drawing, int algorithm) {
    const struct tcplan_blocked_map *map = &drawing->picture->job->map;
    const bool alone = map->algorithms == 1 && !drawing->picture->measured;
    const int series = begin_curve(&drawing->plot, tcplan_blocked_name(map->blocked[algorithm]));
    for (int s = 0; s < steps_of(map); s++) {
        int point, block;
        double x;
        locate(drawing->picture, algorithm, s, &point, &block, &x);
        const struct tcplan_blocked_prediction *prediction =
            tcplan_blocked_map_at(map, algorithm, point, block);
        struct plot_mark place = rate_of(x, prediction->seconds, prediction->flops);
        place.bare = !alone;
        if (!alone) place.low = place.high = 0;
        mark_extrapolated(&place, prediction, true);
        add_place(&drawing->plot, series, place);
    }
    return series;
}

/** Adds an algorithm's measurements as marks. */
static void add_measured(struct drawing *drawing, int series, int algorithm) {
    const struct tcplan_blocked_map *map = &drawing->picture->job->map;
    for (int s = 0; s < steps_of(map); s++) {
        int point, block;
        double x;
        locate(drawing->picture, algorithm, s, &point, &block, &x);
        const struct tcplan_blocked_measured *measured =
            &drawing->picture
                 ->measured[blocked_job_place(drawing->picture->job, algorithm, point, block)];
        if (measured->count == 0) continue;
        struct plot_mark place = rate_of(
            x, measured->seconds, tcplan_blocked_map_at(map, algorithm, point, block)->flops);
        place.apart = true;
        add_place(&drawing->plot, series, place);
    }
}

static const char *describe(struct drawing *drawing, const char *fixed) {
    const struct tcplan_model_setup *setup = drawing->picture->job->head.setup;
    return plot_text(&drawing->plot, "%s%.60s, %s, type %s", fixed,
                     *setup->version ? setup->version : setup->provider,
                     counted(setup->threads, "thread").text,
                     tcplan_word(tcplan_words_dtypes, (int)drawing->picture->job->head.dtype));
}

/** Returns the sizes that do not vary, for the subtitle: `b = 128; `. */
static const char *fixed_words(struct drawing *drawing) {
    const struct tcplan_blocked_map *map = &drawing->picture->job->map;
    const struct tcplan_blocks *blocks = tcplan_blocked_blocks(map->blocked[0]);
    const char *words = "";
    if (map->points > 1)
        return map->blocks > 1 ? "best block sizes; "
                               : plot_text(&drawing->plot, "b = %lld; ", (long long)map->block[0]);
    for (int s = 0; s < blocks->size_count; s++)
        words =
            plot_text(&drawing->plot, "%s%s=%lld%s", words, blocks->size_name[s],
                      (long long)map->point[0].size[s], s + 1 < blocks->size_count ? "," : "; ");
    return words;
}

static void begin_curves(struct drawing *drawing, const char *what, struct axis y,
                         const char *unit) {
    const struct tcplan_blocked_map *map = &drawing->picture->job->map;
    struct plot *plot = &drawing->plot;
    plot->title = plot_text(plot, "%s: %s",
                            map->algorithms == 1 ? tcplan_blocked_name(map->blocked[0])
                                                 : drawing->picture->job->head.operation,
                            what);
    plot->subtitle = describe(drawing, fixed_words(drawing));
    plot->x = (struct axis){
        .title = map->points > 1 ? "n" : "b", .linear = true, .label = plot_label_number};
    plot->y = y;
    plot->unit = unit;
}

/** Chooses the algorithms to draw: the fastest predicted ones at the last point, and the slowest
 * one. If some are left out, the subtitle says so. Returns their number. */
static int choose(int out[CURVES], struct drawing *drawing, int most) {
    const struct tcplan_blocked_map *map = &drawing->picture->job->map;
    const struct tcplan_blocked_rank *rank =
        drawing->picture->job->rank + (size_t)(map->points - 1) * (size_t)map->algorithms;
    const int count = map->algorithms < most ? map->algorithms : most;
    for (int r = 0; r < count; r++)
        out[r] = rank[r + 1 == count ? map->algorithms - 1 : r].algorithm;
    if (count < map->algorithms)
        drawing->plot.subtitle =
            plot_text(&drawing->plot, "%s; predicted to be the %d fastest and the slowest of %d",
                      drawing->plot.subtitle, count - 1, map->algorithms);
    return count;
}

static const struct axis rate_axis = {
    .title = "GFLOP/s", .linear = true, .label = plot_label_number};

static void draw_rates(struct drawing *drawing) {
    const bool measured = drawing->picture->measured != NULL;
    int algorithm[CURVES];
    begin_curves(drawing, measured ? "predicted and measured performance" : "predicted performance",
                 rate_axis, "GFLOP/s");
    const int count = choose(algorithm, drawing, CURVES);
    for (int a = 0; a < count; a++) {
        const int series = add_predicted(drawing, algorithm[a]);
        if (measured) add_measured(drawing, series, algorithm[a]);
    }
}

/** Returns the number of a kernel's curve, which is added if it is new; -1 if no more curves
 * fit. */
static int curve_of(struct plot *plot, const char *name) {
    for (int s = 0; s < plot->series_count; s++) {
        if (strcmp(plot->series[s].name, name) == 0) return s;
    }
    return plot->series_count < CURVES ? begin_curve(plot, name) : -1;
}

/** Draws the share of each kernel over the block sizes; with `rates`, its performance. */
static void draw_kernels(struct drawing *drawing, bool rates) {
    const struct tcplan_blocked_map *map = &drawing->picture->job->map;
    struct plot *plot = &drawing->plot;
    for (int b = 0; b < map->blocks; b++) {
        const struct blocked_predicted *predicted = &drawing->picture->kernels[b];
        for (int k = 0; k < predicted->kernels; k++) curve_of(plot, predicted->kernel[k].name);
    }
    for (int s = 0; s < plot->series_count; s++) {
        for (int b = 0; b < map->blocks; b++) {
            const struct blocked_predicted *predicted = &drawing->picture->kernels[b];
            const double whole = predicted->prediction.seconds[TCPLAN_MODEL_MEDIAN];
            for (int k = 0; k < predicted->kernels; k++) {
                const struct tcplan_blocked_kernel *kernel = &predicted->kernel[k];
                const double seconds = kernel->seconds[TCPLAN_MODEL_MEDIAN];
                if (curve_of(plot, kernel->name) != s || !(whole > 0) || !(seconds > 0)) continue;
                add_place(plot, s,
                          (struct plot_mark){.x = (double)map->block[b],
                                             .y = rates ? 1e-9 * kernel->flops / seconds
                                                        : seconds / whole});
            }
        }
    }
}

static void draw_shares(struct drawing *drawing) {
    begin_curves(
        drawing, "predicted shares of kernels",
        (struct axis){.title = "share of the time", .linear = true, .label = plot_label_share},
        "of the time");
    draw_kernels(drawing, false);
}

static void draw_kernel_rates(struct drawing *drawing) {
    begin_curves(drawing, "predicted performance of kernels", rate_axis, "GFLOP/s");
    draw_kernels(drawing, true);
}

/** Returns the value of a cell: the performance, or the error of a prediction in per cent. */
static double cell_of(const struct blocked_picture *picture, int point, int block) {
    const struct tcplan_blocked_prediction *prediction =
        tcplan_blocked_map_at(&picture->job->map, 0, point, block);
    double error[TCPLAN_MODEL_STATISTICS];
    if (!picture->measured) return rate_of(1, prediction->seconds, prediction->flops).y;
    const struct tcplan_blocked_measured *measured =
        &picture->measured[blocked_job_place(picture->job, 0, point, block)];
    if (measured->count == 0) return NAN;
    tcplan_blocked_errors(error, prediction->seconds, measured->seconds);
    return 100 * fabs(error[TCPLAN_MODEL_MEDIAN]);
}

/** Draws values over sizes and block sizes as a colour map. */
static void draw_heat(struct drawing *drawing) {
    const struct blocked_picture *picture = drawing->picture;
    const struct tcplan_blocked_map *map = &picture->job->map;
    const size_t columns = (size_t)map->points, rows = (size_t)map->blocks;
    double *at_x = drawing->value, *at_y = at_x + columns, *line = at_y + rows,
           *cell = line + columns;
    for (size_t c = 0; c < columns; c++) {
        at_x[c] = size_at(map, (int)c);
        line[c] = (double)map->block[best_block(picture, 0, (int)c)];
        for (size_t r = 0; r < rows; r++) cell[r * columns + c] = cell_of(picture, (int)c, (int)r);
    }
    for (size_t r = 0; r < rows; r++) at_y[r] = (double)map->block[r];
    drawing->cells = (struct plot_cells){.value = picture->measured ? "%" : "GFLOP/s",
                                         .columns = columns,
                                         .rows = rows,
                                         .at_x = at_x,
                                         .at_y = at_y,
                                         .value_at = cell,
                                         .line = "block size predicted to be fastest",
                                         .line_y = line};
    begin_curves(drawing,
                 picture->measured ? "error of the predicted median" : "predicted performance",
                 (struct axis){.title = "b", .linear = true, .label = plot_label_number}, "");
    drawing->plot.subtitle = describe(drawing, "");
    drawing->plot.cells = &drawing->cells;
}

/* Figures of measurements. */

/** Returns a measurement; NULL if it was not made. */
static const struct tcplan_blocked_measured *measured_at(const struct drawing *drawing,
                                                         int algorithm, int point, int block) {
    const struct blocked_picture *picture = drawing->picture;
    const struct tcplan_blocked_measured *measured =
        picture->measured
            ? &picture->measured[blocked_job_place(picture->job, algorithm, point, block)]
            : NULL;
    return measured && measured->count > 0 ? measured : NULL;
}

/** Adds the relative errors of an algorithm's predictions of one statistic. */
static void add_errors(struct drawing *drawing, const char *name, int algorithm, int statistic) {
    const struct tcplan_blocked_map *map = &drawing->picture->job->map;
    const int series = begin_curve(&drawing->plot, name);
    for (int s = 0; s < steps_of(map); s++) {
        int point, block;
        double x, error[TCPLAN_MODEL_STATISTICS];
        locate(drawing->picture, algorithm, s, &point, &block, &x);
        const struct tcplan_blocked_measured *measured =
            measured_at(drawing, algorithm, point, block);
        if (!measured) continue;
        const struct tcplan_blocked_prediction *prediction =
            tcplan_blocked_map_at(map, algorithm, point, block);
        tcplan_blocked_errors(error, prediction->seconds, measured->seconds);
        struct plot_mark place = {.series = series, .x = x, .y = 100 * error[statistic]};
        mark_extrapolated(&place, prediction, false);
        plot_add_place(&drawing->plot, place);
    }
}

/** Draws the errors of each statistic for one algorithm, or of the median for several
 * algorithms. */
static void draw_errors(struct drawing *drawing) {
    static const int statistics[] = {TCPLAN_MODEL_MINIMUM, TCPLAN_MODEL_MEDIAN, TCPLAN_MODEL_MEAN,
                                     TCPLAN_MODEL_MAXIMUM};
    const struct tcplan_blocked_map *map = &drawing->picture->job->map;
    int algorithm[CURVES];
    plot_add_guide(&drawing->plot, (struct plot_guide){.class = "guide", .x2 = INT32_MAX});
    begin_curves(drawing,
                 map->algorithms == 1 ? "error of the predicted time"
                                      : "error of the predicted median time",
                 (struct axis){.title = "predicted minus measured, % of measured",
                               .linear = true,
                               .is_signed = true,
                               .label = plot_label_number},
                 "%");
    if (map->algorithms == 1) {
        for (size_t s = 0; s < sizeof statistics / sizeof *statistics; s++)
            add_errors(drawing,
                       tcplan_model_statistic_name((enum tcplan_model_statistic)statistics[s]), 0,
                       statistics[s]);
        return;
    }
    const int count = choose(algorithm, drawing, CURVES);
    for (int a = 0; a < count; a++)
        add_errors(drawing, tcplan_blocked_name(map->blocked[algorithm[a]]), algorithm[a],
                   TCPLAN_MODEL_MEDIAN);
}

/** Chooses among the block sizes of `count` algorithms from `first` on at a size point. The number
 * of an alternative is (algorithm - first) * (number of block sizes) + block size. */
static struct tcplan_blocked_pick pick_at(struct drawing *drawing, int first, int count,
                                          int point) {
    const struct tcplan_blocked_map *map = &drawing->picture->job->map;
    for (int i = 0; i < count * map->blocks; i++) {
        const int algorithm = first + i / map->blocks, block = i % map->blocks;
        const struct tcplan_blocked_measured *measured =
            measured_at(drawing, algorithm, point, block);
        drawing->predicted[i] =
            tcplan_blocked_map_at(map, algorithm, point, block)->seconds[TCPLAN_MODEL_MEDIAN];
        drawing->measured[i] = measured ? measured->seconds[TCPLAN_MODEL_MEDIAN] : 0;
    }
    return tcplan_blocked_pick(drawing->predicted, drawing->measured, count * map->blocks);
}

/** Adds the yield (Peise 2017, equation 4.7) of the predicted choice among the block sizes of some
 * algorithms, or, with `usual`, of LAPACK's block size. */
static void add_yields(struct drawing *drawing, const char *name, int first, int count,
                       bool usual) {
    const struct blocked_job *job = drawing->picture->job;
    const int series = begin_curve(&drawing->plot, name);
    for (int p = 0; p < job->map.points; p++) {
        const struct tcplan_blocked_pick pick = pick_at(drawing, first, count, p);
        if (pick.picked < 0) continue;
        const double own = usual ? drawing->measured[job->default_place] : 0,
                     yield = !usual    ? pick.yield
                             : own > 0 ? drawing->measured[pick.fastest] / own
                                       : 0;
        add_place(&drawing->plot, series,
                  (struct plot_mark){.x = size_at(&job->map, p), .y = 100 * yield});
    }
}

static void draw_yields(struct drawing *drawing) {
    const struct blocked_job *job = drawing->picture->job;
    const struct tcplan_blocked_map *map = &job->map;
    int algorithm[CURVES];
    begin_curves(drawing, "yield of the predicted choice",
                 (struct axis){.title = "performance, % of the best measured",
                               .linear = true,
                               .from_data = true,
                               .label = plot_label_number},
                 "%");
    drawing->plot.subtitle = describe(drawing, "");
    if (map->algorithms == 1) {
        add_yields(drawing, "predicted b", 0, 1, false);
        if (job->default_place >= 0)
            add_yields(drawing,
                       plot_text(&drawing->plot, "LAPACK's b = %lld",
                                 (long long)map->block[job->default_place]),
                       0, 1, true);
        return;
    }
    add_yields(drawing, map->blocks > 1 ? "predicted algorithm and b" : "predicted algorithm", 0,
               map->algorithms, false);
    if (map->blocks == 1) return;
    const int count = choose(algorithm, drawing, CURVES - 1);
    for (int a = 0; a < count; a++)
        add_yields(drawing,
                   plot_text(&drawing->plot, "predicted b of %s",
                             tcplan_blocked_name(map->blocked[algorithm[a]])),
                   algorithm[a], 1, false);
}

/** Adds the predicted or measured best block size of an algorithm over n. */
static void add_blocks(struct drawing *drawing, const char *name, int algorithm, bool is_measured,
                       int colour) {
    const struct tcplan_blocked_map *map = &drawing->picture->job->map;
    const int series = begin_curve(&drawing->plot, name);
    struct plot_style *style = &drawing->plot.series[series].style;
    *style = plot_style_of((size_t)colour);
    style->dash = style->hollow = !is_measured;
    for (int p = 0; p < map->points; p++) {
        const int block = is_measured ? pick_at(drawing, algorithm, 1, p).fastest
                                      : best_block(drawing->picture, algorithm, p);
        if (block < 0) continue;
        add_place(&drawing->plot, series,
                  (struct plot_mark){.x = size_at(map, p), .y = (double)map->block[block]});
    }
}

static void draw_blocks(struct drawing *drawing) {
    const struct blocked_job *job = drawing->picture->job;
    const struct tcplan_blocked_map *map = &job->map;
    const bool measured = drawing->picture->measured != NULL;
    struct plot *plot = &drawing->plot;
    int algorithm[CURVES];
    begin_curves(drawing,
                 measured ? "predicted and measured best block size" : "predicted best block size",
                 (struct axis){.title = "best b", .linear = true, .label = plot_label_number}, "");
    plot->subtitle = describe(drawing, "");
    const int count = choose(algorithm, drawing, measured ? MEASURED_CURVES : CURVES);
    for (int a = 0; a < count; a++) {
        const char *name =
            map->algorithms > 1
                ? plot_text(plot, "%s, ", tcplan_blocked_name(map->blocked[algorithm[a]]))
                : "";
        add_blocks(drawing, plot_text(plot, "%spredicted", name), algorithm[a], false, a);
        if (measured)
            add_blocks(drawing, plot_text(plot, "%smeasured", name), algorithm[a], true, a);
    }
    if (job->of.of.default_block <= 0) return;
    plot_add_guide(plot,
                   (struct plot_guide){.class = "guide",
                                       .x2 = 2 * size_at(map, map->points - 1),
                                       .y1 = (double)job->of.of.default_block,
                                       .y2 = (double)job->of.of.default_block,
                                       .label = plot_text(plot, "LAPACK's b = %lld",
                                                          (long long)job->of.of.default_block),
                                       .from_end = true});
}

/** Adds the curve of a size point over the block sizes; returns the mark of the best block size. */
static struct plot_mark add_size(struct drawing *drawing, int point, struct plot_series series,
                                 bool is_measured) {
    const struct tcplan_blocked_map *map = &drawing->picture->job->map;
    const int number = plot_add_series(&drawing->plot, series);
    struct plot_mark best = {.y = 0};
    for (int b = 0; b < map->blocks; b++) {
        const struct tcplan_blocked_prediction *prediction =
            tcplan_blocked_map_at(map, 0, point, b);
        const struct tcplan_blocked_measured *measured = measured_at(drawing, 0, point, b);
        if (is_measured && !measured) continue;
        struct plot_mark place =
            rate_of((double)map->block[b], is_measured ? measured->seconds : prediction->seconds,
                    prediction->flops);
        place.low = place.high = 0;
        place.bare = !is_measured;
        if (place.y > best.y) best = place;
        add_place(&drawing->plot, number, place);
    }
    best.bare = false;
    return best;
}

/** Draws the performance over the block sizes for up to CURVES sizes, and marks the best block size
 * of each. */
static void draw_optima(struct drawing *drawing) {
    const struct tcplan_blocked_map *map = &drawing->picture->job->map;
    struct plot *plot = &drawing->plot;
    const int count = map->points < CURVES ? map->points : CURVES;
    struct plot_mark best[2][CURVES];
    begin_curves(drawing, "best block sizes", rate_axis, "GFLOP/s");
    plot->x.title = "b";
    plot->subtitle =
        describe(drawing, drawing->picture->measured ? "lines: predicted; marks: measured; "
                                                     : "predicted; ");
    for (int c = 0; c < count; c++) {
        const int point = count > 1 ? c * (map->points - 1) / (count - 1) : 0;
        struct plot_series series = {.name = plot_text(plot, "n = %.0f", size_at(map, point)),
                                     .style = {.colour = c, .shape = PLOT_SERIES - 1},
                                     .line = true};
        best[0][c] = add_size(drawing, point, series, false);
        series.name = NULL;
        series.line = false;
        best[1][c] = add_size(drawing, point, series, true);
    }
    for (int measured = 0; measured <= (drawing->picture->measured != NULL); measured++) {
        const int series = plot_add_series(
            plot,
            (struct plot_series){
                .name = measured ? "best b, measured" : "best b, predicted",
                .style = {.colour = PLOT_NEUTRAL, .shape = measured ? 3 : 1, .hollow = true}});
        for (int c = 0; c < count; c++) add_place(plot, series, best[measured][c]);
    }
}

/* The picture. */

/** The pictures that `--figure` names, by enum blocked_figure. */
static const struct figure {
    void (*draw)(struct drawing *drawing);
    bool of_measured, of_kernels; /* needs measurements; needs the shares of kernels */
    bool over_n, over_b;          /* needs several sizes; needs several block sizes */
    bool of_one;                  /* whether it shows a single algorithm */
} figures[] = {
    [BLOCKED_ERROR] = {.draw = draw_errors, .of_measured = true},
    [BLOCKED_YIELD] = {.draw = draw_yields, .of_measured = true, .over_n = true},
    [BLOCKED_BLOCKS] = {.draw = draw_blocks, .over_n = true, .over_b = true},
    [BLOCKED_OPTIMA] = {.draw = draw_optima, .over_b = true, .of_one = true},
    [BLOCKED_KERNELS] = {.draw = draw_kernel_rates,
                         .of_kernels = true,
                         .over_b = true,
                         .of_one = true},
};

static bool is_heat(const struct tcplan_blocked_map *map) {
    return map->points > 1 && map->blocks > 1 && map->algorithms == 1;
}

/** Checks that the job has the data that the figure of `--figure` shows. */
static enum exit_status check_figure(const struct blocked_job *job) {
    const struct figure *figure = &figures[job->options->figure];
    const struct tcplan_blocked_map *map = &job->map;
    const uint64_t action = job->options->action->bit;
    const char *missing =
        figure->of_measured && action != BLOCKED_MEASURE  ? "`blocked measure`"
        : figure->of_kernels && action != BLOCKED_PREDICT ? "`blocked predict`"
        : figure->of_one && map->algorithms > 1           ? "one algorithm, such as potrf_L3"
        : figure->over_n && map->points == 1              ? "several sizes (--n 500:4000:500)"
        : figure->over_b && map->blocks == 1              ? "several block sizes (--block 24:536:8)"
        : figure->of_kernels && map->points > 1           ? "one size (--n 1000)"
                                                          : NULL;
    if (!missing) return EXIT_DONE;
    return diagnose_as(EXIT_USAGE, "--figure %s needs %s",
                       tcplan_word(blocked_figures, job->options->figure), missing);
}

enum exit_status blocked_plot_check(const struct blocked_job *job) {
    const struct tcplan_blocked_map *map = &job->map;
    if (!job->options->plot) return EXIT_DONE;
    if (tcplan_blocked_blocks(map->blocked[0])->size_count > 2)
        return diagnose_as(EXIT_USAGE, "--plot draws over m or n, but %s has other sizes",
                           tcplan_blocked_name(map->blocked[0]));
    if (map->points == 1 && map->blocks == 1)
        return diagnose_as(
            EXIT_USAGE,
            "--plot needs several sizes (--n 500:4000:500) or block sizes (--block 24:536:8)");
    if (job->options->figure != BLOCKED_PERFORMANCE) {
        const enum exit_status status = check_figure(job);
        if (status != EXIT_DONE) return status;
    }
    return picture_file_check("--plot", job->options->plot);
}

/** Names the size points with extrapolated predictions in the subtitle. */
static void add_extrapolated(struct drawing *drawing) {
    const struct tcplan_blocked_map *map = &drawing->picture->job->map;
    const int all = map->algorithms * map->points * map->blocks;
    double first = INFINITY, last = 0;
    for (int i = 0; i < all; i++) {
        const double n = size_at(map, i / map->blocks % map->points);
        if (map->prediction[i].extrapolated == 0) continue;
        first = fmin(first, n);
        last = fmax(last, n);
    }
    if (last > 0)
        drawing->plot.subtitle = plot_text(&drawing->plot, "%s; extrapolated: n = %.0f to %.0f",
                                           drawing->plot.subtitle, first, last);
}

static bool print_picture(FILE *file, const struct blocked_picture *picture) {
    const struct tcplan_blocked_map *map = &picture->job->map;
    const size_t columns = (size_t)map->points, rows = (size_t)map->blocks,
                 alternatives = (size_t)map->algorithms * rows,
                 cells = 2 * columns + rows + columns * rows;
    const int figure = picture->job->options->figure;
    const bool shares =
        map->points == 1 && map->algorithms == 1 && picture->kernels && !picture->measured;
    double *value = base_alloc((cells + 2 * alternatives) * sizeof *value);
    if (!value) return false;
    struct drawing drawing = {.picture = picture,
                              .value = value,
                              .predicted = value + cells,
                              .measured = value + cells + alternatives};
    (figure != BLOCKED_PERFORMANCE ? figures[figure].draw
     : is_heat(map)                ? draw_heat
     : shares                      ? draw_shares
                                   : draw_rates)(&drawing);
    add_extrapolated(&drawing);
    const bool printed = plot_print(file, &drawing.plot, 1);
    base_free(value);
    return printed;
}

enum exit_status blocked_plot(const struct blocked_picture *picture) {
    const char *path = picture->job->options->plot;
    struct output_file out = {0};
    if (!path) return EXIT_DONE;
    const enum exit_status status = output_begin(&out, path);
    return status == EXIT_DONE ? picture_file_end(&out, print_picture(out.file, picture)) : status;
}
