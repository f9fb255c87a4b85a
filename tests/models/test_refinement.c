/*
 * Tests the refinement of models: it recovers polynomials, ends for any samples, and continues from
 * stored samples as if uninterrupted.
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
#include "base/hash.h"
#include "base/random.h"
#include "models/refinement.h"

static void assert_near(double found, double expected, double tolerance) {
    assert_true(found >= expected - tolerance && found <= expected + tolerance);
}

enum { MOST_POINTS = 1 << 16 };

static const struct tcplan_model_domain dtrsm_domain = {
    .count = 2, .low = {24, 24}, .high = {536, 4152}};
static const int dtrsm_degree[] = {2, 1};

/* Returns the time that a synthetic machine takes for a call of these sizes. */

typedef double machine(const int64_t size[]);

/** Returns a pseudo-random number in [0, 1) that depends only on the sizes. */
static double noise(const int64_t size[]) {
    return (double)(hash_spread(
                        hash_add(HASH_OF_NOTHING, size, sizeof(int64_t) * TCPLAN_MODEL_SIZES)) >>
                    11) *
           0x1p-53;
}

static double smooth(const int64_t size[]) {
    const double m = (double)size[0], n = (double)size[1];
    return 300 + 2 * m + 0.7 * n + 0.05 * m * m * n;
}

/** A machine with a smooth time that is not a polynomial. */
static double blocked(const int64_t size[]) {
    const double m = (double)size[0], n = (double)size[1];
    return 2000 + m * m * n * (0.05 + 0.02 * sin(m / 40)) + 40 * n;
}

static double jagged(const int64_t size[]) {
    return smooth(size) * (size[0] % 24 == 0 ? 1 : 1.4) * (size[1] / 56 % 2 == 0 ? 1 : 1.2);
}

static double noisy(const int64_t size[]) {
    return smooth(size) * (1 + 0.5 * noise(size));
}

static double constant(const int64_t size[]) {
    (void)size;
    return 123;
}

static double stepped(const int64_t size[]) {
    return size[0] <= 96 ? 10 : 1e9;
}

static double extreme(const int64_t size[]) {
    return noise(size) < 0.5 ? 1e-3 : 0.5e18;
}

static struct tcplan_model_sample sample_of(machine *measure, const int64_t size[]) {
    const double ns = measure(size);
    struct tcplan_model_sample sample = {.repetitions = 10,
                                         .ns = {ns, 1.01 * ns, 1.2 * ns, 1.05 * ns, 0.05 * ns}};
    memcpy(sample.size, size, sizeof sample.size);
    return sample;
}

static struct model_refinement *begin(const struct tcplan_model_domain *domain, const int degree[],
                                      const struct tcplan_model_config *config) {
    struct model_refinement *refinement;
    assert_int_equal(model_refinement_new(&refinement, domain, degree, config, NULL), TCPLAN_OK);
    return refinement;
}

/** Measures one round of points, and checks the reported progress. Returns the number of points. */
static size_t measure_round(struct model_refinement *refinement, machine *measure,
                            struct random *random) {
    static struct model_point point[MOST_POINTS];
    const size_t count = model_refinement_next(refinement, point, MOST_POINTS);
    const size_t taken = count < MOST_POINTS ? count : MOST_POINTS;
    double share = model_refinement_progress(refinement).share;
    for (size_t p = taken; p > 1; p--) {
        const size_t other = (size_t)random_below(random, (int64_t)p);
        const struct model_point swapped = point[p - 1];
        point[p - 1] = point[other];
        point[other] = swapped;
    }
    for (size_t p = 0; p < taken; p++) {
        const struct tcplan_model_sample sample = sample_of(measure, point[p].size);
        assert_int_equal(model_refinement_add(refinement, &sample, 0, NULL), TCPLAN_OK);
        const struct model_progress progress = model_refinement_progress(refinement);
        assert_true(progress.share >= share - 1e-12 && progress.share <= 1 + 1e-12);
        share = progress.share;
    }
    return taken;
}

/** Continues a refinement to its end; returns how many points were measured. */
static size_t finish(struct model_refinement *refinement, machine *measure, uint64_t seed) {
    struct random random = {seed};
    size_t measured = 0;
    for (size_t count; (count = measure_round(refinement, measure, &random)) > 0;)
        measured += count;
    assert_true(model_refinement_progress(refinement).done);
    assert_near(model_refinement_progress(refinement).share, 1, 1e-9);
    return measured;
}

static struct tcplan_model *result_of(struct model_refinement *refinement) {
    struct tcplan_model *model;
    assert_int_equal(model_refinement_result(&model, refinement, NULL), TCPLAN_OK);
    return model;
}

