#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "roofline/ceilings/known.h"
#include "roofline/ceilings/measuring.h"
#include "tcplan/unstable.h"

enum { MIB = 1 << 20 };

/** Returns options for the shortest possible measurement; tests do not check the measured rates. */
static struct tcplan_roofline_options shortest(void) {
    struct tcplan_roofline_options options = tcplan_roofline_defaults();
    options.windows = 3;
    options.window_seconds = 2e-5;
    options.untuned = true;
    options.threads = 1;
    options.max_memory_bytes = 64 * MIB;
    options.intensities = true;
    options.sweep = "triad";
    return options;
}

static void assert_sound(const struct tcplan_ceiling *ceiling) {
    assert_true(ceiling->rate > 0);
    assert_true(ceiling->q1 <= ceiling->rate && ceiling->rate <= ceiling->q3);
    assert_true(ceiling->windows >= 1 && ceiling->windows <= 3);
    assert_int_equal(ceiling->origin, TCPLAN_ORIGIN_MEASURED);
    assert_int_equal(ceiling->threads, 1);
}

static int progress_calls, sweep_steps, intensity_steps;

/** Checks that the steps of each activity count upwards. Sweeps over sizes count separately. */
static void count_progress(void *context, const char *activity, double done, double total) {
    static char last[64];
    static double last_done;
    (void)context;
    assert_true(*activity && done <= total);
    if (strcmp(activity, last) == 0) assert_true(done >= last_done);
    snprintf(last, sizeof last, "%s", activity);
    last_done = done;
    sweep_steps += strcmp(activity, "sweeping with triad, 1 thread") == 0 && done > 0;
    intensity_steps += strcmp(activity, "rates over intensity, 1 thread") == 0 && done > 0;
    progress_calls++;
}

static void ceilings_of_all_kinds_are_measured(void **state) {
    struct tcplan_roofline_options options = shortest();
    struct tcplan_roofline *roofline;
    struct tcplan_error error;
    (void)state;
    options.progress = count_progress;
    options.strided = options.widths = true;
    if (tcplan_roofline_measure(&roofline, &options, &error) != TCPLAN_OK)
        fail_msg("%s", error.message);
    for (size_t c = 0; c < roofline->compute_count; c++) {
        assert_sound(&roofline->compute[c]);
        assert_int_equal(roofline->compute[c].cache, -1);
    }
    for (size_t c = 0; c < roofline->bandwidth_count; c++) {
        assert_sound(&roofline->bandwidth[c]);
        assert_true(roofline->bandwidth[c].line_bytes_per_count_byte >= 1);
    }
    if (roofline->left_out == 0) {
        assert_non_null(tcplan_roofline_compute(roofline, "add", TCPLAN_DOUBLE, 64, 1));
        assert_non_null(tcplan_roofline_compute(roofline, "divide", TCPLAN_FLOAT, 0, 1));
        assert_non_null(tcplan_roofline_compute(roofline, "zgemm", TCPLAN_DOUBLE_COMPLEX, 0, 1));
        assert_non_null(tcplan_roofline_bandwidth(roofline, "load", 0, 1));
        assert_non_null(
            tcplan_roofline_bandwidth(roofline, "load_16", roofline->machine.cache_count, 1));
        assert_non_null(
            tcplan_roofline_bandwidth(roofline, "store_64", roofline->machine.cache_count, 1));
        assert_true(tcplan_roofline_has_strides(roofline, 1, true));
    }
    if (roofline->left_out + roofline->above_limit == 0) {
        assert_true(tcplan_roofline_has_widths(roofline, 1, true) ||
                    roofline->bandwidth[0].vector_bits == 128);
        for (int mix = 1; mix < TCPLAN_MIXES; mix++) {
            const bool cannot = (roofline->lacking | roofline->unbuilt) >> mix & 1U;
            assert_true((tcplan_roofline_mixed(roofline, (enum tcplan_mix)mix, 1) == NULL) ==
                        cannot);
        }
    }
    for (size_t i = 0; i < roofline->intensity_count; i++)
        assert_true(roofline->intensity[i].rate > 0 && roofline->intensity[i].intensity >= 0.0625);
    for (size_t s = 1; s < roofline->sweep_count; s++) {
        const struct tcplan_ceiling *point = &roofline->sweep[s];
        assert_true(point->rate > 0 && point->q1 <= point->rate && point->rate <= point->q3);
        if (strcmp(point[-1].name, point->name) == 0)
            assert_true(point[-1].working_set_bytes < point->working_set_bytes);
    }
    assert_true(progress_calls > 0 && sweep_steps > 1 && intensity_steps > 1);
    tcplan_roofline_free(roofline);
}

