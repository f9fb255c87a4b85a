#include "cli/page/plot.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/page/drawing.h"

enum { CELLS_ACROSS = 400, CELLS_DOWN = 300 };

struct plot_style plot_style_of(size_t number) {
    const size_t round = number / PLOT_SERIES;
    return (struct plot_style){.colour = (int)(number % PLOT_SERIES),
                               .shape = (int)((number + round) % PLOT_SERIES),
                               .dash = (int)(round % PLOT_DASHES)};
}

const char *plot_text(struct plot *plot, const char *format, ...) {
    va_list arguments;
    char *text = NULL;
    va_start(arguments, format);
    const int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    const char *kept = length < 0 ? NULL : arena_strndup(&plot->arena, text, (size_t)length);
    if (length >= 0) free(text);
    plot->failed = plot->failed || !kept;
    return kept ? kept : "";
}

const char *plot_text_owned(struct plot *plot, char *text) {
    const char *kept = plot_text(plot, "%s", text ? text : "");
    plot->failed = plot->failed || !text;
    free(text);
    return kept;
}

/** Makes room for element number `count` of a list; false if memory runs out. The room doubles
 * whenever `count` is a power of two. */
static bool grow(struct plot *plot, void *list, size_t count, size_t size) {
    void **elements = list;
    if (count & (count - 1)) return true;
    void *more = arena_alloc(&plot->arena, (count > 0 ? 2 * count : 1) * size);
    plot->failed = plot->failed || !more;
    if (more && count > 0) memcpy(more, *elements, count * size);
    if (more) *elements = more;
    return more != NULL;
}

int plot_add_series(struct plot *plot, struct plot_series series) {
    if (!grow(plot, &plot->series, (size_t)plot->series_count, sizeof series)) return 0;
    plot->series[plot->series_count] = series;
    return plot->series_count++;
}

struct plot_mark *plot_add_mark(struct plot *plot, struct plot_mark mark) {
    if (plot->mark_count == 0) plot->is_placed = plot->x.span.high > 0 && plot->y.span.high > 0;
    if (plot->failed || (plot->is_placed && !plot_takes(plot, &mark)) ||
        !grow(plot, &plot->mark, plot->mark_count, sizeof mark))
        return NULL;
    plot->mark[plot->mark_count] = mark;
    return &plot->mark[plot->mark_count++];
}

void plot_add_place(struct plot *plot, struct plot_mark mark) {
    struct plot_mark *added = plot_add_mark(plot, mark);
    if (!added) return;
    const char *spread =
        mark.high > 0 ? plot_text(plot, " (%.4g to %.4g)", mark.low, mark.high) : "";
    added->tip = plot_text(plot, "%s: %.4g%s%s%s at %s%s", plot->series[mark.series].name, mark.y,
                           *plot->unit ? " " : "", plot->unit, spread, plot->x.label(mark.x).text,
                           mark.tip      ? mark.tip
                           : mark.hollow ? ", moved here from nearby sizes"
                                         : "");
}

void plot_add_guide(struct plot *plot, struct plot_guide guide) {
    if (grow(plot, &plot->guide, plot->guide_count, sizeof guide))
        plot->guide[plot->guide_count++] = guide;
}

void plot_add_upright(struct plot *plot, const char *class, double x, const char *tip,
                      bool is_labelled) {
    plot_add_guide(plot, (struct plot_guide){.class = class,
                                             .x1 = x,
                                             .x2 = x,
                                             .is_upright = true,
                                             .tip = tip,
                                             .label = is_labelled ? tip : NULL,
                                             .from_end = true});
}

void plot_add_bar(struct plot *plot, struct plot_bar bar) {
    if (grow(plot, &plot->bar, plot->bar_count, sizeof bar)) plot->bar[plot->bar_count++] = bar;
}

void plot_add_row(struct plot *plot, struct plot_row row) {
    if (grow(plot, &plot->row, plot->row_count, sizeof row)) plot->row[plot->row_count++] = row;
}

/* Positions. */

double plot_width_at(const struct plot *plot, double x) {
    return axis_place(&plot->x, x);
}

