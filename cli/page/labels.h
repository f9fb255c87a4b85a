/**
 * Room for labels in an area: which places are taken, and where beside a point a label still fits. In pixels, y downwards.
 */
#ifndef CLI_PAGE_LABELS_H
#define CLI_PAGE_LABELS_H

#include <stdbool.h>

enum { LABELS_BOXES = 2048 };

/** A rectangle. */
struct box {
    double left, right, top, bottom;
};

/** Set width and height, the rest to zero. */
struct labels {
    double width, height;
    struct box box[LABELS_BOXES];
    int boxes;
};

/** Nothing is to be written there; of very many boxes the last are forgotten. */
void labels_keep_off(struct labels *labels, struct box box);

/** The same for a line, which `half` its thickness is kept off. */
void labels_keep_off_line(struct labels *labels, double x1, double y1, double x2, double y2, double half);

/** Whether a box is within the area and overlaps no other one. */
bool labels_is_free(const struct labels *labels, const struct box *box);

/** Where a label goes. */
struct label_place {
    double x, y;    /**< the edge nearer to the point, and the middle */
    bool ends;      /**< it ends there, else it begins */
    bool is_remote; /**< a line should lead to it */
};

/** Finds room for a text of a width and height beside a point, and takes it; false where there is none. */
bool labels_find(struct labels *labels, struct label_place *out, double x, double y, double width, double height);

#endif
