#include "cli/page/axis.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_DECADE_LABELS = 6, FEW_DECADES = 2 };

struct plot_label plot_label_seconds(double value) {
    static const struct {
        double seconds;
        const char *name;
    } units[] = {{1, "s"}, {1e-3, "ms"}, {1e-6, "\xC2\xB5s"}, {1e-9, "ns"}};
    struct plot_label label;
    size_t u = 0;
    while (u + 1 < sizeof units / sizeof *units && value < 0.9999 * units[u].seconds) u++;
    snprintf(label.text, sizeof label.text, "%.9g %s", round(value / units[u].seconds * 1e6) * 1e-6,
             units[u].name);
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

struct plot_label plot_label_bytes(double value) {
    const struct plot_label count = plot_label_count(value);
    struct plot_label label;
    snprintf(label.text, sizeof label.text, "%.20s%sB", count.text,
             strchr(count.text, ' ') ? "" : " ");
    return label;
}

struct plot_label plot_label_share(double value) {
    struct plot_label label;
    snprintf(label.text, sizeof label.text, "%.4g %%", 100 * value);
    return label;
}

struct plot_label plot_label_number(double value) {
    struct plot_label label;
    snprintf(label.text, sizeof label.text, "%.6g", value);
    return label;
}

/** A step of 1, 2 or 5 times a power of ten that divides a positive length into about five. */
static double linear_step(double length) {
    const double power = pow(10, floor(log10(length / 5)));
    const double mantissa = length / 5 / power;
    return power * (mantissa < 1.5 ? 1 : mantissa < 3.5 ? 2 : mantissa < 7.5 ? 5 : 10);
}

static double power_below(double value) {
    return pow(10, floor(log10(value) + 1e-9));
}

/** The largest 1, 2 or 5 times a power of ten that is no larger than a value, and the next one
 * above it. */
static double step_below(double value) {
    const double power = power_below(value), mantissa = value / power;
    return power * (mantissa < 1.999 ? 1 : mantissa < 4.999 ? 2 : 5);
}

static double step_above(double value) {
    const double below = step_below(value), power = power_below(below);
    return power * (below < 1.5 * power ? 2 : below < 3.5 * power ? 5 : 10);
}

void axis_widen(struct axis *axis) {
    if (axis->linear) {
        const double step = linear_step(axis->span.high > 0 ? axis->span.high : 1);
        axis->span = (struct tcplan_span){
            0, step * ceil((axis->span.high > 0 ? axis->span.high : 1) / step - 0.01)};
        return;
    }
    if (!(axis->span.high > 0)) axis->span = (struct tcplan_span){1, 10};
    axis->span =
        (struct tcplan_span){step_below(axis->span.low / 1.05), step_above(axis->span.high * 1.05)};
}

double axis_place(const struct axis *axis, double value) {
    if (axis->linear) return value / axis->span.high;
    return log(value / axis->span.low) / log(axis->span.high / axis->span.low);
}

static bool next_linear(const struct axis *axis, struct tick *tick, bool begun) {
    const double step = linear_step(axis->span.high);
    *tick = (struct tick){.value = begun ? tick->value + step : 0, .labelled = true};
    tick->minor = lround(tick->value / step) % 2 != 0;
    return tick->value <= axis->span.high * 1.0001;
}

/** All steps of few decades, or the decades of many. */
bool axis_next_tick(const struct axis *axis, struct tick *tick, bool begun) {
    if (axis->linear) return next_linear(axis, tick, begun);
    const double low = axis->span.low, decades = log10(axis->span.high / low);
    const bool few = decades < FEW_DECADES + 0.01;
    if (!begun) tick->value = few || power_below(low) > 0.999 * low ? low : 10 * power_below(low);
    if (begun) tick->value = few ? step_above(tick->value) : 10 * tick->value;
    const int apart = ((int)ceil(decades - 0.01) + MOST_DECADE_LABELS - 1) / MOST_DECADE_LABELS;
    tick->labelled = few || (int)lround(log10(tick->value)) % apart == 0;
    tick->minor = few && tick->value > 1.001 * power_below(tick->value);
    return tick->value <= axis->span.high * 1.0001;
}
