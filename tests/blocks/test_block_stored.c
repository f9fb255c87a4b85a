/*
 * Tests stored plans of block-sparse products: they are found again for the same structure, and
 * damaged plans are replaced.
 */
#include <dirent.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/checksum.h"
#include "blocks/stored.h"
#include "support/random_blocks.h"

static char folder[64];

/** Removes the files of the folder. */
static int clear(void **state) {
    (void)state;
    DIR *files = opendir(folder);
    for (struct dirent *file; files && (file = readdir(files)) != NULL;) {
        char path[400];
        snprintf(path, sizeof path, "%s/%s", folder, file->d_name);
        unlink(path); /* unlink() fails for the entries `.` and `..` */
    }
    if (files) closedir(files);
    return 0;
}

static int begin(void **state) {
    (void)state;
    strcpy(folder, "/tmp/tcplan-test-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int end(void **state) {
    clear(state);
    return rmdir(folder);
}

/** Plans a product, with the plans that are stored in the folder. */
static struct tcplan_block_plan *made_plan(const struct tcplan_block_product *product,
                                           enum tcplan_effort effort, int threads) {
    struct tcplan_planner *planner = NULL;
    struct tcplan_block_plan *plan = NULL;
    char place[80];
    snprintf(place, sizeof place, "%s/", folder);
    assert_int_equal(tcplan_planner_new(&planner, NULL), TCPLAN_OK);
    assert_int_equal(tcplan_planner_set_effort(planner, effort, NULL), TCPLAN_OK);
    assert_int_equal(tcplan_planner_set_oversubscription(planner, true, NULL), TCPLAN_OK);
    assert_int_equal(tcplan_planner_set_threads(planner, threads, NULL), TCPLAN_OK);
    assert_int_equal(tcplan_planner_set_plans(planner, place, NULL), TCPLAN_OK);
    assert_int_equal(tcplan_block_plan_new(&plan, planner, product, NULL), TCPLAN_OK);
    tcplan_planner_free(planner);
    return plan;
}

static bool is_stored(const struct tcplan_block_product *product, enum tcplan_effort effort,
                      int threads) {
    struct tcplan_block_plan *plan = made_plan(product, effort, threads);
    const bool stored = tcplan_block_plan_is_stored(plan);
    tcplan_block_plan_free(plan);
    return stored;
}

/** Checks that two plans have the same candidates, with the same times. */
static void compare(const struct tcplan_block_plan *first, const struct tcplan_block_plan *again) {
    struct tcplan_block_candidate a, b;
    assert_string_equal(tcplan_block_plan_way(first), tcplan_block_plan_way(again));
    for (int n = 0; tcplan_block_plan_candidate(first, n, &a); n++) {
        assert_true(tcplan_block_plan_candidate(again, n, &b));
        assert_string_equal(a.way, b.way);
        assert_true(a.predicted_seconds == b.predicted_seconds && a.seconds == b.seconds);
        assert_true(a.calls == b.calls && a.flops == b.flops);
        assert_true(!a.why_not == !b.why_not && (!a.why_not || strcmp(a.why_not, b.why_not) == 0));
    }
    struct tcplan_block_sector x, y;
    for (int n = 0; tcplan_block_plan_sector(first, n, &x); n++) {
        assert_true(tcplan_block_plan_sector(again, n, &y));
        assert_string_equal(x.way, y.way);
        assert_true(x.seconds == y.seconds && x.pairs == y.pairs);
    }
}

static void execute(struct tcplan_block_plan *plan, struct random_blocks *blocks, uint64_t seed) {
    struct random_subject *subject = blocks->subject;
    random_blocks_compute(blocks, 1, 0);
    assert_int_equal(tcplan_block_plan_execute(plan, (const void *const *)subject[0].block,
                                               (const void *const *)subject[1].block,
                                               subject[2].block, NULL),
                     TCPLAN_OK);
    random_blocks_check(blocks, seed, tcplan_block_plan_way(plan));
}

static void stored_plans_equal_the_first(void **state) {
    int found = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= 24; seed++) {
        struct random_blocks blocks;
        const int threads = seed % 4 == 0 ? 3 : 1;
        random_blocks_make(&blocks, seed);
        if (tcplan_block_product_pairs(blocks.product) > 0) {
            struct tcplan_block_plan *first =
                made_plan(blocks.product, TCPLAN_EFFORT_QUICK, threads);
            struct tcplan_block_plan *again =
                made_plan(blocks.product, TCPLAN_EFFORT_QUICK, threads);
            assert_false(tcplan_block_plan_is_stored(first));
            assert_true(tcplan_block_plan_is_stored(again));
            compare(first, again);
            execute(again, &blocks, seed);
            tcplan_block_plan_free(first);
            tcplan_block_plan_free(again);
            found++;
        }
        random_blocks_free(&blocks);
    }
    assert_true(found > 5);
}

/** Plans that copy tensors to matrices (packed) are read back from their text; a text without
 * its list of copies is refused. */
