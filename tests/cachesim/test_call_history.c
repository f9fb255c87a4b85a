/*
 * Compares the history of calls with a brute-force model: the set of cache lines that each entry
 * touched, and an LRU list of single lines.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/random.h"
#include "cachesim/call_history.h"

enum { MATRICES = 3, ROWS = 43, COLUMNS = 19, LINE_BYTES = 64, MOST_ENTRIES = 400 };

static struct rectangle random_rectangle(struct random *random, int64_t rows, int64_t columns) {
    const int64_t row = random_below(random, rows), column = random_below(random, columns);
    return (struct rectangle){row, row + random_below(random, rows - row + 1), column,
                              column + random_below(random, columns - column + 1)};
}

static int64_t mark(bool map[ROWS][COLUMNS], const struct rectangle *rectangle, bool value) {
    int64_t changed = 0;
    for (int64_t r = rectangle->row; r < rectangle->row_end; r++) {
        for (int64_t c = rectangle->column; c < rectangle->column_end; c++) {
            changed += map[r][c] != value;
            map[r][c] = value;
        }
    }
    return changed;
}

static int64_t marked(bool map[ROWS][COLUMNS], const struct rectangle *rectangle) {
    int64_t count = 0;
    for (int64_t r = rectangle->row; r < rectangle->row_end; r++) {
        for (int64_t c = rectangle->column; c < rectangle->column_end; c++) count += map[r][c];
    }
    return count;
}

static void sets_of_rectangles_are_sets_of_cells(void **state) {
    struct random random = {.state = 1};
    (void)state;
    for (int round = 0; round < 40; round++) {
        static bool map[ROWS][COLUMNS];
        struct rectangles set = {0};
        const struct rectangle all = {0, ROWS, 0, COLUMNS};
        memset(map, 0, sizeof map);
        for (int step = 0; step < 50; step++) {
            const struct rectangle r = random_rectangle(&random, ROWS, COLUMNS);
            const bool removes = random_below(&random, 3) == 0;
            assert_int_equal(rectangles_common_cells(&set, &r), marked(map, &r));
            if (removes) {
                assert_int_equal(rectangles_remove(&set, &r), mark(map, &r, false));
            } else {
                assert_int_equal(rectangles_add(&set, &r), mark(map, &r, true));
            }
            assert_int_equal(rectangles_cells(&set), marked(map, &all));
        }
        assert_false(set.out_of_memory);
        rectangles_free(&set);
    }
}

static void neighbours_become_one_rectangle(void **state) {
    struct rectangles set = {0};
    (void)state;
    for (int64_t c = 0; c < 100; c++)
        assert_int_equal(rectangles_add(&set, &(struct rectangle){4, 8, c, c + 1}), 4);
    assert_int_equal(set.count, 1);
    assert_int_equal(rectangles_add(&set, &(struct rectangle){0, 4, 0, 100}), 400);
    assert_int_equal(set.count, 1);
    assert_int_equal(rectangles_add(&set, &(struct rectangle){5, 5, 0, 100}),
                     0); /* an empty rectangle */
    rectangles_free(&set);
}

/* The brute-force model. */

/** A cache line of a matrix column. */
struct cell {
    int64_t entry; /* number of the last history entry that touched the line; -1: none */
    int64_t time;  /* time of its last access, different for each line; -1: none */
    int64_t mark;  /* equals brute.marks for lines of the operand under test */
};

struct brute {
    struct cell cell[MATRICES][ROWS * 2][COLUMNS];
    int64_t entries;
    int64_t call_of[MOST_ENTRIES];
    int64_t size[MOST_ENTRIES]; /* total number of lines of each entry's operands */
    int64_t time, marks;
    struct random random;
};

static struct brute *brute_new(uint64_t seed) {
    struct brute *brute = calloc(1, sizeof *brute);
    assert_non_null(brute);
    brute->random.state = seed;
    for (int m = 0; m < MATRICES; m++) {
        for (int r = 0; r < ROWS * 2; r++) {
            for (int c = 0; c < COLUMNS; c++)
                brute->cell[m][r][c] = (struct cell){.entry = -1, .time = -1};
        }
    }
    return brute;
}

