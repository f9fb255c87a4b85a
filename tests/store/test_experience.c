/*
 * Tests how observations are combined: replacement, forgetting, display, and reading from a store.
 * tests/store/test_log.c tests the log itself.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "store/experience.h"
#include "store/kinds.h"
#include "support/root_folder.h"
#include "tcplan/listing.h"
#include "tcplan/store.h"

enum { NOW = 1700000000, DAY = 86400 };

static char folder[sizeof root + 16]; /* folder of the running test */

static int take_folder(void **state) {
    (void)state;
    run("rm -rf %s/s");
    snprintf(folder, sizeof folder, "%s/s", root);
    return 0;
}

static struct tcplan_store the_store(void) {
    struct tcplan_store store = {.folder = folder, .now = NOW};
    for (int p = 0; p < TCPLAN_FINGERPRINT_PARTS; p++)
        snprintf(store.fingerprint.part[p], TCPLAN_MACHINE_TEXT, "part %d", p);
    return store;
}

/** Returns evaluation number `n` of a problem; evaluations differ in their extent m. */
static struct evaluation make_evaluation(int64_t problem, int n) {
    return (struct evaluation){
        .problem = problem,
        .dtype = TCPLAN_DOUBLE,
        .kernel = TCPLAN_GEMM,
        .provider = TCPLAN_PROVIDER_LIBXSMM,
        .threads = 2,
        .parallel = true,
        .tiled = n % 2 == 1,
        .inner = 5,
        .outer = 3,
        .copy = {EVALUATION_COPIED, 0, EVALUATION_COPIED | EVALUATION_INSIDE | EVALUATION_STREAMED},
        .m = n + 1,
        .n = 8,
        .k = 1e9,
        .call_ns = 1234,
        .ratio = 1.25 + n,
        .censored = n % 3 == 0};
}

static void add(struct tcplan_experience *experience, int64_t problem, int first, int count) {
    struct evaluation evaluation[100];
    assert_in_range(count, 1, 100);
    for (int i = 0; i < count; i++) evaluation[i] = make_evaluation(problem, first + i);
    assert_int_equal(experience_add(experience, &store_kind_evaluations, evaluation, (size_t)count),
                     TCPLAN_OK);
}

static struct tcplan_experience *new_experience(void) {
    struct tcplan_experience *experience = tcplan_experience_new();
    assert_non_null(experience);
    return experience;
}

/** Reads the store. The status must be `expected`, and the message must contain a text. */
static struct tcplan_experience *find(const struct tcplan_store *store, enum tcplan_status expected,
                                      const char *part) {
    struct tcplan_experience *out;
    struct tcplan_error error = {0};
    assert_int_equal(tcplan_store_experience(&out, store, &error), expected);
    if (!strstr(error.message, part)) fail_msg("'%s' in '%s'", part, error.message);
    assert_non_null(out);
    return out;
}

static void keep(const struct tcplan_store *store, struct tcplan_experience *experience) {
    struct tcplan_error error = {0};
    if (tcplan_store_keep_experience(store, experience, &error) != TCPLAN_OK)
        fail_msg("%s", error.message);
}

/** In memory. */

static void a_repeated_evaluation_replaces_the_earlier_one(void **state) {
    (void)state;
    struct tcplan_experience *experience = new_experience();
    add(experience, 1, 0, 3);
    add(experience, 2, 0, 1);
    struct evaluation again = make_evaluation(1, 1);
    again.ratio = 7;
    again.made = NOW; /* another date, so of another ranking */
    assert_int_equal(experience_add(experience, &store_kind_evaluations, &again, 1), TCPLAN_OK);
    assert_int_equal(tcplan_experience_count(experience), 4);
    assert_int_equal(experience->evaluation[0].problem,
                     2); /* problems are sorted by date, newest last */
    assert_true(experience->evaluation[3].problem == 1 && experience->evaluation[3].ratio == 7);
    for (size_t i = 1; i < 3; i++) assert_true(experience->evaluation[i].m != again.m);
    tcplan_experience_free(experience);
}

