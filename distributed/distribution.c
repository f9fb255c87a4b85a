/*
 * A layout is a list of splits, in the order in which the user wrote them. The order matters only
 * for axes of the same index, whose blocks are nested.
 */
#include "distributed/distribution.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "base/indexset.h"

/* Grids. */

/** Reads a number from 0 to `most`; returns false after an error. `what` names the number in the
 * message. */
static bool read_number(struct scan *scan, int most, const char *what, int *out) {
    scan_peek(scan);
    const struct word digits = scan_run(scan, scan_is_digit);
    if (digits.length == 0) return scan_expected(scan, what);
    int64_t value = 0;
    for (size_t c = 0; c < digits.length && value <= most; c++)
        value = 10 * value + (digits.text[c] - '0');
    if (value > most)
        return scan_refuse(scan, digits, "%s is too large: at most %d", scan_excerpt(digits).text,
                           most);
    *out = (int)value;
    return true;
}

bool grid_scan(struct dist_grid *out, struct scan *scan) {
    struct dist_grid grid = {.axes = 0};
    int64_t processes = 1;
    scan_peek(scan);
    const struct word first = {scan->at, 0};
    do {
        int size = 0;
        scan_peek(scan);
        const struct word from = {scan->at, 0};
        if (!read_number(scan, DISTRIBUTION_MOST_PROCESSES, "a number of processes such as 4",
                         &size))
            return false;
        const struct word number = scan_since(scan, from);
        if (size == 0) return scan_refuse(scan, number, "an axis of a grid has at least 1 process");
        if (grid.axes == DIST_AXES)
            return scan_refuse(scan, number, "a grid has at most %d axes", DIST_AXES);
        processes *= size;
        grid.size[grid.axes++] = size;
        if (processes > DISTRIBUTION_MOST_PROCESSES)
            return scan_refuse(scan, scan_since(scan, first), "the grid has more than %d processes",
                               DISTRIBUTION_MOST_PROCESSES);
    } while (scan_accept(scan, "x"));
    assert(dist_grid_processes(&grid) == processes);
    if (grid.axes == 1 && grid.size[0] == 1) grid.axes = 0;
    *out = grid;
    return true;
}

enum tcplan_status grid_parse(struct dist_grid *out, const char *text, struct tcplan_error *error) {
    struct scan scan;
    struct dist_grid grid;
    if (!scan_init(&scan, text, error) || !grid_scan(&grid, &scan)) return scan.status;
    if (scan_peek(&scan) != '\0') {
        scan_expected(&scan, "x or the end of the grid");
        return scan.status;
    }
    *out = grid;
    return TCPLAN_OK;
}

void grid_add_text(struct strbuf *out, const struct dist_grid *grid) {
    for (int k = 0; k < grid->axes; k++) strbuf_add(out, "%s%d", k > 0 ? "x" : "", grid->size[k]);
    if (grid->axes == 0) strbuf_add(out, "1");
}

/* Distributions. */

uint64_t distribution_single_indices(const struct tcplan_contraction *contraction, int tensor) {
    const struct tcplan_tensor *of = &contraction->tensor[tensor];
    uint64_t once = 0, twice = 0;
    for (int d = 0; d < of->rank; d++) {
        const uint64_t index = indexset_of(of->dims[d]);
        twice |= once & index;
        once |= index;
    }
    return once & ~twice;
}

int distribution_index(const struct tcplan_contraction *contraction, struct word name) {
    for (int i = 0; i < contraction->index_count; i++) {
        if (word_equal(name, word_of(contraction->index[i].name))) return i;
    }
    return -1;
}

/** Reads the length of block-cyclic blocks after a `/`, as in `a:0/64`; sets 0 if there is no
 * `/`. */
static bool read_cyclic(int64_t *out, struct scan *scan) {
    int block = 0;
    *out = 0;
    if (!scan_accept(scan, "/")) return true;
    scan_peek(scan);
    const struct word from = {scan->at, 0};
    if (!read_number(scan, INT32_MAX, "the length of block-cyclic blocks", &block)) return false;
    if (block == 0)
        return scan_refuse(scan, scan_since(scan, from), "a block has at least 1 element");
    *out = block;
    return true;
}

