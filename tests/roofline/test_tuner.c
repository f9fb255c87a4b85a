#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "roofline/tuning/tune_process.h"
#include "roofline/tuning/tuner.h"

/* The tests start their own program as the server; the argument `serve` selects that. */

static const char *const serving[] = {"/proc/self/exe", "serve", NULL};

static int act(const char *what) {
    char question[8];
    if (strcmp(what, "serve") == 0) return tuner_serve() ? EXIT_SUCCESS : EXIT_FAILURE;
    if (strcmp(what, "leave") == 0) return 7;
    if (strcmp(what, "die") == 0) raise(SIGKILL);
    if (strcmp(what, "chat") == 0) puts("must not appear");
    if (!tune_process_receive(question, sizeof question)) return EXIT_FAILURE;
    if (strcmp(what, "half") == 0)
        return tune_process_send(question, sizeof question / 2) ? EXIT_SUCCESS : EXIT_FAILURE;
    while (strcmp(what, "hang") == 0) pause();
    return tune_process_send(question, sizeof question) ? EXIT_SUCCESS : EXIT_FAILURE;
}

/** Handles a request of the tuner: the answer is the text of the request. */
static bool ask(const char *what, struct tcplan_error *error) {
    const char *const program[] = {"/proc/self/exe", what, NULL};
    const struct tune_process process = {.program = program,
                                         .patience_seconds = strcmp(what, "hang") == 0 ? 0.2 : 60};
    char answer[8] = "";
    bool lost;
    *error = (struct tcplan_error){0};
    assert_int_equal(tune_process_ask(&process, "1234567", 8, answer, 8, &lost, error), TCPLAN_OK);
    if (!lost) assert_string_equal(answer, "1234567");
    return !lost;
}

static void a_process_answers(void **state) {
    (void)state;
    struct tcplan_error error;
    assert_true(ask("echo", &error));
    assert_true(ask("chat", &error));
}

static void a_process_that_does_not_answer_is_lost_with_the_reason(void **state) {
    (void)state;
    struct tcplan_error error;
    assert_false(ask("die", &error));
    assert_non_null(strstr(error.message, "killed by signal 9"));
    assert_false(ask("leave", &error));
    assert_non_null(strstr(error.message, "status 7"));
    assert_false(ask("half", &error));
    assert_non_null(strstr(error.message, "status 0 and without an answer"));
    assert_false(ask("hang", &error));
    assert_non_null(strstr(error.message, "did not answer for 0.2 s"));
}

static void a_program_that_is_not_there_is_an_error(void **state) {
    (void)state;
    const char *const program[] = {"/nowhere/tcplan", NULL};
    const struct tune_process process = {.program = program, .patience_seconds = 60};
    struct tcplan_error error;
    char answer[8];
    bool lost;
    assert_int_equal(tune_process_ask(&process, "1234567", 8, answer, 8, &lost, &error),
                     TCPLAN_ENVIRONMENT);
    assert_string_equal(error.message, "cannot start '/nowhere/tcplan': No such file or directory");
}

static struct autotune_options short_search(void) {
    struct autotune_options options = autotune_defaults();
    options.iteration.most_samples = 4;
    options.invocation.most_samples = 2;
    return options;
}

static struct places here(void) {
    struct places places;
    struct tcplan_error error;
    if (places_load(&places, NULL, &error) != TCPLAN_OK) fail_msg("%s", error.message);
    return places;
}

static void every_invocation_is_a_process_of_its_own(void **state) {
    (void)state;
    const struct places places = here();
    const struct gemm_choices choices = {
        .n_count = 2, .n = {8, 40}, .m_count = 1, .m = {48}, .k_count = 1, .k = {32}};
    const struct triad_choices lengths = {.count = 1,
                                          .choice = {{.elements = 12800, .threads = 1}}};
    const struct autotune_options options = short_search();
    struct tuner gemm = {.gemm = &choices,
                         .dtype = TCPLAN_DOUBLE,
                         .threads = 1,
                         .places = &places,
                         .program = serving,
                         .patience_seconds = 60};
    struct tuner triad = {
        .triad = &lengths, .places = &places, .program = serving, .patience_seconds = 60};
    struct tuner *const tuner[] = {&gemm, &triad};
    for (int t = 0; t < 2; t++) {
        struct autotune_result result;
        struct tcplan_error error;
        if (tuner_search(&result, tuner[t], &options, &error) != TCPLAN_OK)
            fail_msg("%s", error.message);
        for (int64_t c = 0; c < result.count; c++) {
            assert_int_equal(result.record[c].lost, 0);
            assert_true(result.record[c].iterations + result.record[c].disturbed > 0);
        }
        assert_string_equal(tuner[t]->state.reason, "");
        autotune_free(&result);
    }
    assert_true(gemm.state.good_reference_seconds > 0); /* the answer has the good reference time */
}

static void a_search_whose_processes_die_ends_without_a_winner(void **state) {
    (void)state;
    static const char *const dying[] = {"/proc/self/exe", "die", NULL};
    const struct places places = here();
    const struct triad_choices lengths = {
        .count = 2, .choice = {{.elements = 128, .threads = 1}, {.elements = 256, .threads = 1}}};
    const struct autotune_options options = short_search();
    struct tuner tuner = {
        .triad = &lengths, .places = &places, .program = dying, .patience_seconds = 60};
    struct autotune_result result;
    struct tcplan_error error;
    assert_int_equal(tuner_search(&result, &tuner, &options, &error), TCPLAN_OK);
    assert_int_equal(result.best, -1);
    for (int c = 0; c < 2; c++) assert_int_equal(result.record[c].lost, 2);
    assert_non_null(strstr(tuner.state.reason, "killed by signal 9"));
    autotune_free(&result);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_process_answers),
        cmocka_unit_test(a_process_that_does_not_answer_is_lost_with_the_reason),
        cmocka_unit_test(a_program_that_is_not_there_is_an_error),
        cmocka_unit_test(every_invocation_is_a_process_of_its_own),
        cmocka_unit_test(a_search_whose_processes_die_ends_without_a_winner),
    };
    return argc > 1 ? act(argv[1]) : cmocka_run_group_tests(tests, NULL, NULL);
}
