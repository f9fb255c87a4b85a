#include "cli/roofs/curves.h"

#include <string.h>

#include "base/alloc.h"
#include "base/output_file.h"
#include "base/quantity.h"
#include "cli/output/cleanup.h"
#include "cli/output/picture_file.h"
#include "cli/page/curve_plot.h"

enum { CURVES = 32, MARKS = 64 };

/** What is drawn; the places of all curves, one behind the other. */
struct scene {
    struct curve curve[CURVES];
    size_t curves;
    struct curve_mark mark[MARKS];
    size_t marks;
    struct curve_place *place;
    size_t places;
};

/** What a picture is of: rates over the working set, or over the intensity. */
struct subject {
    const struct tcplan_ceiling *point;
    size_t count;
    bool intensities;
};

static bool is_same(const struct tcplan_ceiling *a, const struct tcplan_ceiling *b) {
    return a->threads == b->threads && a->cache == b->cache && strcmp(a->name, b->name) == 0;
}

/** The curve of a kernel or a level and a number of threads, whose first rate this is. */
static void add_curve(struct scene *scene, const struct subject *subject, size_t first) {
    struct curve *curve = &scene->curve[scene->curves++];
    struct curve_place *place = scene->place + scene->places;
    const struct tcplan_ceiling *own = &subject->point[first];
    snprintf(curve->name, sizeof curve->name, "%s, %d thread%s",
             subject->intensities ? own->level : own->name, own->threads,
             own->threads == 1 ? "" : "s");
    curve->place = place;
    for (size_t p = first; p < subject->count; p++) {
        const struct tcplan_ceiling *point = &subject->point[p];
        if (!is_same(point, own)) continue;
        const double x = subject->intensities ? point->intensity : (double)point->working_set_bytes;
        place[curve->count++] =
            (struct curve_place){.x = x, .y = point->rate, .q1 = point->q1, .q3 = point->q3};
    }
    curve_places_sort(place, curve->count);
    scene->places += curve->count;
}

static bool is_first(const struct subject *subject, size_t place) {
    size_t p = 0;
    while (!is_same(&subject->point[p], &subject->point[place])) p++;
    return p == place;
}

/** Where the rates of each level bend, with each number of threads. */
static void add_bends(struct scene *scene, const struct tcplan_roofline *roofline,
                      const struct subject *subject) {
    for (size_t p = 0; p < subject->count && scene->marks < MARKS; p++) {
        const struct tcplan_ceiling *point = &subject->point[p];
        const double bend = tcplan_roofline_ridge(roofline, point->cache, point->threads);
        if (!is_first(subject, p) || !(bend > 0)) continue;
        struct curve_mark *mark = &scene->mark[scene->marks++];
        mark->x = bend;
        snprintf(mark->name, sizeof mark->name, "%s, %d thread%s: %.3g flop/byte", point->level,
                 point->threads, point->threads == 1 ? "" : "s", bend);
    }
}

/** Where a level ends for the smallest number of threads, as found, and as the system reports it.
 */
static void add_marks(struct scene *scene, const struct tcplan_roofline *roofline) {
    const struct tcplan_machine *machine = &roofline->machine;
    for (size_t l = 0; l < roofline->level_count && scene->marks < MARKS; l++) {
        const struct tcplan_level *level = &roofline->level[l];
        const double bytes = (double)level->holds_bytes / (level->threads > 0 ? level->threads : 1);
        if (!(bytes > 0) || level->threads != roofline->level[0].threads) continue;
        struct curve_mark *mark = &scene->mark[scene->marks++];
        mark->x = bytes;
        snprintf(mark->name, sizeof mark->name, "%s holds %s",
                 *level->name ? level->name : "a level", quantity_bytes(bytes).text);
    }
    for (int c = 0; c < machine->cache_count && scene->marks < MARKS; c++) {
        struct curve_mark *mark = &scene->mark[scene->marks++];
        *mark = (struct curve_mark){.x = (double)machine->cache[c].size_bytes, .claimed = true};
        snprintf(mark->name, sizeof mark->name, "L%d reported: %s", machine->cache[c].level,
                 quantity_bytes(mark->x).text);
    }
}

static enum exit_status write_picture(const struct scene *scene,
                                      const struct tcplan_roofline *roofline,
                                      const struct subject *subject, const char *path) {
    struct output_file out = {0};
    struct tcplan_error error;
    const char *bandwidths =
        roofline->per_cycle ? "byte/cycle of all threads" : "GB/s of all threads";
    const char *speeds =
        roofline->per_cycle ? "flop/cycle of all threads" : "GFLOP/s of all threads";
    struct curve_plot plot = {
        .title = subject->intensities ? "Rates over the intensity" : "Rates over the working set",
        .subtitle = *roofline->machine.cpu ? roofline->machine.cpu : roofline->machine.source,
        .x = {.title = "working set of one thread", .label = plot_label_bytes},
        .y = {.title = subject->intensities ? speeds : bandwidths, .label = plot_label_number},
        .unit = subject->intensities ? tcplan_roofline_compute_unit(roofline)
                                     : tcplan_roofline_bandwidth_unit(roofline),
        .curve_count = scene->curves,
        .curve = scene->curve,
        .mark_count = scene->marks,
        .mark = scene->mark};
    if (subject->intensities)
        plot.x = (struct axis){.title = "intensity: flop per byte loaded or stored",
                               .label = plot_label_number};
    if (output_open(&out, path, &error) != TCPLAN_OK) return diagnose_error(&error, NULL);
    return picture_file_end(&out, curve_plot_print(out.file, &plot));
}

static enum exit_status draw(const struct tcplan_roofline *roofline, const struct subject *subject,
                             const char *path) {
    struct scene *scene = base_alloc_zero(1, sizeof *scene);
    if (scene) scene->place = base_alloc_zero(subject->count + 1, sizeof *scene->place);
    if (!scene || !scene->place) {
        base_free(scene);
        return diagnose_no_memory();
    }
    enum exit_status status = EXIT_DONE;
    for (size_t p = 0; p < subject->count && scene->curves < CURVES; p++) {
        if (is_first(subject, p)) add_curve(scene, subject, p);
    }
    if (scene->curves == 0) {
        diagnose("there are no rates over the %s to be drawn: --remeasure measures them",
                 subject->intensities ? "intensity" : "working set");
        status = EXIT_REFUSED;
    }
    if (status == EXIT_DONE) {
        if (subject->intensities) {
            add_bends(scene, roofline, subject);
        } else {
            add_marks(scene, roofline);
        }
        status = write_picture(scene, roofline, subject, path);
    }
    base_free(scene->place);
    base_free(scene);
    return status;
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
        diagnose("--intensities draws the rates of one machine, and there are several --ceilings");
        return EXIT_USAGE;
    }
    const enum exit_status status = curves_are_of_intensities(options)
                                        ? picture_file_check("--plot", options->plot)
                                        : EXIT_DONE;
    if (status != EXIT_DONE) return status;
    return options->curves ? picture_file_check("--curves", options->curves) : EXIT_DONE;
}
