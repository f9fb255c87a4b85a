#include "cli/commands/blocked/blocked_plot.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "cli/output/cleanup.h"
#include "cli/output/picture_file.h"
#include "cli/page/curve_plot.h"
#include "cli/page/heat_plot.h"
#include "cli/page/plot.h"
#include "tcplan/study/words.h"

/** Curves in one picture: of more algorithms the fastest and the slowest are drawn. */
enum { CURVES = PLOT_SERIES, MEASURED_CURVES = PLOT_SERIES / 2, TEXT = 200 };

/** Values and curves in the making. */
struct drawing {
    const struct blocked_picture *picture;
    size_t curves;
    struct curve curve[CURVES];
    struct curve_place *place; /* owned: `room` for each curve, and behind them for each one's
                                  samples */
    size_t room;
};

/* Values. */

/** The size that is drawn over: the last one. */
static double size_at(const struct tcplan_blocked_map *map, int point) {
    const int count = tcplan_blocked_blocks(map->blocked[0])->size_count;
    return (double)map->point[point].size[count > 1 ? 1 : 0];
}

static struct curve_place rate_of(double x, const double seconds[TCPLAN_MODEL_STATISTICS],
                                  double flops) {
    double performance[TCPLAN_MODEL_STATISTICS];
    tcplan_blocked_performance(performance, seconds, flops);
    return (struct curve_place){.x = x,
                                .y = 1e-9 * performance[TCPLAN_MODEL_MEDIAN],
                                .q1 = 1e-9 * performance[TCPLAN_MODEL_MINIMUM],
                                .q3 = 1e-9 * performance[TCPLAN_MODEL_MAXIMUM]};
}

/** The block size that an algorithm is drawn with at a point: its best one. */
static int best_block(const struct blocked_picture *picture, int algorithm, int point) {
    const struct tcplan_blocked_rank *rank =
        picture->job->rank + (size_t)point * (size_t)picture->job->map.algorithms;
    for (int r = 0; r < picture->job->map.algorithms; r++) {
        if (rank[r].algorithm == algorithm) return rank[r].block;
    }
    return 0;
}

/* Curves. */

static struct curve *begin_curve(struct drawing *drawing, enum curve_form form, const char *name) {
    struct curve *curve = &drawing->curve[drawing->curves];
    *curve = (struct curve){.form = form,
                            .place = drawing->place + drawing->room * drawing->curves,
                            .sample = drawing->place + drawing->room * (CURVES + drawing->curves)};
    snprintf(curve->name, sizeof curve->name, "%.60s", name);
    drawing->curves++;
    return curve;
}

static void add_place(struct drawing *drawing, struct curve *curve, struct curve_place place) {
    if (place.x > 0 && place.y > 0 && curve->count < drawing->room)
        drawing->place[drawing->room * (size_t)(curve - drawing->curve) + curve->count++] = place;
}

static void add_sample(struct drawing *drawing, struct curve *curve, struct curve_place place) {
    if (place.x > 0 && place.y > 0 && curve->sample_count < drawing->room)
        drawing->place[drawing->room * (size_t)(CURVES + (curve - drawing->curve)) +
                       curve->sample_count++] = place;
}

/** The number of steps of the axis: points, or where there is one only block sizes. */
static int steps_of(const struct tcplan_blocked_map *map) {
    return map->points > 1 ? map->points : map->blocks;
}

/** Which point and block size a step is. */
static void locate(const struct blocked_picture *picture, int algorithm, int step, int *point,
                   int *block, double *x) {
    const struct tcplan_blocked_map *map = &picture->job->map;
    const bool over_sizes = map->points > 1;
    *point = over_sizes ? step : 0;
    *block = over_sizes ? best_block(picture, algorithm, step) : step;
    *x = over_sizes ? size_at(map, step) : (double)map->block[step];
}

static struct curve *add_predicted(struct drawing *drawing, int algorithm) {
    const struct tcplan_blocked_map *map = &drawing->picture->job->map;
    const bool alone = map->algorithms == 1 && !drawing->picture->measured;
    struct curve *curve = begin_curve(drawing, alone ? CURVE_PLACES : CURVE_FITTED,
                                      tcplan_blocked_name(map->blocked[algorithm]));
    for (int s = 0; s < steps_of(map); s++) {
        int point, block;
        double x;
        locate(drawing->picture, algorithm, s, &point, &block, &x);
        const struct tcplan_blocked_prediction *prediction =
            tcplan_blocked_map_at(map, algorithm, point, block);
        add_place(drawing, curve, rate_of(x, prediction->seconds, prediction->flops));
    }
    return curve;
}