/** Reads one split of a layout, such as `a:0` or `a:0/64`. */
static bool read_split(struct dist_layout *layout, const struct tcplan_contraction *contraction,
                       int tensor, struct scan *scan) {
    const char *called = contraction->tensor[tensor].name;
    const struct word name = scan_run(scan, scan_is_name);
    if (name.length == 0) return scan_expected(scan, "an index");
    const int index = distribution_index(contraction, name);
    if (index < 0 || !indexset_has(contraction->tensor[tensor].indices, index))
        return scan_refuse(scan, name, "tensor %s has no index %s", called,
                           scan_excerpt(name).text);
    if (!indexset_has(distribution_single_indices(contraction, tensor), index))
        return scan_refuse(scan, name, "index %s is a diagonal of %s and cannot be distributed",
                           scan_excerpt(name).text, called);
    if (!scan_accept(scan, ":")) return scan_expected(scan, "':' and an axis of the grid");
    scan_peek(scan);
    const struct word from = {scan->at, 0};
    int axis = 0;
    if (!read_number(scan, DISTRIBUTION_MOST_PROCESSES, "an axis of the grid, from 0", &axis))
        return false;
    const struct word number = scan_since(scan, from);
    if (axis >= layout->grid.axes)
        return scan_refuse(scan, number, "the grid has no axis %d: it has %d", axis,
                           layout->grid.axes);
    for (int s = 0; s < layout->count; s++) {
        if (layout->split[s].axis == axis)
            return scan_refuse(scan, number, "axis %d already splits another index of %s", axis,
                               called);
    }
    int64_t cyclic;
    if (!read_cyclic(&cyclic, scan)) return false;
    for (int s = 0; s < layout->count; s++) {
        if (layout->split[s].index == index && (cyclic > 0 || layout->split[s].cyclic > 0))
            return scan_refuse(scan, name, "index %s is split twice, so no split is block-cyclic",
                               scan_excerpt(name).text);
    }
    assert(layout->count < layout->grid.axes); /* There is room, because an axis splits at most one
                                                  index. */
    layout->split[layout->count++] = (struct dist_split){(uint8_t)index, (uint8_t)axis, cyclic};
    return true;
}

/** Reads the layout of a tensor, such as `A=a:0,i:1`, for each operand of that name. */
static bool read_tensor(struct distribution *out, const struct tcplan_contraction *contraction,
                        const struct dist_grid *grid, struct scan *scan) {
    const struct word name = scan_run(scan, scan_is_name);
    if (name.length == 0) return scan_expected(scan, "a tensor, as A=a:0");
    int first = -1;
    for (int t = DIST_TENSORS - 1; t >= 0; t--) {
        if (word_equal(name, word_of(contraction->tensor[t].name))) first = t;
    }
    if (first < 0)
        return scan_refuse(scan, name, "the contraction has no tensor %s", scan_excerpt(name).text);
    if (out->given[first])
        return scan_refuse(scan, name, "tensor %s is distributed twice", scan_excerpt(name).text);
    if (!scan_accept(scan, "=")) return scan_expected(scan, "'=' and splits such as a:0");
    struct dist_layout layout = {.grid = *grid};
    const char next = *scan->at; /* a blank after '=' means a tensor without splits */
    if (scan_is_name(next)) {
        do {
            scan_peek(scan);
            if (!read_split(&layout, contraction, first, scan)) return false;
        } while (scan_accept(scan, ","));
    }
    for (int t = first; t < DIST_TENSORS; t++) {
        const struct tcplan_tensor *one = &contraction->tensor[first],
                                   *other = &contraction->tensor[t];
        if (strcmp(one->name, other->name) != 0) continue;
        out->given[t] = true;
        out->layout[t] = layout;
        /* In a product A*A, the second A may have other indices in the same dimensions. */
        for (int s = 0; s < layout.count; s++) {
            int d = 0;
            while (one->dims[d] != layout.split[s].index) d++;
            assert(d < one->rank && one->rank == other->rank); /* The parser ensures that both
                                                                  tensors have these dimensions. */
            out->layout[t].split[s].index = other->dims[d];
        }
    }
    return true;
}

enum tcplan_status distribution_parse(struct distribution *out,
                                      const struct tcplan_contraction *contraction,
                                      const struct dist_grid *grid, const char *text,
                                      struct tcplan_error *error) {
    struct scan scan;
    struct distribution distribution = {.given = {false}};
    if (!scan_init(&scan, text, error)) return scan.status;
    while (scan_peek(&scan) != '\0') {
        if (!read_tensor(&distribution, contraction, grid, &scan)) return scan.status;
        scan_accept(&scan, ";");
    }
    *out = distribution;
    return TCPLAN_OK;
}

void layout_add_text(struct strbuf *out, const struct tcplan_contraction *contraction,
                     const struct dist_layout *layout) {
    for (int s = 0; s < layout->count; s++) {
        strbuf_add(out, "%s%s:%d", s > 0 ? "," : "",
                   contraction->index[layout->split[s].index].name, layout->split[s].axis);
        if (layout->split[s].cyclic > 0) strbuf_add(out, "/%" PRId64, layout->split[s].cyclic);
    }
}
