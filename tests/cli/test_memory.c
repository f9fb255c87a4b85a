#include <fcntl.h>
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
#include "cli/commands/commands.h"
#include "tcplan/results_file.h"

enum { ARGUMENTS_MAX = 12, STEP_SHARE = 24 };

static char folder[] = "/tmp/tcplan-memory-XXXXXX";

static void add_result(struct tcplan_results_file *file, const char *id, const char *name) {
    const struct tcplan_result_algorithm algorithms[] = {{.name = "c-dgemm",
                                                          .kernel = "dgemm",
                                                          .tied = true,
                                                          .calls = 8,
                                                          .predicted_seconds = 0.1,
                                                          .measured_seconds = 0.2},
                                                         {.name = "b-dgemm",
                                                          .kernel = "dgemm",
                                                          .calls = 8,
                                                          .predicted_seconds = 0.3,
                                                          .measured_seconds = 0.1}};
    struct tcplan_result result = {.library = "l",
                                   .group = "g",
                                   .name = name,
                                   .size_class = "",
                                   .source = "",
                                   .contraction = "C_abc=A_ai*B_ibc",
                                   .sizes = "a=8,b=8,c=8,i=8",
                                   .dtype = TCPLAN_DOUBLE,
                                   .threads = 1,
                                   .flops = 8192,
                                   .planning_seconds = 1,
                                   .gemm_gflops = 50,
                                   .algorithm_total = 36,
                                   .finished = "2017-11-30T23:59:59Z",
                                   .algorithm_count = 2,
                                   .algorithm = algorithms};
    snprintf(result.id, sizeof result.id, "%s", id);
    assert_int_equal(tcplan_results_file_append(file, &result, false, NULL), TCPLAN_OK);
}

/** Writes two files of results to a new folder, and changes to it. */
static int make_results(void **state) {
    static const char *const names[] = {"one.xml", "two.xml"};
    (void)state;
    if (!mkdtemp(folder) || chdir(folder) != 0) return -1;
    for (int n = 0; n < 2; n++) {
        struct tcplan_provenance provenance = {.tcplan = "1",
                                               .settings = "x",
                                               .host = "h",
                                               .cpu = "c",
                                               .machine = n ? "two" : "one",
                                               .blas_name = "B",
                                               .blas_version = "1",
                                               .blas_core = "",
                                               .cores = 1,
                                               .processing_units = 1};
        const struct tcplan_results_file_options options = {0};
        struct tcplan_results_file *file = NULL;
        if (tcplan_results_file_open(&file, names[n], &provenance, &options, NULL) != TCPLAN_OK)
            return -1;
        add_result(file, n ? "0000000000000003" : "0000000000000001", "first");
        add_result(file, n ? "0000000000000004" : "0000000000000002", "second");
        if (tcplan_results_file_finish(file, 2, n ? 7 : 3, NULL) != TCPLAN_OK) return -1;
        tcplan_results_file_close(file);
    }
    return 0;
}

static int remove_results(void **state) {
    (void)state;
    unlink("one.xml");
    unlink("two.xml");
    return chdir("/") == 0 ? rmdir(folder) : -1; /* rmdir() fails if a test left files */
}

/** Runs a command line in this process and discards its output; allocations fail after `successes`
 * successful ones. */
static enum exit_status run(const char *const arguments[], long successes) {
    char *copies[ARGUMENTS_MAX];
    int count = 0;
    while (arguments[count]) {
        copies[count] = strdup(arguments[count]);
        count++;
    }
    fflush(stdout);
    const int silence = open("/dev/null", O_WRONLY), out = dup(STDOUT_FILENO),
              errors = dup(STDERR_FILENO);
    dup2(silence, STDOUT_FILENO);
    dup2(silence, STDERR_FILENO);
    base_alloc_fail_after(successes);
    const enum exit_status status = command_line_run(count, copies);
    base_alloc_fail_after(-1);
    fflush(stdout);
    dup2(out, STDOUT_FILENO);
    dup2(errors, STDERR_FILENO);
    close(silence);
    close(out);
    close(errors);
    for (int a = 0; a < count; a++) free(copies[a]);
    return status;
}

