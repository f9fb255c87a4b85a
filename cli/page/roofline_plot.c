#include "cli/page/roofline_plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "cli/page/labels.h"
#include "cli/page/markup.h"
#include "cli/page/picture.h"
#include "cli/page/roofs.h"

enum { AREA_HEIGHT = 520, LABELLED_POINTS = 1000, MARK = 5 };
enum { MAX_LABELS = 12, MAX_KEYS = 64, TEXT = 160 };

/** What is drawn. */
struct canvas {
    const struct roofline_plot *plot;
    struct drawn_roofs drawn[PLOT_ROOFS];
    struct picture_key key[MAX_KEYS];
    char key_text[MAX_KEYS][TEXT];
    int keys;
    double angle; /* of the roofs of bandwidth */
    struct plot area;
    struct labels labels;
};

static void class_of(char out[24], const struct drawn_roofs *drawn, const char *kind) {
    if (drawn->roofs->series > 0) {
        snprintf(out, 24, "%s c%d", kind, (drawn->roofs->series - 1) % PLOT_SERIES);
    } else {
        snprintf(out, 24, "%s", kind);
    }
}

/** A roof that labels keep off, and that tells what it is. */
static void draw_roof(struct canvas *canvas, const struct drawn_roofs *drawn,
                      const struct tcplan_ceiling *ceiling, const char *kind,
                      const struct tcplan_span *x, const struct tcplan_span *y) {
    const struct plot *area = &canvas->area;
    char class[24], text[TEXT];
    class_of(class, drawn, kind);
    roofs_tell(text, sizeof text, canvas->plot, drawn, ceiling, true);
    plot_line(area, class, x->low, y->low, x->high, y->high);
    plot_told_line(area, x->low, y->low, x->high, y->high, text);
    labels_keep_off(&canvas->labels,
                    (struct strip){plot_across(area, x->low), plot_down(area, y->low),
                                   plot_across(area, x->high), plot_down(area, y->high), 2});
}

/** A roof of each level up to the highest ceiling, and each ceiling from where the fastest level
 * reaches it. */
static void draw_roofs(struct canvas *canvas, const struct drawn_roofs *drawn) {
    const struct tcplan_span *x = &canvas->area.x.span, *y = &canvas->area.y.span;
    for (int l = 0; l < drawn->levels; l++) {
        const bool home =
            drawn == canvas->drawn && drawn->level[l]->cache == roofs_home(canvas->plot);
        const struct roof_line line = roofs_level_line(drawn, drawn->level[l], x, y);
        draw_roof(canvas, drawn, drawn->level[l], home ? "home" : "roof", &line.x, &line.y);
    }
    for (int c = 0; c < drawn->computes; c++) {
        const struct roof_line line = roofs_compute_line(drawn, drawn->compute[c], x);
        draw_roof(canvas, drawn, drawn->compute[c], drawn->compute[c]->m > 0 ? "roof d1" : "roof",
                  &line.x, &line.y);
    }
}

/* Labels. */

static double width_of(const char *text) {
    return picture_letter * (double)strlen(text);
}

static void write_label(const struct canvas *canvas, const char *class,
                        const struct label_place *place, const char *text) {
    FILE *file = canvas->area.file;
    fprintf(file, "<text class=\"%s\" text-anchor=\"%s\" transform=\"translate(%.1f %.1f)", class,
            place->ends ? "end" : "start", place->x, place->y);
    if (place->angle > 0) fprintf(file, " rotate(%.2f)", -place->angle * 57.29577951308232);
    fputs("\" dy=\"4\">", file);
    markup_text(file, text);
    fputs("</text>\n", file);
}

/** Writes it where there is room. */
static bool try_label(struct canvas *canvas, const char *class, const struct label_place *place,
                      const char *text) {
    const struct strip strip = label_strip(place, width_of(text), picture_line);
    if (!labels_take(&canvas->labels, &strip)) return false;
    write_label(canvas, class, place, text);
    return true;
}

/** A name along a bandwidth's roof, above or below it, as near to its lower end as there is room.
 */
