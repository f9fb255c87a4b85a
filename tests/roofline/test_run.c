/*
 * Tests how programs are started and counted. The test starts itself, with arguments that select an
 * action.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "roofline/regions/board.h"
#include "tcplan/region.h"
#include "tcplan/run.h"

static char self[512];
static char counts[] = "/tmp/tcplan_run_XXXXXX";

static int mark(void) {
    for (int i = 0; i < 2; i++) {
        tcplan_region_begin("outer");
        tcplan_region_begin("inner");
        tcplan_region_end("inner");
        tcplan_region_end("outer");
    }
    tcplan_region_end("nothing");
    tcplan_region_begin("open");
    puts("said");
    return 3;
}

static int perform(const char *what) {
    if (strcmp(what, "mark") == 0) return mark();
    while (strcmp(what, "sleep") == 0) pause();
    if (strcmp(what, "crash") == 0) {
        signal(SIGSEGV, SIG_DFL); /* replaces the handler of the sanitizers */
        raise(SIGSEGV);
    }
    if (strcmp(what, "environment") == 0) return getenv(BOARD_VARIABLE) ? 0 : 1;
    return 0;
}

/* Tests. */

static struct tcplan_run *run(const char *what, const char *source, double limit, int output) {
    const char *const arguments[] = {self, "--perform", what, NULL};
    const struct tcplan_run_options options = {
        .arguments = arguments, .counters = source, .time_limit_seconds = limit, .output = output};
    struct tcplan_run *out = NULL;
    struct tcplan_error error = {0};
    if (tcplan_run_program(&out, &options, &error) != TCPLAN_OK) fail_msg("%s", error.message);
    return out;
}

static void a_program_and_its_regions_are_counted(void **state) {
    char said[16] = "";
    int pipe_end[2];
    (void)state;
    assert_int_equal(pipe(pipe_end), 0);
    struct tcplan_run *measured = run("mark", counts, 0, pipe_end[1]);
    close(pipe_end[1]); /* a program that closes stdout is not waited for */
    assert_int_equal(read(pipe_end[0], said, sizeof said - 1), 5);
    assert_string_equal(said, "said\n");
    close(pipe_end[0]);
    assert_int_equal(measured->exit_status, 3);
    assert_int_equal(measured->signal, 0);
    assert_true(measured->seconds > 0 && measured->cpu_seconds > 0);
    const struct tcplan_regions *regions = measured->regions;
    assert_string_equal(regions->source, "recorded");
    assert_int_equal(regions->count, 4);
    const struct tcplan_region *whole = &regions->region[0], *outer = &regions->region[1],
                               *inner = &regions->region[2];
    assert_string_equal(whole->name, "test_roofline_run");
    assert_true(whole->flops == 100 && whole->bytes == 96 && whole->seconds == measured->seconds);
    assert_string_equal(outer->name, "outer");
    assert_int_equal(outer->calls, 2);
    assert_true(outer->flops == 600 && inner->flops == 200 && outer->bytes == 2 * 3 * 96 &&
                inner->bytes == 2 * 96);
    assert_true(outer->seconds >= inner->seconds && whole->seconds > outer->seconds);
    assert_int_equal(regions->region[3].unended, 1);
    assert_int_equal(regions->lost_ends, 1);
    assert_string_equal(regions->lost_name, "nothing");
    tcplan_run_free(measured);
}

static void without_counters_there_is_a_time_and_a_reason(void **state) {
    (void)state;
    struct tcplan_run *measured = run("environment", "none", 0, -1);
    assert_int_equal(measured->exit_status, 0);
    const struct tcplan_region *whole = &measured->regions->region[0];
    assert_true(whole->seconds > 0 && whole->flops < 0 && whole->bytes < 0 && whole->gflops < 0 &&
                whole->intensity < 0);
    assert_int_equal(whole->bytes_source, TCPLAN_BYTES_UNKNOWN);
    assert_string_equal(measured->regions->why_no_flops, "counters are turned off");
    tcplan_run_free(measured);
}

static void endless_programs_are_ended(void **state) {
    (void)state;
    struct tcplan_run *measured = run("sleep", "none", 0.05, -1);
    assert_true(measured->timed_out);
    assert_int_equal(measured->signal, SIGTERM);
    assert_int_equal(measured->exit_status, -1);
    tcplan_run_free(measured);
    /* The signal is ignored before the start, because the program may not have ignored it yet when
     * the signal arrives. */
    void (*const before)(int) = signal(SIGTERM, SIG_IGN);
    measured = run("sleep", "none", 0.2, -1);
    signal(SIGTERM, before);
    assert_true(measured->timed_out);
    assert_int_equal(measured->signal, SIGKILL);
    tcplan_run_free(measured);
}

static void a_crash_is_reported(void **state) {
    (void)state;
    struct tcplan_run *measured = run("crash", "none", 0, -1);
    assert_int_equal(measured->signal, SIGSEGV);
    assert_false(measured->timed_out);
    tcplan_run_free(measured);
}

static void refuse(const char *program, const char *source, enum tcplan_status status,
                   const char *part) {
    const char *const arguments[] = {program, NULL};
    const struct tcplan_run_options options = {
        .arguments = arguments, .counters = source, .output = -1};
    struct tcplan_run *out = NULL;
    struct tcplan_error error = {0};
    assert_int_equal(tcplan_run_program(&out, &options, &error), status);
    assert_null(out);
    assert_non_null(strstr(error.message, part));
}

static void impossible_runs_are_refused(void **state) {
    (void)state;
    refuse("/no/such/program", "none", TCPLAN_ENVIRONMENT,
           "cannot run '/no/such/program': No such file or directory");
    refuse("/", "none", TCPLAN_ENVIRONMENT, "cannot run '/': Permission denied");
    refuse(self, "/no/such/counts", TCPLAN_ENVIRONMENT, "recorded counts '/no/such/counts'");
}

static int begin(void **state) {
    static const char text[] =
        "counts 1\nevent flops 1 0 operations\nevent read 64 0 reads\nevent written 32 0 writes\ngrowth 100 1 1\n";
    (void)state;
    const int descriptor = mkstemp(counts);
    if (descriptor < 0 || write(descriptor, text, sizeof text - 1) < 0) return -1;
    return close(descriptor);
}

static int end(void **state) {
    (void)state;
    return unlink(counts);
}

int main(int argc, char **argv) {
    if (argc == 3 && strcmp(argv[1], "--perform") == 0) return perform(argv[2]);
    const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length < 0) return EXIT_FAILURE;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_program_and_its_regions_are_counted),
        cmocka_unit_test(without_counters_there_is_a_time_and_a_reason),
        cmocka_unit_test(endless_programs_are_ended),
        cmocka_unit_test(a_crash_is_reported),
        cmocka_unit_test(impossible_runs_are_refused),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
