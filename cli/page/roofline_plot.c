#include "cli/page/pictures.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "cli/page/drawing.h"
#include "cli/render/text/values.h"

/* The first LABELS points are labelled. */
enum { LABELS = 12, TEXT = 160 };

enum {
    /* number of sets of roofs to draw: element types, or mixed precisions */
    COMPUTES = TCPLAN_MIXES > 3 ? TCPLAN_MIXES : 3,
    LEVELS = TCPLAN_MAX_CACHE_LEVELS + 1
};

/** The roofs of one set, as drawn. */
struct drawn_roofs {
    const struct plot_roofs *roofs;
    const struct tcplan_ceiling *level[LEVELS]; /* bandwidths, the level nearest to the core first
                                                 */
    int levels;
    const struct tcplan_ceiling *compute[COMPUTES];
    int computes;
    double highest,
        fastest; /* highest compute ceiling, and highest bandwidth of a level; NULL: none */
};

/** State of converting a roofline to a plot. */
struct scene {
    const struct roofline_plot *asked;
    struct drawn_roofs drawn[PLOT_ROOFS];
    struct plot *plot;
};

/* Choice of roofs. */

/** Returns the next larger number of threads that has ceilings; INT_MAX if there is none. */
static int next_threads(const struct tcplan_roofline *roofline, int last) {
    int next = INT_MAX;
    for (size_t c = 0; c < roofline->bandwidth_count; c++) {
        const int threads = roofline->bandwidth[c].threads;
        if (threads > last && threads < next) next = threads;
    }
    return next;
}

static bool has_mixed(const struct tcplan_roofline *roofline, int threads) {
    bool any = false;
    for (int mix = 1; mix < TCPLAN_MIXES; mix++)
        any = any || tcplan_roofline_mixed(roofline, (enum tcplan_mix)mix, threads);
    return any;
}

int roofs_of(struct plot_roofs out[PLOT_ROOFS], const struct tcplan_roofline *roofline) {
    int roofs = 0, threads = next_threads(roofline, 0);
    for (int t = 0; threads < INT_MAX && roofs + 3 <= PLOT_ROOFS; t++) {
        struct plot_roofs one = {.roofline = roofline,
                                 .bandwidth = "load",
                                 .dtype = TCPLAN_DOUBLE,
                                 .threads = threads,
                                 .series = t};
        out[roofs++] = one;
        one.bandwidth = NULL;
        one.dtype = TCPLAN_FLOAT;
        out[roofs++] = one;
        one.mixed = true;
        if (has_mixed(roofline, threads)) out[roofs++] = one;
        threads = next_threads(roofline, threads);
    }
    return roofs;
}

/* Roofs. */

/** Returns the bandwidth of a ceiling, which is the slope of its roof. */
static double rate_of(const struct plot_roofs *roofs, const struct tcplan_ceiling *level) {
    return tcplan_point_line_rate(level, roofs->direction);
}

static void add_compute(struct drawn_roofs *drawn, const struct tcplan_ceiling *compute) {
    if (!compute || (drawn->computes > 0 && compute == drawn->compute[0])) return;
    drawn->compute[drawn->computes++] = compute;
    drawn->highest = fmax(drawn->highest, compute->rate);
}

/** Collects the ceilings of a set of roofs. A set without bandwidths uses the bandwidths of another
 * set with the same number of threads. */
static void collect(struct drawn_roofs *drawn, const struct plot_roofs *roofs) {
    static const char *const gemms[TCPLAN_DTYPES] = {"sgemm", "dgemm", "cgemm", "zgemm"};
    const struct tcplan_roofline *roofline = roofs->roofline;
    const enum tcplan_dtype dtype = roofs->dtype;
    const int threads = roofs->threads;
    *drawn = (struct drawn_roofs){.roofs = roofs};
    for (int cache = 0; cache <= roofline->machine.cache_count; cache++) {
        const char *kernel = roofs->bandwidth ? roofs->bandwidth : cache == 0 ? "load" : "";
        const struct tcplan_ceiling *level =
            tcplan_roofline_bandwidth(roofline, kernel, cache, threads);
        if (!level) continue;
        drawn->fastest = fmax(drawn->fastest, rate_of(roofs, level));
        if (roofs->bandwidth) drawn->level[drawn->levels++] = level;
    }
    for (int mix = 1; mix < TCPLAN_MIXES && roofs->mixed; mix++)
        add_compute(drawn, tcplan_roofline_mixed(roofline, (enum tcplan_mix)mix, threads));
    if (roofs->mixed) return;
    add_compute(drawn, tcplan_point_compute_ceiling(roofline, dtype, threads, true));
    add_compute(drawn, tcplan_point_compute_ceiling(roofline, dtype, threads, false));
    add_compute(drawn, tcplan_roofline_compute(roofline, gemms[dtype], dtype, 0, threads));
}

