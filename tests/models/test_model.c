/* Tests models: their cases, evaluation, trees of pieces (boxes of sizes), and sets of models. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "models/fit.h"
#include "models/model.h"
#include "models/tree.h"
#include "support/a_model.h"

static void assert_near(double found, double expected, double tolerance) {
    assert_true(found >= expected - tolerance && found <= expected + tolerance);
}

/* Cases and domains. */

static void cases_are_brought_into_one_form(void **state) {
    char out[TCPLAN_MODEL_TEXT], routine[TCPLAN_MODEL_NAME];
    (void)state;
    assert_int_equal(
        tcplan_model_case_read(out, "  dtrsm side=L\t uplo=L   transA=N diag=N alpha=-1 ", NULL),
        TCPLAN_OK);
    assert_string_equal(out, "dtrsm side=L uplo=L transA=N diag=N alpha=-1");
    tcplan_model_case_routine(routine, out);
    assert_string_equal(routine, "dtrsm");
    assert_int_equal(tcplan_model_case_read(out, "copy pattern=abc>cba", NULL), TCPLAN_OK);
    assert_string_equal(out, "copy pattern=abc>cba");
}

static void invalid_cases_are_refused_with_their_position(void **state) {
    static const struct {
        const char *text;
        size_t column;
    } wrong[] = {
        {"", 1},         {"1dgemm", 1},         {"dgemm transA", 13}, {"dgemm transA=", 14},
        {"dgemm =N", 7}, {"dgemm a=N;b=1", 10}, {"dgemm\n", 6}};
    char out[TCPLAN_MODEL_TEXT], long_text[300];
    struct tcplan_error error;
    (void)state;
    for (size_t w = 0; w < sizeof wrong / sizeof *wrong; w++) {
        assert_int_equal(tcplan_model_case_read(out, wrong[w].text, &error), TCPLAN_INVALID);
        assert_int_equal(error.column, wrong[w].column);
    }
    memset(long_text, 'a', sizeof long_text);
    long_text[sizeof long_text - 1] = '\0';
    assert_int_equal(tcplan_model_case_read(out, long_text, NULL), TCPLAN_INVALID);
    memcpy(long_text, "dgemm a=", 8);
    assert_int_equal(tcplan_model_case_read(out, long_text, NULL), TCPLAN_INVALID);
}

static void domains_print_and_read(void **state) {
    static const char *const wrong[] = {"",
                                        "[24]",
                                        "[24,16]",
                                        "[0,8]",
                                        "[8,16]x",
                                        "8,16",
                                        "[8,16]y[8,16]",
                                        "[8,99999999999]",
                                        "[8,16]x[8,16]x[8,16]x[8,16]x[8,16]"};
    struct tcplan_model_domain domain;
    char text[TCPLAN_MODEL_DOMAIN_TEXT];
    (void)state;
    assert_int_equal(tcplan_model_domain_read(&domain, " [24, 536] x[24,4152]", NULL), TCPLAN_OK);
    tcplan_model_domain_print(text, &domain);
    assert_string_equal(text, "[24,536]x[24,4152]");
    for (size_t w = 0; w < sizeof wrong / sizeof *wrong; w++) {
        struct tcplan_error error;
        assert_int_equal(tcplan_model_domain_read(&domain, wrong[w], &error), TCPLAN_INVALID);
        assert_true(error.column >= 1);
    }
}

static void words_are_found_and_named(void **state) {
    enum tcplan_model_statistic statistic;
    enum tcplan_model_placement placement;
    enum tcplan_model_grid grid;
    enum tcplan_model_measure measure;
    (void)state;
    for (int w = 0; w < TCPLAN_MODEL_STATISTICS; w++) {
        assert_true(tcplan_model_statistic_find(
            &statistic, tcplan_model_statistic_name((enum tcplan_model_statistic)w)));
        assert_int_equal(statistic, w);
    }
    for (int w = 0; w < TCPLAN_MODEL_PLACEMENTS; w++) {
        assert_true(tcplan_model_placement_find(
            &placement, tcplan_model_placement_name((enum tcplan_model_placement)w)));
        assert_int_equal(placement, w);
    }
    for (int w = 0; w < TCPLAN_MODEL_GRIDS; w++) {
        assert_true(
            tcplan_model_grid_find(&grid, tcplan_model_grid_name((enum tcplan_model_grid)w)));
        assert_int_equal(grid, w);
    }
    for (int w = 0; w < TCPLAN_MODEL_MEASURES; w++) {
        assert_true(tcplan_model_measure_find(
            &measure, tcplan_model_measure_name((enum tcplan_model_measure)w)));
        assert_int_equal(measure, w);
    }
    assert_false(tcplan_model_grid_find(&grid, "random"));
    assert_null(tcplan_model_grid_name(TCPLAN_MODEL_GRIDS));
}

