/*
 * Models that the store keeps are used by the command, unless it is told to do without the store.
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

/** What the command prints with a store in a folder; to be freed with free(). */
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

/** Keeps models of all gemms, of this machine. */
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
    char folder[] = "/tmp/tcplan-kept-models-XXXXXX";
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

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(models_of_the_store_are_used)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
