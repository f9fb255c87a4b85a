#include "cli/page/curve_plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "cli/page/labels.h"
#include "cli/page/markup.h"
#include "cli/page/picture.h"

enum {
    WIDTH = 960,
    AREA_WIDTH = WIDTH - PICTURE_LEFT - PICTURE_RIGHT,
    MAX_KEYS = 32,
    TEXT = 200,
    MARK = 5
};

struct canvas {
    const struct curve_plot *plot;
    struct plot area;
    struct labels labels;
    struct picture_key key[MAX_KEYS];
    size_t keys;
};

static struct plot_style style_of(size_t curve) {
    return (struct plot_style){.colour = (int)(curve % PLOT_SERIES),
                               .shape = (int)(curve % PLOT_SERIES)};
}

static void widen(struct tcplan_span *span, double low, double high) {
    if (!(low > 0)) return;
    span->low = span->high > 0 ? fmin(span->low, low) : low;
    span->high = fmax(span->high, high);
}

static void widen_to(struct canvas *canvas, const struct curve_place place[], size_t count) {
    for (size_t p = 0; p < count; p++) {
        widen(&canvas->area.x.span, place[p].x, place[p].x);
        widen(&canvas->area.y.span, place[p].q1 > 0 ? place[p].q1 : place[p].y,
              fmax(place[p].y, place[p].q3));
    }
}

/** Marks do not widen: one far from the curves is not drawn. */
static void set_ranges(struct canvas *canvas) {
    const struct curve_plot *plot = canvas->plot;
    for (size_t c = 0; c < plot->curve_count; c++) {
        widen_to(canvas, plot->curve[c].place, plot->curve[c].count);
        widen_to(canvas, plot->curve[c].sample, plot->curve[c].sample_count);
    }
}

static void tell(char *out, size_t size, const struct curve_plot *plot, const struct curve *curve,
                 const struct curve_place *place) {
    const int length = snprintf(out, size, "%s: %.4g %s", curve->name, place->y, plot->unit);
    char spread[TEXT / 2] = "";
    if (place->q1 > 0) snprintf(spread, sizeof spread, " (%.4g to %.4g)", place->q1, place->q3);
    if (length < 0 || (size_t)length >= size) return;
    snprintf(out + length, size - (size_t)length, "%s at %s%s", spread,
             plot->x.label(place->x).text, place->moved ? ", brought here from near by" : "");
}

static void draw_place(struct canvas *canvas, size_t c, const struct curve_place *place) {
    struct plot_style style = style_of(c);
    struct plot *area = &canvas->area;
    char class[16], text[TEXT];
    snprintf(class, sizeof class, "reach c%d", style.colour);
    style.hollow = place->moved;
    if (place->q1 > 0) plot_line(area, class, place->x, place->q1, place->x, place->q3);
    const double x = plot_across(area, place->x), y = plot_down(area, place->y);
    labels_keep_off(&canvas->labels, (struct strip){x - MARK, y, x + MARK, y, MARK});
    if (!plot_mark(area, style, place->x, place->y)) return;
    tell(text, sizeof text, canvas->plot, &canvas->plot->curve[c], place);
    markup_text(area->file, text);
    plot_mark_end(area);
    plot_tip(area, text);
}

static void draw_curve(struct canvas *canvas, size_t c) {
    const struct curve *curve = &canvas->plot->curve[c];
    const struct curve_place *place = curve->place;
    const bool is_fitted = curve->form == CURVE_FITTED;
    for (size_t p = 0; p < curve->count; p++) {
        if (p > 0)
            plot_curve(&canvas->area, style_of(c), place[p - 1].x, place[p - 1].y, place[p].x,
                       place[p].y);
        if (!is_fitted) draw_place(canvas, c, &place[p]);
    }
    for (size_t p = 0; is_fitted && p < curve->sample_count; p++)
        draw_place(canvas, c, &curve->sample[p]);
}