static bool has_element(const struct call_operand *operand, int64_t r, int64_t c) {
    if (operand->shape == OPERAND_LOWER) return r >= c;
    return operand->shape == OPERAND_RECTANGLE || r <= c;
}

/** Lists the cache lines of an operand, element by element, each once. Returns their number. */
static int cells_of(struct brute *brute, struct cell *out[], const struct call_operand *operand) {
    int count = 0;
    brute->marks++;
    for (int64_t c = 0; c < operand->columns; c++) {
        for (int64_t r = 0; r < operand->rows; r++) {
            if (!has_element(operand, r, c)) continue;
            struct cell *cell =
                &brute->cell[operand->matrix][(operand->row + r) * operand->element_bytes /
                                              LINE_BYTES][operand->column + c];
            if (cell->mark == brute->marks) continue;
            cell->mark = brute->marks;
            out[count++] = cell;
        }
    }
    return count;
}

/** Adds a history entry that touches the lines of some operands, in any order. */
static void brute_entry(struct brute *brute, const struct call_accesses *call, int64_t number,
                        int chosen) {
    static struct cell *cells[ROWS * 2 * COLUMNS];
    assert_true(brute->entries < MOST_ENTRIES);
    for (int o = 0; o < call->count; o++) {
        if (chosen >= 0 && call->operand[o].written != (chosen == 1)) continue;
        const int count = cells_of(brute, cells, &call->operand[o]);
        brute->size[brute->entries] += count;
        for (int i = count - 1; i > 0; i--) {
            const int64_t other = random_below(&brute->random, i + 1);
            struct cell *swapped = cells[i];
            cells[i] = cells[other];
            cells[other] = swapped;
        }
        for (int i = 0; i < count; i++) {
            cells[i]->entry = brute->entries;
            cells[i]->time = brute->time++;
        }
    }
    brute->call_of[brute->entries++] = number;
}

static int64_t lines_read(struct brute *brute, const struct call_accesses *call, bool written) {
    static struct cell *cells[ROWS * 2 * COLUMNS];
    int64_t lines = 0;
    for (int o = 0; o < call->count; o++) {
        if (call->operand[o].written == written) lines += cells_of(brute, cells, &call->operand[o]);
    }
    return lines;
}

static void brute_add(struct brute *brute, const struct call_history_rules *rules,
                      const struct call_accesses *call, int64_t number) {
    const double written = (double)lines_read(brute, call, true),
                 read = (double)lines_read(brute, call, false);
    if (rules->split_share > 0 && written > 0 && written <= rules->split_share * read) {
        brute_entry(brute, call, number, 0);
        brute_entry(brute, call, number, 1);
    } else {
        brute_entry(brute, call, number, -1);
    }
}

/** Counts the lines touched since an entry, including its own unless `without`. `unions` counts
 * each line once; otherwise the sizes of all entries are added. */
static int64_t brute_distance(const struct brute *brute, int64_t entry, bool unions, bool without) {
    int64_t lines = 0;
    for (int64_t e = entry + without; e < brute->entries && !unions; e++) lines += brute->size[e];
    for (int m = 0; m < MATRICES && unions; m++) {
        for (int r = 0; r < ROWS * 2; r++) {
            for (int c = 0; c < COLUMNS; c++)
                lines += brute->cell[m][r][c].entry >= entry + without;
        }
    }
    return lines;
}

/** Returns the LRU distance of a line: how many other lines were touched since its last access. */
static int64_t brute_place(const struct brute *brute, const struct cell *cell) {
    int64_t place = 0;
    for (int m = 0; m < MATRICES; m++) {
        for (int r = 0; r < ROWS * 2; r++) {
            for (int c = 0; c < COLUMNS; c++) place += brute->cell[m][r][c].time > cell->time;
        }
    }
    return place;
}

/* Random calls. */

