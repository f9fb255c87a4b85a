#include "cli/roofs/points_plot.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/output_file.h"
#include "base/quantity.h"
#include "base/strbuf.h"
#include "cli/output/gnuplot.h"
#include "cli/output/printed.h"
#include "cli/page/pictures.h"
#include "cli/page/plot.h"
#include "cli/render/text/visible.h"
#include "cli/roofs/kernels.h"
#include "cli/roofs/points.h"
#include "cli/roofs/regions.h"

static int compare_speed(const void *a, const void *b) {
    const double x = ((const struct plot_point *)a)->at.gflops;
    const double y = ((const struct plot_point *)b)->at.gflops;
    return (x < y) - (x > y);
}

/** Converts a point for the plot. The speed is the measured one if it was measured. */
static struct plot_point plotted(const struct listed_point *listed, const char *size, int line) {
    const bool measured = listed->measured_too;
    const struct tcplan_span *interval =
        measured ? &listed->measured_gflops : &listed->predicted_gflops;
    return (struct plot_point){.name = listed->row.name,
                               .size = size,
                               .line = line,
                               .kernel = listed->row.nest->algorithm.kernel,
                               .at = measured ? listed->measured : listed->predicted,
                               .gflops_low = interval->low,
                               .gflops_high = interval->high};
}

/** A plot with the texts and ceilings that it borrows. Zero-initialise before use. */
struct scene {
    struct plot_point *point;
    size_t count;
    struct plot texts; /* owner of the texts; this plot itself is not drawn */
    struct tcplan_roofline *beside[OPTION_TEXTS_MAX]; /* ceilings of the further files of --ceilings
                                                       */
    int besides;
    struct plot_roofs roofs[PLOT_ROOFS];
    int roofs_count;
};

static void scene_free(struct scene *scene) {
    for (int b = 0; b < scene->besides; b++) tcplan_roofline_free(scene->beside[b]);
    plot_free(&scene->texts);
    base_free(scene->point);
}

/** Adds the points of a list, fastest first. */
static void plot_list(struct scene *scene, const struct point_list *points) {
    for (size_t p = 0; p < points->count; p++)
        scene->point[scene->count++] = plotted(&points->point[p], NULL, 0);
    qsort(scene->point, scene->count, sizeof *scene->point, compare_speed);
}

/** Returns the sizes of a point as text: "64" if all extents that vary in the sweep are equal,
 * otherwise all sizes. */
static const char *size_text(struct scene *scene, const struct trajectories *trajectories,
                             size_t at) {
    const struct tcplan_problem *problem = &trajectories->at[at].problem,
                                *first = &trajectories->at[0].problem,
                                *last = &trajectories->at[trajectories->size_count - 1].problem;
    int64_t same = -1;
    for (int i = 0; i < problem->contraction->index_count; i++) {
        if (first->extent[i] == last->extent[i]) continue;
        same = same < 0 || same == problem->extent[i] ? problem->extent[i] : 0;
    }
    return same > 0 ? plot_text(&scene->texts, "%lld", (long long)same)
                    : plot_text_owned(&scene->texts, report_sizes(problem));
}

/** Adds a line of points for each series, in the order of the sizes. */
static void plot_lines(struct scene *scene, const struct trajectories *trajectories) {
    for (size_t s = 0; s < trajectories->count; s++) {
        for (size_t size = 0; size < trajectories->size_count; size++) {
            const struct listed_point *point = trajectories_point(trajectories, s, size);
            if (point)
                scene->point[scene->count++] =
                    plotted(point, size_text(scene, trajectories, size), (int)s + 1);
        }
    }
}

/** Returns the size in the name of a routine's point, as 200 in `dgemm m=200`; NULL for other
 * points. */
static const char *size_in(const struct tcplan_region *region) {
    const char *blank = strrchr(region->name, ' '), *equals = blank ? strchr(blank, '=') : NULL;
    return region->bytes_source == TCPLAN_BYTES_COMPULSORY && equals ? equals + 1 : NULL;
}

/** Adds the placed regions in their order. The sizes of a routine form a line; each other region is
 * a series. */
static void plot_regions(struct scene *scene, const struct region_list *regions) {
    int lines = 0;
    for (size_t r = 0; r < regions->count; r++) {
        const struct listed_region *listed = &regions->region[r];
        const char *name = listed->region->name, *size = size_in(listed->region);
        const size_t length = size ? (size_t)(strrchr(name, ' ') - name) : strlen(name);
        struct plot_point point = {.name = plot_text(&scene->texts, "%.*s", (int)length, name),
                                   .size = size,
                                   .at = listed->point};
        for (size_t p = scene->count; p > 0 && size; p--) {
            if (strcmp(scene->point[p - 1].name, point.name) != 0) continue;
            point.line = scene->point[p - 1].line;
            break;
        }
        if (point.line == 0) point.line = ++lines;
        /* For a routine, only the number of operations is analytic; the point itself is measured.
         * */
        if (size) point.at.origin = TCPLAN_ORIGIN_MEASURED;
        if (listed->is_placed) scene->point[scene->count++] = point;
    }
}