double plot_height_at(const struct plot *plot, double y) {
    return plot->row_height > 0 ? 1 - y / (double)plot->row_count : axis_place(&plot->y, y);
}

struct plot_style plot_mark_style(const struct plot *plot, const struct plot_mark *mark) {
    struct plot_style style = plot->series[mark->series].style;
    style.hollow = style.hollow || mark->hollow;
    return style;
}

static void set_axes(struct plot *plot);

bool plot_takes(struct plot *plot, const struct plot_mark *mark) {
    if (!plot->taken) {
        set_axes(plot);
        plot->taken = arena_alloc(&plot->arena, sizeof *plot->taken * CELLS_ACROSS * CELLS_DOWN);
        plot->failed = plot->failed || !plot->taken;
    }
    const double across = plot_width_at(plot, mark->x), height = plot_height_at(plot, mark->y);
    const struct plot_style style = plot_mark_style(plot, mark);
    if (mark->bare || !(across >= 0 && across <= 1 && height >= 0 && height <= 1))
        return mark->bare;
    if (!plot->taken) return false;
    const int column = (int)(across * (CELLS_ACROSS - 1)), row = (int)(height * (CELLS_DOWN - 1));
    uint16_t *cell = &plot->taken[row * CELLS_ACROSS + column];
    const uint16_t bit = (uint16_t)(1U << (2 * style.colour + style.hollow));
    if (*cell & bit) return false;
    *cell |= bit;
    return true;
}

/* Ranges. */

/** Extends the ranges that are not set to contain all data except guides. */
static void set_ranges(struct plot *plot) {
    struct tcplan_span x = {0}, y = {0};
    double lowest = 0;
    for (size_t m = 0; m < plot->mark_count; m++) {
        tcplan_span_add(&x, plot->mark[m].x);
        tcplan_span_add(&y, plot->mark[m].y);
        lowest = fmin(lowest, plot->mark[m].y);
        tcplan_span_add(&y, plot->mark[m].low);
        tcplan_span_add(&y, plot->mark[m].high);
    }
    for (size_t b = 0; b < plot->bar_count; b++) tcplan_span_add(&x, plot->bar[b].x);
    if (plot->y.is_signed) y.low = lowest;
    if (!(plot->x.span.high > 0)) plot->x.span = x;
    if (!(plot->y.span.high > 0)) plot->y.span = y;
}

/** Sets the axes, once. */
static void set_axes(struct plot *plot) {
    if (plot->has_axes) return;
    plot->has_axes = true;
    if (plot->cells) cells_set_ranges(plot);
    set_ranges(plot);
    axis_widen(&plot->x);
    if (!(plot->row_height > 0)) axis_widen(&plot->y);
}

void plot_prepare(struct plot *plot) {
    if (!(plot->width > 0)) plot->width = PLOT_WIDTH;
    if (!(plot->height > 0)) plot->height = 420;
    if (plot->row_height > 0) plot->height = plot->row_height * (double)plot->row_count;
    set_axes(plot);
    for (size_t g = 0; g < plot->guide_count; g++) {
        if (!plot->guide[g].is_upright) continue;
        plot->guide[g].y1 = plot->y.span.low;
        plot->guide[g].y2 = plot->y.span.high;
    }
}

void plot_free(struct plot *plot) {
    arena_free(&plot->arena);
    *plot = (struct plot){0};
}

enum { MOST_DECADE_LABELS = 6, FEW_DECADES = 2 };

static struct plot_label label(double value, int digits, const char *unit) {
    struct plot_label out;
    snprintf(out.text, sizeof out.text, "%.*g%s", digits, value, unit);
    return out;
}

struct plot_label plot_label_seconds(double value) {
    static const char *const units[] = {" s", " ms", " \xC2\xB5s", " ns"};
    size_t u = 0;
    for (; u + 1 < sizeof units / sizeof *units && value < 0.9999; u++) value *= 1000;
    return label(round(value * 1e6) * 1e-6, 9, units[u]);
}

