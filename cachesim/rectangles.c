#include "cachesim/rectangles.h"

#include <assert.h>

#include "base/alloc.h"

enum { LEAST_CAPACITY = 16, REMAINDERS = 4 };

static int64_t larger_of(int64_t a, int64_t b) {
    return a > b ? a : b;
}

static int64_t smaller_of(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static bool is_empty(const struct rectangle *rectangle) {
    return rectangle->row_end <= rectangle->row || rectangle->column_end <= rectangle->column;
}

int64_t rectangle_cells(const struct rectangle *rectangle) {
    if (is_empty(rectangle)) return 0;
    return (rectangle->row_end - rectangle->row) * (rectangle->column_end - rectangle->column);
}

struct rectangle rectangle_common(const struct rectangle *a, const struct rectangle *b) {
    return (struct rectangle){.row = larger_of(a->row, b->row),
                              .row_end = smaller_of(a->row_end, b->row_end),
                              .column = larger_of(a->column, b->column),
                              .column_end = smaller_of(a->column_end, b->column_end)};
}

int64_t rectangles_common_cells(const struct rectangles *set, const struct rectangle *rectangle) {
    int64_t cells = 0;
    for (size_t r = 0; r < set->count; r++) {
        const struct rectangle common = rectangle_common(&set->at[r], rectangle);
        cells += rectangle_cells(&common);
    }
    return cells;
}

static bool reserve(struct rectangles *set, size_t count) {
    size_t capacity = set->capacity > 0 ? set->capacity : LEAST_CAPACITY;
    if (count <= set->capacity) return true;
    while (capacity < count) capacity *= 2;
    struct rectangle *grown = base_realloc(set->at, capacity * sizeof *grown);
    set->out_of_memory = set->out_of_memory || !grown;
    if (!grown) return false;
    set->at = grown;
    set->capacity = capacity;
    return true;
}

/** Joins two rectangles that form one: adjacent, and with the same rows or the same columns. */
static bool join(struct rectangle *into, const struct rectangle *other) {
    const bool same_rows = into->row == other->row && into->row_end == other->row_end;
    const bool same_columns =
        into->column == other->column && into->column_end == other->column_end;
    const bool beside = into->column_end == other->column || other->column_end == into->column;
    const bool below = into->row_end == other->row || other->row_end == into->row;
    if (!(same_rows && beside) && !(same_columns && below)) return false;
    into->row = smaller_of(into->row, other->row);
    into->row_end = larger_of(into->row_end, other->row_end);
    into->column = smaller_of(into->column, other->column);
    into->column_end = larger_of(into->column_end, other->column_end);
    return true;
}

/** Cuts a part out of a rectangle and returns the up to four remaining rectangles: those above and
 * below are as wide as the whole, those to the left and right as high as the part. */
static int remainders_of(struct rectangle out[REMAINDERS], const struct rectangle *whole,
                         const struct rectangle *part) {
    assert(!is_empty(part));
    assert(whole->row <= part->row && part->row_end <= whole->row_end);
    assert(whole->column <= part->column && part->column_end <= whole->column_end);
    const struct rectangle around[REMAINDERS] = {
        {whole->row, part->row, whole->column, whole->column_end},
        {part->row_end, whole->row_end, whole->column, whole->column_end},
        {part->row, part->row_end, whole->column, part->column},
        {part->row, part->row_end, part->column_end, whole->column_end},
    };
    int count = 0;
    for (int r = 0; r < REMAINDERS; r++) {
        if (!is_empty(&around[r])) out[count++] = around[r];
    }
    return count;
}

int64_t rectangles_remove(struct rectangles *set, const struct rectangle *rectangle) {
    int64_t cells = 0;
    size_t end = set->count; /* pieces appended after the original end are remainders and do not
                                overlap the rectangle */
    for (size_t r = 0; r < end;) {
        struct rectangle left[REMAINDERS];
        const struct rectangle common = rectangle_common(&set->at[r], rectangle);
        if (is_empty(&common)) {
            r++;
            continue;
        }
        const int count = remainders_of(left, &set->at[r], &common);
        if (!reserve(set, set->count + REMAINDERS)) return cells;
        cells += rectangle_cells(&common);
        set->at[r] = set->at[--end];
        set->at[end] = set->at[--set->count];
        for (int l = 0; l < count; l++) set->at[set->count++] = left[l];
    }
    return cells;
}

int64_t rectangles_add(struct rectangles *set, const struct rectangle *rectangle) {
    if (is_empty(rectangle)) return 0;
    const int64_t known = rectangles_remove(set, rectangle);
    const int64_t added = rectangle_cells(rectangle) - known;
    assert(added >= 0); /* the rectangles of a set are disjoint */
    if (!reserve(set, set->count + 1)) return added;
    for (size_t r = set->count; r-- > 0;) {
        if (join(&set->at[r], rectangle)) return added;
    }
    set->at[set->count++] = *rectangle;
    return added;
}

int64_t rectangles_cells(const struct rectangles *set) {
    int64_t cells = 0;
    for (size_t r = 0; r < set->count; r++) cells += rectangle_cells(&set->at[r]);
    return cells;
}

void rectangles_clear(struct rectangles *set) {
    set->count = 0;
    set->out_of_memory = false;
}

void rectangles_free(struct rectangles *set) {
    base_free(set->at);
    *set = (struct rectangles){0};
}