static void widen(struct tcplan_span *span, double low, double high) {
    tcplan_span_add(span, low);
    tcplan_span_add(span, high);
}

/** Sets the ranges of both axes to contain all points and all ridges. A ridge is where the roof of
 * a level meets the highest compute ceiling. */
static void set_ranges(const struct scene *scene) {
    const struct roofline_plot *asked = scene->asked;
    struct tcplan_span *x = &scene->plot->x.span, *y = &scene->plot->y.span;
    double top = 0, slowest = INFINITY;
    for (int r = 0; r < asked->roofs_count; r++) {
        const struct drawn_roofs *drawn = &scene->drawn[r];
        const double highest = drawn->highest;
        top = fmax(top, highest);
        for (int l = 0; l < drawn->levels; l++) {
            const double rate = rate_of(drawn->roofs, drawn->level[l]);
            slowest = fmin(slowest, rate);
            if (highest > 0) widen(x, 0.3 * highest / rate, 12 * highest / rate);
        }
    }
    if (!(x->high > 0)) *x = (struct tcplan_span){0.1, 100};
    for (size_t p = 0; p < asked->count; p++)
        widen(x, asked->point[p].at.intensity_low / 2, asked->point[p].at.intensity_high * 2);
    if (!(top > 0)) top = isfinite(slowest) ? slowest * x->high : 1;
    widen(y, isfinite(slowest) ? fmin(slowest * x->low, top / 10) : top / 100, 1.3 * top);
    for (size_t p = 0; p < asked->count; p++)
        widen(y, asked->point[p].at.gflops / 2, asked->point[p].at.gflops * 1.5);
}

/** "a machine, 2 threads" */
static const char *name_of(struct plot *plot, const struct plot_roofs *roofs) {
    return plot_text(plot, "%.40s%s%s", roofs->name ? roofs->name : "", roofs->name ? ", " : "",
                     counted(roofs->threads, "thread").text);
}

/** Returns the description of a roof, such as "L2 load: 174 GB/s" or "fma, 512 bits: 115 GFLOP/s".
 * With `full`, includes the name of the machine, which labels show by colour. */
static const char *words_of(const struct scene *scene, const struct drawn_roofs *drawn,
                            const struct tcplan_ceiling *ceiling, bool whole) {
    static const char *const precisions[TCPLAN_DTYPES] = {"single", "double", "single complex",
                                                          "double complex"};
    struct plot *plot = scene->plot;
    const struct tcplan_roofline *roofline = drawn->roofs->roofline;
    const bool several = scene->asked->roofs_count > 1;
    const char *which = whole && several ? name_of(plot, drawn->roofs) : "",
               *comma = *which ? ", " : "";
    if (ceiling->cache >= 0)
        return plot_text(plot, "%s %s%s%s: %.3g %s", ceiling->level, ceiling->name, comma, which,
                         rate_of(drawn->roofs, ceiling), tcplan_roofline_bandwidth_unit(roofline));
    const char *unit = tcplan_roofline_compute_unit(roofline);
    if (ceiling->m > 0)
        return plot_text(plot, "%.8s %lld x %lld x %lld%s%s: %.4g %s", ceiling->name,
                         (long long)ceiling->m, (long long)ceiling->n, (long long)ceiling->k, comma,
                         which, ceiling->rate, unit);
    const char *precision = ceiling->mix != TCPLAN_MIX_NONE ? tcplan_mix_name(ceiling->mix)
                            : several                       ? precisions[ceiling->precision]
                                                            : "";
    return plot_text(plot, "%.20s, %d bits%s%s%s%s: %.4g %s", ceiling->name, ceiling->vector_bits,
                     *precision ? ", " : "", precision, comma, which, ceiling->rate, unit);
}