/** Adds a line for each kernel and state of the caches. */
static void plot_kernels(struct scene *scene, const struct kernel_list *list) {
    struct plot *texts = &scene->texts;
    for (size_t k = 0; k < list->count; k++) {
        const struct listed_kernel *listed = &list->kernel[k];
        if (!(listed->place.gflops > 0)) continue;
        scene->point[scene->count++] = (struct plot_point){
            .name = plot_text(texts, "%s %s", tcplan_point_kernel_name(listed->point->kernel),
                              listed->point->cold ? "cold" : "warm"),
            .size = plot_text(texts, "%lld", (long long)listed->point->n),
            .line = listed->line,
            .at = listed->place,
            .gflops_low = listed->speed.low,
            .gflops_high = listed->speed.high};
    }
}

/** Adds the points of a report; false: out of memory. */
static bool plot_points(struct scene *scene, const struct roofline_report *report) {
    const struct trajectories *lines = report->trajectories;
    const size_t most = report->points    ? report->points->count
                        : report->regions ? report->regions->count
                        : report->kernels ? report->kernels->count
                        : lines           ? lines->count * lines->size_count
                                          : 0;
    scene->point = base_alloc_zero(most + 1, sizeof *scene->point);
    if (!scene->point) return false;
    if (report->points) plot_list(scene, report->points);
    if (report->regions) plot_regions(scene, report->regions);
    if (report->kernels) plot_kernels(scene, report->kernels);
    if (lines) plot_lines(scene, lines);
    return !scene->texts.failed;
}

/* Roofs. */

static bool has_threads(const struct tcplan_roofline *roofline, int threads) {
    return tcplan_roofline_bandwidth(roofline, "load", roofline->machine.cache_count, threads) ||
           tcplan_roofline_compute(roofline, NULL, TCPLAN_DOUBLE, 0, threads) ||
           tcplan_roofline_compute(roofline, NULL, TCPLAN_FLOAT, 0, threads);
}

static const char *machine_name(const struct tcplan_roofline *roofline) {
    return *roofline->machine.cpu ? roofline->machine.cpu : roofline->machine.source;
}

/** Returns the name of a machine. If the first machine has the same name, returns the name of the
 * file. */
static const char *name_of(const struct tcplan_roofline *roofline,
                           const struct tcplan_roofline *first) {
    const bool same = roofline != first && strcmp(machine_name(roofline), machine_name(first)) == 0;
    return same ? roofline->machine.source : machine_name(roofline);
}

/** Adds the roofs of a further file for the points' number of threads; if the file lacks that, for
 * its largest one. */
static void add_beside(struct scene *scene, const struct tcplan_roofline *roofline,
                       const struct options *options, int series) {
    struct plot_roofs all[PLOT_ROOFS];
    const int count = roofs_of(all, roofline), most = count > 0 ? all[count - 1].threads : 1;
    const int threads = has_threads(roofline, options->threads) ? options->threads : most;
    const struct plot_roofs roofs = {.roofline = roofline,
                                     .name = name_of(roofline, scene->roofs[0].roofline),
                                     .bandwidth = scene->roofs[0].bandwidth,
                                     .direction = scene->roofs[0].direction,
                                     .dtype = (enum tcplan_dtype)options->dtype,
                                     .threads = threads,
                                     .series = series};
    if (threads != options->threads) {
        note(options, "'%.200s' has no ceilings for %s: drawing those for %d",
             roofline->machine.source, counted(options->threads, "thread").text, threads);
    }
    scene->roofs[scene->roofs_count++] = roofs;
}

/** Adds the single-precision ceilings of each machine if there are no points. */
static void add_single(struct scene *scene) {
    const int count = scene->roofs_count;
    for (int r = 0; r < count && scene->roofs_count < PLOT_ROOFS; r++) {
        struct plot_roofs single = scene->roofs[r];
        single.bandwidth = NULL;
        single.dtype = TCPLAN_FLOAT;
        scene->roofs[scene->roofs_count++] = single;
    }
}

