/*
 * Tests measured regions of this process, with recorded counts: each reading of a thread's counters
 * adds 100 operations, each reading of the memory's adds 64 bytes read and 32 written.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tcplan/region.h"

static const char counts[] = "counts 1\n"
                             "event flops 1 256 operations\n"
                             "event read 64 0 reads\n"
                             "event written 32 0 writes\n"
                             "growth 100 1 1\n";

static char path[] = "/tmp/tcplan_region_XXXXXX";

static int measure(void **state) {
    struct tcplan_error error = {0};
    (void)state;
    const int descriptor = mkstemp(path);
    if (descriptor < 0 || write(descriptor, counts, sizeof counts - 1) < 0) return -1;
    close(descriptor);
    tcplan_region_begin("before anybody asked");
    tcplan_region_end("before anybody asked");
    struct tcplan_regions *regions = NULL;
    if (tcplan_region_results(&regions, &error) != TCPLAN_NOT_APPLICABLE) return -1;
    if (tcplan_region_measure("/no/such/file", &error) != TCPLAN_ENVIRONMENT) return -1;
    return tcplan_region_measure(path, &error) == TCPLAN_OK ? 0 : -1;
}

static int finish(void **state) {
    (void)state;
    return unlink(path);
}

/** Returns a region of the present results by name; fails if it is missing. */
static struct tcplan_region result(const char *name) {
    struct tcplan_regions *regions = NULL;
    struct tcplan_region out = {0};
    assert_int_equal(tcplan_region_results(&regions, NULL), TCPLAN_OK);
    assert_string_equal(regions->source, "recorded");
    for (size_t r = 0; r < regions->count; r++) {
        if (strcmp(regions->region[r].name, name) == 0) out = regions->region[r];
    }
    tcplan_regions_free(regions);
    assert_string_equal(out.name, name);
    return out;
}

static void a_region_is_the_difference_of_its_readings(void **state) {
    (void)state;
    for (int i = 0; i < 3; i++) {
        tcplan_region_begin("plain");
        tcplan_region_end("plain");
    }
    const struct tcplan_region region = result("plain");
    assert_int_equal(region.calls, 3);
    assert_int_equal(region.threads, 1);
    assert_int_equal(region.unended, 0);
    assert_true(region.flops == 300 && region.bytes == 3 * 96 && region.written_bytes == 96);
    assert_true(region.seconds > 0 && region.gflops > 0 && region.intensity == 300.0 / 288);
    assert_int_equal(region.flops_origin, TCPLAN_ORIGIN_MEASURED);
    assert_int_equal(region.bytes_source, TCPLAN_BYTES_CONTROLLERS);
    assert_true(region.width_flops[2] == 300);
}

static void regions_nest_and_overlap(void **state) {
    (void)state;
    tcplan_region_begin("outer");
    tcplan_region_begin("inner");
    tcplan_region_end("inner");
    tcplan_region_end("outer");
    assert_true(result("inner").flops == 100 &&
                result("outer").flops == 300); /* four readings: three increments of 100 between the
                                                  outer ones */
    tcplan_region_begin("first");
    tcplan_region_begin("second");
    tcplan_region_end("first");
    tcplan_region_end("second");
    assert_true(result("first").flops == 200 && result("second").flops == 200);
}

static void a_region_in_itself_counts_once(void **state) {
    (void)state;
    tcplan_region_begin("again");
    tcplan_region_begin("again");
    tcplan_region_end("again");
    tcplan_region_end("again");
    const struct tcplan_region region = result("again");
    assert_int_equal(region.calls, 2);
    assert_int_equal(region.threads, 1);
    assert_true(region.flops == 300 && region.bytes == 96);
}

static pthread_barrier_t barrier;

static void *work(void *context) {
    (void)context;
    tcplan_region_begin("parallel");
    pthread_barrier_wait(&barrier);
    tcplan_region_end("parallel");
    return NULL;
}