/** Measures the ceilings for contractions in double precision with one thread, then for single
 * precision, which needs no new loads. */
static void known_values_are_not_measured_again(void **state) {
    struct tcplan_roofline_options options = shortest();
    struct tcplan_roofline *first, *second;
    struct tcplan_error error;
    (void)state;
    options.dtypes = 1U << TCPLAN_DOUBLE;
    options.one_count = true;
    if (tcplan_roofline_measure(&first, &options, &error) != TCPLAN_OK)
        fail_msg("%s", error.message);
    for (size_t c = 0; c < first->compute_count; c++)
        assert_int_equal(first->compute[c].precision, TCPLAN_DOUBLE);
    assert_null(tcplan_roofline_compute(first, "add", TCPLAN_DOUBLE, 0, 1));
    assert_null(tcplan_roofline_bandwidth(first, "load_2", 0, 1));
    assert_null(tcplan_roofline_mixed(first, TCPLAN_MIX_S_D, 1));
    assert_false(tcplan_roofline_has_strides(first, 1, true) ||
                 tcplan_roofline_has_widths(first, 1, true));
    if (first->left_out == 0) assert_true(tcplan_roofline_has(first, options.dtypes, 1, true));
    assert_false(tcplan_roofline_has(first, options.dtypes, 1, false)); /* measured quickly */
    assert_false(tcplan_roofline_has(first, 1U << TCPLAN_FLOAT, 1, true));
    assert_false(tcplan_roofline_has(first, 0, 1, true));
    for (size_t c = 0; c < first->bandwidth_count; c++)
        first->bandwidth[c].rate = first->bandwidth[c].q3 = 1e6; /* GB/s that no machine reaches */
    options.dtypes = 1U << TCPLAN_FLOAT;
    options.known = first;
    if (tcplan_roofline_measure(&second, &options, &error) != TCPLAN_OK)
        fail_msg("%s", error.message);
    for (size_t c = 0; c < first->bandwidth_count; c++) {
        const struct tcplan_ceiling *was = &first->bandwidth[c];
        assert_true(tcplan_roofline_bandwidth(second, was->name, was->cache, 1)->rate == 1e6);
    }
    const bool has_both =
        first->left_out == 0 &&
        second->left_out == 0; /* other load on the machine may cause ceilings to be left out */
    if (second->left_out == 0)
        assert_non_null(tcplan_roofline_compute(second, "fma", TCPLAN_FLOAT, 0, 1));
    for (size_t c = 0; c < second->compute_count; c++)
        assert_int_equal(second->compute[c].m, 0); /* ceilings for points include no gemm */
    if (has_both)
        assert_true(tcplan_roofline_has(second, 1U << TCPLAN_FLOAT | 1U << TCPLAN_DOUBLE, 1, true));
    assert_true(second->seconds >= first->seconds && second->made <= first->made);
    tcplan_roofline_free(first);
    tcplan_roofline_free(second);
}

/** If the time limit passes at once, there is no roofline. Otherwise the ceilings left out are
 * counted. */
