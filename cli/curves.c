#include "cli/curves.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/output_file.h"
#include "base/quantity.h"
#include "cli/cleanup.h"
#include "cli/page/curve_plot.h"
#include "cli/picture_file.h"

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

static bool is_same(const struct tcplan_ceiling *a, const struct tcplan_ceiling *b) {
    return a->threads == b->threads && strcmp(a->name, b->name) == 0;
}

static int compare(const void *a, const void *b) {
    const double x = ((const struct curve_place *)a)->x, y = ((const struct curve_place *)b)->x;
    return (x > y) - (x < y);
}

/** The curve of a kernel and a number of threads, whose first rate this is. */
static void add_curve(struct scene *scene, const struct tcplan_roofline *roofline, size_t first) {
    const struct tcplan_ceiling *sweep = roofline->sweep;
    struct curve *curve = &scene->curve[scene->curves++];
    struct curve_place *place = scene->place + scene->places;
    const int threads = sweep[first].threads;
    snprintf(curve->name, sizeof curve->name, "%s, %d thread%s", sweep[first].name, threads, threads == 1 ? "" : "s");
    curve->place = place;
    for (size_t s = first; s < roofline->sweep_count; s++) {
        if (!is_same(&sweep[s], &sweep[first])) continue;
        place[curve->count++] =
            (struct curve_place){.x = (double)sweep[s].working_set_bytes, .y = sweep[s].rate, .q1 = sweep[s].q1, .q3 = sweep[s].q3};
    }
    qsort(place, curve->count, sizeof *place, compare);
    scene->places += curve->count;
}

static bool is_first(const struct tcplan_roofline *roofline, size_t place) {
    size_t s = 0;
    while (!is_same(&roofline->sweep[s], &roofline->sweep[place])) s++;
    return s == place;
}

/** Where a level ends for the smallest number of threads, as found, and as the system reports it. */
static void add_marks(struct scene *scene, const struct tcplan_roofline *roofline) {
    const struct tcplan_machine *machine = &roofline->machine;
    for (size_t l = 0; l < roofline->level_count && scene->marks < MARKS; l++) {
        const struct tcplan_level *level = &roofline->level[l];
        const double bytes = (double)level->holds_bytes / (level->threads > 0 ? level->threads : 1);
        if (!(bytes > 0) || level->threads != roofline->level[0].threads) continue;
        struct curve_mark *mark = &scene->mark[scene->marks++];
        mark->x = bytes;
        snprintf(mark->name, sizeof mark->name, "%s holds %s", *level->name ? level->name : "a level", quantity_bytes(bytes).text);
    }
    for (int c = 0; c < machine->cache_count && scene->marks < MARKS; c++) {
        struct curve_mark *mark = &scene->mark[scene->marks++];
        *mark = (struct curve_mark){.x = (double)machine->cache[c].size_bytes, .claimed = true};
        snprintf(mark->name, sizeof mark->name, "L%d reported: %s", machine->cache[c].level, quantity_bytes(mark->x).text);
    }
}

static enum exit_status write_picture(const struct scene *scene, const struct tcplan_roofline *roofline, const char *path) {
    struct output_file out = {0};
    struct tcplan_error error;
    const struct curve_plot plot = {
        .title = "Rates over the working set",
        .subtitle = *roofline->machine.cpu ? roofline->machine.cpu : roofline->machine.source,
        .x = {.title = "working set of one thread", .label = plot_label_bytes},
        .y = {.title = roofline->per_cycle ? "byte/cycle of all threads" : "GB/s of all threads", .label = plot_label_number},
        .unit = tcplan_roofline_bandwidth_unit(roofline),
        .curve_count = scene->curves,
        .curve = scene->curve,
        .mark_count = scene->marks,
        .mark = scene->mark};
    if (output_open(&out, path, &error) != TCPLAN_OK) return diagnose_error(&error, NULL);
    return picture_file_end(&out, curve_plot_print(out.file, &plot));
}

enum exit_status curves_plot(const struct tcplan_roofline *roofline, const char *path) {
    struct scene *scene = base_alloc_zero(1, sizeof *scene);
    if (scene) scene->place = base_alloc_zero(roofline->sweep_count + 1, sizeof *scene->place);
    if (!scene || !scene->place) {
        base_free(scene);
        return diagnose_no_memory();
    }
    enum exit_status status = EXIT_DONE;
    for (size_t s = 0; status == EXIT_DONE && s < roofline->sweep_count && scene->curves < CURVES; s++) {
        if (is_first(roofline, s)) add_curve(scene, roofline, s);
    }
    if (status == EXIT_DONE && scene->curves == 0) {
        diagnose("there are no rates over the working set to be drawn: --remeasure measures them");
        status = EXIT_REFUSED;
    }
    if (status == EXIT_DONE) {
        add_marks(scene, roofline);
        status = write_picture(scene, roofline, path);
    }
    base_free(scene->place);
    base_free(scene);
    return status;
}

enum exit_status curves_check(const struct options *options) {
    return options->curves ? picture_file_check("--curves", options->curves) : EXIT_DONE;
}