static void operations_of_threads_add_up_and_the_machine_is_counted_once(void **state) {
    enum { THREADS = 3 };
    pthread_t thread[THREADS];
    (void)state;
    pthread_barrier_init(&barrier, NULL, THREADS);
    for (int t = 0; t < THREADS; t++)
        assert_int_equal(pthread_create(&thread[t], NULL, work, NULL), 0);
    for (int t = 0; t < THREADS; t++) pthread_join(thread[t], NULL);
    pthread_barrier_destroy(&barrier);
    const struct tcplan_region region = result("parallel");
    assert_int_equal(region.threads, THREADS);
    assert_int_equal(region.calls, THREADS);
    assert_true(region.flops == 100 * THREADS && region.bytes == 96); /* bytes between the first
                                                                         thread's begin and the last
                                                                         thread's end */
}

static void *leave_open(void *context) {
    (void)context;
    tcplan_region_begin("left open");
    return NULL;
}

static void unbalanced_regions_are_reported(void **state) {
    struct tcplan_regions *regions = NULL;
    pthread_t thread;
    (void)state;
    tcplan_region_end("never begun");
    tcplan_region_end(NULL);
    tcplan_region_begin(NULL);
    assert_int_equal(tcplan_region_results(&regions, NULL), TCPLAN_OK);
    assert_int_equal(regions->lost_ends, 2);
    assert_string_equal(regions->lost_name, "never begun");
    tcplan_regions_free(regions);
    assert_int_equal(pthread_create(&thread, NULL, leave_open, NULL), 0);
    pthread_join(thread, NULL);
    struct tcplan_region region = result("left open");
    assert_int_equal(region.unended, 1);
    assert_true(region.seconds < 0 && region.flops < 0);
    tcplan_region_begin("left open"); /* this thread ends while its region is open */
    tcplan_region_end("left open");
    region = result("left open");
    assert_true(region.seconds > 0 && region.flops == 100 && region.unended == 1);
}

static void long_names_are_cut_and_deep_nests_survive(void **state) {
    char name[300], cut[TCPLAN_REGION_NAME];
    (void)state;
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    memset(cut, 'x', sizeof cut - 1);
    cut[sizeof cut - 1] = '\0';
    tcplan_region_begin(name);
    tcplan_region_end(name);
    assert_true(result(cut).flops == 100);
    for (int d = 0; d < 200; d++) tcplan_region_begin("deep");
    for (int d = 0; d < 200; d++) tcplan_region_end("deep");
    const struct tcplan_region region = result("deep");
    assert_int_equal(region.calls, 64);
    assert_int_equal(region.unended, 0);
}

static void a_forked_process_starts_fresh(void **state) {
    (void)state;
    tcplan_region_begin("before the fork");
    const pid_t process = fork();
    if (process == 0) {
        struct tcplan_regions *regions = NULL;
        tcplan_region_begin("in the child");
        tcplan_region_end("in the child");
        tcplan_region_end("before the fork"); /* ignored: the region was begun in the parent process
                                               */
        const bool is_fine =
            tcplan_region_results(&regions, NULL) == TCPLAN_OK && regions->lost_ends == 3;
        _exit(is_fine ? 0 : 1);
    }
    int status = -1;
    assert_int_equal(waitpid(process, &status, 0), process);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    tcplan_region_end("before the fork");
    assert_true(result("before the fork").flops == 100);
}

static void regions_are_measured_only_once_at_a_time(void **state) {
    struct tcplan_error error = {0};
    (void)state;
    assert_int_equal(tcplan_region_measure("none", &error), TCPLAN_BUSY);
    assert_string_equal(error.message, "regions are already measured by this program");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_region_is_the_difference_of_its_readings),
        cmocka_unit_test(regions_nest_and_overlap),
        cmocka_unit_test(a_region_in_itself_counts_once),
        cmocka_unit_test(operations_of_threads_add_up_and_the_machine_is_counted_once),
        cmocka_unit_test(unbalanced_regions_are_reported),
        cmocka_unit_test(long_names_are_cut_and_deep_nests_survive),
        cmocka_unit_test(a_forked_process_starts_fresh),
        cmocka_unit_test(regions_are_measured_only_once_at_a_time),
    };
    return cmocka_run_group_tests(tests, measure, finish);
}