static void label_level(struct canvas *canvas, const struct drawn_roofs *drawn,
                        const struct tcplan_ceiling *level) {
    const struct plot *area = &canvas->area;
    const double rate = roofs_rate(drawn->roofs, level),
                 start = fmax(area->x.span.low, area->y.span.low / rate), angle = canvas->angle;
    char text[TEXT], class[24];
    roofs_tell(text, sizeof text, canvas->plot, drawn, level, false);
    class_of(class, drawn, "guide");
    for (int step = 0; 24.0 * step < area->width; step++) {
        const double along = 6 + 24.0 * step;
        for (int side = 1; side >= -1; side -= 2) {
            const double off = side * 0.8 * picture_line;
            const struct label_place place = {
                .x = plot_across(area, start) + along * cos(angle) - off * sin(angle),
                .y = plot_down(area, start * rate) - along * sin(angle) - off * cos(angle),
                .angle = angle};
            if (along + width_of(text) <
                    (plot_across(area, roofs_highest(drawn) / rate) - plot_across(area, start)) /
                        cos(angle) &&
                try_label(canvas, class, &place, text))
                return;
        }
    }
}

/** A name above or below a compute roof, as near to its right end as there is room. */
static void label_compute(struct canvas *canvas, const struct drawn_roofs *drawn,
                          const struct tcplan_ceiling *compute) {
    const struct plot *area = &canvas->area;
    const double fastest = roofs_fastest(drawn), line = plot_down(area, compute->rate);
    const double left = fastest > 0 ? plot_across(area, compute->rate / fastest) : 0;
    char text[TEXT], class[24];
    roofs_tell(text, sizeof text, canvas->plot, drawn, compute, false);
    class_of(class, drawn, "guide");
    for (double right = area->width - 8; right - width_of(text) > left; right -= 40) {
        for (int side = 1; side >= -1; side -= 2) {
            const struct label_place place = {
                .x = right, .y = line - side * (3 + picture_line / 2), .ends = true};
            if (try_label(canvas, class, &place, text)) return;
        }
    }
}

/* Points: x is the model's intensity, a thin line leads to that of the compulsory traffic. */

/** Filled where it was measured. */
static struct plot_style style_of(const struct plot_point *point) {
    const int series = point->line > 0 ? point->line - 1 : (int)point->kernel;
    return (struct plot_style){.colour = series % PLOT_SERIES,
                               .shape = series % PLOT_SERIES,
                               .hollow = point->at.origin != TCPLAN_ORIGIN_MEASURED};
}

/** What pointing at a mark tells. */
static void print_point(char *out, size_t size, const struct plot_point *point, const char *unit) {
    const struct tcplan_point *at = &point->at;
    char interval[64] = "", place[96] = "";
    if (point->gflops_low > 0)
        snprintf(interval, sizeof interval, " (%.3g to %.3g)", point->gflops_low,
                 point->gflops_high);
    if (point->size) snprintf(place, sizeof place, ", %.80s", point->size);
    const int length =
        snprintf(out, size, "%.60s%s: %.4g %s%s %s, %.3g flop/byte", point->name, place, at->gflops,
                 unit, interval, tcplan_origin_name(at->origin), at->intensity_low);
    if (at->intensity_low == at->intensity_high || length < 0 || (size_t)length >= size) return;
    snprintf(out + length, size - (size_t)length, " by the model, %.3g at most",
             at->intensity_high);
}

static void draw_point(struct canvas *canvas, const struct plot_point *point) {
    struct plot *area = &canvas->area;
    const struct tcplan_point *at = &point->at;
    char class[16], text[2 * TEXT];
    snprintf(class, sizeof class, "reach c%d", style_of(point).colour);
    plot_line(area, class, at->intensity_low, at->gflops, at->intensity_high, at->gflops);
    if (point->gflops_low > 0)
        plot_line(area, class, at->intensity_low, point->gflops_low, at->intensity_low,
                  point->gflops_high);
    if (!plot_mark(area, style_of(point), at->intensity_low, at->gflops)) return;
    print_point(text, sizeof text, point,
                tcplan_roofline_compute_unit(canvas->plot->roofs[0].roofline));
    markup_text(area->file, text);
    plot_mark_end(area);
    plot_tip(area, text);
}