static void default_configurations_are_those_of_the_source(void **state) {
    const struct tcplan_model_config one = tcplan_model_config_default(2, 1),
                                     three = tcplan_model_config_default(3, 1);
    const struct tcplan_model_config threads = tcplan_model_config_default(2, 4),
                                     both = tcplan_model_config_default(3, 4);
    (void)state;
    assert_int_equal(one.overfitting, 2);
    assert_int_equal(one.oversampling, 4);
    assert_int_equal(one.grid, TCPLAN_MODEL_CHEBYSHEV);
    assert_int_equal(one.repetitions, 10);
    assert_int_equal(one.reference, TCPLAN_MODEL_MINIMUM);
    assert_int_equal(one.measure, TCPLAN_MODEL_OF_MAXIMUM);
    assert_near(one.bound, 0.01, 0);
    assert_int_equal(one.min_width, 32);
    assert_int_equal(three.overfitting, 0);
    assert_int_equal(three.min_width, 64);
    assert_int_equal(threads.min_width, 64);
    assert_int_equal(both.min_width, 256);
}

static void samples_have_five_statistics(void **state) {
    double odd[] = {5, 1, 3}, even[] = {4, 2, 8, 2}, wrong[] = {1, -1};
    const int64_t size[] = {24, 32};
    struct tcplan_model_sample sample;
    (void)state;
    assert_int_equal(tcplan_model_sample_make(&sample, size, 2, odd, 3, NULL), TCPLAN_OK);
    assert_near(sample.ns[TCPLAN_MODEL_MINIMUM], 1, 0);
    assert_near(sample.ns[TCPLAN_MODEL_MEDIAN], 3, 0);
    assert_near(sample.ns[TCPLAN_MODEL_MAXIMUM], 5, 0);
    assert_near(sample.ns[TCPLAN_MODEL_MEAN], 3, 0);
    assert_near(sample.ns[TCPLAN_MODEL_DEVIATION], sqrt(8.0 / 3), 1e-12);
    assert_int_equal(sample.size[1], 32);
    assert_int_equal(sample.size[2], 0);
    assert_int_equal(tcplan_model_sample_make(&sample, size, 2, even, 4, NULL), TCPLAN_OK);
    assert_near(sample.ns[TCPLAN_MODEL_MEDIAN], 3, 0);
    assert_near(sample.ns[TCPLAN_MODEL_DEVIATION], sqrt(6), 1e-12);
    assert_int_equal(tcplan_model_sample_make(&sample, size, 2, wrong, 2, NULL), TCPLAN_INVALID);
}

static void samples_are_found_by_point(void **state) {
    struct tcplan_model_samples samples = {0};
    (void)state;
    for (int i = 0; i < 1000; i++) {
        const struct tcplan_model_sample sample = {
            .size = {8 * (i % 500), 8}, .repetitions = i, .ns = {1, 1, 1, 1, 0}};
        assert_int_equal(tcplan_model_samples_add(&samples, &sample, NULL), TCPLAN_OK);
    }
    assert_int_equal(samples.count, 500);
    for (int i = 0; i < 500; i++) {
        const int64_t size[TCPLAN_MODEL_SIZES] = {8 * i, 8},
                      other[TCPLAN_MODEL_SIZES] = {8 * i, 16};
        assert_int_equal(tcplan_model_samples_find(&samples, size)->repetitions, 500 + i);
        assert_null(tcplan_model_samples_find(&samples, other));
    }
    tcplan_model_samples_free(&samples);
}

/* Evaluation. */

