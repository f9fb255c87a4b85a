#include "cachesim/call_history.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"

enum { LEAST_CAPACITY = 64 };

/** Returns an array with room for one more element. If memory runs out, returns the old array and
 * sets `out_of_memory`. */
static void *extend(void *array, size_t *capacity, size_t count, size_t bytes,
                    bool *out_of_memory) {
    if (count < *capacity) return array;
    const size_t wanted = *capacity > 0 ? 2 * *capacity : LEAST_CAPACITY;
    void *grown = base_realloc(array, wanted * bytes);
    *out_of_memory = *out_of_memory || !grown;
    if (!grown) return array;
    *capacity = wanted;
    return grown;
}

/** Receives the rectangles of lines of an operand, one after the other. */
typedef void lines_fn(void *context, int matrix, const struct rectangle *lines);

/** Returns the lines of rows [row, row_end) in columns [column, column_end). */
static struct rectangle lines_of(const struct call_operand *operand, int64_t line_bytes,
                                 int64_t row, int64_t row_end, int64_t column, int64_t column_end) {
    const int64_t bytes = operand->element_bytes;
    assert(row >= 0 && column >= 0 && column <= column_end);
    struct rectangle lines = {row * bytes / line_bytes,
                              (row_end * bytes + line_bytes - 1) / line_bytes, column, column_end};
    if (row_end <= row) lines.row_end = lines.row;
    return lines;
}

static int64_t smaller_of(int64_t a, int64_t b) {
    return a < b ? a : b;
}

/**
 * Visits the rectangles of lines of an operand. A triangle consists of steps of a staircase. This
 * is exact, because columns whose diagonal elements are in the same line touch the same lines.
 */
static void visit_lines(const struct call_operand *operand, int64_t line_bytes, lines_fn *visit,
                        void *context) {
    const int64_t row_end = operand->row + operand->rows, columns = operand->columns;
    if (operand->rows <= 0 || columns <= 0) return;
    if (operand->shape == OPERAND_RECTANGLE) {
        const struct rectangle lines = lines_of(operand, line_bytes, operand->row, row_end,
                                                operand->column, operand->column + columns);
        visit(context, operand->matrix, &lines);
        return;
    }
    for (int64_t c = 0; c < columns;) {
        const int64_t diagonal = operand->row + c;
        const int64_t line_end =
            (diagonal * operand->element_bytes / line_bytes + 1) *
            line_bytes; /* first row of the line that contains the diagonal element */
        const int64_t same =
            (line_end - diagonal * operand->element_bytes + operand->element_bytes - 1) /
            operand->element_bytes;
        const int64_t end = smaller_of(c + same, columns);
        const bool lower = operand->shape == OPERAND_LOWER;
        const struct rectangle lines =
            lines_of(operand, line_bytes, lower ? diagonal : operand->row,
                     lower ? row_end : smaller_of(operand->row + end, row_end), operand->column + c,
                     operand->column + end);
        visit(context, operand->matrix, &lines);
        c = end;
    }
}

/* Adding. */

static void add_piece(void *context, int matrix, const struct rectangle *lines) {
    assert(matrix >= 0 && matrix < CALL_HISTORY_MATRICES);
    struct call_history *history = context;
    history->piece = extend(history->piece, &history->piece_capacity, history->piece_count,
                            sizeof *history->piece, &history->out_of_memory);
    if (history->out_of_memory || rectangle_cells(lines) == 0) return;
    history->piece[history->piece_count++] =
        (struct history_piece){.matrix = matrix, .lines = *lines};
    history->entry[history->entry_count - 1].count++;
}

static void add_entry(struct call_history *history) {
    history->entry = extend(history->entry, &history->entry_capacity, history->entry_count,
                            sizeof *history->entry, &history->out_of_memory);
    if (history->out_of_memory) return;
    history->entry[history->entry_count++] =
        (struct history_entry){.call = history->calls, .first = history->piece_count};
}

