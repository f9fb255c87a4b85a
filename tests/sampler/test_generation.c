/*
 * Tests models of this machine on the smallest domains. Measurements and results must be plausible;
 * no time is asserted.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "routines/sampler/generation/cases_used.h"
#include "tcplan/generation.h"

static char path[] = "/tmp/tcplan-generation-XXXXXX";
static struct tcplan_machine machine;

static int set_up(void **state) {
    (void)state;
    const int descriptor = mkstemp(path);
    if (descriptor < 0 || close(descriptor) != 0) return -1;
    return tcplan_machine_load(&machine, "live", NULL) == TCPLAN_OK ? 0 : -1;
}

static int tear_down(void **state) {
    (void)state;
    return unlink(path);
}

static int empty_path(void **state) {
    (void)state;
    return truncate(path, 0);
}

/** Returns options for models of one piece, few points and few repetitions. */
static struct tcplan_generation_options options_of(const char *const *word, const char *domain) {
    struct tcplan_generation_options options = {.machine = &machine,
                                                .threads = 1,
                                                .samples = path,
                                                .seed = 1,
                                                .word = word,
                                                .word_count = 1,
                                                .domain = domain,
                                                .config = tcplan_generation_config_usual()};
    options.config.overfitting = 0;
    options.config.oversampling = 1;
    options.config.repetitions = 2;
    options.config.bound = 0.99;
    options.config.min_width = 1000000;
    return options;
}

static struct tcplan_generation generate(const struct tcplan_generation_options *options) {
    struct tcplan_generation generation;
    struct tcplan_error error;
    if (tcplan_models_generate(&generation, options, &error) != TCPLAN_OK)
        fail_msg("%s", error.message);
    return generation;
}

static void assert_made(const struct tcplan_generation *generation) {
    assert_true(generation->count > 0);
    for (size_t g = 0; g < generation->count; g++) {
        const struct tcplan_generated *generated = &generation->of[g];
        struct tcplan_model_estimate estimate;
        if (!generated->model) fail_msg("no model of %s", generated->case_text);
        assert_int_equal(generated->model->piece_count, 1);
        assert_true(generated->samples.count > 0 && generated->seconds > 0);
        tcplan_model_evaluate(&estimate, generated->model, generated->domain.high);
        assert_true(estimate.ns[TCPLAN_MODEL_MEAN] > 0);
    }
}

/** Every case in the table can be measured, with operands in cache or in memory. */
static void all_used_cases_can_be_measured(void **state) {
    (void)state;
    for (const struct cases_used_line *line = cases_used; line->routine; line++) {
        for (int placement = 0; placement < TCPLAN_MODEL_PLACEMENTS; placement++) {
            char words[300];
            snprintf(words, sizeof words, "d%s", line->routine);
            const char *const word[] = {words};
            char domain[100] = "";
            for (const char *at = line->domain; *at;
                 at += strspn(at, " ")) { /* sizes from 16 to 24; 24 to 32 for sizes that are upper
                                             bounds of others */
                const size_t length = strcspn(at, "=");
                const bool is_bound = strcmp(line->routine, "larft") == 0 && *at == 'n';
                snprintf(domain + strlen(domain), sizeof domain - strlen(domain), "%s%.*s=%s",
                         *domain ? "," : "", (int)length, at, is_bound ? "24:32" : "16:24");
                at += strcspn(at, " ");
            }
            struct tcplan_generation_options options = options_of(word, domain);
            options.placement = (enum tcplan_model_placement)placement;
            options.samples = NULL;
            options.settling_seconds = -1;
            struct tcplan_generation generation = generate(&options);
            assert_made(&generation);
            for (size_t g = 0; g < generation.count; g++)
                assert_int_equal(generation.of[g].model->setup.placement, placement);
            tcplan_generation_free(&generation);
        }
    }
}

static void all_types_can_be_measured(void **state) {
    static const char *const words[] = {"sgemm:beta=0",
                                        "cgemm:beta=0",
                                        "zgemm:beta=0",
                                        "strsm:side=L,alpha=1",
                                        "ztrsm:side=L,alpha=1",
                                        "cpotf2",
                                        "zgetf2",
                                        "stranspose",
                                        "zmove"};
    (void)state;
    for (size_t w = 0; w < sizeof words / sizeof *words; w++) {
        const char *const word[] = {words[w]};
        struct tcplan_generation_options options = options_of(
            word, strstr(words[w], "gemm")                                ? "m=8:16,n=8:16,k=8:16"
                  : strstr(words[w], "potf2") || strstr(words[w], "move") ? "n=8:16"
                                                                          : "m=8:16,n=8:16");
        options.samples = NULL;
        options.settling_seconds = -1;
        struct tcplan_generation generation = generate(&options);
        assert_made(&generation);
        tcplan_generation_free(&generation);
    }
}

