/*
 * Tests models of MPI's collectives: their text, predictions from samples, and default values
 * without samples.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tcplan/communication.h"

static struct tcplan_communication *model_of(const char *text) {
    struct tcplan_communication *model = NULL;
    struct tcplan_error error = {0};
    if (tcplan_communication_parse(&model, text, &error) != TCPLAN_OK)
        fail_msg("%s: %s", text, error.message);
    return model;
}

static double seconds_of(const char *text, enum tcplan_collective call, bool between, int ranks,
                         double bytes) {
    struct tcplan_communication *model = text ? model_of(text) : NULL;
    const double seconds = tcplan_communication_seconds(model, call, between, ranks, bytes);
    tcplan_communication_free(model);
    return seconds;
}

static const char samples[] = "# two ranks, then four\n"
                              "within MPI_Bcast 2 0 1e-6\n"
                              "within MPI_Bcast 2 1000 3e-6 9e-6 2e-6\n"
                              "\n"
                              "  within MPI_Bcast 4 0 2e-6\r\n"
                              "within MPI_Bcast 4 1000 5e-6\n"
                              "check within MPI_Bcast 2 500 4e-6\n"
                              "check within MPI_Bcast 2 1000 3e-6";

static void predictions_interpolate_medians(void **state) {
    (void)state;
    assert_float_equal(seconds_of(samples, TCPLAN_BCAST, false, 2, 1000), 3e-6, 1e-12);
    assert_float_equal(seconds_of(samples, TCPLAN_BCAST, false, 2, 500), 2e-6, 1e-12);
    assert_float_equal(seconds_of(samples, TCPLAN_BCAST, false, 2, 2000), 5e-6, 1e-12);
    assert_float_equal(seconds_of(samples, TCPLAN_BCAST, false, 8, 1000), 7e-6, 1e-12);
    assert_float_equal(seconds_of(samples, TCPLAN_BCAST, true, 4, 1000), 5e-6, 1e-12);
    assert_float_equal(seconds_of(samples, TCPLAN_BCAST, false, 1, 1000), 0, 0);
}

static void beyond_the_largest_number_of_ranks_calls_grow_by_their_messages(void **state) {
    (void)state;
    static const char two[] = "between MPI_Alltoallv 8 64 7e-6\nbetween MPI_Alltoallv 16 64 15e-6\n"
                              "between MPI_Bcast 8 64 3e-6\nbetween MPI_Bcast 16 64 4e-6\n";
    assert_float_equal(seconds_of(two, TCPLAN_ALLTOALLV, true, 64, 64), 63e-6, 1e-12);
    assert_float_equal(seconds_of(two, TCPLAN_BCAST, true, 64, 64), 6e-6, 1e-12);
    /* one number of ranks: 2 * latency + bytes / bandwidth is 3e-6 s, and 2e-6 s with 2 ranks */
    static const char one[] = "within MPI_Send 2 0 1e-6\nwithin MPI_Send 2 1000 2e-6\n"
                              "within MPI_Bcast 2 1000 4e-6\n";
    assert_float_equal(seconds_of(one, TCPLAN_BCAST, false, 4, 1000), 6e-6, 1e-12);
}

static void check_lines_judge_and_do_not_predict(void **state) {
    (void)state;
    struct tcplan_communication *model = model_of(samples);
    const struct tcplan_communication_error error = tcplan_communication_check(model, TCPLAN_BCAST);
    assert_int_equal(error.count, 2);
    assert_float_equal(error.largest, 0.5, 1e-12); /* predicts 2e-6 instead of 4e-6 */
    assert_float_equal(error.median, 0.25, 1e-12);
    assert_int_equal(tcplan_communication_check(model, TCPLAN_ALLTOALLV).count, 0);
    assert_int_equal(tcplan_communication_check(model, TCPLAN_COMMUNICATION_CALLS).count, 2);
    assert_string_equal(tcplan_communication_text(model), samples);
    tcplan_communication_free(model);
}

