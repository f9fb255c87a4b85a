#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include <cmocka.h>
#include <jansson.h>

#include "cli/render/text/values.h"
#include "tcplan/provider.h"

/** Runs `tcplan ARGUMENTS` and returns its output as JSON. */
static json_t *run(const char *arguments) {
    char command[1024];
    json_error_t error;
    snprintf(command, sizeof command, "'%s' %s --format json", TCPLAN_COMMAND, arguments);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    json_t *root = json_loadf(pipe, JSON_REJECT_DUPLICATES, &error);
    const int status = pclose(pipe);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    if (!root) fail_msg("%s: line %d: %s", arguments, error.line, error.text);
    return root;
}

/** Returns a member of a JSON object; fails if it is missing or has another type. */
static json_t *member(json_t *object, const char *name, json_type type) {
    json_t *value = json_object_get(object, name);
    const int found = value ? (int)json_typeof(value) : -1;
    if (found != (int)type)
        fail_msg("'%s' has type %d (-1: it is not there), not %d", name, found, (int)type);
    return value;
}

static double number(json_t *object, const char *name) {
    json_t *value = json_object_get(object, name);
    if (!json_is_number(value)) fail_msg("no number '%s'", name);
    return json_number_value(value); /* numbers without a fraction are printed without a point */
}

static json_int_t integer(json_t *object, const char *name) {
    return json_integer_value(member(object, name, JSON_INTEGER));
}

static const char *text(json_t *object, const char *name) {
    return json_string_value(member(object, name, JSON_STRING));
}

static void assert_absent(json_t *object, const char *name) {
    if (json_object_get(object, name)) fail_msg("member '%s' should not be there", name);
}

static void assert_one_of(const char *word, const char *const words[]) {
    for (int w = 0; words[w]; w++) {
        if (strcmp(word, words[w]) == 0) return;
    }
    fail_msg("'%s' is none of them", word);
}

/** Returns whether an algorithm was only estimated: it has no samples. It also has no interval if
 * other algorithms were timed. */
static bool is_estimate(json_t *algorithm) {
    return json_object_get(algorithm, "basis") &&
           strncmp(text(algorithm, "basis"), "estimate", 8) == 0;
}

static void check_prediction(json_t *algorithm) {
    const double seconds = number(algorithm, "predicted_seconds");
    assert_true(seconds > 0);
    if (is_estimate(algorithm) && !json_object_get(algorithm, "predicted_low")) {
        assert_absent(algorithm, "predicted_high");
    } else {
        assert_true(number(algorithm, "predicted_low") <= seconds);
        assert_true(number(algorithm, "predicted_high") >= seconds);
    }
    assert_true(number(algorithm, "predicted_gflops") > 0);
    assert_true(json_is_boolean(json_object_get(algorithm, "tied")));
    assert_true(json_is_boolean(json_object_get(algorithm, "compared")));
    assert_one_of(text(algorithm, "basis"),
                  (const char *const[]){"probes", "windows", "long windows", "runs",
                                        "probes, not compared", "windows, not compared",
                                        "long windows, not compared", "runs, not compared",
                                        "estimate", "estimate, not compared", NULL});
}

static void check_samples(json_t *algorithm) {
    const json_t *seconds = member(algorithm, "sample_seconds", JSON_ARRAY);
    assert_true(is_estimate(algorithm) ? integer(algorithm, "samples") == 0
                                       : integer(algorithm, "samples") > 0);
    assert_int_equal(integer(algorithm, "samples"), json_array_size(seconds));
}

