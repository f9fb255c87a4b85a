/*
 * Tests the traffic through the caches: cases that can be counted by hand, and samples compared
 * with the simulation of every access.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ast/nest/refine.h"
#include "base/alloc.h"
#include "cachesim/access_trace.h"
#include "cachesim/simulator.h"
#include "support/named_nest.h"
#include "tcplan/traffic.h"

static void assert_near(double found, double expected, double tolerance) {
    if (!(fabs(found - expected) <= tolerance))
        fail_msg("found %.17g, expected %.17g", found, expected);
}

/** Makes a machine with fully associative caches of these sizes in KiB; 0 ends the list. */
static struct tcplan_machine machine_of(int first_kib, int second_kib, int third_kib) {
    const int kib[] = {first_kib, second_kib, third_kib};
    struct tcplan_machine machine = {.line_bytes = 64, .page_bytes = 4096};
    for (int k = 0; k < 3 && kib[k] > 0; k++) {
        machine.cache[machine.cache_count++] = (struct tcplan_cache_level){
            .level = k + 1, .size_bytes = (int64_t)kib[k] << 10, .line_bytes = 64, .ways = -1};
    }
    return machine;
}

static struct tcplan_traffic traffic_of(const struct tcplan_machine *machine, const char *text,
                                        const char *sizes, const char *algorithm) {
    struct named_nest named;
    struct tcplan_traffic traffic;
    named_nest_init(&named, text, TCPLAN_COLUMN_MAJOR, sizes, TCPLAN_DOUBLE, algorithm);
    assert_int_equal(tcplan_traffic_model(&traffic, named.nest, &named.problem, machine, 1, NULL),
                     TCPLAN_OK);
    named_nest_free(&named);
    return traffic;
}

static void compulsory_bytes_are_each_tensor_once(void **state) {
    (void)state;
    const struct tcplan_machine machine = machine_of(32, 256, 0);
    const double ab = 8 * 5 + 5 * 9;
    struct tcplan_traffic traffic = traffic_of(&machine, "C_ab=A_ai*B_ib", "a=8,b=9,i=5", "dgemm");
    assert_near(traffic.compulsory_bytes, 8 * (ab + 72), 0);
    assert_near(traffic.write_share, 72 / (ab + 72), 1e-15);
    traffic = traffic_of(&machine, "C_ab+=A_ai*B_ib", "a=8,b=9,i=5", "dgemm");
    assert_near(traffic.compulsory_bytes, 8 * (ab + 2 * 72), 0);
    assert_near(traffic.write_share, 72 / (ab + 2 * 72), 1e-15);
    traffic = traffic_of(&machine, "C_aab=A_ai*B_ib", "a=8,b=9,i=5", "'dgemm"); /* a diagonal */
    assert_near(traffic.compulsory_bytes, 8 * (ab + 72), 0);
}

static void temporaries_belong_to_the_working_set(void **state) {
    (void)state;
    const struct tcplan_machine machine = machine_of(32, 256, 0);
    const struct tcplan_traffic plain =
        traffic_of(&machine, "C_ab=A_ai*B_ib", "a=8,b=9,i=5", "dgemm");
    assert_near(plain.working_set_bytes, 8 * (40 + 45 + 72), 0);
    const struct tcplan_traffic copied =
        traffic_of(&machine, "C_abc=A_ija*B_jbic", "a=4,b=5,c=6,i=3,j=2", "ci'-dgemm");
    const double tensors = 24 + 180 + 120;
    assert_true(copied.working_set_bytes > 8 * tensors);
}

static void the_cache_is_the_innermost_that_holds_everything(void **state) {
    (void)state;
    const struct tcplan_machine machine = machine_of(4, 32, 256);
    assert_int_equal(traffic_of(&machine, "C_ab=A_ai*B_ib", "a=b=i=8", "dgemm").cache, 0);
    assert_int_equal(traffic_of(&machine, "C_ab=A_ai*B_ib", "a=b=i=24", "dgemm").cache, 1);
    assert_int_equal(traffic_of(&machine, "C_ab=A_ai*B_ib", "a=b=i=64", "dgemm").cache, 2);
    assert_int_equal(traffic_of(&machine, "C_ab=A_ai*B_ib", "a=b=i=128", "dgemm").cache, 3);
}