static struct call_accesses random_call(struct random *random) {
    struct call_accesses call = {.count = 1 + (int)random_below(random, 4)};
    for (int o = 0; o < call.count; o++) {
        struct call_operand *operand = &call.operand[o];
        const struct rectangle r = random_rectangle(random, ROWS, COLUMNS);
        *operand = (struct call_operand){.matrix = (int)random_below(random, MATRICES),
                                         .shape = (enum operand_shape)random_below(random, 3),
                                         .written = random_below(random, 3) == 0,
                                         .element_bytes = 4 << random_below(random, 3),
                                         .row = r.row,
                                         .rows = r.row_end - r.row,
                                         .column = r.column,
                                         .columns = r.column_end - r.column};
        if (operand->shape == OPERAND_RECTANGLE) continue;
        if (operand->rows > operand->columns) operand->rows = operand->columns;
        operand->columns = operand->rows;
    }
    return call;
}

/** Returns the bytes of an operand that the model places at this distance. */
static double bytes_at(const struct operand_parts *parts, int operand, double distance,
                       bool found) {
    double bytes = 0;
    for (size_t p = 0; p < parts->count; p++) {
        const struct operand_part *part = &parts->at[p];
        if (part->operand == operand && part->found == found && part->distance_bytes == distance)
            bytes += part->bytes;
    }
    return bytes;
}

static bool is_remembered(const struct brute *brute, const struct call_history_rules *rules,
                          const struct cell *cell, int64_t number) {
    return cell->entry >= 0 &&
           (rules->calls <= 0 || brute->call_of[cell->entry] >= number - rules->calls);
}

/** Checks the distances of an operand's parts in the model against those of its cache lines. */
static void check_operand(struct brute *brute, const struct call_history_rules *rules,
                          const struct operand_parts *parts, const struct call_operand *operand,
                          int o, int64_t number) {
    static struct cell *cells[ROWS * 2 * COLUMNS];
    const int count = cells_of(brute, cells, operand);
    int64_t by_entry[MOST_ENTRIES] = {0}, forgotten = 0, newest = -1;
    for (int i = 0; i < count; i++) {
        if (!is_remembered(brute, rules, cells[i], number)) {
            forgotten++;
            continue;
        }
        by_entry[cells[i]->entry]++;
        if (cells[i]->entry > newest) newest = cells[i]->entry;
    }
    double told = 0;
    for (size_t p = 0; p < parts->count; p++)
        told += parts->at[p].operand == o ? parts->at[p].bytes : 0;
    assert_true(told == (double)count * LINE_BYTES);
    if (!rules->parts && newest >= 0) {
        assert_true(
            bytes_at(parts, o,
                     (double)brute_distance(brute, newest, rules->unions, false) * LINE_BYTES,
                     true) == told);
        return;
    }
    for (int64_t e = 0; e < brute->entries; e++) {
        if (by_entry[e] == 0) continue;
        const double distance = (double)brute_distance(brute, e, rules->unions, false) * LINE_BYTES;
        assert_true(bytes_at(parts, o, distance, true) >= (double)by_entry[e] * LINE_BYTES);
    }
    assert_true(bytes_at(parts, o, rules->whole_bytes, false) == (double)forgotten * LINE_BYTES);
}

/** Checks, for each line, that the exact distance is between the bounds that call_history.h states.
 */
static void check_bounds(struct brute *brute, const struct call_history_rules *rules,
                         const struct call_operand *operand, int64_t number) {
    static struct cell *cells[ROWS * 2 * COLUMNS];
    const int count = cells_of(brute, cells, operand);
    for (int i = 0; i < count; i += 7) {
        if (!is_remembered(brute, rules, cells[i], number)) continue;
        const int64_t place = brute_place(brute, cells[i]);
        assert_true(place < brute_distance(brute, cells[i]->entry, true,
                                           false)); /* a cache of this many lines still holds the
                                                       line */
        assert_true(place >= brute_distance(brute, cells[i]->entry, true,
                                            true)); /* a cache of this many lines has evicted the
                                                       line */
    }
}

