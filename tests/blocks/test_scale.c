/*
 * Plans a product with 100,000 blocks and a million pairs of blocks, and checks that planning takes
 * little memory.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/resource.h>

#include <cmocka.h>

#include "base/random.h"
#include "tcplan/blocksparse.h"

enum { SECTIONS = 224, MOST_EXTENT = 8, MOST_MEGABYTES = 400 };

/** Lists the nonzero blocks of a matrix of SECTIONS by SECTIONS blocks: one of `every` blocks,
 * chosen at random. Returns their number. */
static int64_t list(int32_t *at, int every, struct random *random) {
    int64_t count = 0;
    for (int32_t row = 0; row < SECTIONS; row++) {
        for (int32_t column = 0; column < SECTIONS; column++) {
            if (random_below(random, every) > 0) continue;
            at[2 * count] = row;
            at[2 * count++ + 1] = column;
        }
    }
    return count;
}

static double peak_megabytes(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_maxrss / 1024;
}

static void a_million_pairs_are_planned_in_little_memory(void **state) {
    static const int64_t label[3][2] = {{'i', 'k'}, {'k', 'j'}, {'i', 'j'}};
    static const int sections[2] = {SECTIONS, SECTIONS};
    static int32_t at[2][2 * SECTIONS * SECTIONS];
    static int64_t extent[2 * SECTIONS];
    struct tcplan_block_tensor tensor[3];
    struct tcplan_block_product *product = NULL;
    struct tcplan_block_plan *plan = NULL;
    struct tcplan_planner *planner = NULL;
    struct random random = {3};
    (void)state;
    for (int s = 0; s < SECTIONS; s++)
        extent[s] = extent[SECTIONS + s] = 1 + random_below(&random, MOST_EXTENT);
    for (int t = 0; t < 3; t++)
        tensor[t] = (struct tcplan_block_tensor){
            .rank = 2, .label = label[t], .sections = sections, .extent = extent};
    for (int t = 0; t < 2; t++) {
        tensor[t].blocks = list(at[t], t == 0 ? 1 : 11, &random);
        tensor[t].coordinate = at[t];
    }
    tensor[2].blocks = TCPLAN_BLOCKS_REACHED;
    assert_int_equal(tcplan_block_product_make(&product, &tensor[0], &tensor[1], &tensor[2],
                                               TCPLAN_DOUBLE, TCPLAN_ROW_MAJOR, NULL),
                     TCPLAN_OK);
    assert_true(tcplan_block_product_pairs(product) > 1000000);
    assert_true(tcplan_block_product_blocks(product, TCPLAN_A) +
                    tcplan_block_product_blocks(product, TCPLAN_B) +
                    tcplan_block_product_blocks(product, TCPLAN_C) >
                100000);
    assert_int_equal(tcplan_planner_new(&planner, NULL), TCPLAN_OK);
    assert_int_equal(tcplan_planner_set_effort(planner, TCPLAN_EFFORT_ESTIMATE, NULL), TCPLAN_OK);
    assert_int_equal(tcplan_block_plan_new(&plan, planner, product, NULL), TCPLAN_OK);
#ifndef __SANITIZE_ADDRESS__
    assert_true(peak_megabytes() < MOST_MEGABYTES);
#endif
    print_message("planned in %.2f s, peak %.0f MB\n", tcplan_block_plan_planning_seconds(plan),
                  peak_megabytes());
    tcplan_block_plan_free(plan);
    tcplan_block_product_free(product);
    tcplan_planner_free(planner);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_million_pairs_are_planned_in_little_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