static void evaluations_of_a_problem_are_bounded(void **state) {
    (void)state;
    struct tcplan_experience *experience = new_experience();
    add(experience, 1, 0, EXPERIENCE_EVALUATIONS_OF_A_PROBLEM - 1);
    add(experience, 1, 200, 5);
    assert_int_equal(tcplan_experience_count(experience), EXPERIENCE_EVALUATIONS_OF_A_PROBLEM);
    assert_true(experience->evaluation[0].m == 5); /* the four oldest evaluations were dropped */
    add(experience, 1, 500, EXPERIENCE_EVALUATIONS_OF_A_PROBLEM + 10);
    assert_int_equal(tcplan_experience_count(experience), EXPERIENCE_EVALUATIONS_OF_A_PROBLEM);
    assert_true(experience->evaluation[0].m == 511);
    tcplan_experience_free(experience);
}

static void the_oldest_problems_are_forgotten(void **state) {
    (void)state;
    struct tcplan_experience *experience = new_experience();
    for (int p = 0; p < 60; p++) add(experience, p, 0, EXPERIENCE_EVALUATIONS_OF_A_PROBLEM);
    assert_in_range(tcplan_experience_count(experience), EXPERIENCE_EVALUATIONS * 9 / 10,
                    EXPERIENCE_EVALUATIONS);
    for (size_t i = 1; i < experience->count; i++)
        assert_in_range(experience->evaluation[i].problem, experience->evaluation[i - 1].problem,
                        59);
    assert_true(experience->evaluation[0].problem > 0);
    tcplan_experience_free(experience);
}

/** Evaluations of different algorithms may be equal; both stay. */
static void alike_evaluations_of_one_ranking_stay(void **state) {
    (void)state;
    struct tcplan_experience *experience = new_experience();
    struct evaluation alike[3] = {make_evaluation(1, 0), make_evaluation(1, 0),
                                  make_evaluation(1, 0)};
    for (int i = 0; i < 3; i++) alike[i].ratio = 1 + i;
    assert_int_equal(experience_add(experience, &store_kind_evaluations, alike, 3), TCPLAN_OK);
    assert_int_equal(tcplan_experience_count(experience), 3);
    alike[0].made = NOW;
    assert_int_equal(experience_add(experience, &store_kind_evaluations, alike, 1), TCPLAN_OK);
    assert_int_equal(tcplan_experience_count(experience), 1);
    tcplan_experience_free(experience);
}

/** Adding evaluations of two problems alternately sorts them by problem. */
static void evaluations_of_one_problem_stay_adjacent(void **state) {
    (void)state;
    struct tcplan_experience *experience = new_experience();
    for (int turn = 0; turn < 5; turn++) {
        add(experience, 1, 2 * turn, 2);
        add(experience, 2, 2 * turn, 2);
    }
    assert_int_equal(tcplan_experience_count(experience), 20);
    for (size_t i = 0; i < 20; i++)
        assert_int_equal(experience->evaluation[i].problem, i < 10 ? 1 : 2);
    tcplan_experience_free(experience);
}

/** In a store. */

static void stored_values_are_found_unchanged(void **state) {
    (void)state;
    const struct tcplan_store store = the_store();
    struct tcplan_experience *nothing = find(&store, TCPLAN_OK, "");
    assert_int_equal(tcplan_experience_count(nothing), 0);
    add(nothing, 77, 0, 9);
    keep(&store, nothing);
    struct tcplan_experience *found = find(&store, TCPLAN_OK, "");
    assert_int_equal(tcplan_experience_count(found), 9);
    for (int i = 0; i < 9; i++) {
        const struct evaluation expected = make_evaluation(77, i),
                                *evaluation = &found->evaluation[i];
        assert_true(evaluation_is_alike(evaluation, &expected) && evaluation->problem == 77);
        assert_true(evaluation->call_ns == expected.call_ns &&
                    evaluation->ratio == expected.ratio &&
                    evaluation->censored == expected.censored);
    }
    tcplan_experience_free(nothing);
    tcplan_experience_free(found);
}

static void observations_of_two_processes_are_both_stored(void **state) {
    (void)state;
    const struct tcplan_store store = the_store();
    struct tcplan_experience *one = find(&store, TCPLAN_OK, ""),
                             *other = find(&store, TCPLAN_OK, "");
    add(one, 1, 0, 4);
    add(other, 2, 0, 3);
    keep(&store, one);
    keep(&store, other);
    add(one, 3, 0, 2);
    keep(&store, one);
    struct tcplan_experience *found = find(&store, TCPLAN_OK, "");
    assert_int_equal(tcplan_experience_count(found), 4 + 3 + 2);
    tcplan_experience_free(one);
    tcplan_experience_free(other);
    tcplan_experience_free(found);
}