struct plot_label plot_label_count(double value) {
    static const char *const units[] = {"", " k", " M", " G", " T", " P", " E"};
    size_t u = 0;
    for (; u + 1 < sizeof units / sizeof *units && value >= 999.9; u++) value /= 1000;
    return label(value, 3, units[u]);
}

struct plot_label plot_label_bytes(double value) {
    const struct plot_label count = plot_label_count(value);
    struct plot_label out;
    snprintf(out.text, sizeof out.text, "%.20s%sB", count.text, value < 999.9 ? " " : "");
    return out;
}

struct plot_label plot_label_share(double value) {
    return label(100 * value, 4, " %");
}

struct plot_label plot_label_number(double value) {
    return label(value, 6, "");
}

/** Returns a step (1, 2 or 5 times a power of ten) that divides a positive length into about five
 * parts. */
static double linear_step(double length) {
    const double power = pow(10, floor(log10(length / 5)));
    const double mantissa = length / 5 / power;
    return power * (mantissa < 1.5 ? 1 : mantissa < 3.5 ? 2 : mantissa < 7.5 ? 5 : 10);
}

static double power_below(double value) {
    return pow(10, floor(log10(value) + 1e-9));
}

/** Returns the largest step (1, 2 or 5 times a power of ten) up to a value. step_above() returns
 * the next larger one. */
static double step_below(double value) {
    const double power = power_below(value), mantissa = value / power;
    return power * (mantissa < 1.999 ? 1 : mantissa < 4.999 ? 2 : 5);
}

static double step_above(double value) {
    const double below = step_below(value), power = power_below(below);
    return power * (below < 1.5 * power ? 2 : below < 3.5 * power ? 5 : 10);
}

void axis_widen(struct axis *axis) {
    struct tcplan_span *span = &axis->span;
    if (axis->linear) {
        const double high = span->high > 0 ? span->high : span->low < 0 ? 0 : 1;
        const bool begins =
            span->low < 0 || (axis->from_data && span->low > high / 2 && span->low < high);
        const double low = begins ? span->low : 0;
        /* A longer axis may have longer steps, and axis_ticks() must find the same ones. */
        double step, next = linear_step(high > low ? high - low : high);
        do {
            step = next;
            *span = (struct tcplan_span){step * floor(low / step + 0.01),
                                         step * ceil(high / step - 0.01)};
            next = linear_step(span->high - span->low);
        } while (next > 1.001 * step);
    } else if (span->high > 0) {
        *span = (struct tcplan_span){step_below(span->low / 1.05), step_above(span->high * 1.05)};
    } else {
        *span = (struct tcplan_span){1, 10};
    }
}

double axis_place(const struct axis *axis, double value) {
    if (axis->linear) return (value - axis->span.low) / (axis->span.high - axis->span.low);
    return log(value / axis->span.low) / log(axis->span.high / axis->span.low);
}

/** Lists all steps (1, 2 and 5 times powers of ten) if the axis spans few decades; only powers of
 * ten if it spans many. */
int axis_ticks(struct tick out[AXIS_TICKS], const struct axis *axis) {
    const double low = axis->span.low, last = axis->span.high * 1.0001;
    const double decades = axis->linear ? 0 : log10(axis->span.high / low);
    const double step = axis->linear ? linear_step(axis->span.high - low) : 0;
    const bool few = decades < FEW_DECADES + 0.01;
    const int apart = ((int)ceil(decades - 0.01) + MOST_DECADE_LABELS - 1) / MOST_DECADE_LABELS;
    const bool on_decade = !axis->linear && power_below(low) > 0.999 * low;
    int count = 0;
    for (double value = axis->linear || few || on_decade ? low : 10 * power_below(low);
         value <= last && count < AXIS_TICKS; value = axis->linear ? value + step
                                                      : few        ? step_above(value)
                                                                   : 10 * value,
                count++) {
        if (axis->linear) value = step * round(value / step); /* makes 0 exact */
        const bool labelled = few || (int)lround(log10(value)) % apart == 0;
        const bool minor = axis->linear ? lround(value / step) % 2 != 0
                                        : few && value > 1.001 * power_below(value);
        out[count] = (struct tick){.value = value, .labelled = labelled, .minor = minor};
    }
    return count;
}