static void run_calls(const struct call_history_rules *rules, uint64_t seed) {
    struct call_history history = {.rules = *rules};
    struct brute *brute = brute_new(seed);
    struct random random = {.state = seed};
    for (int64_t number = 0; number < 60; number++) {
        const struct call_accesses call = random_call(&random);
        struct operand_parts parts = {0};
        call_history_distances(&parts, &history, &call);
        assert_false(parts.out_of_memory || history.out_of_memory);
        for (int o = 0; o < call.count; o++) {
            check_operand(brute, rules, &parts, &call.operand[o], o, number);
            if (rules->unions && rules->parts) check_bounds(brute, rules, &call.operand[o], number);
        }
        operand_parts_free(&parts);
        call_history_add(&history, &call);
        brute_add(brute, rules, &call, number);
    }
    assert_true(brute->entries >= 60);
    call_history_free(&history);
    free(brute);
}

static void distances_are_those_of_lines_one_by_one(void **state) {
    (void)state;
    for (unsigned kind = 0; kind < 16; kind++) {
        const struct call_history_rules rules = {.line_bytes = LINE_BYTES,
                                                 .whole_bytes = 1e6,
                                                 .unions = kind & 1,
                                                 .parts = kind & 2,
                                                 .split_share =
                                                     kind & 4 ? CALL_HISTORY_SPLIT_SHARE : 0,
                                                 .calls = kind & 8 ? 5 : 0};
        for (uint64_t seed = 0; seed < 3; seed++) run_calls(&rules, 100 * kind + seed);
    }
}

/* The update of a QR factorisation, as in Peise (2017), figure 5.1. */

enum { ROWS_LEFT = 1536, BLOCK = 32, A = 0, W = 1 };

static struct call_operand rectangle_at(int matrix, bool written, int64_t row, int64_t rows,
                                        int64_t column, int64_t columns) {
    return (struct call_operand){.matrix = matrix,
                                 .written = written,
                                 .element_bytes = 8,
                                 .row = row,
                                 .rows = rows,
                                 .column = column,
                                 .columns = columns};
}

/** Computes the weights of T and W2 in dtrmm_RUNN; the call before is dgemm_TN: W2 += C2^T V2. A
 * weight of 1 means cached, -1 not cached. */
static void weights_of_trmm(double *of_t, double *of_w, double split_share) {
    const double cache_bytes = 6 << 20;
    const struct cache_smoothing initial = {INFINITY, INFINITY};
    struct call_history history = {.rules = {.line_bytes = 64,
                                             .whole_bytes = 1568 * 1600 * 8.0,
                                             .calls = 39,
                                             .split_share = split_share}};
    const struct call_accesses larft = {
        .count = 2,
        .operand = {rectangle_at(A, false, 0, ROWS_LEFT + BLOCK, 0, BLOCK),
                    rectangle_at(W, true, 0, BLOCK, 0, BLOCK)}};
    const struct call_accesses gemm = {
        .count = 3,
        .operand = {rectangle_at(A, false, BLOCK, ROWS_LEFT, BLOCK, ROWS_LEFT),
                    rectangle_at(A, false, BLOCK, ROWS_LEFT, 0, BLOCK),
                    rectangle_at(W, true, BLOCK, ROWS_LEFT, 0, BLOCK)}};
    struct call_accesses trmm = {.count = 2,
                                 .operand = {rectangle_at(W, false, 0, BLOCK, 0, BLOCK),
                                             rectangle_at(W, true, BLOCK, ROWS_LEFT, 0, BLOCK)}};
    struct operand_parts parts = {0};
    trmm.operand[0].shape = OPERAND_UPPER;
    call_history_add(&history, &larft);
    call_history_add(&history, &gemm);
    call_history_distances(&parts, &history, &trmm);
    assert_int_equal(parts.count, 2);
    for (size_t p = 0; p < parts.count; p++) {
        *(parts.at[p].operand == 0 ? of_t : of_w) =
            cache_weight(parts.at[p].distance_bytes, cache_bytes, &initial);
    }
    operand_parts_free(&parts);
    call_history_free(&history);
}

static void splitting_leaves_the_small_result_of_a_large_product_in_the_cache(void **state) {
    double of_t = 0, of_w = 0;
    (void)state;
    weights_of_trmm(&of_t, &of_w, 0);
    assert_true(of_w == -1); /* W2 is wrongly assumed not to be cached, as in Peise's first model */
    assert_true(of_t == -1);
    weights_of_trmm(&of_t, &of_w, CALL_HISTORY_SPLIT_SHARE);
    assert_true(of_w == 1);
    assert_true(of_t == -1);
}

