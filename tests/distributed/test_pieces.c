/* Compares the elements that ranks send when a tensor changes its layout with the sum of all
 * pieces, for random grids and layouts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "distributed/pieces.h"
#include "support/rng.h"

enum { DIMENSIONS = 3, LAYOUTS = 4000 };

/** Draws a grid of a number of processes; axes may have one process. */
static struct dist_grid draw_grid(uint64_t *state, int processes) {
    struct dist_grid grid = {.axes = 1 + rng_below(state, DIST_AXES)};
    for (int k = 0; k < grid.axes; k++) {
        int size = processes;
        while (k < grid.axes - 1 && (processes % size != 0 || rng_once_in(state, 2)))
            size = 1 + rng_below(state, processes);
        if (processes % size != 0) size = 1;
        grid.size[k] = size;
        processes /= size;
    }
    return grid;
}

/** Draws a layout: each axis splits a dimension or none, in random order. A dimension in `cyclic`
 * may have a block-cyclic split, and is removed if it has. */
static struct dist_layout draw_layout(uint64_t *state, int processes, unsigned *cyclic) {
    struct dist_layout layout = {.grid = draw_grid(state, processes)};
    unsigned used = 0, split = 0;
    for (int n = 0; n < layout.grid.axes; n++) {
        const int axis = rng_below(state, layout.grid.axes);
        const int index = rng_below(state, DIMENSIONS);
        if (used >> axis & 1U) continue;
        used |= 1U << axis;
        int64_t block = 0;
        for (int s = 0; s < layout.count; s++) {
            if (layout.split[s].index == index && layout.split[s].cyclic > 0) block = -1;
        }
        if (block < 0) continue;
        if (!(split >> index & 1U) && *cyclic >> index & 1U && rng_once_in(state, 3)) {
            block = 1 + rng_below(state, 4);
            *cyclic &= ~(1U << index);
        }
        split |= 1U << index;
        layout.split[layout.count++] = (struct dist_split){(uint8_t)index, (uint8_t)axis, block};
    }
    return layout;
}

static void sent_elements_are_the_sum_of_all_pieces(void **state) {
    (void)state;
    static const int counts[] = {1, 2, 4, 6, 8, 12, 16, 24, 30, 36};
    uint64_t random = 11;
    int64_t with_copies = 0, sent = 0;
    for (int n = 0; n < LAYOUTS; n++) {
        const int processes = counts[rng_below(&random, sizeof counts / sizeof *counts)];
        struct dist_plan plan = {.index_count = DIMENSIONS, .tensor = {{DIMENSIONS, {0, 1, 2}}}};
        unsigned cyclic = 7; /* one of the two layouts may be block-cyclic along a dimension */
        for (int i = 0; i < DIMENSIONS; i++) plan.extent[i] = rng_below(&random, 40);
        const struct dist_layout from = draw_layout(&random, processes, &cyclic);
        const struct dist_layout to = draw_layout(&random, processes, &cyclic);
        for (int rank = 0; rank < processes; rank++) {
            struct dist_box box;
            int64_t expected = 0;
            for (int other = 0; other < processes; other++)
                expected += dist_piece(&plan, DIST_A, &from, rank, &to, other, &box);
            const int64_t got = pieces_sent(&plan, DIST_A, &from, &to, rank);
            if (got != expected)
                fail_msg("layouts %d, rank %d of %d: %lld elements instead of %lld", n, rank,
                         processes, (long long)got, (long long)expected);
            sent += got;
        }
        with_copies += from.count < from.grid.axes;
    }
    assert_true(with_copies > LAYOUTS / 4 && with_copies < LAYOUTS && sent > 0);
}

static void panels_are_as_many_as_the_execution_visits(void **state) {
    (void)state;
    static const struct dist_layout none = {.grid = {.axes = 0}};
    uint64_t random = 5;
    int64_t most = 0;
    for (int n = 0; n < LAYOUTS; n++) {
        struct dist_plan plan = {.index_count = DIMENSIONS,
                                 .extent = {rng_below(&random, 60), 4, 4},
                                 .tensor = {{2, {0, 1}}, {2, {0, 2}}},
                                 .work = {none, none, none},
                                 .panel_index = 0,
                                 .panel = 1 + rng_below(&random, 9)};
        const struct dist_grid grid = draw_grid(&random, 24);
        const bool divides_work = grid.axes > 2 && rng_once_in(&random, 3);
        for (int t = DIST_A; t <= DIST_B; t++) {
            struct dist_layout *home = &plan.home[t];
            *home = plan.work[t] = (struct dist_layout){.grid = grid};
            for (int k = 0; k < grid.axes; k++) {
                const bool is_work = divides_work && k == 0;
                if (!is_work && rng_once_in(&random, 2)) continue;
                home->split[home->count++] = (struct dist_split){0, (uint8_t)k, 0};
                if (is_work) plan.work[t].split[plan.work[t].count++] = home->split[0];
                if (!is_work) plan.group[t] |= 1U << k;
            }
        }
        for (int rank = 0; rank < 24; rank++) {
            const struct dist_box work = dist_box_of(&plan, &plan.work[DIST_A], rank);
            int64_t expected = 0;
            for (int64_t first = work.first[0]; first < work.first[0] + work.length[0];
                 first = dist_panel_end(&plan, rank, first))
                expected++;
            assert_int_equal(pieces_panels(&plan, rank), expected);
            if (expected > most) most = expected;
        }
    }
    assert_true(most > 20);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sent_elements_are_the_sum_of_all_pieces),
        cmocka_unit_test(panels_are_as_many_as_the_execution_visits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