static void check_algorithm(json_t *algorithm, json_int_t rank) {
    const char *status = text(algorithm, "status");
    assert_int_equal(integer(algorithm, "rank"), rank);
    assert_true(*text(algorithm, "name") != '\0');
    assert_int_equal(*text(algorithm, "kernel"), 'd');
    assert_true(integer(algorithm, "calls") > 0);
    member(algorithm, "loops", JSON_ARRAY);
    member(algorithm, "copies", JSON_ARRAY);
    if (strcmp(status, "pruned") == 0 || strcmp(status, "open") == 0) {
        assert_true(number(algorithm, "lower_bound_seconds") > 0);
        assert_absent(algorithm, "predicted_seconds");
        assert_absent(algorithm, "basis");
        assert_absent(algorithm, "tied");
        return;
    }
    assert_true(strcmp(status, "predicted") == 0 || strcmp(status, "measured") == 0);
    check_samples(algorithm);
    if (strcmp(status, "predicted") == 0) {
        check_prediction(algorithm);
        assert_absent(algorithm, "measured_seconds");
    }
}

static void check_algorithms(json_t *ranking, size_t count) {
    json_t *algorithms = member(ranking, "algorithms", JSON_ARRAY);
    assert_int_equal(json_array_size(algorithms), count);
    for (size_t a = 0; a < count; a++)
        check_algorithm(json_array_get(algorithms, a), (json_int_t)a + 1);
}

/** Checks that the numbers of predicted, pruned, open and inapplicable algorithms of each space add
 * up to `count`. */
static void check_counts(json_t *ranking, double count) {
    assert_true(number(ranking, "algorithm_count") == count);
    assert_true(number(ranking, "pruned_count") >= 0 && number(ranking, "open_count") >= 0);
    assert_true(number(ranking, "pruned_count") + number(ranking, "open_count") +
                    (double)integer(ranking, "not_applicable_count") <
                count);
    assert_true(json_is_boolean(json_object_get(ranking, "out_of_time")));
}

/** Checks that the first provider in the JSON is the linked BLAS. */
static void check_providers(json_t *ranking) {
    json_t *blas = member(ranking, "blas", JSON_OBJECT);
    json_t *providers = member(ranking, "providers", JSON_ARRAY);
    json_t *first = json_array_get(providers, 0);
    assert_string_equal(text(first, "name"), "openblas");
    assert_string_equal(text(first, "library"), text(blas, "name"));
    static const char *const told[] = {"version", "core"};
    for (int t = 0; t < 2; t++) { /* some providers do not report their number of threads */
        const json_t *own = json_object_get(first, told[t]);
        assert_string_equal(own ? json_string_value(own) : "unknown", text(blas, told[t]));
    }
    for (size_t p = 0; p < json_array_size(providers); p++) {
        enum tcplan_provider provider;
        assert_true(tcplan_provider_find(&provider, text(json_array_get(providers, p), "name")));
    }
}

/** Returns whether the JSON reports that the ranking reached its time limit. */
static bool is_late(json_t *ranking) {
    return json_is_true(json_object_get(ranking, "out_of_time"));
}

static void check_ranking(json_t *ranking, const char *space) {
    assert_string_equal(text(ranking, "dtype"), "d");
    assert_int_equal(integer(ranking, "threads"), 1);
    assert_string_equal(text(ranking, "space"), space);
    assert_string_equal(text(ranking, "predictor"), "window");
    assert_string_equal(text(ranking, "cache"), "warm");
    assert_true(*text(ranking, "tcplan") != '\0');
    assert_true(number(ranking, "planning_seconds") > 0);
    const bool is_untimed = strcmp(text(ranking, "effort"), "estimate") == 0;
    if (is_late(ranking) || is_untimed) {
        assert_absent(ranking, "gemm_gflops");
    } else {
        assert_true(number(ranking, "gemm_gflops") > 0);
    }
    assert_true(integer(ranking, "tied_count") >= 1);
    assert_int_equal(integer(ranking, "not_applicable_count"), 0);
    check_providers(ranking);
}

static void a_ranking_is_one_object_as_documented(void **state) {
    (void)state;
    json_t *ranking = run("rank 'C_abc=A_ai*B_ibc' --sizes a=b=8,c=4,i=2 --space blas");
    assert_string_equal(text(ranking, "contraction"), "C_abc=A_ai*B_ibc");
    json_t *sizes = member(ranking, "sizes", JSON_OBJECT);
    assert_int_equal(json_object_size(sizes), 4);
    assert_int_equal(integer(sizes, "b"), 8);
    assert_true(number(ranking, "flops") == 2.0 * 8 * 8 * 4 * 2);
    check_ranking(ranking, "blas");
    check_counts(ranking, 36);
    check_algorithms(ranking, 36);
    assert_string_equal(text(ranking, "effort"), "normal");
    assert_true(json_is_false(json_object_get(ranking, "out_of_time")));
    json_decref(ranking);
}