static void operands_outside_the_history_are_as_far_as_all_data(void **state) {
    struct call_history history = {.rules = {.line_bytes = 64, .whole_bytes = 5000, .calls = 2}};
    const struct call_accesses first = {.count = 1, .operand = {rectangle_at(A, true, 0, 8, 0, 1)}};
    const struct call_accesses other = {.count = 1, .operand = {rectangle_at(A, true, 0, 8, 5, 2)}};
    struct operand_parts parts = {0};
    (void)state;
    call_history_add(&history, &first);
    call_history_add(&history, &other);
    call_history_distances(&parts, &history, &first);
    assert_int_equal(parts.count, 1);
    assert_true(parts.at[0].found && parts.at[0].distance_bytes == 3 * 64 &&
                parts.at[0].bytes == 64);
    call_history_add(&history, &other);
    call_history_distances(&parts, &history, &first);
    assert_int_equal(parts.count, 2);
    assert_true(!parts.at[1].found && parts.at[1].distance_bytes == 5000);
    operand_parts_free(&parts);
    call_history_free(&history);
}

/* Weights. */

static void weights_are_signs_or_slopes(void **state) {
    const struct cache_smoothing initial = {INFINITY, INFINITY}, smooth = {4, 2};
    (void)state;
    assert_true(cache_weight(0, 100, &initial) == 1);
    assert_true(cache_weight(100, 100, &initial) == 0);
    assert_true(cache_weight(101, 100, &initial) == -1);
    assert_true(fabs(cache_weight(50, 100, &smooth) - tanh(2)) < 1e-15);
    assert_true(fabs(cache_weight(150, 100, &smooth) + tanh(1)) < 1e-15);
    assert_true(cache_weight(100, 100, &smooth) == 0);
    assert_true(cache_weight(1e12, 100, &smooth) == -1);
}

static void estimates_interpolate_the_two_times_by_bytes(void **state) {
    const struct cache_smoothing initial = {INFINITY, INFINITY};
    struct operand_part at[] = {{.operand = 0, .bytes = 300, .distance_bytes = 10},
                                {.operand = 1, .bytes = 100, .distance_bytes = 1000}};
    const struct operand_parts parts = {.count = 2, .at = at}, none = {0};
    const double share = cache_share(&parts, 500, &initial);
    (void)state;
    assert_true(share == 0.75);
    assert_true(cache_estimate(share, 1, 2) == 1.25);
    assert_true(cache_share(&none, 500, &initial) == 1);
}

static void out_of_memory_is_recorded(void **state) {
    (void)state;
    for (long n = 0; n < 40; n++) {
        struct call_history history = {
            .rules = {.line_bytes = LINE_BYTES, .whole_bytes = 1, .unions = true, .parts = true}};
        struct operand_parts parts = {0};
        struct random random = {.state = 3};
        base_alloc_fail_after(n);
        for (int c = 0; c < 100 && !history.out_of_memory && !parts.out_of_memory; c++) {
            const struct call_accesses call = random_call(&random);
            call_history_distances(&parts, &history, &call);
            if (!history.out_of_memory) call_history_add(&history, &call);
        }
        base_alloc_fail_after(-1);
        if (n < 3) assert_true(history.out_of_memory || parts.out_of_memory);
        operand_parts_free(&parts);
        call_history_free(&history);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sets_of_rectangles_are_sets_of_cells),
        cmocka_unit_test(neighbours_become_one_rectangle),
        cmocka_unit_test(distances_are_those_of_lines_one_by_one),
        cmocka_unit_test(splitting_leaves_the_small_result_of_a_large_product_in_the_cache),
        cmocka_unit_test(operands_outside_the_history_are_as_far_as_all_data),
        cmocka_unit_test(weights_are_signs_or_slopes),
        cmocka_unit_test(estimates_interpolate_the_two_times_by_bytes),
        cmocka_unit_test(out_of_memory_is_recorded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
