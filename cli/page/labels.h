/**
 * Finds places for labels in an area: records occupied rectangles and finds positions where a label
 * overlaps none of them. Coordinates are in pixels, with y pointing down.
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

/** The occupied rectangles of an area. Set width and height, all other members to zero. */
struct labels {
    double width, height;
    struct strip strip[LABELS_STRIPS];
    bool is_text[LABELS_STRIPS]; /**< whether each rectangle is a text, which lines from other texts
                                    must not cross */
    int strips;
};

/** Adds an occupied rectangle. If there are too many rectangles, the whole area counts as
 * occupied. */
void labels_keep_off(struct labels *labels, struct strip strip);

/** Returns whether two rectangles overlap. */
bool labels_overlap(const struct strip *a, const struct strip *b);

/** Returns whether a rectangle is within the area and overlaps no occupied one. */
bool labels_is_free(const struct labels *labels, const struct strip *strip);

/** If a rectangle is free, marks it as occupied and returns true. */
bool labels_take(struct labels *labels, const struct strip *strip);

/** The position of a text. */
struct label_place {
    double x, y;    /**< start or end of the text, at half the text's height */
    bool ends;      /**< whether x is the end of the text, not its start */
    double angle;   /**< angle of rotation, upwards positive */
    bool is_remote; /**< whether a line should lead to the text */
};

/** Returns the rectangle of a text. */
struct strip label_strip(const struct label_place *place, double width, double height);

/**
 * Finds a free place for a text of this width and height near a point, with a line to the text if
 * it is remote, and reserves both. Returns false if there is no free place.
 */
bool labels_find(struct labels *labels, struct label_place *out, double x, double y, double width,
                 double height);

#endif