static void a_time_limit_leaves_ceilings_out(void **state) {
    struct tcplan_roofline_options options = shortest();
    struct tcplan_roofline *roofline;
    struct tcplan_error error;
    (void)state;
    options.time_limit_seconds = 1e-9;
    assert_int_equal(tcplan_roofline_measure(&roofline, &options, &error), TCPLAN_ENVIRONMENT);
    assert_non_null(strstr(error.message, "time limit reached"));
    struct tcplan_ceiling load = {.name = "load",
                                  .precision = TCPLAN_DOUBLE,
                                  .threads = 1,
                                  .vector_bits = 1,
                                  .rate = 1,
                                  .q1 = 1,
                                  .q3 = 1};
    struct tcplan_ceiling add = {.name = "add",
                                 .precision = TCPLAN_DOUBLE,
                                 .threads = 1,
                                 .cache = -1,
                                 .vector_bits = 1,
                                 .rate = 1,
                                 .q1 = 1,
                                 .q3 = 1};
    const struct tcplan_roofline known = {
        .compute_count = 1, .compute = &add, .bandwidth_count = 1, .bandwidth = &load};
    options.known = &known;
    if (tcplan_roofline_measure(&roofline, &options, &error) != TCPLAN_OK)
        fail_msg("%s", error.message);
    assert_true(roofline->compute_count == 1 && roofline->bandwidth_count == 1 &&
                roofline->unmeasured > 40);
    assert_false(tcplan_roofline_has(roofline, 1U << TCPLAN_DOUBLE, 1, true));
    tcplan_roofline_free(roofline);
}

static volatile sig_atomic_t interrupted;

/** Interrupts the measurement at its third step of bandwidths. */
static void interrupt_bandwidth(void *context, const char *activity, double done, double total) {
    (void)context;
    (void)total;
    if (strncmp(activity, "moving data", strlen("moving data")) == 0 && done == 3) interrupted = 1;
}

static void interrupted_measurements_keep_their_ceilings(void **state) {
    struct tcplan_roofline_options options = shortest();
    struct tcplan_roofline *part, *whole;
    struct tcplan_error error;
    (void)state;
    options.intensities = false;
    options.sweep = NULL;
    options.one_count = true;
    options.interrupted = &interrupted;
    options.progress = interrupt_bandwidth;
    if (tcplan_roofline_measure(&part, &options, &error) != TCPLAN_OK)
        fail_msg("%s", error.message);
    assert_true(interrupted && part->unmeasured > 0 && part->compute_count > 0);
    assert_true(part->bandwidth_count <= 4); /* nothing was measured after the interruption; other
                                                load may have caused ceilings to be left out */
    assert_null(tcplan_roofline_compute(part, "dgemm", TCPLAN_DOUBLE, 0, 1));
    assert_false(tcplan_roofline_has(part, 0, 1, true));
    interrupted = 0;
    options.known = part;
    options.progress = NULL;
    if (tcplan_roofline_measure(&whole, &options, &error) != TCPLAN_OK)
        fail_msg("%s", error.message);
    assert_true(whole->unmeasured == 0 && whole->bandwidth_count > part->bandwidth_count);
    for (size_t c = 0; c < part->compute_count;
         c++) { /* these ceilings come from the interrupted measurement */
        const struct tcplan_ceiling *was = &part->compute[c], *now = known_find(whole, was);
        assert_true(now && now->rate == was->rate);
    }
    tcplan_roofline_free(part);
    tcplan_roofline_free(whole);
}

static void an_interruption_before_the_first_ceiling_is_an_error(void **state) {
    struct tcplan_roofline_options options = shortest();
    struct tcplan_roofline *roofline;
    struct tcplan_error error;
    (void)state;
    interrupted = 1;
    options.interrupted = &interrupted;
    assert_int_equal(tcplan_roofline_measure(&roofline, &options, &error), TCPLAN_ENVIRONMENT);
    interrupted = 0;
}

/** Windows are proportional to the references, or independent of them. If the references do not
 * vary, proportionality is assumed. */
