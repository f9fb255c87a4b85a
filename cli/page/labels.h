/**
 * Room for labels in an area: occupied rectangles, and positions where a label fits. In pixels, y
 * downwards.
 */
#ifndef CLI_PAGE_LABELS_H
#define CLI_PAGE_LABELS_H

#include <stdbool.h>

enum { LABELS_STRIPS = 4096 };

/** A rectangle at any angle: its centre line and half its thickness. */
struct strip {
    double x1, y1, x2, y2;
    double half;
};

/** Set width and height, the rest to zero. */
struct labels {
    double width, height;
    struct strip strip[LABELS_STRIPS];
    bool is_text[LABELS_STRIPS]; /**< of each: text, which lines to remote labels must not cross */
    int strips;
};

/** Reserves a rectangle. If there are too many, everything counts as occupied. */
void labels_keep_off(struct labels *labels, struct strip strip);

/** Whether two rectangles overlap. */
bool labels_overlap(const struct strip *a, const struct strip *b);

/** Whether a rectangle is within the area and overlaps no reserved one. */
bool labels_is_free(const struct labels *labels, const struct strip *strip);

/** Reserves a rectangle if it is free; false: it is not. */
bool labels_take(struct labels *labels, const struct strip *strip);

/** The position of a text. */
struct label_place {
    double x, y;    /**< its start or end, at half its height */
    bool ends;      /**< x is its end, else its start */
    double angle;   /**< of an upward rotation */
    bool is_remote; /**< a line should lead to it */
};

/** The rectangle of a text. */
struct strip label_strip(const struct label_place *place, double width, double height);

/**
 * Finds and reserves room for a text of a width and height near a point, and for the line to it if
 * it is remote; false: no room.
 */
bool labels_find(struct labels *labels, struct label_place *out, double x, double y, double width,
                 double height);

#endif
