#include "cli/page/roofline_plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "cli/page/labels.h"
#include "cli/page/markup.h"
#include "cli/page/picture.h"

enum { WIDTH = 960, AREA_WIDTH = WIDTH - PICTURE_LEFT - PICTURE_RIGHT, AREA_HEIGHT = 520 };
enum { COMPUTES = 3, MAX_LABELS = 12, MAX_LEVELS = TCPLAN_MAX_CACHE_LEVELS + 1, MAX_KEYS = 2 * TCPLAN_KERNELS, TEXT = 96 };

/** What is drawn. */
struct canvas {
    const struct roofline_plot *plot;
    const struct tcplan_ceiling *level[MAX_LEVELS]; /* bandwidths, nearest to the core first */
    int levels;
    const struct tcplan_ceiling *compute[COMPUTES];
    int computes;
    struct picture_key key[MAX_KEYS];
    char key_text[MAX_KEYS][TEXT];
    int keys;
    struct plot area;
    struct labels labels;
};

/* Roofs. */

static void collect_roofs(struct canvas *canvas) {
    const struct roofline_plot *plot = canvas->plot;
    const struct tcplan_roofline *roofline = plot->roofline;
    static const char *const gemms[TCPLAN_DTYPES] = {"sgemm", "dgemm", "cgemm", "zgemm"};
    for (int cache = 0; cache <= roofline->machine.cache_count; cache++) {
        const struct tcplan_ceiling *ceiling = tcplan_roofline_bandwidth(roofline, plot->bandwidth, cache, plot->threads);
        if (ceiling) canvas->level[canvas->levels++] = ceiling;
    }
    const struct tcplan_ceiling *const compute[COMPUTES] = {
        tcplan_point_compute_ceiling(roofline, plot->dtype, plot->threads, true),
        tcplan_point_compute_ceiling(roofline, plot->dtype, plot->threads, false),
        tcplan_roofline_compute(roofline, gemms[plot->dtype], plot->dtype, 0, plot->threads),
    };
    for (int c = 0; c < COMPUTES; c++) {
        if (compute[c] && (c == 0 || compute[c] != compute[0])) canvas->compute[canvas->computes++] = compute[c];
    }
}

static double highest_compute(const struct canvas *canvas) {
    double highest = 0;
    for (int c = 0; c < canvas->computes; c++) highest = fmax(highest, canvas->compute[c]->rate);
    return highest;
}

static double fastest_level(const struct canvas *canvas) {
    double fastest = 0;
    for (int l = 0; l < canvas->levels; l++) fastest = fmax(fastest, tcplan_point_line_rate(canvas->level[l]));
    return fastest;
}

/** Roofs from left of where the fastest level's meets the highest ceiling to right of where the slowest one's does, and all points. */
static void set_ranges(struct canvas *canvas) {
    const struct roofline_plot *plot = canvas->plot;
    const double top = highest_compute(canvas) > 0 ? highest_compute(canvas) : 1;
    const double slowest = canvas->levels > 0 ? tcplan_point_line_rate(canvas->level[canvas->levels - 1]) : 1;
    struct tcplan_span *x = &canvas->area.x.span, *y = &canvas->area.y.span;
    *x = (struct tcplan_span){0.3 * top / (canvas->levels > 0 ? fastest_level(canvas) : 1), 12 * top / slowest};
    for (size_t p = 0; p < plot->count; p++) {
        x->low = fmin(x->low, plot->point[p].at.intensity_low / 2);
        x->high = fmax(x->high, plot->point[p].at.intensity_high * 2);
    }
    *y = (struct tcplan_span){slowest * x->low, 1.3 * top};
    for (size_t p = 0; p < plot->count; p++) {
        y->low = fmin(y->low, plot->point[p].at.gflops / 2);
        y->high = fmax(y->high, plot->point[p].at.gflops * 1.5);
    }
}

/** The level that feeds the points, whose roof is drawn bold; -1: no points. */
static int home_of(const struct roofline_plot *plot) {
    return plot->count > 0 && plot->point[0].at.model_bandwidth ? plot->point[0].at.model_bandwidth->cache : -1;
}

/** A line of the area that labels keep off. */
static void draw_line(struct canvas *canvas, const char *class, double x1, double y1, double x2, double y2) {
    const struct plot *area = &canvas->area;
    plot_line(area, class, x1, y1, x2, y2);
    labels_keep_off_line(&canvas->labels, plot_across(area, x1), plot_down(area, y1), plot_across(area, x2), plot_down(area, y2), 2);
}

/** A roof of each level up to the highest ceiling, and each ceiling from where the fastest level reaches it. */
static void draw_roofs(struct canvas *canvas) {
    const double top = highest_compute(canvas), fastest = fastest_level(canvas);
    const struct tcplan_span x = canvas->area.x.span;
    for (int l = 0; l < canvas->levels; l++) {
        const double rate = tcplan_point_line_rate(canvas->level[l]);
        const char *class = canvas->level[l]->cache == home_of(canvas->plot) ? "home" : "roof";
        draw_line(canvas, class, x.low, rate * x.low, top / rate, top);
    }
    for (int c = 0; c < canvas->computes; c++) {
        const double rate = canvas->compute[c]->rate;
        const char *class = canvas->compute[c]->m > 0 ? "roof d1" : "roof";
        draw_line(canvas, class, fastest > 0 ? rate / fastest : x.low, rate, x.high, rate);
    }
}

