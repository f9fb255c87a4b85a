/*
 * Tests fits by relative least squares: the monomials of Peise (2017), example 3.12, polynomials
 * that are recovered, and closed forms.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "models/fit.h"
#include "models/grid.h"

static void assert_near(double found, double expected, double tolerance) {
    assert_true(found >= expected - tolerance && found <= expected + tolerance);
}

enum { MOST = 512 };

static struct tcplan_model_sample samples[MOST];
static const struct tcplan_model_sample *sample[MOST];
static double coefficients[TCPLAN_MODEL_COEFFICIENTS][TCPLAN_MODEL_STATISTICS];

static void bases_of_dtrsm_have_6_and_12_monomials(void **state) {
    const double t[] = {2, 3};
    const int exact[] = {2, 1}, overfitted[] = {3, 2};
    double out[TCPLAN_MODEL_COEFFICIENTS];
    (void)state;
    assert_int_equal(fit_monomials(out, t, overfitted, 2), 12);
    assert_int_equal(fit_monomials(out, t, exact, 2), 6);
    static const double expected[] = {1, 3, 2,
                                      6, 4, 12}; /* the exponent of the last size varies fastest */
    for (int j = 0; j < 6; j++) assert_near(out[j], expected[j], 0);
    assert_int_equal(tcplan_model_coefficients(exact, 2), 6);
    assert_int_equal(tcplan_model_coefficients(overfitted, 2), 12);
}

static void sizes_are_scaled_to_one(void **state) {
    const struct tcplan_model_domain domain = {
        .count = 3, .low = {24, 8, 40}, .high = {536, 16, 40}};
    const int64_t low[] = {24, 8, 40}, middle[] = {280, 12, 40}, high[] = {536, 16, 40};
    double t[TCPLAN_MODEL_SIZES];
    (void)state;
    fit_scale(t, &domain, low);
    assert_near(t[0], -1, 0);
    assert_near(t[1], -1, 0);
    assert_near(t[2], 0, 0);
    fit_scale(t, &domain, middle);
    assert_near(t[0], 0, 0);
    fit_scale(t, &domain, high);
    assert_near(t[0], 1, 0);
}

/** Makes samples at all points of a grid, with times from a function. */
static size_t sample_grid(const struct grid *grid, double (*time)(const int64_t size[])) {
    for (size_t p = 0; p < grid->total; p++) {
        grid_point(samples[p].size, grid, p);
        for (int s = 0; s < TCPLAN_MODEL_STATISTICS; s++)
            samples[p].ns[s] = (s + 1) * time(samples[p].size);
        sample[p] = &samples[p];
    }
    return grid->total;
}

/** Returns the operations of dtrsm from the left: m^2 n and lower powers. */
static double dtrsm(const int64_t size[]) {
    const double m = (double)size[0], n = (double)size[1];
    return 300 + 2 * m + 0.7 * n + 0.03 * m * m + 0.2 * m * n + 0.05 * m * m * n;
}

static double dgemm(const int64_t size[]) {
    const double m = (double)size[0], n = (double)size[1], k = (double)size[2];
    return 90 + m + 2 * n + 3 * k + 0.1 * m * n + 0.2 * m * k + 0.3 * n * k + 0.04 * m * n * k;
}

static void expect_found_again(const struct tcplan_model_domain *domain, const int degree[],
                               double (*time)(const int64_t size[])) {
    const struct tcplan_model_config config = tcplan_model_config_default(domain->count, 1);
    struct tcplan_model_piece piece = {.domain = *domain, .coefficient = coefficients};
    struct random random = {7};
    struct grid grid;
    grid_make(&grid, domain, degree, &config);
    for (int i = 0; i < domain->count; i++) piece.degree[i] = grid.degree[i];
    assert_int_equal(fit_piece(&piece, sample, NULL, sample_grid(&grid, time), NULL), TCPLAN_OK);
    for (int r = 0; r < 1000; r++) {
        int64_t size[TCPLAN_MODEL_SIZES] = {0};
        for (int i = 0; i < domain->count; i++)
            size[i] = domain->low[i] + random_below(&random, domain->high[i] - domain->low[i] + 1);
        for (int s = 0; s < TCPLAN_MODEL_STATISTICS; s++) {
            const double expected = (s + 1) * time(size);
            assert_near(fit_value(&piece, (enum tcplan_model_statistic)s, size) / expected, 1,
                        1e-7);
        }
    }
}

static void polynomials_are_found_again(void **state) {
    const struct tcplan_model_domain wide = {.count = 2, .low = {24, 24}, .high = {536, 4152}};
    const struct tcplan_model_domain narrow = {.count = 2, .low = {24, 4000}, .high = {56, 4152}};
    const struct tcplan_model_domain cube = {
        .count = 3, .low = {8, 8, 8}, .high = {4000, 4000, 4000}};
    const int degree[] = {2, 1}, degree_3[] = {1, 1, 1};
    (void)state;
    expect_found_again(&wide, degree, dtrsm);
    expect_found_again(&narrow, degree, dtrsm);
    expect_found_again(&cube, degree_3, dgemm);
}

