/*
 * Compares the points of grids, and the halving of domains, with the formulas and figures of Peise
 * (2017), 3.2.2, 3.2.5 and example 3.13.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "models/grid.h"

static void assert_near(double found, double expected, double tolerance) {
    assert_true(found >= expected - tolerance && found <= expected + tolerance);
}

static struct tcplan_model_config config_of(int overfitting, int oversampling,
                                            enum tcplan_model_grid grid) {
    struct tcplan_model_config config = tcplan_model_config_default(2, 1);
    config.overfitting = overfitting;
    config.oversampling = oversampling;
    config.grid = grid;
    return config;
}

static void nodes_are_those_of_the_formulas(void **state) {
    (void)state;
    for (int n = 2; n <= GRID_POINTS; n++) {
        for (int j = 0; j < n; j++) {
            assert_near(grid_node(TCPLAN_MODEL_CARTESIAN, j, n), (double)j / (n - 1), 1e-15);
            /* x = cos(j / (n - 1) pi) on [-1,1], mapped by (x + 1) / 2; the source numbers the
             * points in descending order */
            assert_near(grid_node(TCPLAN_MODEL_CHEBYSHEV, n - 1 - j, n),
                        0.5 * (cos(j * acos(-1) / (n - 1)) + 1), 1e-15);
        }
    }
    assert_near(grid_node(TCPLAN_MODEL_CHEBYSHEV, 0, 1), 0.5, 0);
}

static void points_are_rounded_to_multiples_between_the_ends(void **state) {
    /* [24,536] with 6 points: 24 + 512 (1 - cos(j pi / 5)) / 2 = 24, 72.9, 200.9, 359.1, 487.1, 536
     */
    static const int64_t expected[] = {24, 72, 200, 360, 488, 536};
    int64_t line[GRID_POINTS];
    (void)state;
    assert_int_equal(grid_line(line, TCPLAN_MODEL_CHEBYSHEV, 6, 24, 536, 8), 6);
    for (int i = 0; i < 6; i++) assert_int_equal(line[i], expected[i]);
}

static void halving_reuses_all_cartesian_points_and_the_ends_of_chebyshev_ones(void **state) {
    /* Example 3.11 of Peise (2017): from a grid of 4 points, halving needs 3 new points, or 5. */
    static const int fresh[TCPLAN_MODEL_GRIDS] = {3, 5};
    (void)state;
    for (int g = 0; g < TCPLAN_MODEL_GRIDS; g++) {
        int64_t whole[GRID_POINTS], half[GRID_POINTS];
        int missing = -1; /* each half has the middle point */
        assert_int_equal(grid_line(whole, (enum tcplan_model_grid)g, 4, 0, 6 << 20, 8), 4);
        for (int h = 0; h < 2; h++) {
            assert_int_equal(grid_line(half, (enum tcplan_model_grid)g, 4, h * (3 << 20),
                                       (h + 1) * (3 << 20), 8),
                             4);
            for (int i = 0; i < 4; i++) {
                int j = 0;
                while (j < 4 && whole[j] != half[i]) j++;
                missing += j == 4;
            }
        }
        assert_int_equal(missing, fresh[g]);
    }
}

static void dtrsm_has_six_and_five_points(void **state) {
    /* Example 3.13 of Peise (2017): degrees 2 and 1, one more point for overfitting, 3 for
     * oversampling. */
    const struct tcplan_model_domain domain = {.count = 2, .low = {24, 24}, .high = {536, 4152}};
    const int degree[] = {2, 1};
    (void)state;
    for (int overfitting = 0; overfitting < 3; overfitting++) {
        const struct tcplan_model_config config =
            config_of(overfitting, 3 - overfitting, TCPLAN_MODEL_CHEBYSHEV);
        struct grid grid;
        grid_make(&grid, &domain, degree, &config);
        assert_int_equal(grid.points[0], 6);
        assert_int_equal(grid.points[1], 5);
        assert_int_equal(grid.total, 30);
    }
}

static void default_grids_are_those_of_the_specification(void **state) {
    const struct tcplan_model_domain two = {.count = 2, .low = {24, 24}, .high = {536, 4152}};
    const struct tcplan_model_domain three = {
        .count = 3, .low = {24, 24, 24}, .high = {4152, 4152, 4152}};
    const int dtrsm[] = {2, 1}, dgemm[] = {1, 1, 1};
    const struct tcplan_model_config config = tcplan_model_config_default(2, 1),
                                     config_3 = tcplan_model_config_default(3, 1);
    struct grid grid;
    (void)state;
    grid_make(&grid, &two, dtrsm, &config);
    assert_int_equal(grid.total, 72);
    assert_int_equal(tcplan_model_coefficients(grid.degree, 2), 20);
    grid_make(&grid, &three, dgemm, &config_3);
    assert_int_equal(grid.total, 216);
    assert_int_equal(tcplan_model_coefficients(grid.degree, 3), 8);
}