static void data_of_the_first_cache_counts_as_requested(void **state) {
    (void)state;
    const struct tcplan_machine machine = machine_of(32, 256, 0);
    /* Of b * i calls, each touches a elements of A, one of B, and a of C, read and written; C is
     * zeroed before. */
    const struct tcplan_traffic axpy =
        traffic_of(&machine, "C_ab+=A_ai*B_ib", "a=8,b=9,i=5", "bi-daxpy");
    assert_int_equal(axpy.method, TCPLAN_TRAFFIC_COUNTED);
    assert_near(axpy.model_bytes, 8 * 45 * (8 + 1 + 2 * 8), 0);
    const struct tcplan_traffic dot =
        traffic_of(&machine, "C_ab+=A_ai*B_ib", "a=8,b=9,i=5", "ba-ddot");
    assert_near(dot.model_bytes, 8 * 72 * (5 + 5 + 2), 0);
    const struct tcplan_traffic gemm =
        traffic_of(&machine, "C_ab=A_ai*B_ib", "a=8,b=9,i=5", "dgemm");
    assert_near(gemm.model_bytes, gemm.compulsory_bytes, 0);
}

static void a_matrix_that_is_streamed_is_moved_once(void **state) {
    (void)state;
    const struct tcplan_machine machine = machine_of(4, 1 << 12, 0);
    /* A of 200 x 200 doubles has 5000 lines. x and y stay in the cache of 64 lines; y has 25
     * lines. */
    const struct tcplan_traffic traffic = traffic_of(&machine, "C_a+=A_ai*B_i", "a=i=200", "dgemv");
    assert_int_equal(traffic.method, TCPLAN_TRAFFIC_SIMULATED);
    assert_int_equal(traffic.cache, 1);
    assert_near(traffic.model_bytes, 64 * (5000 + 25 + 2 * 25), 64);
}

static void strided_rows_move_whole_lines(void **state) {
    (void)state;
    const struct tcplan_machine machine = machine_of(4, 1 << 12, 0);
    /* Each ddot reads a row of A: one element from each of 200 lines, which a cache of 64 lines
     * does not hold until the next row. */
    const struct tcplan_traffic traffic =
        traffic_of(&machine, "C_a+=A_ai*B_i", "a=i=200", "a-ddot");
    assert_true(traffic.model_bytes > 64.0 * 200 * 200);
    assert_true(traffic.model_bytes < 1.2 * 64 * 200 * 200);
}

static void without_caches_nothing_but_the_compulsory_is_known(void **state) {
    (void)state;
    const struct tcplan_machine machine = {.line_bytes = 64, .page_bytes = 4096};
    const struct tcplan_traffic traffic =
        traffic_of(&machine, "C_ab=A_ai*B_ib", "a=b=i=64", "bi-daxpy");
    assert_int_equal(traffic.cache, 0);
    assert_near(traffic.model_bytes, traffic.compulsory_bytes, 0);
}

static void touch(void *context, const struct access_run *run) {
    simulator_access_run(context, run->address, run->stride_bytes, run->count, run->write);
}

/** Returns the bytes moved through one fully associative cache in the second of two executions, by
 * simulating every access. */
static double simulated_bytes(const struct named_nest *named, int64_t cache_bytes) {
    const struct simulator_options options = {
        .line_bytes = 64, .level_count = 1, .level = {{cache_bytes, 0}}};
    const struct refined_problem refined = named->refined;
    const struct access_layout layout = access_layout_of(&refined);
    struct simulator *simulator = simulator_new(&options);
    assert_non_null(simulator);
    const struct access_visitor visitor = {.context = simulator, .run = touch};
    access_trace(named->nest, &refined, &layout, &visitor);
    simulator_reset_counts(simulator);
    access_trace(named->nest, &refined, &layout, &visitor);
    const double bytes = (double)simulator_traffic_bytes(simulator, 0);
    simulator_free(simulator);
    return bytes;
}