static void messages_replace_assumed_latency_and_bandwidth(void **state) {
    (void)state;
    static const char sends[] = "within MPI_Send 2 0 1e-6\nwithin MPI_Send 2 1000000 1.01e-4\n";
    assert_float_equal(seconds_of(NULL, TCPLAN_BCAST, false, 4, 4e6), 4e-6 + 1e-3, 1e-9);
    assert_float_equal(seconds_of(sends, TCPLAN_BCAST, false, 4, 1e6), 2e-6 + 1e-4, 1e-9);
    assert_float_equal(seconds_of(sends, TCPLAN_ALLTOALLV, false, 4, 1e6), 3e-6 + 0.75e-4, 1e-9);
}

static void copies_and_products_may_have_one_rank(void **state) {
    (void)state;
    static const char text[] = "within copy 1 1000 1e-7\nwithin copy 4 1000 3e-7\n"
                               "within dgemm 1 1000 1e-6\nwithin dgemm 4 1000 2e-6\n";
    assert_float_equal(seconds_of(text, TCPLAN_COPY, false, 1, 1000), 1e-7, 1e-13);
    assert_float_equal(seconds_of(text, TCPLAN_COPY, false, 2, 1000), 2e-7, 1e-13);
    assert_float_equal(seconds_of(text, TCPLAN_DGEMM, false, 4, 1000), 2e-6, 1e-12);
    assert_float_equal(seconds_of(NULL, TCPLAN_DGEMM, false, 4, 1000), 0, 0);
}

static void the_eager_limit_is_the_highest_step(void **state) {
    (void)state;
    struct tcplan_communication *model = model_of("within MPI_Send 2 1024 1e-6\n"
                                                  "within MPI_Send 2 2048 1.1e-6\n"
                                                  "within MPI_Send 2 4096 1.3e-6\n"
                                                  "within MPI_Send 2 8192 3e-6\n"
                                                  "within MPI_Send 2 16384 3.4e-6\n");
    assert_float_equal(tcplan_communication_eager_bytes(model, false), 4096, 0);
    assert_float_equal(tcplan_communication_eager_bytes(model, true), 0, 0);
    tcplan_communication_free(model);
}

static void wrong_lines_are_refused(void **state) {
    (void)state;
    static const char *const lines[] = {
        "within MPI_Bcast 2 1000",         "within MPI_Bcast 1 1000 1e-6",
        "within MPI_Bcast 2.5 1000 1e-6",  "within MPI_Gather 2 1000 1e-6",
        "inside MPI_Bcast 2 1000 1e-6",    "within MPI_Bcast 2 -1 1e-6",
        "within MPI_Bcast 2 1000 0",       "within MPI_Bcast 2 1000 1e-6 x",
        "check MPI_Bcast 2 1000 1e-6",     "within MPI_Bcast 2 nan 1e-6",
        "within MPI_Bcast 1e12 1000 1e-6", "check",
    };
    for (size_t l = 0; l < sizeof lines / sizeof *lines; l++) {
        struct tcplan_communication *model = NULL;
        struct tcplan_error error = {0};
        char text[200];
        snprintf(text, sizeof text, "# first\n%s\nwithin MPI_Bcast 2 8 1e-6\n", lines[l]);
        if (tcplan_communication_parse(&model, text, &error) != TCPLAN_INVALID || model)
            fail_msg("accepted: %s", lines[l]);
        assert_non_null(strstr(error.message, "line 2 "));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(predictions_interpolate_medians),
        cmocka_unit_test(beyond_the_largest_number_of_ranks_calls_grow_by_their_messages),
        cmocka_unit_test(check_lines_judge_and_do_not_predict),
        cmocka_unit_test(messages_replace_assumed_latency_and_bandwidth),
        cmocka_unit_test(copies_and_products_may_have_one_rank),
        cmocka_unit_test(the_eager_limit_is_the_highest_step),
        cmocka_unit_test(wrong_lines_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