static void add_roof(const struct scene *scene, const struct drawn_roofs *drawn,
                     const struct tcplan_ceiling *ceiling, const char *kind,
                     struct plot_guide guide) {
    struct plot *plot = scene->plot;
    const struct plot_roofs *roofs = drawn->roofs;
    guide.class = roofs->series > 0
                      ? plot_text(plot, "%s c%d", kind, (roofs->series - 1) % PLOT_SERIES)
                      : kind;
    guide.tip = words_of(scene, drawn, ceiling, true);
    guide.label = words_of(scene, drawn, ceiling, false);
    if (scene->asked->roofs_count > 1)
        guide.group = plot_text(plot, "%s%s", name_of(plot, roofs),
                                roofs->mixed                   ? ", mixed precision"
                                : roofs->dtype == TCPLAN_FLOAT ? ", single precision"
                                                               : "");
    plot_add_guide(plot, guide);
}

/** Draws each compute ceiling to the right of the fastest level's roof, and the roof of each level
 * up to the highest compute ceiling. The roof of the points' level is bold. */
static void add_roofs(const struct scene *scene, const struct drawn_roofs *drawn) {
    const struct tcplan_span *x = &scene->plot->x.span, *y = &scene->plot->y.span;
    const double fastest = drawn->fastest, highest = drawn->highest;
    const struct roofline_plot *asked = scene->asked;
    const struct tcplan_ceiling *feeds = asked->count > 0 ? asked->point->at.model_bandwidth : NULL;
    for (int c = 0; c < drawn->computes; c++) {
        const struct tcplan_ceiling *compute = drawn->compute[c];
        const double rate = compute->rate;
        const struct plot_guide guide = {.x1 = fastest > 0 ? rate / fastest : x->low,
                                         .y1 = rate,
                                         .x2 = x->high,
                                         .y2 = rate,
                                         .from_end = true};
        add_roof(scene, drawn, compute, compute->m > 0 ? "roof d1" : "roof", guide);
    }
    for (int l = 0; l < drawn->levels; l++) {
        const struct tcplan_ceiling *level = drawn->level[l];
        const double rate = rate_of(drawn->roofs, level), top = highest > 0 ? highest : y->high;
        const bool is_home = drawn == scene->drawn && feeds && level->cache == feeds->cache;
        const struct plot_guide guide = {
            .x1 = x->low, .y1 = rate * x->low, .x2 = top / rate, .y2 = top};
        add_roof(scene, drawn, level, is_home ? "home" : "roof", guide);
    }
}

/** Adds a key entry for each machine if there are several machines. */
static void add_roof_keys(const struct scene *scene) {
    struct plot *plot = scene->plot;
    for (int r = 0; r < scene->asked->roofs_count && scene->asked->roofs_count > 1; r++) {
        const struct plot_roofs *roofs = &scene->asked->roofs[r];
        const struct plot_series series = {
            .name = name_of(plot, roofs),
            .style.colour = roofs->series > 0 ? (roofs->series - 1) % PLOT_SERIES : PLOT_NEUTRAL,
            .line = true};
        int s = 0;
        while (s < plot->series_count && strcmp(plot->series[s].name, series.name) != 0) s++;
        if (s == plot->series_count) plot_add_series(plot, series);
    }
}

/** Returns the series of a point, after adding it if it is new. Points of a line form a series; so
 * do points with the same kernel and origin of the speed. Measured points are filled. */
static int series_of(const struct scene *scene, const struct plot_point *point) {
    struct plot *plot = scene->plot;
    const bool is_line = point->line > 0;
    const enum tcplan_dtype dtype = scene->asked->roofs[0].dtype;
    struct plot_series series = {
        .style = plot_style_of(is_line ? (size_t)point->line - 1 : (size_t)point->kernel),
        .line = is_line};
    series.style.hollow = point->at.origin != TCPLAN_ORIGIN_MEASURED;
    const char *origin = tcplan_origin_name(point->at.origin);
    series.name = is_line ? plot_text(plot, "%.60s %s", point->name, origin)
                          : plot_text(plot, "%c%s %s", tcplan_dtype_letter(dtype),
                                      tcplan_kernel_name(point->kernel, dtype), origin);
    for (int s = 0; s < plot->series_count; s++) {
        if (plot->series[s].line == is_line && strcmp(plot->series[s].name, series.name) == 0)
            return s;
    }
    return plot_add_series(plot, series);
}