static void check_samples(const char *text, const char *sizes, const char *algorithm,
                          int cache_kib) {
    const struct tcplan_machine machine = machine_of(cache_kib, 1 << 20, 0);
    struct named_nest named;
    struct tcplan_traffic traffic;
    named_nest_init(&named, text, TCPLAN_COLUMN_MAJOR, sizes, TCPLAN_DOUBLE, algorithm);
    assert_int_equal(tcplan_traffic_model(&traffic, named.nest, &named.problem, &machine, 1, NULL),
                     TCPLAN_OK);
    const double expected = simulated_bytes(&named, (int64_t)cache_kib << 10);
    named_nest_free(&named);
    assert_int_equal(traffic.method, TCPLAN_TRAFFIC_SAMPLED);
    if (!(fabs(traffic.model_bytes - expected) <= 0.1 * expected)) {
        fail_msg("%s %s %s, %d KiB: %.17g sampled, %.17g simulated", text, sizes, algorithm,
                 cache_kib, traffic.model_bytes, expected);
    }
}

static void samples_agree_with_a_simulation_of_every_access(void **state) {
    (void)state;
    static const char *const algorithms[] = {"c-dgemm", "b-dgemm",   "cb-dgemv", "ca-dgemv",
                                             "ci-dger", "ibc-daxpy", "abc-ddot"};
    for (size_t a = 0; a < sizeof algorithms / sizeof *algorithms; a++) {
        check_samples("C_abc+=A_ai*B_ibc", "a=b=c=128,i=8", algorithms[a], 64);
    }
    check_samples("C_abc+=A_ai*B_ibc", "a=b=c=128,i=8", "cb-dgemv", 1024);
    check_samples("C_abc+=A_ai*B_ibc", "a=b=c=128,i=8", "ci-dger", 1024);
    check_samples("C_abc=A_ija*B_jbic", "a=b=c=70,i=j=10", "ci'-dgemm", 128);
    check_samples("C_abc=A_ija*B_jbic", "a=b=c=70,i=j=10", "i'c-dgemm", 128);
}

/* The nest touches 128 thousand lines; half of them are simulated. */
static void samples_of_lines_agree_with_all_lines(void **state) {
    (void)state;
    check_samples("C_abc+=A_ai*B_ibc", "a=b=c=128,i=8", "b-dgemm", 8192);
    check_samples("C_abc+=A_ai*B_ibc", "a=b=c=128,i=8", "ic-dger", 8192);
}

static void more_cache_never_means_more_traffic(void **state) {
    (void)state;
    double before = INFINITY;
    for (int kib = 4; kib <= 512; kib *= 2) {
        const struct tcplan_machine machine = machine_of(kib, 1 << 20, 0);
        const struct tcplan_traffic traffic =
            traffic_of(&machine, "C_ab+=A_ai*B_ib", "a=b=150,i=150", "bi-daxpy");
        assert_true(traffic.model_bytes <= 1.05 * before);
        assert_true(traffic.model_bytes >= traffic.compulsory_bytes);
        before = traffic.model_bytes;
    }
}

static void out_of_memory_is_an_error(void **state) {
    (void)state;
    const struct tcplan_machine machine = machine_of(64, 1 << 20, 0);
    struct named_nest named;
    named_nest_init(&named, "C_abc+=A_ai*B_ibc", TCPLAN_COLUMN_MAJOR, "a=b=c=60,i=8", TCPLAN_DOUBLE,
                    "cbi-daxpy");
    enum tcplan_status status = TCPLAN_NO_MEMORY;
    for (long successes = 0; status != TCPLAN_OK; successes++) {
        struct tcplan_traffic traffic;
        base_alloc_fail_after(successes);
        status = tcplan_traffic_model(&traffic, named.nest, &named.problem, &machine, 1, NULL);
        base_alloc_fail_after(-1);
        assert_true(status == TCPLAN_NO_MEMORY || (status == TCPLAN_OK && successes > 3));
    }
    named_nest_free(&named);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compulsory_bytes_are_each_tensor_once),
        cmocka_unit_test(temporaries_belong_to_the_working_set),
        cmocka_unit_test(the_cache_is_the_innermost_that_holds_everything),
        cmocka_unit_test(data_of_the_first_cache_counts_as_requested),
        cmocka_unit_test(a_matrix_that_is_streamed_is_moved_once),
        cmocka_unit_test(strided_rows_move_whole_lines),
        cmocka_unit_test(without_caches_nothing_but_the_compulsory_is_known),
        cmocka_unit_test(samples_agree_with_a_simulation_of_every_access),
        cmocka_unit_test(samples_of_lines_agree_with_all_lines),
        cmocka_unit_test(more_cache_never_means_more_traffic),
        cmocka_unit_test(out_of_memory_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