/** A line with its name at its side, as near to the upper end as there is room. */
static void draw_mark(struct canvas *canvas, const struct curve_mark *mark) {
    struct plot *area = &canvas->area;
    const struct tcplan_span *y = &area->y.span;
    if (mark->x < area->x.span.low || mark->x > area->x.span.high) return;
    plot_line(area, mark->claimed ? "roof d2" : "roof", mark->x, y->low, mark->x, y->high);
    plot_told_line(area, mark->x, y->low, mark->x, y->high, mark->name);
    labels_keep_off(&canvas->labels, (struct strip){plot_across(area, mark->x), 0,
                                                    plot_across(area, mark->x), area->height, 1});
}

static void label_mark(struct canvas *canvas, const struct curve_mark *mark) {
    const struct plot *area = &canvas->area;
    if (mark->nameless || mark->x < area->x.span.low || mark->x > area->x.span.high) return;
    for (int row = 1; row * picture_line < area->height; row++) {
        const double down = row * picture_line;
        for (int side = 1; side >= -1; side -= 2) {
            const struct label_place place = {
                .x = plot_across(area, mark->x) + side * 5.0, .y = down, .ends = side < 0};
            const struct strip strip =
                label_strip(&place, picture_letter * (double)strlen(mark->name), picture_line);
            if (!labels_take(&canvas->labels, &strip)) continue;
            fprintf(
                area->file,
                "<text class=\"guide\" text-anchor=\"%s\" transform=\"translate(%.1f %.1f)\" dy=\"4\">",
                place.ends ? "end" : "start", place.x, place.y);
            markup_text(area->file, mark->name);
            fputs("</text>\n", area->file);
            return;
        }
    }
}

static bool draw(struct canvas *canvas, FILE *file) {
    const struct curve_plot *plot = canvas->plot;
    const double key_top = PICTURE_TOP + CURVE_HEIGHT + PICTURE_BELOW;
    picture_begin(file, WIDTH, key_top + picture_key_height(canvas->key, canvas->keys, WIDTH),
                  plot->title, plot->subtitle, false);
    if (!plot_begin(&canvas->area, "")) return false;
    for (size_t m = 0; m < plot->mark_count; m++) draw_mark(canvas, &plot->mark[m]);
    for (size_t c = 0; c < plot->curve_count; c++) draw_curve(canvas, c);
    for (size_t m = 0; m < plot->mark_count; m++) label_mark(canvas, &plot->mark[m]);
    plot_end(&canvas->area);
    picture_write_key(file, canvas->key, canvas->keys, key_top, WIDTH);
    picture_end(file);
    return true;
}

static int compare_places(const void *a, const void *b) {
    const double x = ((const struct curve_place *)a)->x, y = ((const struct curve_place *)b)->x;
    return (x > y) - (x < y);
}

void curve_places_sort(struct curve_place place[], size_t count) {
    if (count > 1) qsort(place, count, sizeof *place, compare_places);
}

bool curve_plot_print(FILE *file, const struct curve_plot *plot) {
    struct canvas *canvas = base_alloc_zero(1, sizeof *canvas);
    if (!canvas) return false;
    canvas->plot = plot;
    canvas->labels.width = AREA_WIDTH;
    canvas->labels.height = CURVE_HEIGHT;
    canvas->area = (struct plot){.file = file,
                                 .x = plot->x,
                                 .y = plot->y,
                                 .left = PICTURE_LEFT,
                                 .top = PICTURE_TOP,
                                 .width = AREA_WIDTH,
                                 .height = CURVE_HEIGHT,
                                 .tells = true};
    set_ranges(canvas);
    for (size_t c = 0; c < plot->curve_count && canvas->keys < MAX_KEYS; c++) {
        const struct curve *curve = &plot->curve[c];
        const bool is_bare = curve->form == CURVE_FITTED && curve->sample_count == 0;
        canvas->key[canvas->keys++] = (struct picture_key){
            .text = curve->name, .style = style_of(c), .is_line = true, .no_mark = is_bare};
    }
    const bool drawn = draw(canvas, file);
    free(canvas);
    return drawn;
}