static void draw_points(struct canvas *canvas) {
    const struct roofline_plot *plot = canvas->plot;
    for (size_t p = 1; p < plot->count; p++) {
        const struct plot_point *from = &plot->point[p - 1], *to = &plot->point[p];
        if (to->line == 0 || to->line != from->line) continue;
        plot_curve(&canvas->area, style_of(to), from->at.intensity_low, from->at.gflops,
                   to->at.intensity_low, to->at.gflops);
    }
    for (size_t p = 0; p < plot->count; p++) draw_point(canvas, &plot->point[p]);
}

static void keep_off_points(struct canvas *canvas) {
    const struct roofline_plot *plot = canvas->plot;
    const struct plot *area = &canvas->area;
    for (size_t p = 0; p < plot->count && p < LABELLED_POINTS; p++) {
        const struct plot_point *point = &plot->point[p];
        const double x = plot_across(area, point->at.intensity_low),
                     y = plot_down(area, point->at.gflops);
        labels_keep_off(&canvas->labels, (struct strip){x - MARK, y, x + MARK, y, MARK});
        labels_keep_off(&canvas->labels,
                        (struct strip){x, y, plot_across(area, point->at.intensity_high), y, 1});
        if (point->gflops_low > 0) {
            const struct strip bar = {x, plot_down(area, point->gflops_low), x,
                                      plot_down(area, point->gflops_high), 1};
            labels_keep_off(&canvas->labels, bar);
        }
        if (p == 0 || point->line == 0 || plot->point[p - 1].line != point->line) continue;
        const struct tcplan_point *before = &plot->point[p - 1].at;
        labels_keep_off(&canvas->labels, (struct strip){plot_across(area, before->intensity_low),
                                                        plot_down(area, before->gflops), x, y, 1});
    }
}

static void label_point(struct canvas *canvas, const struct plot_point *point, const char *text) {
    const double x = plot_across(&canvas->area, point->at.intensity_low),
                 y = plot_down(&canvas->area, point->at.gflops);
    struct label_place place;
    char class[8];
    snprintf(class, sizeof class, "c%d", style_of(point).colour);
    if (!labels_find(&canvas->labels, &place, x, y, width_of(text), picture_line)) return;
    write_label(canvas, class, &place, text);
    if (!place.is_remote) return;
    fprintf(canvas->area.file,
            "<line class=\"reach %s\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n", class,
            x, y, place.x, place.y);
}

/** The first and the last point of a line with their sizes, the last with its name; of other points
 * the fastest. */
static void label_points(struct canvas *canvas) {
    const struct roofline_plot *plot = canvas->plot;
    int labels = 0;
    for (size_t p = 0; p < plot->count; p++) {
        const struct plot_point *point = &plot->point[p];
        const bool first = p == 0 || plot->point[p - 1].line != point->line,
                   last = p + 1 == plot->count || plot->point[p + 1].line != point->line;
        char text[TEXT];
        if (point->line > 0 ? !(first || last) : labels++ >= MAX_LABELS) continue;
        snprintf(text, sizeof text, "%.60s%s%.40s", point->line == 0 || last ? point->name : "",
                 point->line > 0 && last ? ", " : "",
                 point->line > 0 && point->size ? point->size : "");
        label_point(canvas, point, text);
    }
}

/* The key. */

static void add_key(struct canvas *canvas, const char *text, struct plot_style style,
                    bool is_line) {
    for (int k = 0; k < canvas->keys; k++) {
        if (strcmp(canvas->key_text[k], text) == 0) return;
    }
    if (canvas->keys == MAX_KEYS) return;
    snprintf(canvas->key_text[canvas->keys], TEXT, "%s", text);
    canvas->key[canvas->keys] = (struct picture_key){.text = canvas->key_text[canvas->keys],
                                                     .style = style,
                                                     .is_line = is_line,
                                                     .no_mark = is_line};
    canvas->keys++;
}