/* Winners. */

static void add_winner(struct tcplan_experience *experience, int64_t of, double seconds,
                       double difference) {
    const struct winner winner = {.of = of,
                                  .made = NOW,
                                  .seconds = seconds,
                                  .error = 0.01,
                                  .count = difference > 0,
                                  .squares = difference * difference};
    experience_add(experience, &store_kind_winners, &winner, 1);
}

static void times_of_winners_are_stored(void **state) {
    (void)state;
    const struct tcplan_store store = the_store();
    struct tcplan_experience *one = new_experience(), *other = new_experience();
    struct tcplan_store_list list;
    char *text;
    add_winner(one, 7, 1e-3, 0);
    add_winner(one, 8, 2e-3, 0.3);
    keep(&store, one);
    keep(&store, one); /* once is enough */
    add_winner(other, 7, 3e-3, 0.1);
    add_winner(other, 8, 2e-3, 0.2);
    keep(&store, other);
    struct tcplan_experience *found = find(&store, TCPLAN_OK, "");
    assert_int_equal(found->winner_count, 2);
    const struct winner *winner = experience_winner(found, 7);
    assert_true(winner->seconds == 3e-3 && winner->error == 0.01 && winner->count == 1);
    assert_true(fabs(experience_winner(found, 8)->squares - 0.13) < 1e-12 &&
                experience_winner(found, 8)->count == 2);
    assert_null(experience_winner(found, 9));
    assert_int_equal(tcplan_store_list(&list, &store, NULL), TCPLAN_OK);
    assert_int_equal(list.count, 1);
    assert_int_equal(tcplan_store_show(&text, &store, list.item[0].name, NULL), TCPLAN_OK);
    assert_non_null(strstr(text, "times of 2 winners to compare later ones with; 3 later times, "
                                 "standard deviation of the differences 21.6 %"));
    free(text);
    tcplan_store_list_free(&list);
    tcplan_experience_free(one);
    tcplan_experience_free(other);
    tcplan_experience_free(found);
}

/** Differences of a winner's times are summed, within one call and across calls that store them, up
 * to a maximum count. */
static void differences_of_a_winner_are_added_up(void **state) {
    (void)state;
    const struct tcplan_store store = the_store();
    struct tcplan_experience *experience = new_experience();
    for (int i = 0; i < 30; i++) add_winner(experience, 1, 1e-3, 0.1);
    keep(&store, experience);
    for (int i = 0; i < 15; i++) add_winner(experience, 1, 1e-3, 0.1);
    const struct winner *known = experience_winner(experience, 1);
    assert_true(known->count == 45 && fabs(known->squares - 0.45) < 1e-9);
    keep(&store, experience);
    for (int i = 0; i < 100; i++) add_winner(experience, 1, 1e-3, 0.2);
    known = experience_winner(experience, 1);
    assert_true(known->count == EXPERIENCE_DIFFERENCES && known->squares > 0.03 * known->count);
    keep(&store, experience);
    struct tcplan_experience *found = find(&store, TCPLAN_OK, "");
    assert_true(experience_winner(found, 1)->count == EXPERIENCE_DIFFERENCES);
    tcplan_experience_free(found);
    tcplan_experience_free(experience);
}

static void the_oldest_times_are_forgotten(void **state) {
    (void)state;
    const struct tcplan_store store = the_store();
    struct tcplan_experience *experience = new_experience();
    for (int i = 0; i < EXPERIENCE_WINNERS + 3; i++) add_winner(experience, i, 1e-3, 0);
    add_winner(experience, 3, 2e-3, 0);
    add_winner(experience, 1000, 1e-3, 0);
    keep(&store, experience);
    struct tcplan_experience *found = find(&store, TCPLAN_OK, "");
    assert_int_equal(found->winner_count, EXPERIENCE_WINNERS);
    assert_true(!experience_winner(found, 2) && experience_winner(found, 3)->seconds == 2e-3 &&
                !experience_winner(found, 4));
    tcplan_experience_free(found);
    tcplan_experience_free(experience);
}

/* Errors of evaluations. */

