/**
 * Sets of rectangles of a grid, exact: what calls touch of a matrix, in cache lines.
 *
 * Pure; a set keeps disjoint rectangles, which are cut where others cover a part of them.
 */
#ifndef CACHESIM_RECTANGLES_H
#define CACHESIM_RECTANGLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** The cells of rows [row, row_end) in columns [column, column_end); empty where an end is not
 * behind its beginning. */
struct rectangle {
    int64_t row, row_end;
    int64_t column, column_end;
};

/** Zero-initialise before use. */
struct rectangles {
    size_t count;
    size_t capacity;
    struct rectangle *at; /**< disjoint, none empty, in no order */
    bool out_of_memory;   /**< the set means nothing any more */
};

int64_t rectangle_cells(const struct rectangle *rectangle);

/** The cells that two have in common; maybe none. */
struct rectangle rectangle_common(const struct rectangle *a, const struct rectangle *b);

/** How many cells of a rectangle are in the set. */
int64_t rectangles_common_cells(const struct rectangles *set, const struct rectangle *rectangle);

/** Adds the cells of a rectangle. Returns how many were not there. */
int64_t rectangles_add(struct rectangles *set, const struct rectangle *rectangle);

/** Takes the cells of a rectangle out. Returns how many were there. */
int64_t rectangles_remove(struct rectangles *set, const struct rectangle *rectangle);

int64_t rectangles_cells(const struct rectangles *set);

/** Empties the set, whose memory it keeps. */
void rectangles_clear(struct rectangles *set);

/** Drops the set and its memory. */
void rectangles_free(struct rectangles *set);

#endif