static void assert_whole_or_none(const char *path, const char *expected) {
    char end[8] = "";
    const size_t length = strlen(expected);
    FILE *file = fopen(path, "r");
    if (!file) return;
    assert_int_equal(fseek(file, -(long)length - 1, SEEK_END), 0);
    assert_int_equal(fread(end, 1, length, file), length);
    assert_string_equal(end, expected);
    fclose(file);
    unlink(path);
}

/** Asserts that an HTML page is complete or absent. The page is written before the summary, which
 * may fail. */
static void assert_whole_page_or_none(void) {
    assert_whole_or_none("out", "</html>");
}

static void assert_whole_plot_or_none(void) {
    assert_whole_or_none("out.svg", "</svg>");
}

static void assert_nothing(void) {
    assert_int_not_equal(access("out", F_OK), 0);
}

/** Runs a command with 0, 1, 2, ... successful allocations, later in larger steps, until the
 * command succeeds. Each failure must be reported, and `assert_left` checks the files that it
 * leaves. */
static void assert_failing_memory_is_told(const char *const arguments[],
                                          void (*assert_left)(void)) {
    for (long successes = 0;; successes += 1 + successes / STEP_SHARE) {
        const enum exit_status status = run(arguments, successes);
        if (status == EXIT_DONE) break;
        if (status != EXIT_ENVIRONMENT)
            fail_msg("%s %s: exit status %d after %ld", arguments[1], arguments[2], (int)status,
                     successes);
        assert_left();
    }
    unlink("out");
    unlink("out.svg");
}

static void merge_reports_out_of_memory(void **state) {
    static const char *const formats[] = {"xml", "csv", "jsonl", "text"};
    (void)state;
    for (size_t f = 0; f < sizeof formats / sizeof *formats; f++) {
        assert_failing_memory_is_told((const char *[]){"tcplan", "merge", "one.xml", "-o", "out",
                                                       "--format", formats[f], NULL},
                                      assert_nothing);
    }
}

static void portability_reports_out_of_memory(void **state) {
    static const char *const formats[] = {"text", "json", "csv"};
    (void)state;
    for (size_t f = 0; f < sizeof formats / sizeof *formats; f++) {
        assert_failing_memory_is_told((const char *[]){"tcplan", "portability", "one.xml",
                                                       "two.xml", "--format", formats[f], "-oout",
                                                       NULL},
                                      assert_nothing);
    }
}

static void comparing_machines_reports_out_of_memory(void **state) {
    static const char *const formats[] = {"text", "json", "csv"};
    (void)state;
    for (size_t f = 0; f < sizeof formats / sizeof *formats; f++) {
        assert_failing_memory_is_told((const char *[]){"tcplan", "merge", "one.xml", "two.xml",
                                                       "--by-machine", "--format", formats[f],
                                                       "-oout", NULL},
                                      assert_nothing);
    }
    assert_failing_memory_is_told((const char *[]){"tcplan", "merge", "one.xml", "two.xml",
                                                   "--by-machine", "--page", "out", NULL},
                                  assert_whole_page_or_none);
}

static void report_reports_out_of_memory(void **state) {
    static const char *const formats[] = {"json", "csv", "xml"};
    (void)state;
    assert_failing_memory_is_told((const char *[]){"tcplan", "report", "one.xml", NULL},
                                  assert_nothing);
    assert_failing_memory_is_told((const char *[]){"tcplan", "report", "one.xml", "two.xml", NULL},
                                  assert_nothing);
    for (size_t f = 0; f < sizeof formats / sizeof *formats; f++) {
        assert_failing_memory_is_told((const char *[]){"tcplan", "report", "one.xml", "two.xml",
                                                       "--format", formats[f], NULL},
                                      assert_nothing);
    }
}

