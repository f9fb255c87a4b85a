#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "ast/problem/overlap.h"
#include "support/rng.h"

/** Advances `point` to the next combination of index values; returns false after the last one. */
static bool advance(const struct overlap_dimensions *box, int64_t point[]) {
    for (int d = 0; d < box->count; d++) {
        if (++point[d] < box->extent[d]) return true;
        point[d] = 0;
    }
    return false;
}

static int64_t place_of(const struct overlap_dimensions *box, const int64_t point[]) {
    int64_t place = 0;
    for (int d = 0; d < box->count; d++) place += box->stride[d] * point[d];
    return place;
}

/** Returns whether two elements have the same address, by marking the address of every element. */
static bool marks_twice(const struct overlap_dimensions *box) {
    enum { PLACES = 1 << 15, ORIGIN = PLACES / 2 };
    static unsigned char marked[PLACES];
    int64_t point[TCPLAN_MAX_INDICES] = {0};
    bool twice = false;
    for (int p = 0; p < PLACES; p++) marked[p] = 0;
    do {
        unsigned char *mark = &marked[ORIGIN + place_of(box, point)];
        twice = twice || *mark;
        *mark = 1;
    } while (advance(box, point));
    return twice;
}

static struct overlap_dimensions draw(uint64_t *random) {
    struct overlap_dimensions box = {.count = rng_below(random, 5)};
    for (int d = 0; d < box.count; d++) {
        box.extent[d] = 1 + rng_below(random, 5);
        box.stride[d] = rng_below(random, 81) - 40;
    }
    return box;
}

static void every_overlap_is_found_with_two_elements_at_one_address(void **state) {
    (void)state;
    int found = 0;
    uint64_t random = 1;
    for (int n = 0; n < 20000; n++) {
        const struct overlap_dimensions box = draw(&random);
        int64_t difference[TCPLAN_MAX_INDICES];
        const enum overlap overlap = overlap_of(&box, difference);
        assert_int_equal(overlap, marks_twice(&box) ? OVERLAP_FOUND : OVERLAP_NONE);
        if (overlap != OVERLAP_FOUND) continue;
        bool any = false;
        for (int d = 0; d < box.count; d++) {
            assert_true(llabs(difference[d]) < box.extent[d]);
            any = any || difference[d] != 0;
        }
        assert_true(any && place_of(&box, difference) == 0);
        found++;
    }
    assert_true(found > 2000 && found < 18000);
}

static void parts_of_dense_tensors_of_any_rank_are_decided_at_once(void **state) {
    (void)state;
    struct overlap_dimensions box = {.count = 60};
    int64_t difference[TCPLAN_MAX_INDICES];
    for (int d = 0; d < box.count; d++) {
        box.extent[d] = 2;
        box.stride[d] = d % 3 == 0 ? -((int64_t)1 << d) : (int64_t)1 << d;
    }
    assert_int_equal(overlap_of(&box, difference), OVERLAP_NONE);
    box.stride[59] = 3;
    assert_int_equal(overlap_of(&box, difference), OVERLAP_FOUND);
}

/** Strides of similar size: many sums of their multiples are near 0, but none is 0, so the search
 * for a collision runs into its limit. */
static void a_search_that_takes_too_long_returns_unknown(void **state) {
    (void)state;
    struct overlap_dimensions box = {.count = 10};
    int64_t difference[TCPLAN_MAX_INDICES];
    uint64_t random = 1;
    for (int d = 0; d < box.count; d++) {
        box.extent[d] = 4;
        box.stride[d] = ((int64_t)1 << 54) + (int64_t)(rng_next(&random) >> 10);
    }
    assert_int_equal(overlap_of(&box, difference), OVERLAP_UNKNOWN);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_overlap_is_found_with_two_elements_at_one_address),
        cmocka_unit_test(parts_of_dense_tensors_of_any_rank_are_decided_at_once),
        cmocka_unit_test(a_search_that_takes_too_long_returns_unknown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