/* Labels. */

/** A text that begins, or ends, at a pixel of the area, turned upwards by an angle. */
static void write_label(const struct canvas *canvas, const char *class, double x, double y, bool ends, double degrees, const char *text) {
    FILE *file = canvas->area.file;
    fprintf(file, "<text class=\"%s\" text-anchor=\"%s\" transform=\"translate(%.1f %.1f)", class, ends ? "end" : "start", x, y);
    if (degrees > 0) fprintf(file, " rotate(%.2f)", -degrees);
    fputs("\" dy=\"4\">", file);
    markup_text(file, text);
    fputs("</text>\n", file);
}

/** Whether the roof of a faster level is so near above this one's that no name fits between. */
static bool is_close_below(const struct canvas *canvas, int level, double most) {
    const struct tcplan_span y = canvas->area.y.span;
    const double per_factor = canvas->area.height / log(y.high / y.low), rate = tcplan_point_line_rate(canvas->level[level]);
    for (int l = 0; l < canvas->levels; l++) {
        const double above = per_factor * log(tcplan_point_line_rate(canvas->level[l]) / rate);
        if (l != level && (above > 0 || (above == 0 && l < level)) && above < most) return true;
    }
    return false;
}

/** A name along each bandwidth roof, above it where there is room, else below, near its lower end. */
static void label_levels(struct canvas *canvas) {
    const struct plot *area = &canvas->area;
    const double rise = area->height / log(area->y.span.high / area->y.span.low),
                 run = area->width / log(area->x.span.high / area->x.span.low);
    const double angle = atan2(rise, run);
    for (int l = 0; l < canvas->levels; l++) {
        const struct tcplan_ceiling *level = canvas->level[l];
        const double rate = tcplan_point_line_rate(level);
        const double start = fmax(area->x.span.low, area->y.span.low / rate);
        const bool below = is_close_below(canvas, l, 1.6 * picture_line / cos(angle));
        const double off = below ? -0.8 * picture_line : 0.8 * picture_line, along = below ? 40 : 14;
        const double x = plot_across(area, start) + along - off * sin(angle);
        const double y = plot_down(area, start * rate) - along * tan(angle) - off * cos(angle);
        char text[TEXT];
        snprintf(text, sizeof text, "%s %s: %.3g GB/s", level->level, level->name, rate);
        const double length = picture_letter * (double)strlen(text);
        write_label(canvas, "guide", x, y, false, angle * 57.29577951308232, text);
        labels_keep_off_line(&canvas->labels, x, y, x + length * cos(angle), y - length * sin(angle), picture_line / 2);
    }
}

static void print_compute(char *out, size_t size, const struct tcplan_ceiling *compute) {
    if (compute->m > 0) {
        snprintf(out, size, "%s %lld x %lld x %lld: %.4g GFLOP/s", compute->name, (long long)compute->m, (long long)compute->n,
                 (long long)compute->k, compute->rate);
    } else {
        snprintf(out, size, "%s, %d bits: %.4g GFLOP/s", compute->name, compute->vector_bits, compute->rate);
    }
}

/** A name above the right end of each compute roof, or below it where only there is room. */
static void label_computes(struct canvas *canvas) {
    for (int c = 0; c < canvas->computes; c++) {
        char text[TEXT];
        print_compute(text, sizeof text, canvas->compute[c]);
        const double right = canvas->area.width - 8, line = plot_down(&canvas->area, canvas->compute[c]->rate);
        struct box box = {right - picture_letter * (double)strlen(text), right, line - 3 - picture_line, line - 3};
        const struct box under = {box.left, box.right, line + 3, line + 3 + picture_line};
        if (!labels_is_free(&canvas->labels, &box) && labels_is_free(&canvas->labels, &under)) box = under;
        write_label(canvas, "guide", right, (box.top + box.bottom) / 2, true, 0, text);
        labels_keep_off(&canvas->labels, box);
    }
}

/* Points: x is the model's intensity, a thin line leads to that of the compulsory traffic. */

/** Filled where it was measured. */
static struct plot_style style_of(const struct plot_point *point) {
    return (struct plot_style){.colour = (int)point->kernel % PLOT_SERIES,
                               .shape = (int)point->kernel % PLOT_SERIES,
                               .hollow = point->at.origin != TCPLAN_ORIGIN_MEASURED};
}

