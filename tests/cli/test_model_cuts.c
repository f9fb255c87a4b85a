/*
 * Tests cuts through models of several sizes, along which a picture shows one size: each cut passes
 * through samples, there are as many cuts as possible, and they are far from each other.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "cli/commands/model/model_cuts.h"
#include "support/a_model.h"

/** A model on [8,520] in each size, and the options for the choice of cuts. */
struct setting {
    struct tcplan_model *model;
    struct tcplan_model_samples samples;
    struct model_cuts_wanted wanted;
};

static struct setting setting_of(int sizes) {
    struct setting setting = {.model = a_model("routine", sizes, 3, 1)};
    setting.wanted.model = setting.model;
    return setting;
}

static void end(struct setting *setting) {
    tcplan_model_samples_free(&setting->samples);
    tcplan_model_free(setting->model);
}

/** Adds `count` samples at m = 8, 16, ... with the given other sizes. */
static void add(struct setting *setting, int count, int64_t n, int64_t k) {
    for (int s = 1; s <= count; s++) {
        const struct tcplan_model_sample sample = {
            .size = {8 * (int64_t)s, n, k}, .repetitions = 1, .ns = {1, 1, 1, 1, 0}};
        assert_int_equal(tcplan_model_samples_add(&setting->samples, &sample, NULL), TCPLAN_OK);
    }
}

static int choose(struct setting *setting, struct model_cut out[MODEL_CUTS]) {
    setting->wanted.samples = &setting->samples;
    return model_cuts_choose(out, &setting->wanted);
}

static void cuts_have_many_samples_and_are_far_apart(void **state) {
    (void)state;
    static const int64_t expected[] = {16, 80, 200, 512};
    struct setting setting = setting_of(2);
    struct model_cut cut[MODEL_CUTS];
    add(&setting, 20, 200, 0);
    add(&setting, 10, 16, 0);
    add(&setting, 10, 24, 0); /* close to 16 */
    add(&setting, 10, 80, 0);
    add(&setting, 10, 512, 0);
    add(&setting, 9, 8, 0);     /* too few samples for a cut at n = 8 */
    add(&setting, 30, 4000, 0); /* a cut at n = 4000 is outside of the model's domain */
    assert_int_equal(choose(&setting, cut), 4);
    for (int c = 0; c < 4; c++) {
        assert_int_equal(cut[c].size[0], 0);
        assert_int_equal(cut[c].size[1], expected[c]);
    }
    end(&setting);
}

static void given_sizes_stay_fixed(void **state) {
    (void)state;
    struct setting setting = setting_of(3);
    struct model_cut cut[MODEL_CUTS];
    add(&setting, 20, 200, 40);
    add(&setting, 10, 200, 80);
    add(&setting, 30, 100, 80);
    setting.wanted.given[1] = true;
    setting.wanted.size[1] = 200;
    assert_int_equal(choose(&setting, cut), 2);
    assert_true(cut[0].size[1] == 200 && cut[0].size[2] == 40 && cut[1].size[1] == 200 &&
                cut[1].size[2] == 80);
    setting.wanted.size[1] = 104; /* no samples have n = 104 */
    assert_int_equal(choose(&setting, cut), 1);
    assert_true(cut[0].size[1] == 104 && cut[0].size[2] == 264);
    setting.wanted.given[2] = true;
    setting.wanted.size[2] = 96;
    assert_int_equal(choose(&setting, cut), 1);
    assert_true(cut[0].size[1] == 104 && cut[0].size[2] == 96);
    end(&setting);
}

static void a_model_of_one_size_has_one_cut(void **state) {
    (void)state;
    struct setting setting = setting_of(1);
    struct model_cut cut[MODEL_CUTS];
    assert_int_equal(choose(&setting, cut), 1);
    add(&setting, 5, 0, 0);
    assert_int_equal(choose(&setting, cut), 1);
    assert_true(model_cut_has(&cut[0], &setting.wanted, &setting.samples.sample[4]));
    assert_true(model_cut_distance(&cut[0], &setting.wanted, setting.samples.sample[4].size) == 1);
    end(&setting);
}

static void distances_are_factors(void **state) {
    (void)state;
    struct setting setting = setting_of(3);
    const struct model_cut cut = {.size = {0, 100, 40}};
    assert_true(model_cut_distance(&cut, &setting.wanted, (const int64_t[]){8, 100, 40}) == 1);
    assert_true(model_cut_distance(&cut, &setting.wanted, (const int64_t[]){8, 50, 60}) == 2);
    assert_true(model_cut_distance(&cut, &setting.wanted, (const int64_t[]){8, 110, 60}) == 1.5);
    end(&setting);
}

static void out_of_memory_is_reported(void **state) {
    (void)state;
    struct setting setting = setting_of(2);
    struct model_cut cut[MODEL_CUTS];
    base_alloc_fail_after(0);
    assert_int_equal(choose(&setting, cut), 0);
    base_alloc_fail_after(-1);
    end(&setting);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cuts_have_many_samples_and_are_far_apart),
        cmocka_unit_test(given_sizes_stay_fixed),
        cmocka_unit_test(a_model_of_one_size_has_one_cut),
        cmocka_unit_test(distances_are_factors),
        cmocka_unit_test(out_of_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