/** In the default space, predicted, pruned and open algorithms also add up to the number of all
 * algorithms. */
static void the_default_space_counts_candidates_as_well(void **state) {
    (void)state;
    json_t *ranking = run("rank 'C_abc=A_ai*B_ibc' --sizes a=b=8,c=4,i=2 --max-workspace 1K");
    json_t *algorithms = member(ranking, "algorithms", JSON_ARRAY);
    check_ranking(ranking, "full");
    assert_int_equal(integer(ranking, "max_workspace_bytes"), 1024);
    assert_true(number(ranking, "candidate_count") > 0);
    check_counts(ranking, 36 + number(ranking, "candidate_count"));
    for (size_t a = 0; a < json_array_size(algorithms); a++) {
        enum tcplan_provider provider;
        json_t *algorithm = json_array_get(algorithms, a);
        check_algorithm(algorithm, (json_int_t)a + 1);
        assert_true(tcplan_provider_find(&provider, text(algorithm, "provider")));
    }
    json_decref(ranking);
}

static void a_search_reports_its_limit_and_unevaluated_candidates(void **state) {
    (void)state;
    json_t *ranking = run(
        "rank 'C_abcdef=A_abcijk*B_ijkdef' --sizes a=b=c=d=e=f=i=j=k=2 --effort quick --space blas --time-limit 1e-9");
    json_t *algorithms = member(ranking, "algorithms", JSON_ARRAY);
    check_ranking(ranking, "blas");
    check_counts(ranking, 518400);
    check_algorithms(ranking, 1);
    assert_string_equal(text(ranking, "effort"), "quick");
    assert_true(json_is_true(json_object_get(ranking, "out_of_time")));
    assert_true(number(ranking, "open_count") == 518399);
    assert_string_equal(text(json_array_get(algorithms, 0), "basis"), "estimate, not compared");
    assert_absent(json_array_get(algorithms, 0), "predicted_low");
    assert_string_equal(text(json_array_get(algorithms, 0), "kernel_time"), "timed");
    assert_true(json_is_false(json_object_get(ranking, "compared")));
    json_decref(ranking);
}

static void an_estimate_names_its_source_and_was_not_compared(void **state) {
    (void)state;
    json_t *ranking = run("rank 'C_abc=A_ai*B_ibc' --sizes a=b=c=40,i=8 --effort estimate --top 5");
    json_t *algorithms = member(ranking, "algorithms", JSON_ARRAY);
    check_ranking(ranking, "full");
    const size_t count = json_array_size(algorithms); /* the list omits pruned algorithms */
    assert_in_range(count, 2, 5);
    for (size_t a = 0; a < count; a++) {
        json_t *algorithm = json_array_get(algorithms, a);
        check_algorithm(algorithm, (json_int_t)a + 1);
        assert_string_equal(text(algorithm, "basis"), "estimate, not compared");
        assert_absent(algorithm, "lower_bound_seconds");
        assert_string_equal(text(algorithm, "kernel_time"), "nominal");
        assert_true(number(algorithm, "predicted_low") > 0);
    }
    /* without stored data, no kernel time comes from the store */
    assert_true(integer(member(ranking, "kernel_times", JSON_OBJECT), "nominal") >=
                (json_int_t)count);
    assert_string_equal(text(ranking, "effort"), "estimate");
    assert_true(json_is_false(json_object_get(ranking, "compared")));
    json_decref(ranking);
}

static void other_predictors_have_no_basis(void **state) {
    (void)state;
    json_t *ranking = run("rank 'C_ab=A_ai*B_ib' --sizes a=b=i=4 --predictor repeated");
    json_t *algorithms = member(ranking, "algorithms", JSON_ARRAY);
    assert_int_equal(json_array_size(algorithms), 10);
    for (size_t a = 0; a < 10; a++) assert_absent(json_array_get(algorithms, a), "basis");
    json_decref(ranking);
}