static struct tcplan_model *generate(const struct tcplan_model_config *config, machine *measure,
                                     uint64_t seed, size_t *measured) {
    struct model_refinement *refinement = begin(&dtrsm_domain, dtrsm_degree, config);
    *measured = finish(refinement, measure, seed);
    struct tcplan_model *model = result_of(refinement);
    model_refinement_free(refinement);
    return model;
}

static void expect_same(const struct tcplan_model *a, const struct tcplan_model *b) {
    assert_int_equal(a->piece_count, b->piece_count);
    assert_int_equal(a->points, b->points);
    assert_int_equal(a->complete, b->complete);
    for (size_t p = 0; p < a->piece_count; p++) {
        const struct tcplan_model_piece *x = &a->piece[p], *y = &b->piece[p];
        const size_t count = (size_t)tcplan_model_coefficients(x->degree, a->domain.count);
        assert_memory_equal(&x->domain, &y->domain, sizeof x->domain);
        assert_memory_equal(x->degree, y->degree, sizeof x->degree);
        assert_near(x->error, y->error, 0);
        assert_memory_equal(x->coefficient, y->coefficient, count * sizeof *x->coefficient);
    }
}

/* The result. */

static void a_polynomial_is_one_piece(void **state) {
    const struct tcplan_model_config config = tcplan_model_config_default(2, 1);
    size_t measured;
    struct tcplan_model *model = generate(&config, smooth, 1, &measured);
    struct random random = {3};
    (void)state;
    assert_int_equal(measured, 72);
    assert_int_equal(model->points, 72);
    assert_int_equal(model->piece_count, 1);
    assert_true(model->complete);
    assert_true(tcplan_model_error(model) < 1e-8);
    for (int r = 0; r < 1000; r++) {
        const int64_t size[TCPLAN_MODEL_SIZES] = {24 + random_below(&random, 513),
                                                  24 + random_below(&random, 4129)};
        struct tcplan_model_estimate estimate;
        tcplan_model_evaluate(&estimate, model, size);
        assert_false(estimate.outside);
        assert_near(estimate.ns[TCPLAN_MODEL_MINIMUM] / smooth(size), 1, 1e-7);
    }
    tcplan_model_free(model);
}

static void every_piece_is_within_the_bound_or_narrow(void **state) {
    struct tcplan_model_config config = tcplan_model_config_default(2, 1);
    machine *const machines[] = {blocked, jagged};
    (void)state;
    config.overfitting = 0;
    config.min_width = 256;
    config.most_pieces = 4000;
    for (int m = 0; m < 2; m++) {
        size_t measured;
        struct tcplan_model *model = generate(&config, machines[m], 1, &measured);
        assert_true(model->complete);
        assert_true(model->piece_count > 1);
        for (size_t p = 0; p < model->piece_count; p++) {
            const struct tcplan_model_domain *box = &model->piece[p].domain;
            const bool narrow =
                box->high[0] - box->low[0] < 256 && box->high[1] - box->low[1] < 256;
            assert_true(narrow || model->piece[p].error <= config.bound);
        }
        tcplan_model_free(model);
    }
}

static void a_refinement_ends_on_any_data(void **state) {
    machine *const machines[] = {jagged, noisy, constant, stepped, extreme, blocked};
    (void)state;
    for (size_t m = 0; m < sizeof machines / sizeof *machines; m++) {
        struct tcplan_model_config config = tcplan_model_config_default(2, 1);
        config.most_pieces = 40;
        struct model_refinement *refinement = begin(&dtrsm_domain, dtrsm_degree, &config);
        finish(refinement, machines[m], 1);
        struct tcplan_model *model = result_of(refinement);
        assert_true(model->piece_count >= 1 && model->piece_count <= 40);
        tcplan_model_free(model);
        model_refinement_free(refinement);
    }
}

/** Machines with noise. If the model knows the spread of the samples, one piece explains it; if
 * not, the noise seems an error, and pieces are halved. */