static void evaluation_is_the_polynomial_of_its_piece(void **state) {
    struct random random = {11};
    (void)state;
    for (int count = 1; count <= TCPLAN_MODEL_SIZES; count++) {
        struct tcplan_model *model = a_model("routine", count, 5, 17 + (uint64_t)count);
        for (int r = 0; r < 300; r++) {
            int64_t size[TCPLAN_MODEL_SIZES];
            struct tcplan_model_estimate estimate;
            for (int i = 0; i < count; i++)
                size[i] = model->domain.low[i] +
                          random_below(&random, model->domain.high[i] - model->domain.low[i] + 1);
            const struct tcplan_model_piece *piece =
                &model->piece[tcplan_model_piece_at(model, size)];
            assert_true(tcplan_model_domain_contains(&piece->domain, size));
            tcplan_model_evaluate(&estimate, model, size);
            const double least = fit_value(piece, TCPLAN_MODEL_MINIMUM, size);
            assert_near(estimate.ns[TCPLAN_MODEL_MINIMUM], least > 0 ? least : 0, 1e-9);
            assert_near(estimate.error, piece->error, 0);
            assert_false(estimate.outside);
        }
        tcplan_model_free(model);
    }
}

static void statistics_are_in_order_and_not_negative(void **state) {
    struct tcplan_model *model =
        a_model("routine", 2, 5,
                23); /* random polynomials: their statistics may be out of order, or negative */
    bool repaired = false;
    (void)state;
    for (int64_t m = 8; m <= 520; m += 8) {
        const int64_t size[] = {m, 600 - m};
        struct tcplan_model_estimate estimate;
        const double *ns = estimate.ns;
        tcplan_model_evaluate(&estimate, model, size);
        assert_true(0 <= ns[TCPLAN_MODEL_MINIMUM] &&
                    ns[TCPLAN_MODEL_MINIMUM] <= ns[TCPLAN_MODEL_MEDIAN]);
        assert_true(ns[TCPLAN_MODEL_MEDIAN] <= ns[TCPLAN_MODEL_MAXIMUM] &&
                    ns[TCPLAN_MODEL_DEVIATION] >= 0);
        assert_true(ns[TCPLAN_MODEL_MINIMUM] <= ns[TCPLAN_MODEL_MEAN] &&
                    ns[TCPLAN_MODEL_MEAN] <= ns[TCPLAN_MODEL_MAXIMUM]);
        const struct tcplan_model_piece *piece = &model->piece[tcplan_model_piece_at(model, size)];
        repaired =
            repaired || fit_value(piece, TCPLAN_MODEL_MEDIAN, size) != ns[TCPLAN_MODEL_MEDIAN];
    }
    assert_true(repaired);
    tcplan_model_free(model);
}

static void a_call_without_elements_takes_no_time(void **state) {
    struct tcplan_model *model = a_model("routine", 2, 3, 5);
    const int64_t none[][2] = {{0, 100}, {100, 0}, {-5, 100}};
    (void)state;
    for (int n = 0; n < 3; n++) {
        struct tcplan_model_estimate estimate;
        tcplan_model_evaluate(&estimate, model, none[n]);
        for (int s = 0; s < TCPLAN_MODEL_STATISTICS; s++) assert_near(estimate.ns[s], 0, 0);
        assert_false(estimate.outside);
    }
    tcplan_model_free(model);
}

static void outside_the_domain_the_nearest_sizes_count(void **state) {
    struct tcplan_model *model = a_model("routine", 2, 3, 5);
    const int64_t outside[] = {1, 99999}, nearest[] = {model->domain.low[0], model->domain.high[1]};
    struct tcplan_model_estimate a, b;
    (void)state;
    tcplan_model_evaluate(&a, model, outside);
    tcplan_model_evaluate(&b, model, nearest);
    assert_true(a.outside);
    assert_false(b.outside);
    assert_memory_equal(a.ns, b.ns, sizeof a.ns);
    tcplan_model_free(model);
}

static void the_lower_piece_has_the_boundary(void **state) {
    struct tcplan_model *model = a_model("routine", 1, 4, 9);
    (void)state;
    for (size_t p = 0; p < model->piece_count; p++) {
        assert_int_equal(tcplan_model_piece_at(model, model->piece[p].domain.high), p);
        const int64_t next = model->piece[p].domain.high[0] + 1;
        if (p + 1 < model->piece_count)
            assert_int_equal(tcplan_model_piece_at(model, &next), p + 1);
    }
    tcplan_model_free(model);
}

/** Returns whether sizes are in a piece of the model's domain; the boundary of two pieces belongs
 * to the lower one. */
static bool has_sizes(const struct tcplan_model *model, const struct tcplan_model_domain *box,
                      const int64_t size[]) {
    for (int i = 0; i < box->count; i++) {
        const bool is_above = size[i] > box->low[i] || box->low[i] == model->domain.low[i];
        if (!is_above || size[i] < box->low[i] || size[i] > box->high[i]) return false;
    }
    return true;
}

