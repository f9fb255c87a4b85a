#include "cli/page/plot.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "cli/page/markup.h"

enum { CELLS_ACROSS = 400, CELLS_DOWN = PLOT_HEIGHT, MOST_DECADE_LABELS = 6, FEW_DECADES = 2 };

struct plot_label plot_label_seconds(double value) {
    static const struct {
        double seconds;
        const char *name;
    } units[] = {{1, "s"}, {1e-3, "ms"}, {1e-6, "\xC2\xB5s"}, {1e-9, "ns"}};
    struct plot_label label;
    size_t u = 0;
    while (u + 1 < sizeof units / sizeof *units && value < 0.9999 * units[u].seconds) u++;
    snprintf(label.text, sizeof label.text, "%.9g %s", round(value / units[u].seconds * 1e6) * 1e-6, units[u].name);
    return label;
}

struct plot_label plot_label_count(double value) {
    static const char *const names[] = {"", " k", " M", " G", " T", " P", " E"};
    struct plot_label label;
    size_t n = 0;
    for (; n + 1 < sizeof names / sizeof *names && value >= 999.9; n++) value /= 1000;
    snprintf(label.text, sizeof label.text, "%.3g%s", value, names[n]);
    return label;
}

struct plot_label plot_label_share(double value) {
    struct plot_label label;
    snprintf(label.text, sizeof label.text, "%.4g %%", 100 * value);
    return label;
}

double plot_linear_step(double length) {
    const double power = pow(10, floor(log10(length / 5)));
    const double mantissa = length / 5 / power;
    return power * (mantissa < 1.5 ? 1 : mantissa < 3.5 ? 2 : mantissa < 7.5 ? 5 : 10);
}

/** To whole decades, or whole steps. */
static void widen(struct axis *axis) {
    if (axis->linear) {
        const double step = plot_linear_step(axis->span.high > 0 ? axis->span.high : 1);
        axis->span = (struct tcplan_span){0, step * ceil((axis->span.high > 0 ? axis->span.high : 1) / step - 1e-9)};
        return;
    }
    if (!(axis->span.high > 0)) axis->span = (struct tcplan_span){1, 10};
    axis->span.low = pow(10, floor(log10(axis->span.low) + 1e-9));
    axis->span.high = pow(10, ceil(log10(axis->span.high) - 1e-9));
    if (axis->span.high <= axis->span.low * 1.001) axis->span.high = 10 * axis->span.low;
}

/** Where a value lies: 0 at the lower end, 1 at the upper. */
static double place_on(const struct axis *axis, double value) {
    if (axis->linear) return value / axis->span.high;
    return log(value / axis->span.low) / log(axis->span.high / axis->span.low);
}

/** The next tick above a value; the first for 0. `labelled` tells whether there is room for its label. */
static double next_tick(const struct axis *axis, double value, bool *labelled) {
    const double low = axis->span.low;
    *labelled = true;
    if (axis->linear) return value < 0 ? 0 : value + plot_linear_step(axis->span.high);
    if (value <= 0) return low;
    const int decades = (int)lround(log10(axis->span.high / low));
    const double power = pow(10, floor(log10(value) + 1e-9));
    if (decades <= FEW_DECADES) return power * (value < 1.5 * power ? 2 : value < 3.5 * power ? 5 : 10);
    const int apart = (decades + MOST_DECADE_LABELS - 1) / MOST_DECADE_LABELS;
    *labelled = (int)lround(log10(10 * power / low)) % apart == 0;
    return 10 * power;
}

static void write_x_tick(const struct plot *plot, double tick, bool labelled) {
    const double place = 100 * place_on(&plot->x, tick);
    fprintf(plot->file, "<line class=\"grid\" x1=\"%.2f%%\" x2=\"%.2f%%\" y1=\"0\" y2=\"%d\"/>", place, place, PLOT_HEIGHT);
    if (!labelled) return;
    fprintf(plot->file, "<text x=\"%.2f%%\" y=\"%d\" text-anchor=\"middle\">%s</text>\n", place, PLOT_HEIGHT + 18,
            plot->x.label(tick).text);
}

static double down(const struct plot *plot, double value) {
    return PLOT_HEIGHT * (1 - place_on(&plot->y, value));
}

static void write_y_tick(const struct plot *plot, double tick, bool labelled) {
    const double place = down(plot, tick);
    fprintf(plot->file, "<line class=\"grid\" x1=\"0\" x2=\"100%%\" y1=\"%.1f\" y2=\"%.1f\"/>", place, place);
    if (!labelled) return;
    fprintf(plot->file, "<text x=\"-8\" y=\"%.1f\" text-anchor=\"end\" dominant-baseline=\"middle\">%s</text>\n", place,
            plot->y.label(tick).text);
}