static void report_leaves_no_half_page_without_memory(void **state) {
    (void)state;
    assert_failing_memory_is_told(
        (const char *[]){"tcplan", "report", "one.xml", "two.xml", "-o", "out", NULL},
        assert_whole_page_or_none);
}

#define CEILINGS "--ceilings", TCPLAN_TESTS_DIR "/cli/ceilings/example.tcplan", "--quiet"

static void rooflines_report_out_of_memory(void **state) {
    static const char *const formats[] = {"text", "json", "csv", "xml"};
    (void)state;
    for (size_t f = 0; f < sizeof formats / sizeof *formats; f++)
        assert_failing_memory_is_told(
            (const char *[]){"tcplan", "roofline", CEILINGS, "--format", formats[f], NULL},
            assert_nothing);
    assert_failing_memory_is_told(
        (const char *[]){"tcplan", "roofline", CEILINGS, "--plot", "out.svg", NULL},
        assert_whole_plot_or_none);
    assert_failing_memory_is_told(
        (const char *[]){"tcplan", "roofline", CEILINGS, "--curves", "out.svg", NULL},
        assert_whole_plot_or_none);
    assert_failing_memory_is_told((const char *[]){"tcplan", "roofline", "--points",
                                                   TCPLAN_TESTS_DIR
                                                   "/roofline/regions/marker_two_sockets.csv",
                                                   CEILINGS, "--plot", "out.svg", NULL},
                                  assert_whole_plot_or_none);
}

static void trees_report_out_of_memory(void **state) {
    static const char *const formats[] = {"text", "json", "xml"};
    (void)state;
    for (size_t f = 0; f < sizeof formats / sizeof *formats; f++) {
        assert_failing_memory_is_told(
            (const char *[]){"tcplan", "explain", "E_ad=A_ab*B_bc*C_cd+2*W_ad", "--sizes",
                             "a=b=c=d=4", "--quiet", "--format", formats[f], NULL},
            assert_nothing);
    }
    assert_failing_memory_is_told((const char *[]){"tcplan", "explain", "ab,bc,cd->ad", "--sizes",
                                                   "a=b=c=d=4", "--quiet", "--plot", "out.svg",
                                                   NULL},
                                  assert_whole_plot_or_none);
}

static void experiments_report_out_of_memory(void **state) {
    static const char *const formats[] = {"json", "csv", "text"};
    (void)state;
    assert_int_equal(run((const char *[]){"tcplan", "experiment", "run",
                                          TCPLAN_TESTS_DIR "/cli/experiments/small.xml", "-o",
                                          "r.xml", "--quiet", NULL},
                         -1),
                     EXIT_DONE);
    for (size_t f = 0; f < sizeof formats / sizeof *formats; f++)
        assert_failing_memory_is_told((const char *[]){"tcplan", "experiment", "report", "r.xml",
                                                       "--select", "x=dgemv-ddot", "--format",
                                                       formats[f], NULL},
                                      assert_nothing);
    assert_failing_memory_is_told((const char *[]){"tcplan", "experiment", "report", "r.xml",
                                                   "--select", "dgemv", "--select", "ddot",
                                                   "--plot", "out.svg", NULL},
                                  assert_whole_plot_or_none);
    unlink("r.xml");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(merge_reports_out_of_memory),
        cmocka_unit_test(portability_reports_out_of_memory),
        cmocka_unit_test(comparing_machines_reports_out_of_memory),
        cmocka_unit_test(report_reports_out_of_memory),
        cmocka_unit_test(report_leaves_no_half_page_without_memory),
        cmocka_unit_test(rooflines_report_out_of_memory),
        cmocka_unit_test(trees_report_out_of_memory),
        cmocka_unit_test(experiments_report_out_of_memory),
    };
    return cmocka_run_group_tests(tests, make_results, remove_results);
}