static void the_elasticity_of_windows_is_found(void **state) {
    (void)state;
    for (int power = 0; power < 2; power++) {
        struct following following = {0};
        for (int w = 0; w < 40; w++) {
            const double reference = w % 2 == 0 ? 1 : 1.7;
            if (w % 10 == 0)
                drift_begin_series(&following.regression); /* the next windows are of another kernel
                                                            */
            drift_add(&following.regression, (1 + w / 10) * (power ? reference : 1), reference);
            following.windows++;
        }
        const double steadiness = measuring_steadiness(&following);
        assert_true(power ? steadiness < 0.05 : steadiness > 0.9);
        struct tcplan_ceiling ceiling = {
            .reference_seconds = 1.7, .good_reference_seconds = 1, .steadiness = steadiness};
        assert_true(tcplan_ceiling_is_slow(&ceiling) == power);
    }
    assert_true(measuring_steadiness(&(struct following){0}) == 0);
    struct following quiet = {.windows = 30};
    for (int w = 0; w < 30; w++) drift_add(&quiet.regression, 1, w % 2 == 0 ? 1 : 1.01);
    assert_true(measuring_steadiness(&quiet) < 0.2);
}

/** A ceiling measured on slow cores is measured again; the higher rate is used. */
static void slow_ceilings_are_taken_out_and_put_back(void **state) {
    (void)state;
    struct tcplan_roofline roofline = {0}, slow;
    struct measuring measuring = {.roofline = &roofline};
    const double share[] = {1, 0.5, 0.6, 0.7};
    for (int c = 0; c < 4; c++) {
        struct tcplan_ceiling ceiling = {
            .name = "fma", .vector_bits = 64 << c, .threads = 1, .cache = -1, .rate = share[c]};
        ceiling.good_reference_seconds = share[c];
        ceiling.reference_seconds = 1;
        assert_int_equal(measuring_append(&measuring, &ceiling, NULL), TCPLAN_OK);
    }
    known_take_slow(&measuring, &slow);
    assert_true(roofline.compute_count == 1 && slow.compute_count == 3);
    struct tcplan_ceiling better = slow.compute[0], worse = slow.compute[1];
    better.reference_seconds = 0.5;
    worse.reference_seconds = 2;
    better.rate = worse.rate = 9;
    assert_int_equal(measuring_append(&measuring, &better, NULL), TCPLAN_OK);
    assert_int_equal(measuring_append(&measuring, &worse, NULL), TCPLAN_OK);
    assert_int_equal(known_put_back(&measuring, &slow, NULL), TCPLAN_OK);
    assert_int_equal(roofline.compute_count, 4);
    known_sort(&roofline);
    assert_int_equal(roofline.compute[0].vector_bits, 512);
    assert_true(roofline.compute[0].rate == 0.7 && roofline.compute[1].rate == 0.6 &&
                roofline.compute[2].rate == 9);
    free(roofline.compute);
}

static void options_out_of_range_are_refused(void **state) {
    struct tcplan_roofline *roofline;
    struct tcplan_error error;
    (void)state;
    for (int o = 0; o < 7; o++) {
        struct tcplan_roofline_options options = shortest();
        if (o == 0) options.windows = 2;
        if (o == 1) options.windows = 1001;
        if (o == 2) options.window_seconds = 0;
        if (o == 3) options.threads = -1;
        if (o == 4) options.max_memory_bytes = -1;
        if (o == 5) options.window_seconds = 11;
        if (o == 6) options.threads = 4096;
        assert_int_equal(tcplan_roofline_measure(&roofline, &options, &error), TCPLAN_INVALID);
        assert_non_null(strstr(error.message, "expected"));
    }
}

/** Adds a ceiling with windows of one second each to an empty roofline. */
static enum tcplan_status add(struct tcplan_roofline *roofline, double flops,
                              double limit_per_cycle, int counted, bool wrong,
                              struct tcplan_error *error) {
    double seconds[] = {1, 1, 1};
    struct measuring measuring = {.roofline = roofline, .options = shortest(), .seconds = seconds};
    struct tcplan_ceiling ceiling = {.name = "fma", .threads = 1, .cache = -1};
    const struct team_series series = {
        .seconds = seconds, .counted = counted, .dropped = 3 - counted, .wrong = wrong};
    return measuring_add(&measuring, &ceiling, &series, flops, limit_per_cycle, error);
}

