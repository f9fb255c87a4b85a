/**
 * Plots as inline SVG: an area as wide as there is room and of fixed height, so that text keeps its size on every screen.
 *
 * Horizontal places are shares of the width, vertical ones pixels. Labels of axes stand outside the area, in the padding of the box around
 * it. Marks are the symbols `#m0` to `#m7`, which the page defines; a mark where the same series has one already is left out, so that a
 * plot of any number of records stays small.
 */
#ifndef CLI_PAGE_PLOT_H
#define CLI_PAGE_PLOT_H

#include <stdbool.h>
#include <stdio.h>

#include "tcplan/study/digest.h"

enum { PLOT_SERIES = 8, PLOT_HEIGHT = 300 };

/** A short text by value. */
struct plot_label {
    char text[24];
};

/** From `span.low` to `span.high`, which plot_begin() widens to whole ticks. */
struct axis {
    const char *title;
    struct tcplan_span span;
    bool linear; /**< from 0; otherwise logarithmic */
    struct plot_label (*label)(double value);
};

/** Set file, x and y, the rest to zero. */
struct plot {
    FILE *file;
    struct axis x;
    struct axis y;
    bool dense;      /**< very many marks, to be drawn lightly */
    uint16_t *taken; /**< private: cells with a mark, two bits per series */
};

/** Writes the axes; false when memory is out, and nothing is written then. */
bool plot_begin(struct plot *plot, const char *description);

/** The line y = factor * x of a plot with two logarithmic axes, with a label near its upper end. */
void plot_diagonal(struct plot *plot, double factor, const char *label);

/**
 * Begins a mark. Where it returns true, its tooltip has to be written, as markup_text() does, and plot_mark_end() to be called.
 *
 * @param hollow  drawn as an outline: not a winner
 */
bool plot_mark(struct plot *plot, int series, double x, double y, bool hollow);
void plot_mark_end(struct plot *plot);

void plot_end(struct plot *plot);

/** A step of 1, 2 or 5 times a power of ten that divides a positive length into about five. */
double plot_linear_step(double length);

/** Labels of ticks: "10 ms"; "100 M", a number of operations; "40 %", a share. */
struct plot_label plot_label_seconds(double value);
struct plot_label plot_label_count(double value);
struct plot_label plot_label_share(double value);

#endif