static void add_error(struct tcplan_experience *experience, int basis, double count,
                      double deviation) {
    const struct evaluation_error error = {
        .made = NOW, .basis = basis, .count = count, .squares = count * deviation * deviation};
    experience_add(experience, &store_kind_errors, &error, 1);
}

static void errors_of_evaluations_are_added_up_by_basis(void **state) {
    (void)state;
    const struct tcplan_store store = the_store();
    struct tcplan_experience *one = new_experience(), *other = new_experience();
    struct tcplan_store_list list;
    char *text;
    add_error(one, TCPLAN_BASIS_PROBE, 4, 0.1);
    add_error(one, TCPLAN_BASIS_RUNS, 1.5, 0.02);
    keep(&store, one);
    for (int i = 0; i < 100; i++) add_error(other, TCPLAN_BASIS_PROBE, 4, 0.2);
    add_error(other, TCPLAN_BASIS_PROBE, 0, 0.2); /* an impossible value */
    keep(&store, other);
    struct tcplan_experience *found = find(&store, TCPLAN_OK, "");
    assert_int_equal(found->error_count, 2);
    assert_int_equal(found->error[0].basis, TCPLAN_BASIS_PROBE);
    assert_true(found->error[0].count == EXPERIENCE_ERRORS);
    assert_true(found->error[1].count == 1.5);
    assert_true(fabs(found->error[1].squares - 1.5 * 0.0004) < 1e-9);
    assert_int_equal(tcplan_store_list(&list, &store, NULL), TCPLAN_OK);
    assert_int_equal(tcplan_store_show(&text, &store, list.item[0].name, NULL), TCPLAN_OK);
    assert_non_null(strstr(text, "200 evaluations, standard deviation of their errors 19.9 %"));
    free(text);
    tcplan_store_list_free(&list);
    tcplan_experience_free(one);
    tcplan_experience_free(other);
    tcplan_experience_free(found);
}

static void impossible_winners_are_left_out(void **state) {
    (void)state;
    struct tcplan_experience *experience = new_experience();
    add_winner(experience, 1, 0, 0);
    add_winner(experience, 1, 1, 11);
    experience_add(experience, &store_kind_winners, &(struct winner){.seconds = 1, .count = 51}, 1);
    experience_add(experience, &store_kind_winners, &(struct winner){.seconds = 1, .error = -1}, 1);
    assert_int_equal(experience->winner_count, 0);
    tcplan_experience_free(experience);
}

static void the_listing_shows_the_errors_of_estimates(void **state) {
    (void)state;
    const struct tcplan_store store = the_store();
    struct tcplan_experience *experience = new_experience();
    struct tcplan_store_list list;
    char *text;
    add(experience, 1, 0, 2);
    add(experience, 2, 0, 1);
    keep(&store, experience);
    assert_int_equal(tcplan_store_list(&list, &store, NULL), TCPLAN_OK);
    assert_int_equal(list.count, 1);
    assert_string_equal(list.item[0].kind, "evaluations");
    assert_int_equal(tcplan_store_show(&text, &store, list.item[0].name, NULL), TCPLAN_OK);
    assert_non_null(strstr(text, "3 evaluations of algorithms of 2 problems"));
    assert_non_null(
        strstr(text, "gemm   of libxsmm      3 evaluations    1.52 times the estimate"));
    free(text);
    tcplan_store_list_free(&list);
    tcplan_experience_free(experience);
}

static void out_of_memory_is_reported_and_loses_nothing(void **state) {
    (void)state;
    const struct tcplan_store store = the_store();
    struct tcplan_experience *experience = new_experience();
    add(experience, 1, 0, 4);
    keep(&store, experience);
    for (long n = 0; n < 100; n++) {
        struct tcplan_experience *found = NULL;
        add(experience, 2, 0, 2); /* stored again in the next call */
        base_alloc_fail_after(n);
        const enum tcplan_status stored = tcplan_store_keep_experience(&store, experience, NULL);
        base_alloc_fail_after(-1);
        base_alloc_fail_after(n);
        const enum tcplan_status read = tcplan_store_experience(&found, &store, NULL);
        base_alloc_fail_after(-1);
        assert_true(stored == TCPLAN_OK || stored == TCPLAN_NO_MEMORY);
        assert_true(read == TCPLAN_OK ? tcplan_experience_count(found) >= 4
                                      : read == TCPLAN_NO_MEMORY && !found);
        tcplan_experience_free(found);
    }
    tcplan_experience_free(experience);
}