static void a_rate_above_the_limit_is_omitted_and_far_above_it_is_an_error(void **state) {
    struct tcplan_roofline roofline = {0};
    struct tcplan_error error;
    (void)state;
    assert_int_equal(add(&roofline, 1e9, 16, 3, false, &error), TCPLAN_OK);
    assert_int_equal(roofline.compute_count, 1);
    assert_true(roofline.compute[0].rate == 1);
    if (roofline.compute[0].limit > 0) {
        const double limit_flops = 1e9 * roofline.compute[0].limit;
        assert_int_equal(add(&roofline, 1.4 * limit_flops, 16, 3, false, &error), TCPLAN_OK);
        assert_int_equal(roofline.above_limit, 1);
        assert_int_equal(roofline.left_out, 0);
        assert_int_equal(add(&roofline, 1e12, 16, 3, false, &error), TCPLAN_ENVIRONMENT);
        assert_non_null(strstr(error.message, "measurement is broken"));
    }
    assert_int_equal(roofline.compute_count, 1);
    free(roofline.compute);
}

static void a_wrong_result_is_an_error(void **state) {
    struct tcplan_roofline roofline = {0};
    struct tcplan_error error;
    (void)state;
    assert_int_equal(add(&roofline, 1e9, 16, 3, true, &error), TCPLAN_ENVIRONMENT);
    assert_non_null(strstr(error.message, "computes wrong results"));
    assert_int_equal(roofline.compute_count, 0);
}

/** If at least three windows have fast references, only these remain, in their order. */
static void a_ceiling_has_windows_of_the_good_state(void **state) {
    double seconds[] = {1, 2, 3, 4, 5}, references[] = {1.05, 1.6, 1, 1.09, 1.2};
    struct team_series series = {.seconds = seconds, .references = references, .counted = 5};
    (void)state;
    assert_false(measuring_keep_good(&series, 0.9)); /* too few windows have fast references */
    assert_int_equal(series.counted, 5);
    assert_true(measuring_keep_good(&series, 1));
    assert_int_equal(series.counted, 3);
    assert_true(seconds[0] == 1 && seconds[1] == 3 && seconds[2] == 4 && references[2] == 1.09);
}

/** The good reference is the 5 % quantile of ceilings with the same number of threads, not the
 * shortest one. */
static void the_good_state_is_one_that_is_met_often(void **state) {
    struct tcplan_ceiling ceiling[22] = {0};
    struct tcplan_roofline roofline = {
        .compute_count = 21, .compute = ceiling, .bandwidth_count = 1, .bandwidth = ceiling + 21};
    (void)state;
    for (int c = 0; c < 20; c++)
        ceiling[c] = (struct tcplan_ceiling){.threads = 1,
                                             .good_reference_seconds = c == 0  ? 1
                                                                       : c < 5 ? 2
                                                                               : 3};
    ceiling[20] = (struct tcplan_ceiling){.threads = 1}; /* unknown */
    ceiling[21] = (struct tcplan_ceiling){.threads = 2, .good_reference_seconds = 4};
    measuring_note_good_state(&roofline, 1);
    measuring_note_good_state(&roofline, 2);
    for (int c = 0; c < 20; c++) assert_true(ceiling[c].good_reference_seconds == 2);
    assert_true(ceiling[20].good_reference_seconds == 0 && ceiling[21].good_reference_seconds == 4);
}

static void a_ceiling_without_an_undisturbed_window_is_left_out(void **state) {
    struct tcplan_roofline roofline = {0};
    struct tcplan_error error;
    (void)state;
    assert_int_equal(add(&roofline, 1e9, 16, 0, false, &error), TCPLAN_OK);
    assert_int_equal(roofline.compute_count, 0);
    assert_int_equal(roofline.left_out, 1);
}