static void a_second_generation_measures_nothing(void **state) {
    (void)state;
    const char *const word[] = {"dtrsm:side=L,alpha=1,diag=N"};
    const struct tcplan_generation_options options = options_of(word, "m=8:40,n=8:40");
    struct tcplan_generation first = generate(&options), second = generate(&options);
    assert_made(&first);
    assert_true(first.measured > 0 && first.known == 0);
    assert_int_equal(second.measured, 0);
    assert_int_equal(second.known, first.measured);
    assert_int_equal(first.of[0].model->piece_count, second.of[0].model->piece_count);
    const struct tcplan_model_piece *a = first.of[0].model->piece, *b = second.of[0].model->piece;
    assert_memory_equal(a->coefficient, b->coefficient,
                        (size_t)tcplan_model_coefficients(a->degree, 2) * sizeof *a->coefficient);
    tcplan_generation_free(&first);
    tcplan_generation_free(&second);
}

static void a_model_is_checked(void **state) {
    (void)state;
    const char *const word[] = {"dgemm:transA=N,transB=N,alpha=1,beta=0"};
    struct tcplan_generation_options options = options_of(word, "m=8:64,n=8:64,k=8:64");
    struct tcplan_generation generation = generate(&options);
    struct tcplan_models_check check;
    struct tcplan_error error;
    const struct tcplan_model *const model[] = {generation.of[0].model};
    options.points = 7;
    options.repetitions = 2;
    if (tcplan_models_check(&check, model, 1, &options, &error) != TCPLAN_OK)
        fail_msg("%s", error.message);
    assert_int_equal(check.count, 1);
    assert_int_equal(check.of[0].count, 7);
    assert_true(check.same_state);
    assert_true(check.of[0].error.maximum >= check.of[0].error.p90 &&
                check.of[0].error.p90 >= check.of[0].error.median && check.of[0].spread >= 0);
    for (int p = 0; p < 7; p++)
        assert_true(check.of[0].point[p].ns[0] > 0 && check.of[0].point[p].raw_ns[1] > 0 &&
                    check.of[0].point[p].model_ns >= 0);
    tcplan_models_check_free(&check);
    tcplan_generation_free(&generation);
}

static void assert_refused(const struct tcplan_generation_options *options,
                           enum tcplan_status expected, const char *message) {
    struct tcplan_generation generation;
    struct tcplan_error error = {0};
    assert_int_equal(tcplan_models_generate(&generation, options, &error), expected);
    if (!strstr(error.message, message))
        fail_msg("found '%s', expected '%s'", error.message, message);
    tcplan_generation_free(&generation);
}

static void impossible_measurements_are_refused(void **state) {
    (void)state;
    const char *const word[] = {"dgemm:transA=N,transB=N,alpha=1,beta=0"};
    struct tcplan_machine other = machine;
    struct tcplan_generation_options options = options_of(word, "m=8:64,n=8:64,k=8:64");
    other.live = false;
    options.machine = &other;
    assert_refused(&options, TCPLAN_INVALID, "models can only be made on this machine");
    options = options_of(word, "m=8:64,n=8:64,k=8:64");
    options.provider = TCPLAN_PROVIDER_FILE_4;
    assert_refused(&options, TCPLAN_INVALID, "unknown provider blas4");
    options.provider = TCPLAN_PROVIDER_BLAS;
    options.max_memory_bytes = 1 << 20;
    assert_refused(&options, TCPLAN_INVALID, "the domains need");
    options = options_of(word, "m=8:2147483640,n=8:2147483640,k=8:2147483640");
    assert_refused(&options, TCPLAN_INVALID, "");
    options = options_of(word, "m=8:64,n=8:64,k=8:64");
    options.samples = "/nowhere/samples";
    assert_refused(&options, TCPLAN_ENVIRONMENT, "cannot open '/nowhere/samples'");
    options = options_of(word, "m=8:64,n=8:64,k=8:64");
    options.config.overfitting = 9;
    assert_refused(&options, TCPLAN_INVALID, "");
}

static void no_time_makes_no_model(void **state) {
    (void)state;
    const char *const word[] = {"dgemm:transA=N,transB=N,alpha=1,beta=0"};
    struct tcplan_generation_options options = options_of(word, "m=8:64,n=8:64,k=8:64");
    options.time_limit_seconds = 1e-9;
    struct tcplan_generation generation = generate(&options);
    assert_true(generation.time_over && generation.count == 1);
    assert_null(generation.of[0].model);
    tcplan_generation_free(&generation);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_used_cases_can_be_measured),
        cmocka_unit_test(all_types_can_be_measured),
        cmocka_unit_test_setup(a_second_generation_measures_nothing, empty_path),
        cmocka_unit_test_setup(a_model_is_checked, empty_path),
        cmocka_unit_test_setup(impossible_measurements_are_refused, empty_path),
        cmocka_unit_test_setup(no_time_makes_no_model, empty_path),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
