/**
 * Axes of plots: ranges, ticks, and positions of values.
 */
#ifndef CLI_PAGE_AXIS_H
#define CLI_PAGE_AXIS_H

#include <stdbool.h>

#include "tcplan/study/digest.h"

/** A short text, returned by value. */
struct plot_label {
    char text[24];
};

struct axis {
    const char *title; /**< NULL: none */
    struct tcplan_span span;
    bool linear; /**< from 0; otherwise logarithmic */
    struct plot_label (*label)(double value);
};

/** Widens the span to whole steps, on a logarithmic axis 1, 2 and 5 times a power of ten, so that
 * no value is at an end. */
void axis_widen(struct axis *axis);

/** Position of a value: 0 at the lower end, 1 at the upper. */
double axis_place(const struct axis *axis, double value);

struct tick {
    double value;
    bool labelled; /**< there is room for its label */
    bool minor;    /**< but not in a narrow plot */
};

enum { AXIS_TICKS = 400 };

/** Lists the ticks of a widened axis; returns their number. */
int axis_ticks(struct tick out[AXIS_TICKS], const struct axis *axis);

/** Labels of ticks: "10 ms"; "100 M", a number of operations; "2 MB"; "40 %", a share; "0.01". */
struct plot_label plot_label_seconds(double value);
struct plot_label plot_label_count(double value);
struct plot_label plot_label_bytes(double value);
struct plot_label plot_label_share(double value);
struct plot_label plot_label_number(double value);

#endif