/** Counts the cells of the look-up table that contain several pieces. */
static int count_divided_cells(const struct tcplan_model *model) {
    int cells = 1, divided = 0;
    for (int i = 0; i < model->domain.count; i++) cells *= model->tree->cuts[i] + 1;
    for (int c = 0; c < cells; c++) divided += model->tree->cell[c] >= 0;
    return divided;
}

/** With few pieces, each cell of the look-up table has one piece. With many pieces in several
 * sizes, some cells have several. */
static void pieces_are_found_by_the_table_and_the_tree(void **state) {
    static const size_t pieces[] = {1, 2, 3, 7, 30, 200};
    struct random random = {5};
    int divided = 0;
    (void)state;
    for (int count = 1; count <= TCPLAN_MODEL_SIZES; count++) {
        for (size_t p = 0; p < sizeof pieces / sizeof *pieces; p++) {
            struct tcplan_model *model = a_model("routine", count, pieces[p], (uint64_t)count);
            if (count == 1) assert_int_equal(count_divided_cells(model), 0);
            divided += count_divided_cells(model) > 0;
            for (int r = 0; r < 500; r++) {
                int64_t size[TCPLAN_MODEL_SIZES];
                for (int i = 0; i < count; i++)
                    size[i] =
                        8 + (r % 2 ? random_below(&random, 513) : 8 * random_below(&random, 65));
                assert_true(has_sizes(
                    model, &model->piece[tcplan_model_piece_at(model, size)].domain, size));
            }
            tcplan_model_free(model);
        }
    }
    assert_true(divided > 0);
}

static void copies_give_the_same_estimates(void **state) {
    struct tcplan_model *model = a_model("routine", 3, 6, 31), *copy = tcplan_model_copy(model);
    struct random random = {1};
    (void)state;
    for (int r = 0; r < 100; r++) {
        struct tcplan_model_estimate a, b;
        int64_t size[3];
        for (int i = 0; i < 3; i++) size[i] = 1 + random_below(&random, 700);
        tcplan_model_evaluate(&a, model, size);
        tcplan_model_evaluate(&b, copy, size);
        assert_memory_equal(&a.ns, &b.ns, sizeof a.ns);
    }
    tcplan_model_free(model);
    tcplan_model_free(copy);
}

/* Checks. */

static void pieces_that_do_not_fill_the_domain_are_refused(void **state) {
    struct tcplan_error error;
    (void)state;
    for (int change = 0; change < 5; change++) {
        struct tcplan_model *model = a_model("routine", 2, 4, 3);
        struct tcplan_model_piece *piece = model->piece;
        const struct tcplan_model_piece first = piece[0];
        if (change == 0) piece[1].domain.high[0] += 8;
        if (change == 1) piece[0].domain.low[1] += 8;
        if (change == 2) piece[2].domain = piece[1].domain;
        if (change == 3) model->domain.high[1] += 8;
        if (change == 4) {
            piece[0] = piece[3];
            piece[3] = first;
        }
        assert_int_equal(model_finish(model, &error), TCPLAN_INVALID);
        assert_non_null(strstr(error.message, "do not tile the domain"));
        tcplan_model_free(model);
    }
}

static void impossible_numbers_are_refused(void **state) {
    (void)state;
    for (int change = 0; change < 11; change++) {
        struct tcplan_model *model = a_model("routine", 2, 2, 3);
        assert_int_equal(model_finish(model, NULL), TCPLAN_OK);
        if (change == 0) model->piece[1].coefficient[0][4] = NAN;
        if (change == 1) model->piece[0].error = INFINITY;
        if (change == 2) model->piece[0].points = 0;
        if (change == 3) model->piece[0].degree[1] = TCPLAN_MODEL_DEGREE + 1;
        if (change == 4) model->seconds = -1;
        if (change == 5) model->setup.threads = 0;
        if (change == 6) snprintf(model->setup.provider, sizeof model->setup.provider, "../x");
        if (change == 7) snprintf(model->case_text, sizeof model->case_text, "two  blanks");
        if (change == 8) model->degree[0] = 5;
        if (change == 9) model->config.bound = 2;
        if (change == 10) model->domain.count = 0;
        assert_int_equal(model_finish(model, NULL), TCPLAN_INVALID);
        tcplan_model_free(model);
    }
}

/* Sets. */

