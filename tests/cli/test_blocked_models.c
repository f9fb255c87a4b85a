/*
 * Tests `blocked predict`, `rank` and `models` with models in a store: output as text, JSON, CSV,
 * pictures and C, and messages about missing models.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "support/made_model.h"
#include "tcplan/unstable.h"

enum { OUTPUT_BYTES = 1 << 20 };

static char folder[] = "/tmp/tcplan-blocked-models-XXXXXX";

/** Runs tcplan with a store; returns its output, to be freed with free(). The exit status must be
 * `expected`. */
static char *run(const char *arguments, int expected) {
    char command[1024];
    char *out = malloc(OUTPUT_BYTES);
    assert_non_null(out);
    snprintf(command, sizeof command,
             "cd '%s' && TCPLAN_STORE=kept '%s' blocked %s 2>&1 </dev/null", folder, TCPLAN_COMMAND,
             arguments);
    FILE *pipe = popen(command, "r"); /* NOLINT: the command line is a constant of this test */
    assert_non_null(pipe);
    const size_t length = fread(out, 1, OUTPUT_BYTES - 1, pipe);
    const int status = pclose(pipe);
    out[length] = '\0';
    if (!WIFEXITED(status) || WEXITSTATUS(status) != expected)
        fail_msg("%s: exit status %d\n%s", arguments, WEXITSTATUS(status), out);
    return out;
}

static void assert_says(const char *arguments, int expected, const char *const part[]) {
    char *out = run(arguments, expected);
    for (; *part; part++) {
        if (!strstr(out, *part)) fail_msg("%s: no \"%s\" in\n%s", arguments, *part, out);
    }
    free(out);
}

/** Stores models of all calls that the three Cholesky algorithms need; each call takes a
 * millisecond. */
static int keep_models(void **state) {
    static const struct made_model made[] = {
        {.case_text = "dpotf2 uplo=L", .sizes = 1, .smallest = 24, .largest = 1000, .ns = 1e6},
        {.case_text = "dtrsm side=R uplo=L transA=T diag=N alpha=1",
         .sizes = 2,
         .smallest = 24,
         .largest = 1000,
         .ns = 1e6},
        {.case_text = "dsyrk uplo=L trans=N alpha=-1 beta=1",
         .sizes = 2,
         .smallest = 24,
         .largest = 1000,
         .ns = 1e6},
        {.case_text = "dgemm transA=N transB=T alpha=-1 beta=1",
         .sizes = 3,
         .smallest = 24,
         .largest = 1000,
         .ns = 1e6},
    };
    char store_folder[64];
    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(store_folder, sizeof store_folder, "%s/kept", folder);
    made_models_keep(store_folder, made, sizeof made / sizeof *made);
    return 0;
}

static int remove_folder(void **state) {
    char command[128];
    (void)state;
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    return system(command); /* NOLINT: the command line is a constant of this test */
}

static void a_prediction_has_its_statistics_and_kernels(void **state) {
    (void)state;
    assert_says("predict potrf_L3 --n 256 --block 64", 0,
                (const char *const[]){"potrf_L3, right-looking: n=256, b=64", "time ms   10.00",
                                      "dpotf2_L", "dsyrk_LN", "10 calls, and 2 with a size of 0",
                                      NULL});
    assert_says("predict potrf_L3 --n 256 --block 64 --json", 0,
                (const char *const[]){"\"sizes\": {\"n\":256}", "\"calls\": 10",
                                      "\"median\": 0.01,", "\"share\": 0.4,", NULL});
    assert_says("predict potrf_L3 --n 256 --block 64 --format csv", 0,
                (const char *const[]){"potrf_L3,,256,64,,10,0.01,0.01,0.01,0.01,0,",
                                      ",dpotf2_L,4,0.004,", NULL});
    assert_says("predict potrf --n 128:256:64 --block 64 --format xml", 0,
                (const char *const[]){"<blocked_predict ", "algorithm=\"potrf_L1\"", NULL});
}

static void a_ranking_names_the_first_and_ties(void **state) {
    (void)state;
    assert_says("rank potrf --n 256 --block 64:128:32", 0,
                (const char *const[]){"1=  potrf_L1   128  128 - 128", "1-4 are tied",
                                      "LAPACK's potrf_L2 with b=64 takes", "12 predictions in",
                                      "nothing was run", NULL});
    assert_says("rank potrf --n 256 --block 64 --measure --no-lock", 0,
                (const char *const[]){"measured us", "4 predictions in", "3 algorithms ran", NULL});
    assert_says("rank potrf --n 128:256:128 --block 64 --json", 0,
                (const char *const[]){"\"lapack\": \"potrf_L2\"", "\"default_block\": 64",
                                      "\"gain\": 0", "\"tied\": true", "\"predictions\": 8", NULL});
    assert_says("rank potrf --n 128:256:128 --block 64 --tolerance 5 --format csv", 0,
                (const char *const[]){"potrf_L1,,128,64,1,true,64,64,", NULL});
}