static void write_ticks(const struct plot *plot, const struct axis *axis, void (*write)(const struct plot *, double, bool)) {
    bool labelled = true;
    double tick = next_tick(axis, axis->linear ? -1 : 0, &labelled);
    while (tick <= axis->span.high * 1.0001) {
        write(plot, tick, labelled);
        tick = next_tick(axis, tick, &labelled);
    }
}

static void write_axes(const struct plot *plot) {
    write_ticks(plot, &plot->x, write_x_tick);
    write_ticks(plot, &plot->y, write_y_tick);
    fprintf(plot->file, "<text class=\"axis\" x=\"50%%\" y=\"%d\" text-anchor=\"middle\">%s</text>\n", PLOT_HEIGHT + 38, plot->x.title);
    fprintf(plot->file, "<text class=\"axis\" x=\"-50\" y=\"-16\">\xE2\x86\x91 %s</text>\n", plot->y.title);
}

bool plot_begin(struct plot *plot, const char *description) {
    plot->taken = base_alloc_zero((size_t)CELLS_ACROSS * CELLS_DOWN, sizeof *plot->taken);
    if (!plot->taken) return false;
    widen(&plot->x);
    widen(&plot->y);
    fprintf(plot->file, "<div class=\"box\"><svg class=\"area%s\" role=\"img\" aria-label=\"%s\" width=\"100%%\" height=\"%d\">\n",
            plot->dense ? " dense" : "", description, PLOT_HEIGHT);
    write_axes(plot);
    return true;
}

/** Where the line y = factor * x crosses the vertical at a share of the width, as a share of the height. */
static double height_at(const struct plot *plot, double factor, double across) {
    const double x = plot->x.span.low * pow(plot->x.span.high / plot->x.span.low, across);
    return place_on(&plot->y, factor * x);
}

/** And where it crosses the horizontal at a share of the height. */
static double across_at(const struct plot *plot, double factor, double height) {
    const double y = plot->y.span.low * pow(plot->y.span.high / plot->y.span.low, height);
    return place_on(&plot->x, y / factor);
}

void plot_diagonal(struct plot *plot, double factor, const char *label) {
    const double left = fmax(0, across_at(plot, factor, 0)), right = fmin(1, across_at(plot, factor, 1));
    if (left >= right) return;
    fprintf(plot->file, "<line class=\"guide\" x1=\"%.2f%%\" y1=\"%.1f\" x2=\"%.2f%%\" y2=\"%.1f\"/>", 100 * left,
            PLOT_HEIGHT * (1 - height_at(plot, factor, left)), 100 * right, PLOT_HEIGHT * (1 - height_at(plot, factor, right)));
    const double at = left + 0.97 * (right - left);
    if (right - left < 0.15) return;
    fprintf(plot->file, "<text class=\"guide\" x=\"%.2f%%\" y=\"%.1f\" dx=\"-6\" dy=\"4\" text-anchor=\"end\">%s</text>\n", 100 * at,
            PLOT_HEIGHT * (1 - height_at(plot, factor, at)), label);
}

/** Whether the series has no such mark in this cell yet; from now on it has one. */
static bool take_cell(struct plot *plot, int series, bool hollow, double across, double height) {
    const int column = (int)(across * (CELLS_ACROSS - 1)), row = (int)(height * (CELLS_DOWN - 1));
    uint16_t *cell = &plot->taken[row * CELLS_ACROSS + column];
    const uint16_t bit = (uint16_t)(1U << (2 * series + hollow));
    if (*cell & bit) return false;
    *cell |= bit;
    return true;
}

bool plot_mark(struct plot *plot, int series, double x, double y, bool hollow) {
    const double across = place_on(&plot->x, x), height = place_on(&plot->y, y);
    if (!(across >= 0 && across <= 1 && height >= 0 && height <= 1)) return false;
    if (!take_cell(plot, series, hollow, across, height)) return false;
    fprintf(plot->file, "<use href=\"#m%d\" class=\"c%d%s\" x=\"%.2f%%\" y=\"%.1f\"><title>", series, series, hollow ? " o" : "",
            100 * across, PLOT_HEIGHT * (1 - height));
    return true;
}

void plot_mark_end(struct plot *plot) {
    fputs("</title></use>\n", plot->file);
}

void plot_end(struct plot *plot) {
    fputs("</svg></div>\n", plot->file);
    free(plot->taken);
    plot->taken = NULL;
}