static void count_cells(void *context, int matrix, const struct rectangle *lines) {
    (void)matrix;
    *(int64_t *)context += rectangle_cells(lines);
}

static double operand_bytes(const struct call_operand *operand, int64_t line_bytes) {
    int64_t cells = 0;
    visit_lines(operand, line_bytes, count_cells, &cells);
    return (double)cells * (double)line_bytes;
}

static bool is_split(const struct call_history_rules *rules, const struct call_accesses *call) {
    double read = 0, written = 0;
    for (int o = 0; o < call->count; o++) {
        *(call->operand[o].written ? &written : &read) +=
            operand_bytes(&call->operand[o], rules->line_bytes);
    }
    return rules->split_share > 0 && written > 0 && written <= rules->split_share * read;
}

/** Drops the entries of calls that are beyond the history's length. */
static void forget(struct call_history *history) {
    const int64_t oldest = history->calls - history->rules.calls;
    size_t dropped = 0;
    while (dropped < history->entry_count && history->entry[dropped].call < oldest) dropped++;
    /* dropped entries are skipped by searches, so they are removed only once they are at least
     * half of all entries */
    if (history->rules.calls <= 0 || dropped == 0 || dropped < history->entry_count / 2) return;
    const size_t pieces =
        dropped < history->entry_count ? history->entry[dropped].first : history->piece_count;
    history->entry_count -= dropped;
    history->piece_count -= pieces;
    memmove(history->entry, history->entry + dropped,
            history->entry_count * sizeof *history->entry);
    memmove(history->piece, history->piece + pieces, history->piece_count * sizeof *history->piece);
    for (size_t e = 0; e < history->entry_count; e++) history->entry[e].first -= pieces;
}

void call_history_add(struct call_history *history, const struct call_accesses *call) {
    const bool split = is_split(&history->rules, call);
    for (int part = 0; part < (split ? 2 : 1); part++) {
        add_entry(history);
        for (int o = 0; o < call->count && !history->out_of_memory; o++) {
            assert(call->operand[o].matrix < CALL_HISTORY_MATRICES);
            if (split && call->operand[o].written != (part == 1)) continue;
            visit_lines(&call->operand[o], history->rules.line_bytes, add_piece, history);
        }
    }
    history->calls++;
    if (!history->out_of_memory) forget(history);
}

/* Distances. */

static void want(void *context, int matrix, const struct rectangle *lines) {
    (void)matrix;
    rectangles_add(context, lines);
}

static void add_part(struct operand_parts *out, const struct operand_part *part) {
    out->at = extend(out->at, &out->capacity, out->count, sizeof *out->at, &out->out_of_memory);
    if (!out->out_of_memory) out->at[out->count++] = *part;
}

/** Searches an entry for the parts of an operand that have not been found yet. The parts in the
 * entry are then found; if parts are not distinguished, all parts are found as soon as one of them
 * is in the entry. */
static void find(struct operand_parts *out, struct call_history *history, int o,
                 const struct call_operand *operand, const struct history_entry *entry,
                 double distance) {
    assert(entry->first + entry->count <= history->piece_count);
    struct rectangles *wanted = &history->wanted[o];
    int64_t cells = 0;
    for (size_t p = entry->first; p < entry->first + entry->count && wanted->count > 0; p++) {
        const struct history_piece *piece = &history->piece[p];
        if (piece->matrix != operand->matrix) continue;
        if (history->rules.parts) {
            cells += rectangles_remove(wanted, &piece->lines);
        } else if (rectangles_common_cells(wanted, &piece->lines) > 0) {
            cells = rectangles_cells(wanted);
            rectangles_clear(wanted);
        }
    }
    if (cells == 0) return;
    add_part(out, &(struct operand_part){.operand = o,
                                         .bytes = (double)(cells * history->rules.line_bytes),
                                         .distance_bytes = distance,
                                         .found = true});
}