static void errors_that_spreads_explain_are_not_halved(void **state) {
    struct tcplan_model_config config = tcplan_model_config_default(2, 1);
    size_t pieces[2];
    (void)state;
    config.most_pieces = 12;
    for (int known = 0; known < 2; known++) {
        struct model_refinement *refinement = begin(&dtrsm_domain, dtrsm_degree, &config);
        struct model_point point;
        while (model_refinement_next(refinement, &point, 1) > 0) {
            const struct tcplan_model_sample sample = sample_of(noisy, point.size);
            assert_int_equal(model_refinement_add(refinement, &sample, known ? 0.1 : 0, NULL),
                             TCPLAN_OK);
        }
        struct tcplan_model *model = result_of(refinement);
        pieces[known] = model->piece_count;
        assert_true(model->complete == (known == 1)); /* with an unknown spread, the limit on pieces
                                                         ended the refinement */
        assert_int_equal(model_refinement_progress(refinement).explained, known);
        assert_near(model_refinement_progress(refinement).spread, known ? 0.1 : 0, 1e-9);
        tcplan_model_free(model);
        model_refinement_free(refinement);
    }
    assert_int_equal(pieces[0], config.most_pieces);
    assert_int_equal(pieces[1], 1);
}

/** If the errors are not noise, pieces are halved until the remaining error is within the spread or
 * the bound. */
static void errors_beyond_spreads_are_halved(void **state) {
    const struct tcplan_model_config config = tcplan_model_config_default(2, 1);
    struct model_refinement *refinement = begin(&dtrsm_domain, dtrsm_degree, &config);
    struct model_point point;
    struct random random = {3};
    double error = 0;
    (void)state;
    while (model_refinement_next(refinement, &point, 1) > 0) {
        const struct tcplan_model_sample sample = sample_of(blocked, point.size);
        assert_int_equal(model_refinement_add(refinement, &sample, 0.01, NULL), TCPLAN_OK);
    }
    struct tcplan_model *model = result_of(refinement);
    assert_true(model->complete && model->piece_count > 1);
    for (int r = 0; r < 1000; r++) {
        const int64_t size[TCPLAN_MODEL_SIZES] = {24 + random_below(&random, 513),
                                                  24 + random_below(&random, 4129)};
        struct tcplan_model_estimate estimate;
        tcplan_model_evaluate(&estimate, model, size);
        error += fabs(estimate.ns[TCPLAN_MODEL_MINIMUM] / blocked(size) - 1) / 1000;
    }
    assert_true(error < 0.02);
    tcplan_model_free(model);
    model_refinement_free(refinement);
}

static void without_a_bound_on_pieces_it_ends_by_their_width(void **state) {
    const struct tcplan_model_domain domain = {.count = 1, .low = {24}, .high = {1024}};
    struct tcplan_model_config config = tcplan_model_config_default(1, 1);
    const int degree[] = {1};
    (void)state;
    config.most_pieces = TCPLAN_MODEL_PIECES;
    struct model_refinement *refinement = begin(&domain, degree, &config);
    finish(refinement, noisy, 1);
    struct tcplan_model *model = result_of(refinement);
    assert_true(model->complete);
    for (size_t p = 0; p < model->piece_count; p++) {
        const struct tcplan_model_piece *piece = &model->piece[p];
        assert_true(piece->error <= config.bound ||
                    piece->domain.high[0] - piece->domain.low[0] < config.min_width);
    }
    assert_true(model->piece_count >= 1000 / 32);
    tcplan_model_free(model);
    model_refinement_free(refinement);
}

static void a_limit_on_pieces_is_respected(void **state) {
    struct tcplan_model_config config = tcplan_model_config_default(2, 1);
    size_t measured;
    (void)state;
    config.most_pieces = 5;
    struct tcplan_model *model = generate(&config, jagged, 1, &measured);
    assert_int_equal(model->piece_count, 5);
    assert_false(model->complete);
    tcplan_model_free(model);
}

/* Resuming. */

static void the_order_of_samples_does_not_matter(void **state) {
    struct tcplan_model_config config = tcplan_model_config_default(2, 1);
    size_t first, second;
    (void)state;
    config.most_pieces = 30;
    struct tcplan_model *a = generate(&config, noisy, 1, &first),
                        *b = generate(&config, noisy, 2, &second);
    assert_int_equal(first, second);
    expect_same(a, b);
    tcplan_model_free(a);
    tcplan_model_free(b);
}

