#include "cli/page/axis.h"

#include <math.h>
#include <stdio.h>

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

/** Returns a step of 1, 2 or 5 times a power of ten that divides a positive length into about five.
 */
static double linear_step(double length) {
    const double power = pow(10, floor(log10(length / 5)));
    const double mantissa = length / 5 / power;
    return power * (mantissa < 1.5 ? 1 : mantissa < 3.5 ? 2 : mantissa < 7.5 ? 5 : 10);
}

static double power_below(double value) {
    return pow(10, floor(log10(value) + 1e-9));
}

/** Returns the largest step of 1, 2 or 5 times a power of ten up to a value; step_above() returns
 * the next one. */
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
        const double high = span->high > 0 ? span->high : 1, step = linear_step(high);
        *span = (struct tcplan_span){0, step * ceil(high / step - 0.01)};
    } else if (span->high > 0) {
        *span = (struct tcplan_span){step_below(span->low / 1.05), step_above(span->high * 1.05)};
    } else {
        *span = (struct tcplan_span){1, 10};
    }
}

double axis_place(const struct axis *axis, double value) {
    if (axis->linear) return value / axis->span.high;
    return log(value / axis->span.low) / log(axis->span.high / axis->span.low);
}

/** Lists all steps of few decades, or only decades if there are many. */
int axis_ticks(struct tick out[AXIS_TICKS], const struct axis *axis) {
    const double low = axis->span.low, last = axis->span.high * 1.0001;
    const double decades = axis->linear ? 0 : log10(axis->span.high / low);
    const double step = axis->linear ? linear_step(axis->span.high) : 0;
    const bool few = decades < FEW_DECADES + 0.01;
    const int apart = ((int)ceil(decades - 0.01) + MOST_DECADE_LABELS - 1) / MOST_DECADE_LABELS;
    const bool on_decade = !axis->linear && power_below(low) > 0.999 * low;
    int count = 0;
    for (double value = axis->linear || few || on_decade ? low : 10 * power_below(low);
         value <= last && count < AXIS_TICKS; value = axis->linear ? value + step
                                                      : few        ? step_above(value)
                                                                   : 10 * value,
                count++) {
        const bool labelled = few || (int)lround(log10(value)) % apart == 0;
        const bool minor = axis->linear ? lround(value / step) % 2 != 0
                                        : few && value > 1.001 * power_below(value);
        out[count] = (struct tick){.value = value, .labelled = labelled, .minor = minor};
    }
    return count;
}