static enum exit_status collect_roofs(struct scene *scene, const struct roofline_report *report,
                                      const struct options *options) {
    const bool several = options->ceiling_files.count > 1;
    const bool placed =
        report->points || report->trajectories || report->regions || report->kernels;
    const struct tcplan_ceiling *fed = scene->count > 0 ? scene->point[0].at.model_bandwidth : NULL;
    if (!placed && !several && !options_given(options, "threads")) {
        scene->roofs_count = roofs_of(scene->roofs, report->roofline);
        if (scene->roofs_count > 0) return EXIT_DONE;
    }
    const struct plot_roofs first = {.roofline = report->roofline,
                                     .name = several ? machine_name(report->roofline) : NULL,
                                     .bandwidth = fed ? fed->name : "load",
                                     .direction = (enum tcplan_direction)options->traffic,
                                     .dtype = (enum tcplan_dtype)options->dtype,
                                     .threads = report->regions ? report->regions->threads
                                                                : options->threads};
    scene->roofs[scene->roofs_count++] = first;
    for (int f = 1; f < options->ceiling_files.count; f++) {
        struct tcplan_roofline **beside = &scene->beside[scene->besides];
        if (tcplan_ceilings_load(beside, NULL, options->ceiling_files.text[f], &failure) !=
            TCPLAN_OK)
            return diagnose_failure(NULL);
        scene->besides++;
        if (options->per_cycle && tcplan_roofline_per_cycle(*beside, &failure) != TCPLAN_OK)
            return diagnose_failure(NULL);
        add_beside(scene, *beside, options, f);
    }
    if (several && !placed && options->dtype == TCPLAN_DOUBLE) add_single(scene);
    return EXIT_DONE;
}

bool points_plot_is_terminal(const char *path) {
    return strcmp(path, "-") == 0;
}

static enum exit_status write_picture(const struct roofline_plot *plot, const char *path) {
    struct output_file out = {0};
    const enum exit_status status = output_begin(&out, path);
    return status == EXIT_DONE ? picture_file_end(&out, roofline_plot_print(out.file, plot))
                               : status;
}

/** Draws the plot in the terminal, below the printed text. */
static enum exit_status draw_in_terminal(const struct roofline_plot *plot) {
    const struct terminal terminal = terminal_of(stdout);
    FILE *script = tmpfile();
    if (!script)
        return diagnose_as(EXIT_ENVIRONMENT, "cannot create a temporary file: %s", strerror(errno));
    const bool written = roofline_script_print(
        script, plot, terminal.columns > 0 ? (int)terminal.columns - 1 : PLOT_COLUMNS);
    fputc('\n', stdout);
    enum exit_status status = written ? gnuplot_draw(script, stdout) : diagnose_no_memory();
    fclose(script);
    if (status == EXIT_DONE && (fflush(stdout) != 0 || ferror(stdout))) {
        diagnose("cannot write to standard output: %s", strerror(errno));
        status = EXIT_ENVIRONMENT;
    }
    return status;
}

static enum exit_status write_plot(const struct roofline_plot *plot, const char *path) {
    return points_plot_is_terminal(path) ? draw_in_terminal(plot) : write_picture(plot, path);
}

/** Returns the title, such as "C_abc=A_ai*B_ibc, a=8,b=8,c=8,i=8: 36 algorithms", or with the
 * number of sizes; "Ceilings" if there are no points. */
static const char *title_of(struct scene *scene, const struct roofline_report *report) {
    const struct trajectories *lines = report->trajectories;
    const struct point_list *points = report->points;
    const size_t regions = report->regions ? report->regions->count : 0;
    struct plot *texts = &scene->texts;
    if (report->kernels) return "Kernels, cold and warm";
    if (regions > 0)
        return plot_text(texts, "%s: %s", report->regions->run ? "Program" : "Points",
                         counted((int64_t)regions, "region").text);
    if (!lines && !points) return "Ceilings";
    const struct request *request = lines ? lines->request : points->request;
    const char *contraction = plot_text_owned(texts, tcplan_contraction_text(request->contraction));
    const char *sizes =
        lines ? plot_text(texts, "%s", counted((int64_t)lines->size_count, "size").text)
              : plot_text_owned(texts, report_sizes(&points->problem));
    return plot_text(texts, "%s, %s: %s", contraction, sizes,
                     counted((int64_t)(lines ? lines->count : points->count), "algorithm").text);
}

static const char *subtitle_of(struct scene *scene, const struct tcplan_roofline *roofline,
                               const struct options *options) {
    static const char *const precisions[TCPLAN_DTYPES] = {"single", "double", "single complex",
                                                          "double complex"};
    const char *precision = scene->besides > 0 && scene->roofs_count > scene->besides + 1
                                ? "double and single"
                                : precisions[options->dtype];
    if (scene->besides > 0)
        return plot_text(&scene->texts, "%d machines, %s precision", scene->besides + 1, precision);
    if (scene->roofs_count > 1) return machine_name(roofline);
    return plot_text(&scene->texts, "%s, %s, %s precision", machine_name(roofline),
                     counted(scene->roofs[0].threads, "thread").text, precision);
}