/* Kernels. */

static struct kernel_time kernel_of(int m, double ns) {
    struct kernel_time kernel = {.key = {.call = {TCPLAN_GEMM, m, 8, 9, 10, 11, 12, 1, 3, 1, 2,
                                                  TCPLAN_DOUBLE, 1, TCPLAN_PROVIDER_LIBXSMM},
                                         .products = 4,
                                         .length = 0,
                                         .strides = {{1, -5}, {0, 7}, {INT64_MAX, INT64_MIN}}},
                                 .ns = ns,
                                 .timed = 3};
    return kernel;
}

static void add_kernel(struct tcplan_experience *experience, int m, double ns) {
    const struct kernel_time kernel = kernel_of(m, ns);
    assert_int_equal(experience_add(experience, &store_kind_kernels, &kernel, 1), TCPLAN_OK);
}

static void the_smaller_time_of_a_kernel_stays(void **state) {
    (void)state;
    struct tcplan_experience *experience = new_experience();
    add_kernel(experience, 1, 50);
    add_kernel(experience, 2, 60);
    add_kernel(experience, 1, 70);
    assert_int_equal(experience->kernel_count, 2);
    assert_true(experience->kernel[0].ns == 60 &&
                experience->kernel[1].ns == 50); /* times are sorted by date, newest last */
    add_kernel(experience, 2, 40);
    assert_true(experience->kernel[1].ns == 40);
    tcplan_experience_free(experience);
}

static void the_kernels_that_were_added_first_are_forgotten(void **state) {
    (void)state;
    struct tcplan_experience *experience = new_experience();
    for (int m = 0; m < EXPERIENCE_KERNELS; m++) add_kernel(experience, m, 1 + m);
    add_kernel(experience, 0, 5); /* a known time is not added again, but its date is renewed */
    add_kernel(experience, EXPERIENCE_KERNELS, 7);
    assert_in_range(experience->kernel_count, EXPERIENCE_KERNELS * 9 / 10, EXPERIENCE_KERNELS);
    assert_true(experience->kernel[0].key.call[KERNEL_KEY_EXTENTS] > 1);
    assert_true(experience->kernel[experience->kernel_count - 2].ns == 1);
    tcplan_experience_free(experience);
}

static void kernels_of_several_processes_are_stored(void **state) {
    (void)state;
    const struct tcplan_store store = the_store();
    struct tcplan_experience *one = new_experience(), *two = new_experience();
    add_kernel(one, 1, 0.125);
    add_kernel(one, 2, 1e9);
    add_kernel(two, 2, 1e8);
    add_kernel(two, 3, 7);
    keep(&store, one);
    keep(&store, two);
    keep(&store, two); /* nothing new */
    struct tcplan_experience *read = find(&store, TCPLAN_OK, "");
    assert_int_equal(read->kernel_count, 3);
    const struct kernel_time expected[] = {kernel_of(1, 0.125), kernel_of(2, 1e8), kernel_of(3, 7)};
    for (size_t i = 0; i < 3; i++) {
        assert_memory_equal(&read->kernel[i].key, &expected[i].key, sizeof expected[i].key);
        assert_true(read->kernel[i].ns == expected[i].ns && read->kernel[i].timed == 3);
    }
    tcplan_experience_free(read);
    tcplan_experience_free(one);
    tcplan_experience_free(two);
}

/* Costs. */

static struct tcplan_costs some_costs(void) {
    const struct tcplan_machine machine = {
        .line_bytes = 64,
        .page_bytes = 4096,
        .cache_count = 2,
        .cache = {{.size_bytes = 1 << 15}, {.size_bytes = 1 << 20}}};
    struct tcplan_costs costs = tcplan_costs_assumed(&machine);
    costs.measured = costs.disturbed = true;
    costs.made = NOW;
    costs.seconds = 0.5;
    costs.copy[TCPLAN_FLOAT].run = 1.25e-10;
    return costs;
}

static void keep_costs(const struct tcplan_store *store) {
    const struct tcplan_costs costs = some_costs();
    assert_int_equal(tcplan_store_keep_costs(store, &costs, NULL), TCPLAN_OK);
}

