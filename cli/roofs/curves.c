#include "cli/roofs/curves.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/output_file.h"
#include "base/quantity.h"
#include "cli/output/printed.h"
#include "cli/page/plot.h"

enum { CURVES = 32 };

/** The subject of a picture: rates over the working set, or over the intensity. */
struct subject {
    const struct tcplan_ceiling *point;
    size_t count;
    bool intensities;
};

static bool is_same(const struct tcplan_ceiling *a, const struct tcplan_ceiling *b) {
    return a->threads == b->threads && a->cache == b->cache && strcmp(a->name, b->name) == 0;
}

static int compare_places(const void *a, const void *b) {
    const double x = ((const struct plot_mark *)a)->x, y = ((const struct plot_mark *)b)->x;
    return (x > y) - (x < y);
}

/** Adds the curve of a kernel or level and a number of threads, from its first rate. `place` has
 * room for all rates. */
static void add_curve(struct plot *plot, struct plot_mark place[], const struct subject *subject,
                      size_t first) {
    const struct tcplan_ceiling *own = &subject->point[first];
    struct plot_series series = {.style = plot_style_of((size_t)plot->series_count), .line = true};
    size_t count = 0;
    series.name = plot_text(plot, "%s, %d thread%s", subject->intensities ? own->level : own->name,
                            own->threads, own->threads == 1 ? "" : "s");
    const int number = plot_add_series(plot, series);
    for (size_t p = first; p < subject->count; p++) {
        const struct tcplan_ceiling *point = &subject->point[p];
        if (!is_same(point, own)) continue;
        const double x = subject->intensities ? point->intensity : (double)point->working_set_bytes;
        place[count++] = (struct plot_mark){
            .series = number, .x = x, .y = point->rate, .low = point->q1, .high = point->q3};
    }
    qsort(place, count, sizeof *place, compare_places);
    for (size_t p = 0; p < count; p++) plot_add_place(plot, place[p]);
}

static bool is_first(const struct subject *subject, size_t place) {
    size_t p = 0;
    while (!is_same(&subject->point[p], &subject->point[place])) p++;
    return p == place;
}

/** Marks where the rates of each level bend, for each number of threads. */
static void add_bends(struct plot *plot, const struct tcplan_roofline *roofline,
                      const struct subject *subject) {
    for (size_t p = 0; p < subject->count; p++) {
        const struct tcplan_ceiling *point = &subject->point[p];
        const double bend = tcplan_roofline_ridge(roofline, point->cache, point->threads);
        if (!is_first(subject, p) || !(bend > 0)) continue;
        plot_add_upright(plot, "roof", bend,
                         plot_text(plot, "%s, %d thread%s: %.3g flop/byte", point->level,
                                   point->threads, point->threads == 1 ? "" : "s", bend),
                         true);
    }
}

/** Marks the measured ends of levels for the smallest number of threads, and the reported ones. */
static void add_levels(struct plot *plot, const struct tcplan_roofline *roofline) {
    const struct tcplan_machine *machine = &roofline->machine;
    for (size_t l = 0; l < roofline->level_count; l++) {
        const struct tcplan_level *level = &roofline->level[l];
        const double bytes = (double)level->holds_bytes / (level->threads > 0 ? level->threads : 1);
        if (!(bytes > 0) || level->threads != roofline->level[0].threads) continue;
        plot_add_upright(plot, "roof", bytes,
                         plot_text(plot, "%s holds %s", *level->name ? level->name : "a level",
                                   quantity_bytes(bytes).text),
                         true);
    }
    for (int c = 0; c < machine->cache_count; c++) {
        const double bytes = (double)machine->cache[c].size_bytes;
        plot_add_upright(plot, "roof d2", bytes,
                         plot_text(plot, "L%d reported: %s", machine->cache[c].level,
                                   quantity_bytes(bytes).text),
                         true);
    }
}

static enum exit_status write_picture(struct plot *plot, const char *path) {
    struct output_file out = {0};
    const enum exit_status status = output_begin(&out, path);
    if (status == EXIT_DONE) return picture_file_end(&out, plot_print(out.file, plot, 1));
    plot_free(plot);
    return status;
}

static enum exit_status draw(const struct tcplan_roofline *roofline, const struct subject *subject,
                             const char *path) {
    const bool per_cycle = roofline->per_cycle, intensities = subject->intensities;
    struct plot plot = {
        .title = intensities ? "Rates over the intensity" : "Rates over the working set",
        .subtitle = *roofline->machine.cpu ? roofline->machine.cpu : roofline->machine.source,
        .x = {.title = intensities ? "intensity: flop per byte loaded or stored"
                                   : "working set of one thread",
              .label = intensities ? plot_label_number : plot_label_bytes},
        .y = {.title = intensities
                           ? per_cycle ? "flop/cycle of all threads" : "GFLOP/s of all threads"
                       : per_cycle ? "byte/cycle of all threads"
                                   : "GB/s of all threads",
              .label = plot_label_number},
        .unit = intensities ? tcplan_roofline_compute_unit(roofline)
                            : tcplan_roofline_bandwidth_unit(roofline)};
    if (subject->count == 0) {
        diagnose("there are no rates over the %s: --remeasure measures them",
                 intensities ? "intensity" : "working set");
        return EXIT_REFUSED;
    }
    struct plot_mark *place = base_alloc_zero(subject->count, sizeof *place);
    if (!place) return diagnose_no_memory();
    for (size_t p = 0; p < subject->count && plot.series_count < CURVES; p++) {
        if (is_first(subject, p)) add_curve(&plot, place, subject, p);
    }
    base_free(place);
    if (intensities) add_bends(&plot, roofline, subject);
    if (!intensities) add_levels(&plot, roofline);
    return write_picture(&plot, path);
}

enum exit_status curves_plot(const struct tcplan_roofline *roofline, const char *path) {
    return draw(roofline,
                &(struct subject){.point = roofline->sweep, .count = roofline->sweep_count}, path);
}

enum exit_status curves_plot_intensities(const struct tcplan_roofline *roofline, const char *path) {
    return draw(roofline,
                &(struct subject){.point = roofline->intensity,
                                  .count = roofline->intensity_count,
                                  .intensities = true},
                path);
}

bool curves_are_of_intensities(const struct options *options) {
    return options->plot && options->intensities && !options->argument && !options->run &&
           !options->points && options->kernels.count == 0;
}

enum exit_status curves_check(const struct options *options) {
    if (curves_are_of_intensities(options) && options->ceiling_files.count > 1) {
        diagnose("--intensities draws the rates of one machine, but there are several --ceilings");
        return EXIT_USAGE;
    }
    const enum exit_status status = curves_are_of_intensities(options)
                                        ? picture_file_check("--plot", options->plot)
                                        : EXIT_DONE;
    if (status != EXIT_DONE) return status;
    return options->curves ? picture_file_check("--curves", options->curves) : EXIT_DONE;
}