static void the_highest_ceiling_of_a_kind_is_found(void **state) {
    struct tcplan_ceiling compute[] = {
        {.name = "fma", .precision = TCPLAN_DOUBLE, .vector_bits = 256, .threads = 1, .rate = 5},
        {.name = "fma", .precision = TCPLAN_DOUBLE, .vector_bits = 512, .threads = 1, .rate = 9},
        {.name = "dgemm", .precision = TCPLAN_DOUBLE, .threads = 1, .rate = 20, .m = 8},
        {.name = "add", .precision = TCPLAN_DOUBLE, .vector_bits = 512, .threads = 2, .rate = 11}};
    struct tcplan_ceiling bandwidth[] = {{.name = "load", .cache = 0, .threads = 1, .rate = 3},
                                         {.name = "copy", .cache = 0, .threads = 1, .rate = 4},
                                         {.name = "load_2", .cache = 0, .threads = 1, .rate = 8}};
    const struct tcplan_roofline roofline = {
        .compute_count = 4, .compute = compute, .bandwidth_count = 3, .bandwidth = bandwidth};
    (void)state;
    assert_ptr_equal(tcplan_roofline_compute(&roofline, "fma", TCPLAN_DOUBLE, 0, 1), &compute[1]);
    assert_ptr_equal(tcplan_roofline_compute(&roofline, "fma", TCPLAN_DOUBLE, 256, 1), &compute[0]);
    assert_ptr_equal(tcplan_roofline_compute(&roofline, NULL, TCPLAN_DOUBLE, 0, 1), &compute[1]);
    assert_ptr_equal(tcplan_roofline_compute(&roofline, "dgemm", TCPLAN_DOUBLE, 0, 1), &compute[2]);
    assert_null(tcplan_roofline_compute(&roofline, "fma", TCPLAN_DOUBLE, 0, 2));
    assert_ptr_equal(tcplan_roofline_bandwidth(&roofline, NULL, 0, 1), &bandwidth[1]);
    assert_ptr_equal(tcplan_roofline_bandwidth(&roofline, "load_2", 0, 1), &bandwidth[2]);
    assert_null(tcplan_roofline_bandwidth(&roofline, "load", 1, 1));
}

static void this_machine_is_described(void **state) {
    struct tcplan_host *host;
    struct tcplan_error error;
    struct tcplan_machine machine;
    (void)state;
    if (tcplan_host_examine(&host, &error) != TCPLAN_OK) fail_msg("%s", error.message);
    assert_true(host->machine.live);
    assert_true(host->page_bytes >= 4096);
    assert_true(host->wall_timer_ns > 0 && host->cpu_timer_ns > 0 && host->timer_resolution_ns > 0);
    assert_true(host->preempted_share >= 0 && host->preempted_share <= 1);
    assert_int_equal(strncmp(host->topology, "<topology", 9), 0);
    assert_int_equal(tcplan_machine_parse(&machine, "stored", host->topology, &error), TCPLAN_OK);
    assert_int_equal(machine.cores, host->machine.cores);
    assert_int_equal(machine.cache_count, host->machine.cache_count);
    tcplan_host_free(host);
    tcplan_host_free(NULL);
}

static void assert_machine(const char *content, enum tcplan_status status,
                           const char *part_of_message) {
    static const char path[] = "roofline_machine.xml";
    struct tcplan_machine machine;
    struct tcplan_error error = {0};
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(content, file);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(tcplan_host_load_machine(&machine, path, &error), status);
    if (part_of_message) assert_non_null(strstr(error.message, part_of_message));
    remove(path);
}

static void files_without_a_topology_are_refused(void **state) {
    (void)state;
    assert_machine("", TCPLAN_INVALID, "not well-formed");
    assert_machine("<host>\n<topology>\n", TCPLAN_INVALID, "not well-formed");
    assert_machine("<host><tea/></host>", TCPLAN_INVALID, "no element <topology>");
    assert_machine("<host><topology/></host>", TCPLAN_INVALID, "not a topology");
}