/** Returns the bytes that an entry adds to the distance. */
static double bytes_of_entry(struct call_history *history, const struct history_entry *entry) {
    assert(entry->first + entry->count <= history->piece_count);
    int64_t cells = 0;
    for (size_t p = entry->first; p < entry->first + entry->count; p++) {
        const struct history_piece *piece = &history->piece[p];
        cells += history->rules.unions
                     ? rectangles_add(&history->seen[piece->matrix], &piece->lines)
                     : rectangle_cells(&piece->lines);
    }
    return (double)(cells * history->rules.line_bytes);
}

static void begin_walk(struct call_history *history, const struct call_accesses *call) {
    for (int m = 0; m < CALL_HISTORY_MATRICES; m++) rectangles_clear(&history->seen[m]);
    for (int o = 0; o < call->count; o++) {
        rectangles_clear(&history->wanted[o]);
        visit_lines(&call->operand[o], history->rules.line_bytes, want, &history->wanted[o]);
    }
}

static bool is_wanting(const struct call_history *history, const struct call_accesses *call) {
    bool any = false;
    for (int o = 0; o < call->count; o++) any = any || history->wanted[o].count > 0;
    return any;
}

void call_history_distances(struct operand_parts *out, struct call_history *history,
                            const struct call_accesses *call) {
    const int64_t oldest = history->rules.calls > 0 ? history->calls - history->rules.calls : 0;
    double distance = 0;
    begin_walk(history, call);
    for (size_t e = history->entry_count;
         e-- > 0 && history->entry[e].call >= oldest && is_wanting(history, call);) {
        distance += bytes_of_entry(history, &history->entry[e]);
        for (int o = 0; o < call->count; o++)
            find(out, history, o, &call->operand[o], &history->entry[e], distance);
    }
    for (int o = 0; o < call->count; o++) {
        const int64_t cells = rectangles_cells(&history->wanted[o]);
        if (cells == 0) continue;
        add_part(out, &(struct operand_part){.operand = o,
                                             .bytes = (double)(cells * history->rules.line_bytes),
                                             .distance_bytes = history->rules.whole_bytes});
    }
    for (int m = 0; m < CALL_HISTORY_MATRICES; m++)
        history->out_of_memory = history->out_of_memory || history->seen[m].out_of_memory;
    for (int o = 0; o < call->count; o++)
        history->out_of_memory = history->out_of_memory || history->wanted[o].out_of_memory;
}

void call_history_free(struct call_history *history) {
    base_free(history->entry);
    base_free(history->piece);
    for (int m = 0; m < CALL_HISTORY_MATRICES; m++) rectangles_free(&history->seen[m]);
    for (int o = 0; o < CALL_HISTORY_OPERANDS; o++) rectangles_free(&history->wanted[o]);
    *history = (struct call_history){.rules = history->rules};
}

void operand_parts_free(struct operand_parts *parts) {
    base_free(parts->at);
    *parts = (struct operand_parts){0};
}

/* The effect of distances on times. */

double cache_weight(double distance_bytes, double cache_bytes,
                    const struct cache_smoothing *smoothing) {
    const double r = (cache_bytes - distance_bytes) / cache_bytes;
    const double slope = r >= 0 ? smoothing->alpha : smoothing->beta;
    if (isinf(slope)) return (double)((r > 0) - (r < 0));
    return tanh(slope * r);
}

double cache_share(const struct operand_parts *parts, double cache_bytes,
                   const struct cache_smoothing *smoothing) {
    double in = 0, all = 0;
    for (size_t p = 0; p < parts->count; p++) {
        in += (1 + cache_weight(parts->at[p].distance_bytes, cache_bytes, smoothing)) / 2 *
              parts->at[p].bytes;
        all += parts->at[p].bytes;
    }
    return all > 0 ? in / all : 1;
}

double cache_estimate(double share, double in_cache_seconds, double out_of_cache_seconds) {
    return share * in_cache_seconds + (1 - share) * out_of_cache_seconds;
}