static void an_interrupted_generation_ends_with_the_same_model(void **state) {
    struct tcplan_model_config config = tcplan_model_config_default(2, 1);
    size_t measured;
    (void)state;
    config.most_pieces = 12;
    struct tcplan_model *whole = generate(&config, jagged, 1, &measured);
    for (size_t stop = 1; stop < measured; stop += 61) {
        struct model_refinement *first = begin(&dtrsm_domain, dtrsm_degree, &config);
        struct model_point point;
        for (size_t s = 0; s < stop && model_refinement_next(first, &point, 1) > 0; s++) {
            const struct tcplan_model_sample sample = sample_of(jagged, point.size);
            assert_int_equal(model_refinement_add(first, &sample, 0, NULL), TCPLAN_OK);
        }
        struct model_refinement *second = begin(&dtrsm_domain, dtrsm_degree, &config);
        const struct tcplan_model_samples *kept = model_refinement_samples(first);
        for (size_t s = kept->count; s-- > 0;)
            assert_int_equal(model_refinement_add(second, &kept->sample[s], 0, NULL), TCPLAN_OK);
        model_refinement_free(first);
        assert_int_equal(finish(second, jagged, 5), measured - stop);
        struct tcplan_model *resumed = result_of(second);
        expect_same(whole, resumed);
        tcplan_model_free(resumed);
        model_refinement_free(second);
    }
    tcplan_model_free(whole);
}

static void samples_are_used_again_by_halves(void **state) {
    struct tcplan_model_config config = tcplan_model_config_default(2, 1);
    size_t cartesian, chebyshev;
    (void)state;
    config.most_pieces = 16;
    tcplan_model_free(generate(&config, noisy, 1, &chebyshev));
    config.grid = TCPLAN_MODEL_CARTESIAN;
    tcplan_model_free(generate(&config, noisy, 1, &cartesian));
    assert_true(chebyshev < 31 * 72); /* 31 pieces of 72 points: 16 final ones, and the 15 that were
                                         halved */
    assert_true(cartesian < chebyshev);
}

static void a_model_can_be_made_at_any_time(void **state) {
    struct tcplan_model_config config = tcplan_model_config_default(2, 1);
    struct model_refinement *refinement = begin(&dtrsm_domain, dtrsm_degree, &config);
    struct model_point point;
    struct tcplan_model *model;
    size_t models = 0;
    (void)state;
    config.most_pieces = 12;
    assert_int_equal(model_refinement_result(&model, refinement, NULL), TCPLAN_NOT_APPLICABLE);
    assert_null(model);
    for (int s = 0; s < 400 && model_refinement_next(refinement, &point, 1) > 0; s++) {
        const struct tcplan_model_sample sample = sample_of(jagged, point.size);
        assert_int_equal(model_refinement_add(refinement, &sample, 0, NULL), TCPLAN_OK);
        if (model_refinement_result(&model, refinement, NULL) != TCPLAN_OK) continue;
        struct tcplan_model_estimate estimate;
        const int64_t size[TCPLAN_MODEL_SIZES] = {280, 2088};
        tcplan_model_evaluate(&estimate, model, size);
        assert_true(estimate.ns[TCPLAN_MODEL_MINIMUM] > 0);
        assert_false(model->complete);
        tcplan_model_free(model);
        models++;
    }
    assert_int_equal(models, 400 - 71);
    model_refinement_free(refinement);
}

static void points_are_multiples_within_the_domain_and_counted_when_asked(void **state) {
    const struct tcplan_model_config config = tcplan_model_config_default(2, 1);
    struct model_refinement *refinement = begin(&dtrsm_domain, dtrsm_degree, &config);
    struct model_point point[100];
    (void)state;
    assert_int_equal(model_refinement_next(refinement, NULL, 0), 72);
    assert_int_equal(model_refinement_next(refinement, point, 100), 72);
    for (int p = 0; p < 72; p++) {
        assert_true(tcplan_model_domain_contains(&dtrsm_domain, point[p].size));
        assert_int_equal(
            point[p].size[0] % 8 + point[p].size[1] % 8 + point[p].size[2] + point[p].size[3], 0);
    }
    model_refinement_free(refinement);
}

/* Invalid input. */

static void wrong_samples_are_refused(void **state) {
    const struct tcplan_model_config config = tcplan_model_config_default(2, 1);
    struct model_refinement *refinement = begin(&dtrsm_domain, dtrsm_degree, &config);
    const double wrong[] = {0, -1, NAN, INFINITY, 1e19, 1e-4};
    struct tcplan_error error;
    (void)state;
    for (size_t w = 0; w < sizeof wrong / sizeof *wrong; w++) {
        struct tcplan_model_sample sample = {
            .size = {24, 24}, .repetitions = 1, .ns = {1, wrong[w], 1, 1, 0}};
        assert_int_equal(model_refinement_add(refinement, &sample, 0, &error), TCPLAN_INVALID);
        assert_non_null(strstr(error.message, "median"));
    }
    assert_int_equal(model_refinement_next(refinement, NULL, 0), 72);
    model_refinement_free(refinement);
}

