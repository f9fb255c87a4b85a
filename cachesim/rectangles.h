/**
 * Exact sets of cells of a grid, stored as rectangles: the cache lines of a matrix that calls
 * touch.
 *
 * All functions are pure. The rectangles of a set are disjoint; those that others partly cover are
 * cut.
 */
#ifndef CACHESIM_RECTANGLES_H
#define CACHESIM_RECTANGLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** The cells of rows [row, row_end) in columns [column, column_end); empty if an end is not above
 * its beginning. */
struct rectangle {
    int64_t row, row_end;
    int64_t column, column_end;
};

/** Zero-initialise before use. */
struct rectangles {
    size_t count;
    size_t capacity;
    struct rectangle *at; /**< disjoint, not empty, in any order */
    bool out_of_memory;   /**< whether memory ran out, so that the set is invalid */
};

int64_t rectangle_cells(const struct rectangle *rectangle);

/** Returns the common cells of two rectangles; may be empty. */
struct rectangle rectangle_common(const struct rectangle *a, const struct rectangle *b);

/** Returns how many cells of a rectangle are in the set. */
int64_t rectangles_common_cells(const struct rectangles *set, const struct rectangle *rectangle);

/** Adds the cells of a rectangle. Returns how many of them were not yet in the set. */
int64_t rectangles_add(struct rectangles *set, const struct rectangle *rectangle);

/** Removes the cells of a rectangle. Returns how many of them were in the set. */
int64_t rectangles_remove(struct rectangles *set, const struct rectangle *rectangle);

int64_t rectangles_cells(const struct rectangles *set);

/** Empties the set, and keeps its memory for reuse. */
void rectangles_clear(struct rectangles *set);

/** Empties the set and frees its memory. */
void rectangles_free(struct rectangles *set);

#endif
