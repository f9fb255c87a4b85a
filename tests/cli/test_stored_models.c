/* Tests that the command uses stored models, unless --no-store is given. */
#include <glob.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/checksum.h"
#include "base/input_file.h"
#include "support/made_model.h"
#include "tcplan/unstable.h"

enum { OUTPUT_BYTES = 1 << 20 };

/** Runs tcplan with a store in a folder; returns its output, to be freed with free(). */
static char *run(const char *folder, const char *arguments) {
    char command[1024];
    char *out = malloc(OUTPUT_BYTES);
    assert_non_null(out);
    snprintf(command, sizeof command, "TCPLAN_STORE='%s' '%s' %s 2>&1", folder, TCPLAN_COMMAND,
             arguments);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    const size_t length = fread(out, 1, OUTPUT_BYTES - 1, pipe);
    const int status = pclose(pipe);
    out[length] = '\0';
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) fail_msg("%s", out);
    return out;
}

/** Stores models of gemm for all types of elements. */
static void keep_models(const char *folder) {
    static const char *const cases[] = {
        "dgemm transA=N transB=N alpha=1 beta=0", "dgemm transA=T transB=N alpha=1 beta=0",
        "dgemm transA=N transB=T alpha=1 beta=0", "dgemm transA=T transB=T alpha=1 beta=0"};
    enum { CASES = sizeof cases / sizeof *cases };
    struct made_model made[CASES];
    for (int c = 0; c < CASES; c++)
        made[c] = (struct made_model){.case_text = cases[c], .sizes = 3, .largest = 1000, .ns = 1};
    made_models_keep(folder, made, CASES);
}

static void models_of_the_store_are_used(void **state) {
    (void)state;
    static const char *const arguments =
        "rank 'C_ab=A_ai*B_ib' --sizes a=b=i=40 --effort estimate --format json";
    char folder[] = "/tmp/tcplan-models-XXXXXX";
    char without[256], removal[256];
    assert_non_null(mkdtemp(folder));
    keep_models(folder);
    char *with = run(folder, arguments);
    assert_non_null(strstr(with, "\"kernel_time\": \"model\""));
    free(with);
    snprintf(without, sizeof without, "%s --no-store", arguments);
    char *none = run(folder, without);
    assert_null(strstr(none, "\"model\""));
    assert_non_null(strstr(none, "\"kernel_time\": \"nominal\""));
    free(none);
    snprintf(removal, sizeof removal, "rm -r '%s'", folder);
    assert_int_equal(system(removal), 0);
}

/** Rewrites all stored models in a folder as entries of an earlier version, with valid checksums.
 */
static void make_older(const char *folder) {
    char pattern[64];
    glob_t found;
    snprintf(pattern, sizeof pattern, "%s/models-*.tcplan", folder);
    assert_int_equal(glob(pattern, 0, NULL, &found), 0);
    for (size_t f = 0; f < found.gl_pathc; f++) {
        char *text = NULL;
        size_t length;
        assert_int_equal(input_file_read(&text, &length, "", found.gl_pathv[f], OUTPUT_BYTES, NULL),
                         TCPLAN_OK);
        char *version = strstr(text, "version=2 key="), *last = strstr(text, "\nchecksum ");
        assert_true(version && last);
        version[strlen("version=")] = '1';
        FILE *file = fopen(found.gl_pathv[f], "w");
        assert_non_null(file);
        const size_t checked = (size_t)(last + 1 - text);
        fwrite(text, 1, checked, file);
        fprintf(file, "checksum %08" PRIx32 "\n", checksum_add(0, text, checked));
        fclose(file);
        base_free(text);
    }
    globfree(&found);
}

static void models_of_a_version_before_are_skipped_with_one_note(void **state) {
    (void)state;
    char folder[] = "/tmp/tcplan-models-XXXXXX";
    char removal[256];
    assert_non_null(mkdtemp(folder));
    keep_models(folder);
    make_older(folder);
    char *out = run(folder, "rank 'C_ab=A_ai*B_ib' --sizes a=b=i=40 --effort estimate");
    const char *note = strstr(out, "note: some models are not used: 'models-dgemm");
    assert_non_null(note);
    assert_non_null(strstr(note, "it has models of version 1"));
    assert_null(strstr(note + 1, "note: some models are not used"));
    free(out);
    snprintf(removal, sizeof removal, "rm -r '%s'", folder);
    assert_int_equal(system(removal), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(models_of_the_store_are_used),
        cmocka_unit_test(models_of_a_version_before_are_skipped_with_one_note),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