static void a_constant_is_the_closed_form(void **state) {
    /* The constant c that minimises sum ((y - c) / y)^2 is sum 1/y / sum 1/y^2. */
    static const double times[] = {100, 200, 50, 400, 1000};
    enum { COUNT = 5 };
    struct tcplan_model_piece piece = {.domain = {.count = 1, .low = {8}, .high = {40}},
                                       .coefficient = coefficients};
    double one = 0, two = 0;
    (void)state;
    for (int i = 0; i < COUNT; i++) {
        samples[i] = (struct tcplan_model_sample){
            .size = {8 + 8 * i}, .ns = {times[i], times[i], times[i], times[i], 0.1 * times[i]}};
        sample[i] = &samples[i];
        one += 1 / times[i];
        two += 1 / (times[i] * times[i]);
    }
    assert_int_equal(fit_piece(&piece, sample, NULL, COUNT, NULL), TCPLAN_OK);
    assert_near(coefficients[0][TCPLAN_MODEL_MINIMUM], one / two, 1e-9);
    assert_near(coefficients[0][TCPLAN_MODEL_DEVIATION], 0.1 * one / two,
                1e-9); /* errors are relative to the mean */
}

static void a_line_is_the_closed_form(void **state) {
    /* Normal equations of p = a + b t with weights 1 / y^2, solved by Cramer's rule. */
    static const double times[] = {100, 130, 180, 260, 500};
    enum { COUNT = 5 };
    struct tcplan_model_piece piece = {.domain = {.count = 1, .low = {8}, .high = {40}},
                                       .degree = {1},
                                       .coefficient = coefficients};
    double s0 = 0, s1 = 0, s2 = 0, r0 = 0, r1 = 0;
    (void)state;
    for (int i = 0; i < COUNT; i++) {
        const double y = times[i], t = -1 + 0.5 * i, weight = 1 / (y * y);
        samples[i] = (struct tcplan_model_sample){.size = {8 + 8 * i}, .ns = {y, y, y, y, 1}};
        sample[i] = &samples[i];
        s0 += weight;
        s1 += weight * t;
        s2 += weight * t * t;
        r0 += weight * y;
        r1 += weight * y * t;
    }
    assert_int_equal(fit_piece(&piece, sample, NULL, COUNT, NULL), TCPLAN_OK);
    const double determinant = s0 * s2 - s1 * s1;
    assert_near(coefficients[0][TCPLAN_MODEL_MEDIAN], (r0 * s2 - r1 * s1) / determinant, 1e-9);
    assert_near(coefficients[1][TCPLAN_MODEL_MEDIAN], (s0 * r1 - s1 * r0) / determinant, 1e-9);
}

/** One of five points is wrong by 50 %. With weight 0.01, its effect is a ten thousandth. */
static void points_with_little_weight_hardly_count(void **state) {
    static const double weight[] = {1, 1, 1, 0.01, 1};
    enum { COUNT = 5 };
    struct tcplan_model_piece piece = {.domain = {.count = 1, .low = {8}, .high = {40}},
                                       .degree = {1},
                                       .coefficient = coefficients};
    (void)state;
    for (int i = 0; i < COUNT; i++) {
        const double y = (100 + 10 * i) * (i == 3 ? 1.5 : 1);
        samples[i] = (struct tcplan_model_sample){.size = {8 + 8 * i}, .ns = {y, y, y, y, 1}};
        sample[i] = &samples[i];
    }
    assert_int_equal(fit_piece(&piece, sample, weight, COUNT, NULL), TCPLAN_OK);
    assert_near(coefficients[0][TCPLAN_MODEL_MINIMUM], 120, 0.01);
    assert_near(coefficients[1][TCPLAN_MODEL_MINIMUM], 20, 0.01);
    assert_int_equal(fit_piece(&piece, sample, NULL, COUNT, NULL), TCPLAN_OK);
    assert_true(coefficients[0][TCPLAN_MODEL_MINIMUM] > 122);
}

static void deviations_of_zero_are_fitted(void **state) {
    struct tcplan_model_piece piece = {.domain = {.count = 1, .low = {8}, .high = {32}},
                                       .degree = {1},
                                       .coefficient = coefficients};
    (void)state;
    for (int i = 0; i < 4; i++) {
        samples[i] = (struct tcplan_model_sample){.size = {8 + 8 * i}, .ns = {5, 5, 5, 5, 0}};
        sample[i] = &samples[i];
    }
    assert_int_equal(fit_piece(&piece, sample, NULL, 4, NULL), TCPLAN_OK);
    assert_near(coefficients[0][TCPLAN_MODEL_DEVIATION], 0, 1e-12);
    assert_near(coefficients[1][TCPLAN_MODEL_DEVIATION], 0, 1e-12);
    assert_near(coefficients[0][TCPLAN_MODEL_MEAN], 5, 1e-12);
}

static void measures_are_mean_percentile_and_maximum(void **state) {
    double error[20];
    (void)state;
    for (int i = 0; i < 20; i++) error[i] = 0.01 * (20 - i);
    assert_near(fit_measure(TCPLAN_MODEL_OF_MEAN, error, 20), 0.105, 1e-12);
    assert_near(fit_measure(TCPLAN_MODEL_OF_MOST, error, 20), 0.18,
                1e-12); /* number ceil(0.9 20) = 18 of 20 */
    assert_near(fit_measure(TCPLAN_MODEL_OF_MAXIMUM, error, 20), 0.2, 1e-12);
    assert_near(fit_measure(TCPLAN_MODEL_OF_MOST, error, 1), 0.01, 1e-12);
    assert_near(fit_measure(TCPLAN_MODEL_OF_MOST, error, 11), 0.1, 1e-12); /* ceil(9.9) = 10 */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bases_of_dtrsm_have_6_and_12_monomials),
        cmocka_unit_test(sizes_are_scaled_to_one),
        cmocka_unit_test(polynomials_are_found_again),
        cmocka_unit_test(a_constant_is_the_closed_form),
        cmocka_unit_test(a_line_is_the_closed_form),
        cmocka_unit_test(points_with_little_weight_hardly_count),
        cmocka_unit_test(deviations_of_zero_are_fitted),
        cmocka_unit_test(measures_are_mean_percentile_and_maximum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