static void all_predicts_every_algorithm(void **state) {
    (void)state;
    json_t *ranking = run("'C_ab=A_ai*B_ib' --sizes a=b=i=4 --all");
    check_algorithms(ranking, 10);
    assert_true(number(ranking, "pruned_count") == 0 && number(ranking, "open_count") == 0);
    for (size_t a = 0; a < 10; a++) {
        json_t *algorithm = json_array_get(json_object_get(ranking, "algorithms"), a);
        assert_string_equal(text(algorithm, "status"), "predicted");
    }
    json_decref(ranking);
}

static void a_sweep_is_an_array(void **state) {
    (void)state;
    json_t *rankings = run("'C_ab=A_ai*B_ib' --sizes a=2:6:2,b=i=3 --top 2");
    assert_true(json_is_array(rankings));
    assert_int_equal(json_array_size(rankings), 3);
    for (size_t p = 0; p < 3; p++) {
        json_t *ranking = json_array_get(rankings, p);
        assert_int_equal(integer(member(ranking, "sizes", JSON_OBJECT), "a"), 2 + 2 * p);
        check_ranking(ranking, "full");
        check_algorithms(ranking, 2);
    }
    json_decref(rankings);
}

static void measured_and_predicted_times_are_printed(void **state) {
    (void)state;
    json_t *ranking = run("measure 'C_ab=A_ai*B_ib' --sizes a=b=i=8 --all");
    check_algorithms(ranking, 10);
    for (size_t a = 0; a < 10; a++) {
        json_t *algorithm = json_array_get(json_object_get(ranking, "algorithms"), a);
        assert_string_equal(text(algorithm, "status"), "measured");
        check_prediction(algorithm);
        const double gflops =
            number(ranking, "flops") / number(algorithm, "measured_seconds") * 1e-9;
        assert_true(number(algorithm, "measured_gflops") > 0.999 * gflops &&
                    number(algorithm, "measured_gflops") < 1.001 * gflops);
    }
    json_decref(ranking);
}

static void one_named_algorithm_can_be_measured(void **state) {
    (void)state;
    json_t *ranking = run("measure 'C_ab=A_ai*B_ib' --sizes a=b=i=8 --algorithm b-dgemv");
    json_t *algorithm = json_array_get(member(ranking, "algorithms", JSON_ARRAY), 0);
    check_algorithms(ranking, 1);
    assert_string_equal(text(algorithm, "name"), "b-dgemv");
    json_decref(ranking);
}

static void a_list_counts_its_algorithms(void **state) {
    (void)state;
    json_t *list = run("list 'C_a=A_iaj*B_ji'");
    json_t *algorithms = member(list, "algorithms", JSON_ARRAY);
    assert_int_equal(integer(list, "count"), 8);
    assert_int_equal(json_array_size(algorithms), 8);
    assert_absent(list, "sizes");
    json_t *last = json_array_get(algorithms, 7);
    json_t *copy = json_array_get(member(last, "copies", JSON_ARRAY), 0);
    assert_string_equal(text(last, "name"), "i'-dgemv");
    assert_string_equal(text(copy, "operand"), "A");
    assert_string_equal(text(copy, "inside"), "i");
    assert_true(strchr(text(last, "nest"), '\n') != NULL);
    json_decref(list);
}

static void a_list_with_sizes_counts_candidates_and_what_a_bound_removed(void **state) {
    (void)state;
    json_t *list = run(
        "list 'C_abc=A_ai*B_ibc' --sizes a=b=c=64,i=8 --machine 'l2:1(size=1MiB) l1d:1(size=32KiB) core:1 pu:1'");
    json_t *algorithms = member(list, "algorithms", JSON_ARRAY);
    const size_t count = json_array_size(algorithms);
    assert_int_equal(integer(list, "count"), count);
    assert_true(number(list, "candidate_count") > 0 && number(list, "pruned_count") >= 0);
    size_t rated = 0;
    for (size_t a = 0; a < count; a++)
        rated += json_object_get(json_array_get(algorithms, a), "model_seconds") != NULL;
    assert_true((double)rated == number(list, "candidate_count") - number(list, "pruned_count"));
    json_decref(list);
}