/** The name of a file is not interpreted as a URI, and libxml2 prints no messages. */
static void name_of_a_file_is_no_uri(void **state) {
    struct tcplan_error error;
    struct tcplan_machine machine;
    (void)state;
    char told[64] = "";
    FILE *errors = tmpfile();
    const int before = dup(STDERR_FILENO);
    assert_int_equal(mkdir("file:", 0755) == 0 || errno == EEXIST, true);
    FILE *file = fopen("file:/nowhere.xml", "w");
    assert_non_null(file);
    fclose(file);
    dup2(fileno(errors), STDERR_FILENO);
    const enum tcplan_status status =
        tcplan_host_load_machine(&machine, "file:///nowhere.xml", &error);
    dup2(before, STDERR_FILENO);
    close(before);
    rewind(errors);
    assert_null(fgets(told, sizeof told, errors));
    fclose(errors);
    assert_int_equal(status, TCPLAN_INVALID);
    assert_non_null(strstr(error.message, "Document is empty"));
    remove("file:/nowhere.xml");
    rmdir("file:");
}

static void the_topology_inside_a_description_is_a_machine(void **state) {
    char path[1024];
    struct tcplan_machine machine;
    struct tcplan_error error;
    (void)state;
    snprintf(path, sizeof path, "%s/cachesim/machine_example.xml", TCPLAN_TESTS_DIR);
    assert_int_equal(tcplan_host_load_machine(&machine, path, &error),
                     TCPLAN_OK); /* a file whose root element is the hwloc topology */
    assert_int_equal(machine.cores, 2);
    assert_string_equal(machine.source, path);
    assert_int_equal(
        tcplan_host_load_machine(&machine, "pack:1 l2:1(size=1MiB) core:2 pu:1", &error),
        TCPLAN_OK);
    assert_int_equal(machine.cores, 2);
    assert_int_equal(tcplan_host_load_machine(&machine, "no/such.xml", &error), TCPLAN_ENVIRONMENT);
}

static void one_window_of_a_trial_that_is_far_too_short_does_not_count(void **state) {
    (void)state;
    const struct measuring measuring = {.options = {.window_seconds = 1e-3}};
    double seconds[3] = {2e-11, 1e-6, 1.5e-6};
    const struct team_series trial = {.seconds = seconds, .counted = 3},
                             none = {.seconds = seconds};
    assert_int_equal(measuring_repetitions(&measuring, measuring_trial_seconds(&trial), 3), 2000);
    assert_int_equal(measuring_repetitions(&measuring, measuring_trial_seconds(&none), 3), 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ceilings_of_all_kinds_are_measured),
        cmocka_unit_test(known_values_are_not_measured_again),
        cmocka_unit_test(a_time_limit_leaves_ceilings_out),
        cmocka_unit_test(interrupted_measurements_keep_their_ceilings),
        cmocka_unit_test(an_interruption_before_the_first_ceiling_is_an_error),
        cmocka_unit_test(the_elasticity_of_windows_is_found),
        cmocka_unit_test(slow_ceilings_are_taken_out_and_put_back),
        cmocka_unit_test(options_out_of_range_are_refused),
        cmocka_unit_test(a_rate_above_the_limit_is_omitted_and_far_above_it_is_an_error),
        cmocka_unit_test(a_wrong_result_is_an_error),
        cmocka_unit_test(one_window_of_a_trial_that_is_far_too_short_does_not_count),
        cmocka_unit_test(a_ceiling_has_windows_of_the_good_state),
        cmocka_unit_test(the_good_state_is_one_that_is_met_often),
        cmocka_unit_test(a_ceiling_without_an_undisturbed_window_is_left_out),
        cmocka_unit_test(the_highest_ceiling_of_a_kind_is_found),
        cmocka_unit_test(this_machine_is_described),
        cmocka_unit_test(files_without_a_topology_are_refused),
        cmocka_unit_test(name_of_a_file_is_no_uri),
        cmocka_unit_test(the_topology_inside_a_description_is_a_machine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