enum exit_status points_plot(const struct roofline_report *report, const struct options *options,
                             const char *path) {
    struct scene scene = {0};
    enum exit_status status =
        plot_points(&scene, report) ? collect_roofs(&scene, report, options) : diagnose_no_memory();
    if (status == EXIT_DONE) {
        const struct roofline_plot plot = {.title = title_of(&scene, report),
                                           .subtitle =
                                               subtitle_of(&scene, report->roofline, options),
                                           .roofs_count = scene.roofs_count,
                                           .roofs = scene.roofs,
                                           .count = scene.count,
                                           .point = scene.point};
        status = scene.texts.failed ? diagnose_no_memory() : write_plot(&plot, path);
    }
    scene_free(&scene);
    return status;
}

/** Checks that the file of --plot can be written. A plot in the terminal requires text output. */
static enum exit_status check_target(const struct options *options) {
    const bool shares_stdout = !options->output || strcmp(options->output, "-") == 0;
    if (!points_plot_is_terminal(options->plot)) return picture_file_check("--plot", options->plot);
    if (options->format == OUTPUT_TEXT || !shares_stdout) return gnuplot_check();
    return diagnose_as(EXIT_USAGE,
                       "--plot - draws on stdout after the text; use --format text, or -o FILE");
}

enum exit_status points_plot_check(const struct options *options) {
    const enum exit_status status = options->plot ? check_target(options) : EXIT_DONE;
    if (status != EXIT_DONE) return status;
    if (options->ceiling_files.count > 1 && !options->plot)
        return diagnose_as(EXIT_USAGE, "several --ceilings need --plot");
    for (int f = 1; f < options->ceiling_files.count; f++) {
        struct tcplan_roofline *roofline = NULL;
        if (tcplan_ceilings_load(&roofline, NULL, options->ceiling_files.text[f], &failure) !=
            TCPLAN_OK)
            return diagnose_failure(NULL);
        tcplan_roofline_free(roofline);
    }
    return EXIT_DONE;
}

/* Maximum number of curves in a plot of rates over the working set or the intensity. */

enum { CURVES = 32 };

/** Subject of a plot of curves: rates over the working set, or over the operational intensity. */
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

/** Adds the curve of a kernel or level for one number of threads, beginning with its first rate.
 * `place` is memory for all rates. */
static void add_curve(struct plot *plot, struct plot_mark place[], const struct subject *subject,
                      size_t first) {
    const struct tcplan_ceiling *own = &subject->point[first];
    struct plot_series series = {.style = plot_style_of((size_t)plot->series_count), .line = true};
    size_t count = 0;
    series.name = plot_text(plot, "%s, %s", subject->intensities ? own->level : own->name,
                            counted(own->threads, "thread").text);
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

/** Adds a mark for each level and number of threads at the ridge, where rates change from
 * memory-bound to compute-bound. */
static void add_ridges(struct plot *plot, const struct tcplan_roofline *roofline,
                       const struct subject *subject) {
    for (size_t p = 0; p < subject->count; p++) {
        const struct tcplan_ceiling *point = &subject->point[p];
        const double ridge = tcplan_roofline_ridge(roofline, point->cache, point->threads);
        if (!is_first(subject, p) || !(ridge > 0)) continue;
        plot_add_upright(plot, "roof", ridge,
                         plot_text(plot, "%s, %s: %.3g flop/byte", point->level,
                                   counted(point->threads, "thread").text, ridge),
                         true);
    }
}

/** Adds guides at the measured capacities of levels for the smallest number of threads, and at the
 * reported sizes of caches. */
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

static enum exit_status write_curves(struct plot *plot, const char *path) {
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
    if (subject->count == 0)
        return diagnose_as(EXIT_REFUSED,
                           "there are no rates over the %s: --remeasure measures them",
                           intensities ? "intensity" : "working set");
    struct plot_mark *place = base_alloc_zero(subject->count, sizeof *place);
    if (!place) return diagnose_no_memory();
    for (size_t p = 0; p < subject->count && plot.series_count < CURVES; p++) {
        if (is_first(subject, p)) add_curve(&plot, place, subject, p);
    }
    base_free(place);
    if (intensities) add_ridges(&plot, roofline, subject);
    if (!intensities) add_levels(&plot, roofline);
    return write_curves(&plot, path);
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
    if (curves_are_of_intensities(options) && options->ceiling_files.count > 1)
        return diagnose_as(
            EXIT_USAGE,
            "--intensities draws the rates of one machine, but there are several --ceilings");
    const enum exit_status status = curves_are_of_intensities(options)
                                        ? picture_file_check("--plot", options->plot)
                                        : EXIT_DONE;
    if (status != EXIT_DONE) return status;
    return options->curves ? picture_file_check("--curves", options->curves) : EXIT_DONE;
}