/** The samples of the curve. */
static void add_measured(struct drawing *drawing, struct curve *curve, int algorithm) {
    const struct tcplan_blocked_map *map = &drawing->picture->job->map;
    for (int s = 0; s < steps_of(map); s++) {
        int point, block;
        double x;
        locate(drawing->picture, algorithm, s, &point, &block, &x);
        const struct tcplan_blocked_measured *measured =
            &drawing->picture
                 ->measured[blocked_job_place(drawing->picture->job, algorithm, point, block)];
        if (measured->count > 0)
            add_sample(drawing, curve,
                       rate_of(x, measured->seconds,
                               tcplan_blocked_map_at(map, algorithm, point, block)->flops));
    }
}

/** Which algorithms are drawn: the first ones at the last point, and the last of these. */
static int choose(int out[CURVES], const struct blocked_picture *picture, int most) {
    const struct tcplan_blocked_map *map = &picture->job->map;
    const struct tcplan_blocked_rank *rank =
        picture->job->rank + (size_t)(map->points - 1) * (size_t)map->algorithms;
    const int count = map->algorithms < most ? map->algorithms : most;
    for (int r = 0; r < count; r++)
        out[r] = rank[r + 1 == count ? map->algorithms - 1 : r].algorithm;
    return count;
}

static void describe(char out[TEXT], const struct blocked_picture *picture, const char *fixed) {
    const struct tcplan_model_setup *setup = picture->job->head.setup;
    snprintf(out, TEXT, "%s%.60s, %d thread%s, type %s", fixed,
             *setup->version ? setup->version : setup->provider, setup->threads,
             setup->threads == 1 ? "" : "s",
             tcplan_word(tcplan_words_dtypes, (int)picture->job->head.dtype));
}

/** What does not change, for the subtitle: `b = 128; `. */
static void describe_fixed(char out[TEXT], const struct tcplan_blocked_map *map) {
    const struct tcplan_blocks *blocks = tcplan_blocked_blocks(map->blocked[0]);
    out[0] = '\0';
    for (int s = 0; map->points == 1 && s < blocks->size_count; s++) {
        const size_t length = strlen(out);
        snprintf(out + length, TEXT - length, "%s=%lld%s", blocks->size_name[s],
                 (long long)map->point[0].size[s], s + 1 < blocks->size_count ? "," : "; ");
    }
    if (map->points > 1 && map->blocks == 1)
        snprintf(out, TEXT, "b = %lld; ", (long long)map->block[0]);
    if (map->points > 1 && map->blocks > 1) snprintf(out, TEXT, "each with its best block size; ");
}

static bool print_curves(FILE *file, const struct drawing *drawing, const char *what,
                         const struct axis *y, const char *unit) {
    const struct tcplan_blocked_map *map = &drawing->picture->job->map;
    char title[TEXT], subtitle[TEXT], fixed[TEXT];
    snprintf(title, sizeof title, "%s: %s",
             map->algorithms == 1 ? tcplan_blocked_name(map->blocked[0])
                                  : drawing->picture->job->head.operation,
             what);
    describe_fixed(fixed, map);
    describe(subtitle, drawing->picture, fixed);
    const struct curve_plot plot = {
        .title = title,
        .subtitle = subtitle,
        .x = {.title = map->points > 1 ? "n" : "b", .linear = true, .label = plot_label_number},
        .y = *y,
        .unit = unit,
        .curve_count = drawing->curves,
        .curve = drawing->curve};
    return curve_plot_print(file, &plot);
}

static bool print_rates(FILE *file, struct drawing *drawing) {
    const struct axis y = {.title = "GFLOP/s", .linear = true, .label = plot_label_number};
    const bool measured = drawing->picture->measured != NULL;
    int algorithm[CURVES];
    const int count = choose(algorithm, drawing->picture, measured ? MEASURED_CURVES : CURVES);
    for (int a = 0; a < count; a++) {
        struct curve *curve = add_predicted(drawing, algorithm[a]);
        if (measured) add_measured(drawing, curve, algorithm[a]);
    }
    return print_curves(file, drawing,
                        measured ? "predicted and measured performance" : "predicted performance",
                        &y, "GFLOP/s");
}

/* Shares of kernels over block sizes. */

/** The curve of a kernel, a new one where there is room; NULL: it is left out. */
static struct curve *curve_of(struct drawing *drawing, const char *name) {
    for (size_t c = 0; c < drawing->curves; c++) {
        if (strcmp(drawing->curve[c].name, name) == 0) return &drawing->curve[c];
    }
    return drawing->curves < CURVES ? begin_curve(drawing, CURVE_FITTED, name) : NULL;
}

