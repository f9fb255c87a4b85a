/* Tests the search for layouts with scripted costs; no algorithm is rated. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/random.h"
#include "plan/advise/search.h"

enum { MOST_TENSORS = 6, MOST_TERMS = 6 };

/** Artificial costs for the layout search: each term has a cost that depends on the layouts of its
 * tensors, and each tensor with a new layout adds `price`. */
struct world {
    int tensor_count;
    int rank[MOST_TENSORS];
    bool free[MOST_TENSORS];
    int term_count;
    struct layout_term term[MOST_TERMS];
    uint64_t seed;
    int kinds;    /* number of different costs that a term can have; a low number makes ties */
    double price; /* price of changing a tensor */
    int fails_at; /* number of the call to the cost function that fails; 0: none */
    int64_t asked;
};

/** Returns an artificial cost of a term for the layouts of its tensors; equal arguments give equal
 * costs. */
static double term_cost(void *context, int term, const struct layout layout[]) {
    struct world *world = context;
    uint64_t mix = world->seed + 1000003U * (uint64_t)term;
    for (int n = 0; n < world->term[term].tensor_count; n++) {
        const int t = world->term[term].tensor[n];
        for (int d = 0; d < world->rank[t]; d++) mix = mix * 31 + layout[t].dim[d] + 1;
    }
    struct random random = {mix};
    if (++world->asked == world->fails_at) return NAN;
    return 1 + (double)random_below(&random, world->kinds);
}

static double change_cost(void *context, int tensor, const struct layout *layout) {
    const struct world *world = context;
    (void)tensor;
    (void)layout;
    return world->price;
}

static struct layout_space space_of(struct world *world) {
    return (struct layout_space){.tensor_count = world->tensor_count,
                                 .rank = world->rank,
                                 .free = world->free,
                                 .term_count = world->term_count,
                                 .term = world->term,
                                 .term_cost = term_cost,
                                 .change_cost = change_cost,
                                 .context = world};
}

/** Makes a problem with one term: the product of three tensors, with ranks a, b and c. */
static struct world product(int a, int b, int c) {
    return (struct world){.tensor_count = 3,
                          .rank = {a, b, c},
                          .free = {true, true, true},
                          .term_count = 1,
                          .term = {{3, {0, 1, 2}}},
                          .kinds = 1000000};
}

/** Makes a chain of terms, each of which has a tensor in common with the next. */
static struct world chain(int terms) {
    struct world world = {.tensor_count = terms + 1, .term_count = terms, .kinds = 1000000};
    for (int t = 0; t <= terms; t++) {
        world.rank[t] = 2 + t % 2;
        world.free[t] = true;
    }
    for (int m = 0; m < terms; m++) world.term[m] = (struct layout_term){2, {m, m + 1}};
    return world;
}

static double cost_of(struct world *world, const struct layout layout[]) {
    double cost = 0;
    for (int t = 0; t < world->tensor_count; t++) {
        const struct layout today = layout_today(world->rank[t]);
        if (!layout_equal(&layout[t], &today, world->rank[t])) cost += world->price;
    }
    for (int m = 0; m < world->term_count; m++) cost += term_cost(world, m, layout);
    return cost;
}

/** Returns the lowest cost of all combinations of layouts of the tensors from `tensor` on. */
static double least_of(struct world *world, struct layout layout[], int tensor) {
    double least = INFINITY;
    if (tensor == world->tensor_count) return cost_of(world, layout);
    layout[tensor] = layout_today(world->rank[tensor]);
    do {
        least = fmin(least, least_of(world, layout, tensor + 1));
    } while (world->free[tensor] && layout_next(&layout[tensor], world->rank[tensor]));
    layout[tensor] = layout_today(world->rank[tensor]);
    return least;
}

static struct layout_search search_in(struct world *world, int best, int64_t exact_most) {
    const struct layout_space space = space_of(world);
    const struct layout_search_options options = {
        .best = best, .exact_most = exact_most, .seed = 1};
    struct layout_search found;
    assert_int_equal(layout_search_run(&found, &space, &options), TCPLAN_OK);
    return found;
}

static void orders_follow_each_other(void **state) {
    struct layout layout = layout_today(4);
    int count = 1;
    (void)state;
    while (layout_next(&layout, 4)) count++;
    const struct layout today = layout_today(4);
    assert_int_equal(count, 24);
    assert_true(layout_equal(&layout, &today, 4));
    assert_false(layout_next(&layout, 1));
    assert_false(layout_next(&layout, 0));
}

static void the_cheapest_of_all_is_found(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        struct world world = seed % 2 ? product(3, 2, 3) : chain(4);
        struct layout layout[MOST_TENSORS];
        world.seed = seed;
        world.free[seed % 3] = seed % 5 != 0;
        world.price = seed % 4 ? 0 : 1e5;
        struct layout_search found = search_in(&world, 4, 20000);
        assert_true(found.exact);
        assert_true(found.choice[0]->cost == least_of(&world, layout, 0));
        assert_true(cost_of(&world, found.choice[0]->layout) == found.choice[0]->cost);
        layout_search_free(&found);
    }
}

static void choices_are_sorted_and_todays_is_among_them(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct world world = product(3, 3, 2);
        int todays = 0;
        world.seed = seed;
        struct layout_search found = search_in(&world, 5, 20000);
        assert_in_range(found.count, 5, 6);
        for (int c = 0; c < found.count; c++) {
            todays += found.choice[c]->changed == 0;
            if (c > 0 && c < 5) assert_true(found.choice[c - 1]->cost < found.choice[c]->cost);
        }
        assert_int_equal(todays, 1);
        layout_search_free(&found);
    }
}

