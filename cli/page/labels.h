/**
 * Room for labels in an area: which places are taken, and where a label still fits. In pixels, y
 * downwards.
 */
#ifndef CLI_PAGE_LABELS_H
#define CLI_PAGE_LABELS_H

#include <stdbool.h>

enum { LABELS_STRIPS = 4096 };

/** A rectangle at any angle: the line through its middle, and half of its thickness. */
struct strip {
    double x1, y1, x2, y2;
    double half;
};

/** Set width and height, the rest to zero. */
struct labels {
    double width, height;
    struct strip strip[LABELS_STRIPS];
    bool is_text[LABELS_STRIPS]; /**< of each: it is a label's, which lines to remote labels do not
                                    cross either */
    int strips;
};

/** Nothing is to be written there. When there are too many nothing is free any more, rather than
 * something forgotten. */
void labels_keep_off(struct labels *labels, struct strip strip);

/** Whether two rectangles have a place in common. */
bool labels_overlap(const struct strip *a, const struct strip *b);

/** Whether a rectangle is within the area and overlaps no other one. */
bool labels_is_free(const struct labels *labels, const struct strip *strip);

/** Takes it where it is free; false where it is not. */
bool labels_take(struct labels *labels, const struct strip *strip);

/** Where a text goes. */
struct label_place {
    double x, y;    /**< the edge that it begins or ends at, and the middle */
    bool ends;      /**< it ends there, else it begins */
    double angle;   /**< that it is turned upwards by */
    bool is_remote; /**< a line should lead to it */
};

/** The rectangle of a text. */
struct strip label_strip(const struct label_place *place, double width, double height);

/**
 * Finds room for a text of a width and height beside a point, and for the line that leads to it
 * where it is remote, and takes it; false where there is none.
 */
bool labels_find(struct labels *labels, struct label_place *out, double x, double y, double width,
                 double height);

#endif