static bool print_shares(FILE *file, struct drawing *drawing) {
    const struct tcplan_blocked_map *map = &drawing->picture->job->map;
    const struct axis y = {.title = "share of the time", .linear = true, .label = plot_label_share};
    for (int b = 0; b < map->blocks; b++) {
        const struct blocked_predicted *predicted = &drawing->picture->kernels[b];
        const double whole = predicted->prediction.seconds[TCPLAN_MODEL_MEDIAN];
        for (int k = 0; k < predicted->kernels && whole > 0; k++) {
            const double share = predicted->kernel[k].seconds[TCPLAN_MODEL_MEDIAN] / whole;
            struct curve *curve = curve_of(drawing, predicted->kernel[k].name);
            if (curve)
                add_place(drawing, curve,
                          (struct curve_place){.x = (double)map->block[b], .y = share});
        }
    }
    return print_curves(file, drawing, "predicted shares of kernels", &y, "of the time");
}

/* Colours over sizes and block sizes. */

/** What a cell says: performance, or the error of a prediction in per cent. */
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

static bool print_heat(FILE *file, const struct blocked_picture *picture, double *value) {
    const struct tcplan_blocked_map *map = &picture->job->map;
    const size_t columns = (size_t)map->points, rows = (size_t)map->blocks;
    double *at_x = value, *at_y = at_x + columns, *line = at_y + rows, *cell = line + columns;
    char title[TEXT], subtitle[TEXT];
    for (size_t c = 0; c < columns; c++) {
        at_x[c] = size_at(map, (int)c);
        line[c] = (double)map->block[best_block(picture, 0, (int)c)];
        for (size_t r = 0; r < rows; r++) cell[r * columns + c] = cell_of(picture, (int)c, (int)r);
    }
    for (size_t r = 0; r < rows; r++) at_y[r] = (double)map->block[r];
    snprintf(title, sizeof title, "%s: %s", tcplan_blocked_name(map->blocked[0]),
             picture->measured ? "error of the predicted median" : "predicted performance");
    describe(subtitle, picture, "");
    const struct heat_plot plot = {.title = title,
                                   .subtitle = subtitle,
                                   .x = {.title = "n", .linear = true, .label = plot_label_number},
                                   .y = {.title = "b", .linear = true, .label = plot_label_number},
                                   .value = picture->measured ? "%" : "GFLOP/s",
                                   .columns = columns,
                                   .rows = rows,
                                   .at_x = at_x,
                                   .at_y = at_y,
                                   .cell = cell,
                                   .line = "the b that is predicted to be best",
                                   .line_y = line};
    return heat_plot_print(file, &plot);
}

/* The picture. */

static bool is_heat(const struct tcplan_blocked_map *map) {
    return map->points > 1 && map->blocks > 1 && map->algorithms == 1;
}

enum exit_status blocked_plot_check(const struct blocked_job *job) {
    const struct tcplan_blocked_map *map = &job->map;
    if (!job->options->plot) return EXIT_DONE;
    if (tcplan_blocked_blocks(map->blocked[0])->size_count > 2) {
        diagnose("--plot draws over m or n, and %s has other sizes",
                 tcplan_blocked_name(map->blocked[0]));
        return EXIT_USAGE;
    }
    if (map->points == 1 && map->blocks == 1) {
        diagnose(
            "--plot needs several sizes (--n 500:4000:500) or block sizes (--block 24:536:8) to draw over");
        return EXIT_USAGE;
    }
    return picture_file_check("--plot", job->options->plot);
}

static bool print_picture(FILE *file, const struct blocked_picture *picture) {
    const struct tcplan_blocked_map *map = &picture->job->map;
    const size_t columns = (size_t)map->points, rows = (size_t)map->blocks;
    struct drawing *drawing = base_alloc_zero(1, sizeof *drawing);
    double *value = base_alloc((2 * columns + rows + columns * rows) * sizeof *value);
    bool printed = false;
    if (drawing) {
        drawing->picture = picture;
        drawing->room = (size_t)steps_of(map);
        drawing->place = base_alloc((size_t)2 * CURVES * drawing->room * sizeof *drawing->place);
    }
    if (drawing && drawing->place && value) {
        const bool shares =
            map->points == 1 && map->algorithms == 1 && picture->kernels && !picture->measured;
        printed = is_heat(map) ? print_heat(file, picture, value)
                  : shares     ? print_shares(file, drawing)
                               : print_rates(file, drawing);
    }
    if (drawing) base_free(drawing->place);
    base_free(drawing);
    base_free(value);
    return printed;
}

enum exit_status blocked_plot(const struct blocked_picture *picture) {
    const char *path = picture->job->options->plot;
    struct output_file out = {0};
    struct tcplan_error error;
    if (!path) return EXIT_DONE;
    if (output_open(&out, path, &error) != TCPLAN_OK) return diagnose_error(&error, NULL);
    return picture_file_end(&out, print_picture(out.file, picture));
}