static void among_equals_the_layout_with_fewest_changes_wins(void **state) {
    struct world world = product(3, 3, 3);
    (void)state;
    world.kinds = 1; /* all combinations of layouts cost the same */
    struct layout_search found = search_in(&world, 5, 20000);
    assert_int_equal(found.count, 1);
    assert_int_equal(found.choice[0]->changed, 0);
    layout_search_free(&found);
}

static void fixed_layouts_do_not_change(void **state) {
    struct world world = product(3, 3, 3);
    (void)state;
    world.free[0] = world.free[2] = false;
    struct layout_search found = search_in(&world, 20, 20000);
    assert_true(found.combinations == 6);
    for (int c = 0; c < found.count; c++) {
        const struct layout today = layout_today(3);
        assert_true(layout_equal(&found.choice[c]->layout[0], &today, 3));
        assert_true(layout_equal(&found.choice[c]->layout[2], &today, 3));
    }
    layout_search_free(&found);
}

static void a_price_above_all_gains_advises_todays_layouts(void **state) {
    struct world world = product(3, 3, 3);
    (void)state;
    world.price = 1e9;
    struct layout_search found = search_in(&world, 3, 20000);
    assert_int_equal(found.choice[0]->changed, 0);
    layout_search_free(&found);
}

/** Returns a cost to which each tensor contributes independently, so a search tensor by tensor
 * finds the minimum among any number of combinations. */
static double separate_cost(void *context, int term, const struct layout layout[]) {
    const struct world *world = context;
    double cost = 1;
    for (int n = 0; n < world->term[term].tensor_count; n++) {
        const int t = world->term[term].tensor[n];
        for (int d = 0; d < world->rank[t]; d++)
            cost += abs(layout[t].dim[d] - (world->rank[t] - 1 - d));
    }
    return cost;
}

static void large_spaces_are_searched_by_descent(void **state) {
    struct world world = product(6, 5, 7);
    (void)state;
    struct layout_space space = space_of(&world);
    space.term_cost = separate_cost;
    const struct layout_search_options options = {.best = 3, .exact_most = 20000, .seed = 7};
    struct layout_search found;
    assert_int_equal(layout_search_run(&found, &space, &options), TCPLAN_OK);
    assert_true(found.combinations == 720.0 * 120 * 5040);
    assert_false(found.exact);
    assert_true(found.seen < 20000);
    assert_true(found.choice[0]->cost == 1);
    layout_search_free(&found);
}

static void bounds_exclude_combinations(void **state) {
    struct world world = chain(5);
    (void)state;
    world.seed = 3;
    struct layout_search found = search_in(&world, 1, 20000);
    const double all = found.combinations;
    assert_true(found.exact);
    assert_true((double)found.seen < all);
    layout_search_free(&found);
}

static void a_search_that_ends_early_is_not_exact(void **state) {
    struct world world = chain(5);
    (void)state;
    struct layout_search found = search_in(&world, 3, 10);
    assert_false(found.exact);
    assert_true(found.count > 0);
    layout_search_free(&found);
}

static void a_cost_that_fails_ends_the_search(void **state) {
    (void)state;
    for (int at = 1; at < 60; at += 7) {
        struct world world = product(3, 2, 3);
        world.fails_at = at;
        const struct layout_space space = space_of(&world);
        const struct layout_search_options options = {.best = 3, .exact_most = 100, .seed = 1};
        struct layout_search found;
        assert_int_equal(layout_search_run(&found, &space, &options), TCPLAN_INVALID);
        assert_int_equal(world.asked, at);
        layout_search_free(&found);
    }
}

static bool is_over(const void *context) {
    (void)context;
    return true;
}

static void without_time_todays_layouts_are_known(void **state) {
    struct world world = product(3, 3, 3);
    (void)state;
    const struct layout_space space = space_of(&world);
    const struct layout_search_options options = {
        .best = 3, .exact_most = 20000, .seed = 1, .deadline = {.is_cancelled = is_over}};
    struct layout_search found;
    assert_int_equal(layout_search_run(&found, &space, &options), TCPLAN_OK);
    assert_true(found.out_of_time);
    assert_false(found.exact);
    assert_int_equal(found.count, 1);
    assert_int_equal(found.choice[0]->changed, 0);
    layout_search_free(&found);
}

static void out_of_memory_is_reported(void **state) {
    (void)state;
    for (long successes = 0; successes < 40; successes++) {
        struct world world = product(2, 3, 2);
        const struct layout_space space = space_of(&world);
        const struct layout_search_options options = {.best = 2, .exact_most = 100, .seed = 1};
        struct layout_search found;
        base_alloc_fail_after(successes);
        const enum tcplan_status status = layout_search_run(&found, &space, &options);
        base_alloc_fail_after(-1);
        layout_search_free(&found);
        if (status == TCPLAN_OK) return;
        assert_int_equal(status, TCPLAN_NO_MEMORY);
    }
    fail_msg("it never has enough");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orders_follow_each_other),
        cmocka_unit_test(the_cheapest_of_all_is_found),
        cmocka_unit_test(choices_are_sorted_and_todays_is_among_them),
        cmocka_unit_test(among_equals_the_layout_with_fewest_changes_wins),
        cmocka_unit_test(fixed_layouts_do_not_change),
        cmocka_unit_test(a_price_above_all_gains_advises_todays_layouts),
        cmocka_unit_test(large_spaces_are_searched_by_descent),
        cmocka_unit_test(bounds_exclude_combinations),
        cmocka_unit_test(a_search_that_ends_early_is_not_exact),
        cmocka_unit_test(a_cost_that_fails_ends_the_search),
        cmocka_unit_test(without_time_todays_layouts_are_known),
        cmocka_unit_test(out_of_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