static void collect_keys(struct canvas *canvas) {
    const struct roofline_plot *plot = canvas->plot;
    for (int r = 0; r < plot->roofs_count; r++) {
        const struct plot_roofs *roofs = &plot->roofs[r];
        const struct plot_style style = {
            .colour = roofs->series > 0 ? (roofs->series - 1) % PLOT_SERIES : PLOT_NEUTRAL};
        char text[TEXT];
        roofs_name(text, sizeof text, roofs);
        if (plot->roofs_count > 1) add_key(canvas, text, style, true);
    }
    for (size_t p = 0; p < plot->count; p++) {
        const struct plot_point *point = &plot->point[p];
        const enum tcplan_dtype dtype = plot->roofs[0].dtype;
        char text[TEXT];
        if (point->line > 0) {
            snprintf(text, sizeof text, "%.60s %s", point->name,
                     tcplan_origin_name(point->at.origin));
        } else {
            snprintf(text, sizeof text, "%c%s %s", tcplan_dtype_letter(dtype),
                     tcplan_kernel_name(point->kernel, dtype),
                     tcplan_origin_name(point->at.origin));
        }
        add_key(canvas, text, style_of(point), false);
    }
}

/** The roofs stand behind the points, the labels in front. */
static bool draw(struct canvas *canvas, FILE *file) {
    const struct roofline_plot *plot = canvas->plot;
    const double width = plot->width, key_top = PICTURE_TOP + AREA_HEIGHT + PICTURE_BELOW;
    const double height = key_top + picture_key_height(canvas->key, (size_t)canvas->keys, width);
    struct plot *area = &canvas->area;
    picture_begin(file, width, height, plot->title, plot->subtitle, plot->embedded);
    if (!plot_begin(area, "")) return false;
    canvas->angle = atan2(area->height / log(area->y.span.high / area->y.span.low),
                          area->width / log(area->x.span.high / area->x.span.low));
    for (int r = plot->roofs_count - 1; r >= 0; r--) draw_roofs(canvas, &canvas->drawn[r]);
    draw_points(canvas);
    keep_off_points(canvas);
    for (int r = 0; r < plot->roofs_count; r++) {
        const struct drawn_roofs *drawn = &canvas->drawn[r];
        for (int c = 0; c < drawn->computes; c++) label_compute(canvas, drawn, drawn->compute[c]);
        for (int l = 0; l < drawn->levels; l++) label_level(canvas, drawn, drawn->level[l]);
    }
    label_points(canvas);
    plot_end(area);
    picture_write_key(file, canvas->key, (size_t)canvas->keys, key_top, width);
    picture_end(file);
    return true;
}

bool roofline_plot_print(FILE *file, const struct roofline_plot *asked) {
    static const char *const intensities[] = {
        "operational intensity: flop per byte of cache lines moved",
        "read intensity: flop per byte read", "write intensity: flop per byte written"};
    struct canvas *canvas = base_alloc_zero(1, sizeof *canvas);
    if (!canvas) return false;
    struct roofline_plot plot = *asked;
    if (!(plot.width > 0)) plot.width = PLOT_WIDTH;
    const double width = plot.width - PICTURE_LEFT - PICTURE_RIGHT;
    canvas->plot = &plot;
    canvas->labels = (struct labels){.width = width, .height = AREA_HEIGHT};
    canvas->area = (struct plot){.file = file,
                                 .left = PICTURE_LEFT,
                                 .top = PICTURE_TOP,
                                 .width = width,
                                 .height = AREA_HEIGHT,
                                 .tells = true};
    const struct plot_roofs *first = plot.roofs_count > 0 ? plot.roofs : NULL;
    canvas->area.x =
        (struct axis){.title = intensities[first ? first->direction : TCPLAN_DIRECTION_BOTH],
                      .label = plot_label_number};
    canvas->area.y =
        (struct axis){.title = first && first->roofline->per_cycle ? "performance, flop/cycle"
                                                                   : "performance, GFLOP/s",
                      .label = plot_label_number};
    for (int r = 0; r < plot.roofs_count; r++) roofs_collect(&canvas->drawn[r], &plot.roofs[r]);
    roofs_ranges(&canvas->area.x.span, &canvas->area.y.span, &plot, canvas->drawn);
    collect_keys(canvas);
    const bool drawn = draw(canvas, file);
    free(canvas);
    return drawn;
}