static void plans_of_copies_are_read(void **state) {
    int found = 0;
    (void)state;
    for (uint64_t seed = 1; found < 5; seed++) {
        struct random_blocks blocks;
        struct tcplan_block_plan *plan = NULL, *again = NULL;
        struct strbuf text = {0};
        random_blocks_make(&blocks, seed);
        if (tcplan_block_plan_named(&plan, NULL, blocks.product, "packed", NULL) == TCPLAN_OK) {
            found++;
            block_stored_write(&text, plan);
            assert_int_equal(block_plan_of_text(&again, blocks.product, text.text, NULL),
                             TCPLAN_OK);
            compare(plan, again);
            execute(again, &blocks, seed);
            *strstr(text.text, "copies") = 'C';
            tcplan_block_plan_free(again);
            assert_int_equal(block_plan_of_text(&again, blocks.product, text.text, NULL),
                             TCPLAN_INVALID);
            strbuf_free(&text);
        }
        tcplan_block_plan_free(plan);
        random_blocks_free(&blocks);
    }
}

/** Makes the product of the first seed that has pairs of blocks. */
static void make_first(struct random_blocks *blocks) {
    for (uint64_t seed = 1;; seed++) {
        random_blocks_make(blocks, seed);
        if (tcplan_block_product_pairs(blocks->product) > 4) return;
        random_blocks_free(blocks);
    }
}

static void plans_depend_on_effort_threads_and_structure(void **state) {
    struct random_blocks blocks;
    (void)state;
    make_first(&blocks);
    struct tcplan_block_product *product = blocks.product;
    assert_false(is_stored(product, TCPLAN_EFFORT_NORMAL, 1));
    assert_true(is_stored(product, TCPLAN_EFFORT_NORMAL, 1));
    assert_true(is_stored(product, TCPLAN_EFFORT_QUICK, 1));
    assert_false(is_stored(product, TCPLAN_EFFORT_ESTIMATE, 1));
    assert_false(is_stored(product, TCPLAN_EFFORT_THOROUGH, 1));
    assert_true(is_stored(product, TCPLAN_EFFORT_THOROUGH, 1));
    assert_false(is_stored(product, TCPLAN_EFFORT_QUICK, 2));
    product->contraction->beta = (struct tcplan_scalar){1, 0};
    assert_false(is_stored(product, TCPLAN_EFFORT_QUICK, 1));
    random_blocks_free(&blocks);
}

/** Reads the only file of the folder, and returns its text and path. */
static char *read_entry(char path[400]) {
    char *text = calloc(1, 1 << 16);
    DIR *files = opendir(folder);
    for (struct dirent *file; (file = readdir(files)) != NULL;)
        if (strncmp(file->d_name, "blocks-", 7) == 0)
            snprintf(path, 400, "%s/%s", folder, file->d_name);
    closedir(files);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_true(fread(text, 1, (1 << 16) - 1, file) > 0);
    fclose(file);
    return text;
}

/** Writes an entry to a file, and appends the checksum of its text. */
static void write_entry(const char *path, const char *text, size_t length) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fwrite(text, 1, length, file);
    fprintf(file, "checksum %08" PRIx32 "\n", checksum_add(0, text, length));
    fclose(file);
}

/** An entry with a valid checksum that is truncated, or in which one character is changed, is
 * either rejected, so that the product is planned again, or executes correctly. */
static void damaged_plans_are_replaced(void **state) {
    struct random_blocks blocks;
    char path[400];
    int refused = 0;
    (void)state;
    make_first(&blocks);
    assert_false(is_stored(blocks.product, TCPLAN_EFFORT_QUICK, 1));
    char *text = read_entry(path), *content = strstr(text, "\nfound "),
         *end = strstr(text, "\nchecksum ");
    assert_true(content && end);
    int damage = 0;
    for (char *at = content + 1; at < end; at += strcspn(at, "= \n") + 1, damage++) {
        char changed[1 << 16];
        size_t length = (size_t)(end + 1 - text);
        memcpy(changed, text, length);
        if (damage % 3 == 0) length = (size_t)(at - text);
        if (damage % 3 == 1) changed[at - text] = '7';
        if (damage % 3 == 2) changed[at - text] = ' ';
        write_entry(path, changed, length);
        struct tcplan_block_plan *plan = made_plan(blocks.product, TCPLAN_EFFORT_QUICK, 1);
        refused += !tcplan_block_plan_is_stored(plan);
        execute(plan, &blocks, 0);
        tcplan_block_plan_free(plan);
    }
    assert_true(refused > 10);
    free(text);
    random_blocks_free(&blocks);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(stored_plans_equal_the_first, clear),
        cmocka_unit_test_setup(plans_of_copies_are_read, clear),
        cmocka_unit_test_setup(plans_depend_on_effort_threads_and_structure, clear),
        cmocka_unit_test_setup(damaged_plans_are_replaced, clear),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
