/**
 * Curves as a picture: measured places with their quartiles on two logarithmic axes, and marks
 * across them, such as the sizes of caches.
 */
#ifndef CLI_PAGE_CURVE_PLOT_H
#define CLI_PAGE_CURVE_PLOT_H

#include <stdbool.h>
#include <stdio.h>

#include "cli/page/axis.h"

/** One place: a median and its quartiles. */
struct curve_place {
    double x, y;
    double q1, q3; /**< 0: there are none */
    bool moved;    /**< of a sample: it was taken elsewhere, and brought here; its mark is hollow */
};

/** Sorts places from left to right. */
void curve_places_sort(struct curve_place place[], size_t count);

/** How a curve is drawn. */
enum curve_form {
    CURVE_PLACES, /**< its places are marked, and lines go from each to the next */
    CURVE_FITTED /**< lines alone go from place to place, which are computed; the marks are samples,
                    which were measured */
};

struct curve {
    char name[64];
    enum curve_form form;
    size_t count;
    const struct curve_place *place;
    size_t sample_count; /**< CURVE_FITTED */
    const struct curve_place *sample;
};

/** A line upwards. */
struct curve_mark {
    char name[64];
    double x;
    bool claimed;  /**< not found in the curve, but said by others: drawn dotted */
    bool nameless; /**< only its tip has the name */
};

enum { CURVE_HEIGHT = 420 };

/** What is drawn. Everything is borrowed. */
struct curve_plot {
    const char *title;
    const char *subtitle;
    struct axis x;    /**< without its span */
    struct axis y;    /**< likewise */
    const char *unit; /**< of y, in tips */
    size_t curve_count;
    const struct curve *curve; /**< colours and marks repeat after PLOT_SERIES */
    size_t mark_count;
    const struct curve_mark *mark;
};

/** Writes the picture, an SVG document; false when memory is out. */
bool curve_plot_print(FILE *file, const struct curve_plot *plot);

#endif