static const char *point_tip(struct plot *plot, const struct plot_point *point) {
    const struct tcplan_point *at = &point->at;
    const bool spans = at->intensity_low != at->intensity_high, has_low = point->gflops_low > 0;
    return plot_text(
        plot, "%.60s%s%s: %.4g %s%s %s, %.3g flop/byte%s", point->name, point->size ? ", " : "",
        point->size ? point->size : "", at->gflops, plot->unit,
        has_low ? plot_text(plot, " (%.3g to %.3g)", point->gflops_low, point->gflops_high) : "",
        tcplan_origin_name(at->origin), at->intensity_low,
        spans ? plot_text(plot, " by the model, at most %.3g", at->intensity_high) : "");
}

/** Returns the label of a point: the size for the first and last point of a line, with the name for
 * the last one; the name for other points if they are among the fastest. */
static const char *point_label(const struct scene *scene, size_t p, int *labels) {
    const struct roofline_plot *asked = scene->asked;
    const struct plot_point *point = &asked->point[p];
    const bool first = p == 0 || point[-1].line != point->line,
               last = p + 1 == asked->count || point[1].line != point->line;
    if (point->line == 0) return (*labels)++ < LABELS ? point->name : NULL;
    if (!first && !last) return NULL;
    const char *size = point->size ? point->size : "";
    return plot_text(scene->plot, "%.60s%s%.40s", last ? point->name : "",
                     last && *size ? ", " : "", size);
}

static void add_points(const struct scene *scene) {
    struct plot *plot = scene->plot;
    int labels = 0;
    for (size_t p = 0; p < scene->asked->count; p++) {
        const struct plot_point *point = &scene->asked->point[p];
        const struct tcplan_point *at = &point->at;
        const bool spans = at->intensity_low != at->intensity_high;
        const struct plot_mark place = {.series = series_of(scene, point),
                                        .x = at->intensity_low,
                                        .y = at->gflops,
                                        .low = point->gflops_low,
                                        .high = point->gflops_low > 0 ? point->gflops_high : 0,
                                        .reach = spans ? at->intensity_high : 0};
        struct plot_mark *mark = plot_add_mark(plot, place);
        if (!mark) continue;
        mark->tip = point_tip(plot, point);
        mark->label = point_label(scene, p, &labels);
        if (at->roof > 0)
            mark->note = plot_text(plot, ", %.1f %% of its roof", 100 * at->efficiency);
    }
}

static void make_plot(struct plot *out, const struct roofline_plot *asked) {
    static const char *const intensities[] = {
        "operational intensity: flop per byte of cache lines moved",
        "read intensity: flop per byte read", "write intensity: flop per byte written"};
    const struct plot_roofs *first = asked->roofs_count > 0 ? asked->roofs : NULL;
    const bool per_cycle = first && first->roofline->per_cycle;
    struct scene scene = {.asked = asked, .plot = out};
    *out =
        (struct plot){.title = asked->title,
                      .subtitle = asked->subtitle,
                      .x = {.title = intensities[first ? first->direction : TCPLAN_DIRECTION_BOTH],
                            .label = plot_label_number},
                      .y = {.title = per_cycle ? "performance, flop/cycle" : "performance, GFLOP/s",
                            .label = plot_label_number},
                      .x_unit = "flop/byte",
                      .unit = first ? tcplan_roofline_compute_unit(first->roofline) : "GFLOP/s",
                      .width = asked->width,
                      .height = 520,
                      .embedded = asked->embedded};
    for (int r = 0; r < asked->roofs_count; r++) collect(&scene.drawn[r], &asked->roofs[r]);
    set_ranges(&scene);
    plot_prepare(out);
    add_roof_keys(&scene);
    add_points(&scene);
    for (int r = 0; r < asked->roofs_count; r++) add_roofs(&scene, &scene.drawn[r]);
}

bool roofline_plot_print(FILE *file, const struct roofline_plot *asked) {
    struct plot plot;
    make_plot(&plot, asked);
    return plot_print(file, &plot, 1);
}

bool roofline_script_print(FILE *file, const struct roofline_plot *asked, int columns) {
    struct plot plot;
    make_plot(&plot, asked);
    return plot_print_script(file, &plot, columns);
}