static void windows_and_models_are_printed_together(void **state) {
    (void)state;
    assert_says(
        "rank potrf_L3 --n 256 --block 64 --predictor windows --repetitions 2 --no-lock --measure",
        0,
        (const char *const[]){"windows  stretches of calls", "models: medians from models", NULL});
    assert_says(
        "rank gram --algorithms '" TCPLAN_TESTS_DIR
        "/../examples/blocked/chains.xml' --sizes m=60,k=20,n=40 --predictor windows --repetitions 2 --no-lock",
        0,
        (const char *const[]){"m=60, k=20, n=40", "gram_1", "gram_2", "gram_3",
                              "Samples are whole runs", NULL});
    assert_says("windows potrf_L3 --n 256 --block 64 --repetitions 2 --no-lock --measure --json", 0,
                (const char *const[]){"\"models_seconds\": 0.0",
                                      "\"models_error\": ", "\"models_spent_seconds\": ", NULL});
}

static void pictures_and_block_sizes_are_written(void **state) {
    char command[256];
    (void)state;
    assert_says("rank potrf --n 64:512:64 --block 32:128:32 --plot over-n.svg", 0,
                (const char *const[]){"", NULL});
    assert_says(
        "rank potrf_L3 --n 64:512:64 --block 32:128:32 --plot map.svg --emit sizes.c --function best",
        0, (const char *const[]){"", NULL});
    assert_says("predict potrf_L3 --n 512 --block 32:128:32 --plot shares.svg", 0,
                (const char *const[]){"", NULL});
    snprintf(
        command, sizeof command,
        "cd '%s' && grep -l '</svg>' over-n.svg map.svg shares.svg | wc -l | grep -q 3 && grep -q '#fde725' map.svg && grep -q dsyrk_LN shares.svg "
        "&& grep -q 'int best(ptrdiff_t n)' sizes.c",
        folder);
    assert_int_equal(system(command), 0); /* NOLINT: the command line is a constant of this test */
    assert_says("rank potrf_L3 --n 64 --plot one.svg", 2,
                (const char *const[]){"--plot needs several sizes", NULL});
    assert_says("rank potrf --n 64:128:64 --emit sizes.c", 2,
                (const char *const[]){"one algorithm", NULL});
}

static void missing_models_are_listed_with_the_command_that_makes_them(void **state) {
    (void)state;
    assert_says("models potrf_L3 --n 256 --block 64", 0,
                (const char *const[]){"[24,64]", "there", "All models exist.", NULL});
    assert_says(
        "models potrf_L3 --n 2000 --block 64", 0,
        (const char *const[]){
            "2 of 3 models are missing. This command generates them:",
            "tcplan model generate \\\n    dtrsm:side=R,uplo=L,transA=T,diag=N,alpha=1,m=24:1936,n=24:64",
            NULL});
    assert_says("models potrf_L3 --n 2000 --block 64 --json", 0,
                (const char *const[]){"\"missing\": 2", "\"domain\": \"[24,1936]x[24,64]\"", NULL});
    assert_says("rank potrf_L3 --n 2000 --no-generate", 1,
                (const char *const[]){"2 of 3 models are missing", "dsyrk:uplo=L", NULL});
    assert_says("predict potrf_L3 --n 100 --threads 2", 1,
                (const char *const[]){"3 of 3 models", "tcplan model generate --threads 2", NULL});
    assert_says("predict potrf_U --n 100", 1, (const char *const[]){"dpotf2:uplo=U,n=24:64", NULL});
    assert_says("rank potrf_L3 --n 2000 --no-generate --generate", 2,
                (const char *const[]){"exclude each other", NULL});
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_prediction_has_its_statistics_and_kernels),
        cmocka_unit_test(a_ranking_names_the_first_and_ties),
        cmocka_unit_test(windows_and_models_are_printed_together),
        cmocka_unit_test(pictures_and_block_sizes_are_written),
        cmocka_unit_test(missing_models_are_listed_with_the_command_that_makes_them)};
    return cmocka_run_group_tests(tests, keep_models, remove_folder);
}