static void a_tile_is_a_loop_and_a_copy_has_its_layout(void **state) {
    (void)state;
    json_t *list =
        run("list 'C_abc=A_ai*B_ibc' --sizes a=b=c=64,i=8 --algorithm \"a:8'Cs.a-dgemm\"");
    json_t *algorithm = json_array_get(member(list, "algorithms", JSON_ARRAY), 0);
    json_t *loops = member(algorithm, "loops", JSON_ARRAY);
    json_t *copy = json_array_get(member(algorithm, "copies", JSON_ARRAY), 0);
    assert_string_equal(text(algorithm, "name"), "a:8'Cs.a-dgemm");
    assert_string_equal(text(algorithm, "kernel"), "dgemm");
    assert_string_equal(text(algorithm, "provider"), "openblas");
    assert_string_equal(json_string_value(json_array_get(loops, 0)), "a:8");
    assert_string_equal(json_string_value(json_array_get(loops, 1)), "a");
    assert_string_equal(text(copy, "operand"), "C");
    assert_string_equal(text(copy, "inside"), "a:8");
    assert_true(json_is_true(json_object_get(copy, "streamed")));
    assert_absent(copy, "transposed");
    json_decref(list);
}

static void a_count_that_overflows_is_absent(void **state) {
    (void)state;
    json_t *list = run("list 'C_abcdefghijklmnopqrstuvw=A_abcdefghijklz*B_zmnopqrstuvw' --top 2");
    assert_absent(list, "count");
    assert_int_equal(json_array_size(member(list, "algorithms", JSON_ARRAY)), 2);
    json_decref(list);
}

static void foreign_text_is_escaped_and_numbers_are_shortest(void **state) {
    (void)state;
    FILE *file = tmpfile();
    char text[256] = "";
    assert_non_null(file);
    json_print_text(file, "a\"\\\n\t\x01/\xc3\xa9\xf0\x9f\x98\x80");
    json_print_text(file,
                    "\xed\xa0\x80\xc3\xa9"); /* a lone half of a surrogate pair is invalid UTF-8 */
    json_print_text(file, "cut \xe2\x82");
    assert_true(json_print_number(file, 0.1));
    fputc(' ', file);
    assert_true(json_print_number(file, 10.0 / 13));
    fputc(' ', file);
    assert_true(json_print_number(file, 36));
    rewind(file);
    assert_non_null(fgets(text, sizeof text, file));
    assert_string_equal(
        text,
        "\"a\\\"\\\\\\n\\t\\u0001/\xc3\xa9\xf0\x9f\x98\x80\"\"?????\"\"cut ??\"0.1 0.7692307692307693 36");
    fclose(file);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ranking_is_one_object_as_documented),
        cmocka_unit_test(the_default_space_counts_candidates_as_well),
        cmocka_unit_test(a_search_reports_its_limit_and_unevaluated_candidates),
        cmocka_unit_test(an_estimate_names_its_source_and_was_not_compared),
        cmocka_unit_test(other_predictors_have_no_basis),
        cmocka_unit_test(all_predicts_every_algorithm),
        cmocka_unit_test(a_sweep_is_an_array),
        cmocka_unit_test(measured_and_predicted_times_are_printed),
        cmocka_unit_test(one_named_algorithm_can_be_measured),
        cmocka_unit_test(a_list_counts_its_algorithms),
        cmocka_unit_test(a_list_with_sizes_counts_candidates_and_what_a_bound_removed),
        cmocka_unit_test(a_tile_is_a_loop_and_a_copy_has_its_layout),
        cmocka_unit_test(a_count_that_overflows_is_absent),
        cmocka_unit_test(foreign_text_is_escaped_and_numbers_are_shortest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
