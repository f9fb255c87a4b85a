#include "cli/commands/blocked/blocked_job.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "cli/output/printed.h"
#include "cli/page/plot.h"
#include "tcplan/study/words.h"

/** Maximum number of curves in a plot. If there are more algorithms, the fastest ones and the
 * slowest one are drawn. */
enum { CURVES = PLOT_SERIES, MEASURED_CURVES = PLOT_SERIES / 2 };

/** State of drawing a plot. */
struct drawing {
    const struct blocked_picture *picture;
    struct plot plot;
};

/* Values. */

/** Returns the size on the horizontal axis: the last size of a point. */
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

/** Adds the curve of an algorithm's predictions; if there is only one algorithm, also marks.
 * Returns the series. */
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
        add_place(&drawing->plot, series, place);
    }
    return series;
}

/** Adds the measurements of an algorithm as marks. */
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

/** Chooses the algorithms to draw: the fastest at the last point, and the slowest. */
static int choose(int out[CURVES], const struct blocked_picture *picture, int most) {
    const struct tcplan_blocked_map *map = &picture->job->map;
    const struct tcplan_blocked_rank *rank =
        picture->job->rank + (size_t)(map->points - 1) * (size_t)map->algorithms;
    const int count = map->algorithms < most ? map->algorithms : most;
    for (int r = 0; r < count; r++)
        out[r] = rank[r + 1 == count ? map->algorithms - 1 : r].algorithm;
    return count;
}

static const char *describe(struct drawing *drawing, const char *fixed) {
    const struct tcplan_model_setup *setup = drawing->picture->job->head.setup;
    return plot_text(&drawing->plot, "%s%.60s, %s, type %s", fixed,
                     *setup->version ? setup->version : setup->provider,
                     counted(setup->threads, "thread").text,
                     tcplan_word(tcplan_words_dtypes, (int)drawing->picture->job->head.dtype));
}

/** Returns the fixed sizes for the subtitle: `b = 128; `. */
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

static void draw_rates(struct drawing *drawing) {
    const struct axis y = {.title = "GFLOP/s", .linear = true, .label = plot_label_number};
    const bool measured = drawing->picture->measured != NULL;
    int algorithm[CURVES];
    const int count = choose(algorithm, drawing->picture, measured ? MEASURED_CURVES : CURVES);
    begin_curves(drawing, measured ? "predicted and measured performance" : "predicted performance",
                 y, "GFLOP/s");
    for (int a = 0; a < count; a++) {
        const int series = add_predicted(drawing, algorithm[a]);
        if (measured) add_measured(drawing, series, algorithm[a]);
    }
}

/** Returns the curve of a kernel, or a new one; -1: no more curves fit. */
static int curve_of(struct plot *plot, const char *name) {
    for (int s = 0; s < plot->series_count; s++) {
        if (strcmp(plot->series[s].name, name) == 0) return s;
    }
    return plot->series_count < CURVES ? begin_curve(plot, name) : -1;
}

/** Draws the shares, after collecting the kernels of all block sizes. */
static void draw_shares(struct drawing *drawing) {
    const struct tcplan_blocked_map *map = &drawing->picture->job->map;
    const struct axis y = {.title = "share of the time", .linear = true, .label = plot_label_share};
    struct plot *plot = &drawing->plot;
    begin_curves(drawing, "predicted shares of kernels", y, "of the time");
    for (int b = 0; b < map->blocks; b++) {
        const struct blocked_predicted *predicted = &drawing->picture->kernels[b];
        for (int k = 0; k < predicted->kernels; k++) curve_of(plot, predicted->kernel[k].name);
    }
    for (int s = 0; s < plot->series_count; s++) {
        for (int b = 0; b < map->blocks; b++) {
            const struct blocked_predicted *predicted = &drawing->picture->kernels[b];
            const double whole = predicted->prediction.seconds[TCPLAN_MODEL_MEDIAN];
            for (int k = 0; k < predicted->kernels && whole > 0; k++) {
                const double share = predicted->kernel[k].seconds[TCPLAN_MODEL_MEDIAN] / whole;
                if (curve_of(plot, predicted->kernel[k].name) == s)
                    add_place(
                        plot, s,
                        (struct plot_mark){.x = (double)map->block[b], .y = share, .bare = true});
            }
        }
    }
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

/** Draws values over sizes and block sizes as colours. `value` has room for the coordinates and
 * values of all cells, which `cells` points to. */
static void draw_heat(struct drawing *drawing, struct plot_cells *cells, double *value) {
    const struct blocked_picture *picture = drawing->picture;
    const struct tcplan_blocked_map *map = &picture->job->map;
    const size_t columns = (size_t)map->points, rows = (size_t)map->blocks;
    double *at_x = value, *at_y = at_x + columns, *line = at_y + rows, *cell = line + columns;
    for (size_t c = 0; c < columns; c++) {
        at_x[c] = size_at(map, (int)c);
        line[c] = (double)map->block[best_block(picture, 0, (int)c)];
        for (size_t r = 0; r < rows; r++) cell[r * columns + c] = cell_of(picture, (int)c, (int)r);
    }
    for (size_t r = 0; r < rows; r++) at_y[r] = (double)map->block[r];
    *cells = (struct plot_cells){.value = picture->measured ? "%" : "GFLOP/s",
                                 .columns = columns,
                                 .rows = rows,
                                 .at_x = at_x,
                                 .at_y = at_y,
                                 .value_at = cell,
                                 .line = "b with the best prediction",
                                 .line_y = line};
    begin_curves(drawing,
                 picture->measured ? "error of the predicted median" : "predicted performance",
                 (struct axis){.title = "b", .linear = true, .label = plot_label_number}, "");
    drawing->plot.subtitle = describe(drawing, "");
    drawing->plot.cells = cells;
}

/* The picture. */

static bool is_heat(const struct tcplan_blocked_map *map) {
    return map->points > 1 && map->blocks > 1 && map->algorithms == 1;
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
    return picture_file_check("--plot", job->options->plot);
}

static bool print_picture(FILE *file, const struct blocked_picture *picture) {
    const struct tcplan_blocked_map *map = &picture->job->map;
    const size_t columns = (size_t)map->points, rows = (size_t)map->blocks;
    const bool shares =
        map->points == 1 && map->algorithms == 1 && picture->kernels && !picture->measured;
    struct drawing drawing = {.picture = picture};
    struct plot_cells cells;
    double *value = base_alloc((2 * columns + rows + columns * rows) * sizeof *value);
    if (!value) return false;
    if (is_heat(map)) {
        draw_heat(&drawing, &cells, value);
    } else if (shares) {
        draw_shares(&drawing);
    } else {
        draw_rates(&drawing);
    }
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