static void wrong_domains_degrees_and_configurations_are_refused(void **state) {
    const struct tcplan_model_config config = tcplan_model_config_default(2, 1);
    struct tcplan_model_domain domain = dtrsm_domain;
    struct model_refinement *refinement;
    const int degree[] = {2, 5};
    (void)state;
    assert_int_equal(model_refinement_new(&refinement, &domain, degree, &config, NULL),
                     TCPLAN_INVALID);
    assert_null(refinement);
    domain.low[1] = 20;
    assert_int_equal(model_refinement_new(&refinement, &domain, dtrsm_degree, &config, NULL),
                     TCPLAN_INVALID);
    domain.low[1] = 0;
    assert_int_equal(model_refinement_new(&refinement, &domain, dtrsm_degree, &config, NULL),
                     TCPLAN_INVALID);
    domain.low[1] = 8000;
    assert_int_equal(model_refinement_new(&refinement, &domain, dtrsm_degree, &config, NULL),
                     TCPLAN_INVALID);
    for (int field = 0; field < 8; field++) {
        struct tcplan_model_config wrong = config;
        if (field == 0) wrong.overfitting = 5;
        if (field == 1) wrong.oversampling = 0;
        if (field == 2) wrong.repetitions = 0;
        if (field == 3) wrong.reference = TCPLAN_MODEL_MEAN;
        if (field == 4) wrong.bound = 0;
        if (field == 5) wrong.min_width = 0;
        if (field == 6) wrong.multiple = 0;
        if (field == 7) wrong.most_pieces = 0;
        assert_int_equal(
            model_refinement_new(&refinement, &dtrsm_domain, dtrsm_degree, &wrong, NULL),
            TCPLAN_INVALID);
    }
}

static void grids_that_are_too_large_are_refused(void **state) {
    const struct tcplan_model_domain domain = {
        .count = 4, .low = {8, 8, 8, 8}, .high = {4000, 4000, 4000, 4000}};
    struct tcplan_model_config config = tcplan_model_config_default(4, 1);
    const int degree[] = {1, 1, 1, 1};
    struct model_refinement *refinement;
    struct tcplan_error error;
    (void)state;
    assert_int_equal(model_refinement_new(&refinement, &domain, degree, &config, NULL), TCPLAN_OK);
    model_refinement_free(refinement);
    config.oversampling = 20;
    assert_int_equal(model_refinement_new(&refinement, &domain, degree, &config, &error),
                     TCPLAN_INVALID);
    assert_non_null(strstr(error.message, "too large"));
}

static void out_of_memory_is_reported(void **state) {
    struct tcplan_model_config config = tcplan_model_config_default(2, 1);
    (void)state;
    config.most_pieces = 3;
    for (long successes = 0;; successes++) {
        struct model_refinement *refinement = NULL;
        struct tcplan_model *model = NULL;
        struct model_point point;
        base_alloc_fail_after(successes);
        enum tcplan_status status =
            model_refinement_new(&refinement, &dtrsm_domain, dtrsm_degree, &config, NULL);
        while (status == TCPLAN_OK && model_refinement_next(refinement, &point, 1) > 0) {
            const struct tcplan_model_sample sample = sample_of(jagged, point.size);
            status = model_refinement_add(refinement, &sample, 0, NULL);
        }
        if (status == TCPLAN_OK) status = model_refinement_result(&model, refinement, NULL);
        base_alloc_fail_after(-1);
        tcplan_model_free(model);
        model_refinement_free(refinement);
        if (status == TCPLAN_OK) return;
        assert_int_equal(status, TCPLAN_NO_MEMORY);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_polynomial_is_one_piece),
        cmocka_unit_test(every_piece_is_within_the_bound_or_narrow),
        cmocka_unit_test(a_refinement_ends_on_any_data),
        cmocka_unit_test(errors_that_spreads_explain_are_not_halved),
        cmocka_unit_test(errors_beyond_spreads_are_halved),
        cmocka_unit_test(without_a_bound_on_pieces_it_ends_by_their_width),
        cmocka_unit_test(a_limit_on_pieces_is_respected),
        cmocka_unit_test(the_order_of_samples_does_not_matter),
        cmocka_unit_test(an_interrupted_generation_ends_with_the_same_model),
        cmocka_unit_test(samples_are_used_again_by_halves),
        cmocka_unit_test(a_model_can_be_made_at_any_time),
        cmocka_unit_test(points_are_multiples_within_the_domain_and_counted_when_asked),
        cmocka_unit_test(wrong_samples_are_refused),
        cmocka_unit_test(wrong_domains_degrees_and_configurations_are_refused),
        cmocka_unit_test(grids_that_are_too_large_are_refused),
        cmocka_unit_test(out_of_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