static struct tcplan_model *at_domain(int64_t low, int64_t high) {
    struct tcplan_model *model = a_model("daxpy alpha=any", 1, 1, 3);
    model->domain.low[0] = model->piece[0].domain.low[0] = low;
    model->domain.high[0] = model->piece[0].domain.high[0] = high;
    assert_int_equal(model_finish(model, NULL), TCPLAN_OK);
    return model;
}

static void models_are_found_by_case_setup_and_sizes(void **state) {
    struct tcplan_models *models = tcplan_models_new();
    struct tcplan_model_setup setup;
    (void)state;
    for (int c = 0; c < 100; c++) {
        char text[40];
        snprintf(text, sizeof text, "dgemm c=%d", c);
        assert_int_equal(tcplan_models_add(models, a_model(text, 2, 2, (uint64_t)c), NULL),
                         TCPLAN_OK);
    }
    struct tcplan_model *small = at_domain(8, 800), *large = at_domain(8, 8000),
                        *far = at_domain(80000, 800000);
    setup = small->setup;
    assert_int_equal(tcplan_models_add(models, large, NULL), TCPLAN_OK);
    assert_int_equal(tcplan_models_add(models, small, NULL), TCPLAN_OK);
    assert_int_equal(tcplan_models_add(models, far, NULL), TCPLAN_OK);
    for (int sorted = 0; sorted < 2; sorted++) {
        const int64_t within = 100, between = 5000, near = 70000;
        assert_ptr_equal(tcplan_models_find(models, "daxpy alpha=any", &setup, &within), small);
        assert_ptr_equal(tcplan_models_find(models, "daxpy alpha=any", &setup, &between), large);
        assert_ptr_equal(tcplan_models_find(models, "daxpy alpha=any", &setup, &near), far);
        assert_non_null(tcplan_models_find(models, "daxpy alpha=any", &setup, NULL));
        assert_string_equal(tcplan_models_find(models, "dgemm c=77", &setup, NULL)->case_text,
                            "dgemm c=77");
        assert_null(tcplan_models_find(models, "dgemm c=100", &setup, NULL));
        tcplan_models_sort(models);
    }
    setup.version[0] = '\0';
    assert_non_null(tcplan_models_find(models, "dgemm c=1", &setup, NULL));
    snprintf(setup.version, sizeof setup.version, "another");
    assert_null(tcplan_models_find(models, "dgemm c=1", &setup, NULL));
    setup.version[0] = '\0';
    setup.placement = TCPLAN_MODEL_COLD;
    assert_null(tcplan_models_find(models, "dgemm c=1", &setup, NULL));
    tcplan_models_free(models);
}

static void a_model_takes_the_place_of_one_of_the_same(void **state) {
    struct tcplan_models *models = tcplan_models_new();
    struct tcplan_model *second = a_model("dgemm", 2, 2, 4);
    (void)state;
    assert_int_equal(tcplan_models_add(models, a_model("dgemm", 2, 3, 3), NULL), TCPLAN_OK);
    assert_int_equal(tcplan_models_add(models, second, NULL), TCPLAN_OK);
    assert_int_equal(tcplan_models_count(models), 1);
    assert_ptr_equal(tcplan_models_at(models, 0), second);
    tcplan_models_free(models);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cases_are_brought_into_one_form),
        cmocka_unit_test(invalid_cases_are_refused_with_their_position),
        cmocka_unit_test(domains_print_and_read),
        cmocka_unit_test(words_are_found_and_named),
        cmocka_unit_test(default_configurations_are_those_of_the_source),
        cmocka_unit_test(samples_have_five_statistics),
        cmocka_unit_test(samples_are_found_by_point),
        cmocka_unit_test(evaluation_is_the_polynomial_of_its_piece),
        cmocka_unit_test(statistics_are_in_order_and_not_negative),
        cmocka_unit_test(a_call_without_elements_takes_no_time),
        cmocka_unit_test(outside_the_domain_the_nearest_sizes_count),
        cmocka_unit_test(the_lower_piece_has_the_boundary),
        cmocka_unit_test(pieces_are_found_by_the_table_and_the_tree),
        cmocka_unit_test(copies_give_the_same_estimates),
        cmocka_unit_test(pieces_that_do_not_fill_the_domain_are_refused),
        cmocka_unit_test(impossible_numbers_are_refused),
        cmocka_unit_test(models_are_found_by_case_setup_and_sizes),
        cmocka_unit_test(a_model_takes_the_place_of_one_of_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