static void narrow_boxes_have_fewer_points_and_lower_degrees(void **state) {
    const struct tcplan_model_config config = config_of(2, 4, TCPLAN_MODEL_CHEBYSHEV);
    const int degree[] = {2, 1};
    struct tcplan_model_domain domain = {.count = 2, .low = {24, 8}, .high = {56, 8}};
    struct grid grid;
    (void)state;
    grid_make(&grid, &domain, degree, &config); /* a width of 32 contains only 5 multiples of 8 */
    assert_int_equal(grid.points[0], 5);
    assert_int_equal(grid.degree[0], 3);
    assert_int_equal(grid.points[1], 1);
    assert_int_equal(grid.degree[1], 0);
    domain.high[1] = 16;
    grid_make(&grid, &domain, degree, &config);
    assert_int_equal(grid.points[1], 2);
    assert_int_equal(grid.degree[1], 1);
    assert_int_equal(grid.total, 10);
}

/** A size that has a single value, such as the first row of laswp, which is 1. */
static void a_single_size_is_itself(void **state) {
    const struct tcplan_model_config config = config_of(2, 4, TCPLAN_MODEL_CHEBYSHEV);
    const struct tcplan_model_domain domain = {.count = 3, .low = {24, 1, 8}, .high = {536, 1, 80}};
    const int degree[] = {1, 1, 1};
    struct grid grid;
    int size = -1;
    int64_t at = 0, point[TCPLAN_MODEL_SIZES];
    (void)state;
    grid_make(&grid, &domain, degree, &config);
    assert_int_equal(grid.points[1], 1);
    assert_int_equal(grid.degree[1], 0);
    grid_point(point, &grid, grid.total - 1);
    assert_true(point[0] == 536 && point[1] == 1 && point[2] == 80);
    assert_true(grid_halve(&size, &at, &domain, 8));
    assert_int_equal(size, 0);
}

static void points_are_within_multiples_ascending_and_once(void **state) {
    (void)state;
    for (int g = 0; g < TCPLAN_MODEL_GRIDS; g++) {
        for (int64_t low = 8; low <= 64; low += 8) {
            for (int64_t high = low; high <= 400; high += 8) {
                int64_t line[GRID_POINTS];
                const int count = grid_line(line, (enum tcplan_model_grid)g, 9, low, high, 8);
                assert_int_equal(line[0], low);
                assert_int_equal(line[count - 1], high);
                for (int i = 0; i < count; i++) {
                    assert_int_equal(line[i] % 8, 0);
                    if (i > 0) assert_true(line[i] > line[i - 1]);
                }
            }
        }
    }
}

static void combinations_are_all_there_once(void **state) {
    const struct tcplan_model_domain domain = {.count = 3, .low = {8, 8, 8}, .high = {80, 8, 24}};
    const struct tcplan_model_config config = tcplan_model_config_default(3, 1);
    const int degree[] = {1, 1, 1};
    struct grid grid;
    int64_t before[TCPLAN_MODEL_SIZES] = {0};
    (void)state;
    grid_make(&grid, &domain, degree, &config);
    assert_int_equal(grid.total, 6 * 1 * 3);
    for (size_t p = 0; p < grid.total; p++) {
        int64_t point[TCPLAN_MODEL_SIZES];
        grid_point(point, &grid, p);
        assert_int_equal(point[3], 0);
        assert_true(point[0] > before[0] || (point[0] == before[0] && point[2] > before[2]));
        assert_true(tcplan_model_domain_contains(&domain, point));
        for (int i = 0; i < TCPLAN_MODEL_SIZES; i++) before[i] = point[i];
    }
}

static void dtrsm_is_halved_at_2088_and_1056(void **state) {
    struct tcplan_model_domain domain = {.count = 2, .low = {24, 24}, .high = {536, 4152}};
    int size = -1;
    int64_t at = 0;
    (void)state;
    assert_true(grid_halve(&size, &at, &domain, 8));
    assert_int_equal(size, 1);
    assert_int_equal(at, 2088);
    domain.high[1] = at;
    assert_true(grid_halve(&size, &at, &domain, 8));
    assert_int_equal(size, 1);
    assert_int_equal(at, 1056);
    domain.low[1] = 1056;
    assert_true(grid_halve(&size, &at, &domain, 8)); /* 536/24 > 2088/1056 */
    assert_int_equal(size, 0);
    assert_int_equal(at, 280);
}

static void boxes_without_a_multiple_inside_are_not_halved(void **state) {
    struct tcplan_model_domain domain = {.count = 2, .low = {8, 1000}, .high = {16, 1016}};
    int size = -1;
    int64_t at = 0;
    (void)state;
    assert_true(grid_halve(&size, &at, &domain, 8)); /* the first size has the larger ratio, but
                                                        cannot be halved at a multiple of 8 */
    assert_int_equal(size, 1);
    assert_int_equal(at, 1008);
    domain.high[1] = 1008;
    assert_false(grid_halve(&size, &at, &domain, 8));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_are_those_of_the_formulas),
        cmocka_unit_test(points_are_rounded_to_multiples_between_the_ends),
        cmocka_unit_test(halving_reuses_all_cartesian_points_and_the_ends_of_chebyshev_ones),
        cmocka_unit_test(dtrsm_has_six_and_five_points),
        cmocka_unit_test(default_grids_are_those_of_the_specification),
        cmocka_unit_test(narrow_boxes_have_fewer_points_and_lower_degrees),
        cmocka_unit_test(a_single_size_is_itself),
        cmocka_unit_test(points_are_within_multiples_ascending_and_once),
        cmocka_unit_test(combinations_are_all_there_once),
        cmocka_unit_test(dtrsm_is_halved_at_2088_and_1056),
        cmocka_unit_test(boxes_without_a_multiple_inside_are_not_halved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