static void draw_points(struct canvas *canvas) {
    const struct roofline_plot *plot = canvas->plot;
    for (size_t p = 0; p < plot->count; p++) {
        const struct plot_point *point = &plot->point[p];
        const struct tcplan_point *at = &point->at;
        char class[16];
        snprintf(class, sizeof class, "reach c%d", style_of(point).colour);
        plot_line(&canvas->area, class, at->intensity_low, at->gflops, at->intensity_high, at->gflops);
        if (!plot_mark(&canvas->area, style_of(point), at->intensity_low, at->gflops)) continue;
        markup_text(canvas->area.file, point->name);
        fprintf(canvas->area.file, ": %.4g GFLOP/s %s, %.3g flop/byte by the model, %.3g at most", at->gflops,
                tcplan_origin_name(at->origin), at->intensity_low, at->intensity_high);
        plot_mark_end(&canvas->area);
    }
}

/** Labels the fastest points, each where it overlaps neither a point nor another label; one that finds no room is left out. */
static void label_points(struct canvas *canvas) {
    const struct roofline_plot *plot = canvas->plot;
    const struct plot *area = &canvas->area;
    for (size_t p = 0; p < plot->count && p < LABELS_BOXES / 4; p++) {
        const struct tcplan_point *at = &plot->point[p].at;
        const double x = plot_across(area, at->intensity_low), y = plot_down(area, at->gflops);
        labels_keep_off(&canvas->labels, (struct box){x - 5, x + 5, y - 5, y + 5});
        labels_keep_off(&canvas->labels, (struct box){x, plot_across(area, at->intensity_high), y - 1, y + 1});
    }
    for (size_t p = 0; p < plot->count && p < MAX_LABELS; p++) {
        const struct plot_point *point = &plot->point[p];
        const double x = plot_across(area, point->at.intensity_low), y = plot_down(area, point->at.gflops);
        struct label_place place;
        char class[8];
        snprintf(class, sizeof class, "c%d", style_of(point).colour);
        if (!labels_find(&canvas->labels, &place, x, y, picture_letter * (double)strlen(point->name), picture_line)) continue;
        write_label(canvas, class, place.x, place.y, place.ends, 0, point->name);
        if (!place.is_remote) continue;
        fprintf(area->file, "<line class=\"reach %s\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n", class, x, y, place.x, place.y);
    }
}

/* The key. */

static bool has_any(const struct roofline_plot *plot, int kernel, enum tcplan_origin origin) {
    for (size_t p = 0; p < plot->count; p++) {
        if ((int)plot->point[p].kernel == kernel && plot->point[p].at.origin == origin) return true;
    }
    return false;
}

static void collect_keys(struct canvas *canvas) {
    static const enum tcplan_origin origins[] = {TCPLAN_ORIGIN_PREDICTED, TCPLAN_ORIGIN_MEASURED};
    const enum tcplan_dtype dtype = canvas->plot->dtype;
    for (size_t o = 0; o < sizeof origins / sizeof *origins; o++) {
        for (int kernel = 0; kernel < TCPLAN_KERNELS; kernel++) {
            if (!has_any(canvas->plot, kernel, origins[o])) continue;
            const struct plot_point sample = {.kernel = (enum tcplan_kernel)kernel, .at.origin = origins[o]};
            char *text = canvas->key_text[canvas->keys];
            snprintf(text, TEXT, "%c%s %s", tcplan_dtype_letter(dtype), tcplan_kernel_name((enum tcplan_kernel)kernel, dtype),
                     tcplan_origin_name(origins[o]));
            canvas->key[canvas->keys++] = (struct picture_key){.text = text, .style = style_of(&sample)};
        }
    }
}

/** The roofs stand behind the points, the labels in front. */
static bool draw(struct canvas *canvas, FILE *file) {
    const double key_top = PICTURE_TOP + AREA_HEIGHT + PICTURE_BELOW;
    const double height = key_top + picture_key_height(canvas->key, (size_t)canvas->keys, WIDTH);
    picture_begin(file, WIDTH, height, canvas->plot->title, canvas->plot->subtitle);
    if (!plot_begin(&canvas->area, "")) return false;
    draw_roofs(canvas);
    draw_points(canvas);
    label_levels(canvas);
    label_computes(canvas);
    label_points(canvas);
    plot_end(&canvas->area);
    picture_write_key(file, canvas->key, (size_t)canvas->keys, key_top, WIDTH);
    picture_end(file);
    return true;
}

bool roofline_plot_print(FILE *file, const struct roofline_plot *plot) {
    struct canvas *canvas = base_alloc_zero(1, sizeof *canvas);
    if (!canvas) return false;
    *canvas = (struct canvas){
        .plot = plot,
        .labels = {.width = AREA_WIDTH, .height = AREA_HEIGHT},
        .area = {.file = file, .left = PICTURE_LEFT, .top = PICTURE_TOP, .width = AREA_WIDTH, .height = AREA_HEIGHT},
    };
    canvas->area.x = (struct axis){.title = "operational intensity: flop per byte of cache lines moved", .label = plot_label_number};
    canvas->area.y = (struct axis){.title = "performance, GFLOP/s", .label = plot_label_number};
    collect_roofs(canvas);
    set_ranges(canvas);
    collect_keys(canvas);
    const bool drawn = draw(canvas, file);
    free(canvas);
    return drawn;
}