static void costs_are_found_as_they_were(void **state) {
    (void)state;
    const struct tcplan_store store = the_store();
    const struct tcplan_costs expected = some_costs();
    keep_costs(&store);
    struct tcplan_experience *experience = find(&store, TCPLAN_OK, "");
    const struct tcplan_costs *found = tcplan_experience_costs(experience);
    assert_non_null(found);
    assert_memory_equal(found, &expected, sizeof expected);
    tcplan_experience_free(experience);
}

static void damaged_costs_leave_all_else_as_it_is(void **state) {
    (void)state;
    const struct tcplan_store store = the_store();
    struct tcplan_experience *experience = new_experience();
    add(experience, 1, 0, 3);
    keep(&store, experience);
    tcplan_experience_free(experience);
    keep_costs(&store);
    run("sed -i s/pages=1/pages=2/ %s/s/costs-*.tcplan");
    experience = find(&store, TCPLAN_INVALID, "costs-");
    assert_null(tcplan_experience_costs(experience));
    assert_int_equal(tcplan_experience_count(experience), 3);
    tcplan_experience_free(experience);
}

/** Parses the contents of an entry without its checksum, which would detect any change. */
static enum tcplan_status read_costs(const char *content, size_t length) {
    struct tcplan_costs read = {0};
    const enum tcplan_status status = kind_read(&read, &store_kind_costs, content, length, NULL);
    if (status == TCPLAN_OK) assert_true(tcplan_costs_are_sound(&read, NULL));
    return status;
}

static void impossible_costs_are_refused(void **state) {
    (void)state;
    struct tcplan_costs costs;
    double *const number[] = {&costs.written, &costs.pages, &costs.cache[1].held_bytes,
                              &costs.copy[2].scattered};
    for (size_t n = 0; n <= sizeof number / sizeof *number; n++) {
        struct strbuf content = {0};
        costs = some_costs();
        if (n > 0) *number[n - 1] = 1e40;
        kind_write(&content, &store_kind_costs, &costs);
        assert_int_equal(read_costs(content.text, content.length),
                         n == 0 ? TCPLAN_OK : TCPLAN_INVALID);
        strbuf_free(&content);
    }
}

static void a_content_that_was_cut_is_refused_or_can_be(void **state) {
    (void)state;
    struct strbuf content = {0};
    const struct tcplan_costs costs = some_costs();
    kind_write(&content, &store_kind_costs, &costs);
    assert_false(content.failed);
    for (size_t length = 0; length < content.length; length++) {
        const enum tcplan_status status = read_costs(content.text, length);
        assert_true(status == TCPLAN_INVALID || status == TCPLAN_OK);
    }
    strbuf_free(&content);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_repeated_evaluation_replaces_the_earlier_one),
        cmocka_unit_test(evaluations_of_a_problem_are_bounded),
        cmocka_unit_test(the_oldest_problems_are_forgotten),
        cmocka_unit_test(alike_evaluations_of_one_ranking_stay),
        cmocka_unit_test(evaluations_of_one_problem_stay_adjacent),
        cmocka_unit_test_setup(costs_are_found_as_they_were, take_folder),
        cmocka_unit_test_setup(damaged_costs_leave_all_else_as_it_is, take_folder),
        cmocka_unit_test(impossible_costs_are_refused),
        cmocka_unit_test(a_content_that_was_cut_is_refused_or_can_be),
        cmocka_unit_test_setup(stored_values_are_found_unchanged, take_folder),
        cmocka_unit_test_setup(observations_of_two_processes_are_both_stored, take_folder),
        cmocka_unit_test_setup(times_of_winners_are_stored, take_folder),
        cmocka_unit_test_setup(differences_of_a_winner_are_added_up, take_folder),
        cmocka_unit_test_setup(the_oldest_times_are_forgotten, take_folder),
        cmocka_unit_test_setup(errors_of_evaluations_are_added_up_by_basis, take_folder),
        cmocka_unit_test(impossible_winners_are_left_out),
        cmocka_unit_test(the_smaller_time_of_a_kernel_stays),
        cmocka_unit_test(the_kernels_that_were_added_first_are_forgotten),
        cmocka_unit_test_setup(kernels_of_several_processes_are_stored, take_folder),
        cmocka_unit_test_setup(the_listing_shows_the_errors_of_estimates, take_folder),
        cmocka_unit_test_setup(out_of_memory_is_reported_and_loses_nothing, take_folder),
    };
    return cmocka_run_group_tests(tests, make_root, remove_root);
}
