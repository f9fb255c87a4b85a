#include "tcplan/selftest.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "microbench/program/buffers.h"
#include "microbench/providers/blas.h"
#include "roofline/kernels/stream_parts.h"
#include "roofline/kernels/working_set.h"
#include "roofline/timing/chain.h"
#include "roofline/timing/summary.h"
#include "roofline/validation/counted.h"
#include "roofline/validation/subject.h"
#include "roofline/validation/verdict.h"

#define WINDOW_SECONDS 0.006
#define TOLERANCE 0.05 /* tolerated relative deviation from predicted cycles and above bounds */

enum { ATTEMPTS = 10, SERIES_SECONDS = 2, MOST_BITS = 1 << 20, LATENCY_READINGS = 20 };

/** A kernel of the paper with cold or warm caches. */
struct plan {
    const char *name;
    enum tcplan_kernel kernel;
    bool cold;
    int64_t n; /* extent; 0: one for which the operands fill half of the second cache */
    enum stream_operation bound; /* stream kernel that moves the same data; STREAM_OPERATIONS: fma
                                    is the bound */
    double lowest; /* minimum of measured / expected; 0: no minimum, because the speed depends on
                      the library */
};

/** The checks. A run takes one or two milliseconds. The lowest accepted ratios of cold kernels are
 * those of the paper: 95 % for daxpy, 90 % for dgemv. */
static const struct plan plans[] = {{"daxpy", TCPLAN_AXPY, true, 1000000, STREAM_AXPY, 0.95},
                                    {"daxpy", TCPLAN_AXPY, false, 0, STREAM_AXPY, 0},
                                    {"dgemv", TCPLAN_GEMV, true, 1200, STREAM_LOAD, 0.90},
                                    {"dgemv", TCPLAN_GEMV, false, 0, STREAM_LOAD, 0},
                                    {"dgemm", TCPLAN_GEMM, true, 400, STREAM_OPERATIONS, 0},
                                    {"dgemm", TCPLAN_GEMM, false, 400, STREAM_OPERATIONS, 0}};
enum { PLANS = sizeof plans / sizeof *plans };

struct selftest {
    struct tcplan_selftest *out;
    struct tcplan_machine machine;
    struct team *team;
    struct workspace workspace;
    bool reduced;
    const struct kernel_set *set[KERNEL_SETS];
    struct tcplan_selftest_options options;
    struct counter_source *counts;
};

static void report(const struct selftest *test) {
    const struct tcplan_selftest_options *options = &test->options;
    const bool counts = test->counts->count > 0 || validation_is_simulated(options->counters);
    const double done = test->out->count + test->out->counted_count,
                 all = PLANS + 1 + (counts ? TCPLAN_MAX_COUNTED : 0);
    if (options->progress) options->progress(options->progress_context, "testing", done, all);
}

/* Summaries. */

static void judge(struct tcplan_check *check, double *measured, double *expected, double *ratio,
                  int count) {
    check->repeats = count;
    if (count > 0) {
        const struct summary value = summary_make(measured, count);
        const struct summary share = summary_make(ratio, count);
        check->measured = value.median;
        check->q1 = value.q1;
        check->q3 = value.q3;
        check->expected = summary_make(expected, count).median;
        check->ratio = share.median;
        check->ratio_q1 = share.q1;
        check->ratio_q3 = share.q3;
    }
    check->verdict = verdict_of(check);
}

/** Divides rates by the clock rate that was measured with them, so that they become rates per
 * cycle. */
static void turn_per_cycle(struct tcplan_check *check) {
    const double ghz = 1e-9 * check->clock_hz;
    check->measured /= ghz;
    check->q1 /= ghz;
    check->q3 /= ghz;
    check->expected /= ghz;
}

static void note_clock(struct tcplan_check *check, double before_hz, double after_hz) {
    if (!(before_hz > 0 && after_hz > 0)) return;
    check->clock_hz = (before_hz + after_hz) / 2;
    check->clock_drift = fmax(after_hz, before_hz) / fmin(after_hz, before_hz) - 1;
}

static void add(struct selftest *test, const struct tcplan_check *check) {
    test->out->check[test->out->count++] = *check;
    test->out->verdict = verdict_both(test->out->verdict, check->verdict);
}

/* Cycles. */

/** Checks that a multiplication takes a whole number of times as long as an addition (three on
 * x86), so that chains of two different instructions agree on the length of a cycle. */
static void check_multiply(struct selftest *test) {
    struct tcplan_check check = {.kind = TCPLAN_CHECK_CYCLES,
                                 .name = "multiply",
                                 .lowest = 1 - TOLERANCE,
                                 .highest = 1 + TOLERANCE};
    double cycles[LATENCY_READINGS];
    double expected[LATENCY_READINGS];
    double ratio[LATENCY_READINGS];
    report(test);
    for (int i = 0; i < LATENCY_READINGS; i++) {
        const double add_ns = chain_link_ns(CHAIN_ADD);
        const double multiply_ns = chain_link_ns(CHAIN_MULTIPLY);
        if (!(add_ns > 0 && multiply_ns > 0)) return;
        cycles[i] = multiply_ns / add_ns;
        expected[i] = round(cycles[i]);
        ratio[i] = cycles[i] / expected[i];
    }
    judge(&check, cycles, expected, ratio, LATENCY_READINGS);
    add(test, &check);
}

/** Returns the fma kernel in double precision with the widest vectors of at most this many bits;
 * NULL if the CPU has no fused operations. */
static const struct compute_kernel *find_fma(const struct selftest *test, int most_bits) {
    const struct compute_kernel *widest = NULL;
    for (int s = 0; s < KERNEL_SETS && test->set[s]; s++) {
        for (int k = 0; k < test->set[s]->compute_count; k++) {
            const struct compute_kernel *kernel = &test->set[s]->compute[k];
            if (kernel->operation != COMPUTE_FMA || kernel->precision != TCPLAN_DOUBLE ||
                kernel->vector_bits > most_bits)
                continue;
            if (!widest || kernel->vector_bits > widest->vector_bits) widest = kernel;
        }
    }
    return widest;
}

/* Kernels. */

static double window_seconds(struct selftest *test, team_fn *work, struct subject *subject,
                             int *dropped) {
    double seconds = 0;
    struct team_series series = {
        .wanted = 1, .attempts = ATTEMPTS, .most_seconds = SERIES_SECONDS, .seconds = &seconds};
    team_time(test->team, 1, work, subject, &series);
    *dropped += series.dropped;
    return series.counted > 0 && !series.wrong ? seconds : 0;
}

/** Returns the number of runs that fill a window, if `count` runs fill the current one. */
static int64_t fill_window(struct selftest *test, team_fn *work, struct subject *subject,
                           int64_t count) {
    int dropped = 0;
    const double seconds = window_seconds(test, work, subject, &dropped);
    const double runs = seconds > 0 ? WINDOW_SECONDS / seconds * (double)count : (double)count;
    return runs < 1 ? 1 : (int64_t)runs;
}

/** Context of try_parts(). */
struct parts_trial {
    struct selftest *test;
    struct subject *subject;
};

static double try_parts(void *context, int parts) {
    const struct parts_trial *trial = context;
    int dropped = 0;
    trial->subject->parts = parts;
    return window_seconds(trial->test, subject_run_bound, trial->subject, &dropped);
}

/** Chooses one stream of loads or several, whichever is faster, as for the ceiling of memory. */
static void choose_parts(struct selftest *test, struct subject *subject) {
    struct parts_trial trial = {.test = test, .subject = subject};
    subject->parts = stream_parts_faster(try_parts, &trial);
}

static void fill_windows(struct selftest *test, struct subject *subject) {
    const bool rounds = subject->stream == NULL;
    subject->runs = 1;
    subject->runs = fill_window(test, subject_run, subject, subject->runs);
    subject->runs = fill_window(test, subject_run, subject,
                                subject->runs); /* a single run is too short to time */
    subject->bound_runs = rounds ? COMPUTE_MAX_ROUNDS / 8 : subject->runs;
    if (subject->stream) choose_parts(test, subject);
    const int64_t runs = fill_window(test, subject_run_bound, subject, subject->bound_runs);
    subject->bound_runs = rounds && runs > COMPUTE_MAX_ROUNDS ? COMPUTE_MAX_ROUNDS : runs;
}

/** Returns the seconds that the bound needs for the work of one run of the kernel. */
static double bound_seconds(const struct subject *subject, double window) {
    if (subject->stream) return window / (double)subject->bound_runs;
    return window * subject_flops(subject) / compute_flops(subject->fma, subject->bound_runs);
}

static void time_pairs(struct selftest *test, struct subject *subject, struct tcplan_check *check) {
    double measured[TCPLAN_CHECK_REPEATS];
    double expected[TCPLAN_CHECK_REPEATS];
    double ratio[TCPLAN_CHECK_REPEATS];
    int count = 0;
    for (int r = 0; r < test->options.repeats && !verdict_is_hopeless(r, count); r++) {
        const double bound = window_seconds(test, subject_run_bound, subject, &check->dropped);
        const double kernel =
            bound > 0 ? window_seconds(test, subject_run, subject, &check->dropped) : 0;
        if (!(bound > 0 && kernel > 0)) continue;
        measured[count] = 1e-9 * check->flops * (double)subject->runs / kernel;
        expected[count] = 1e-9 * check->flops / bound_seconds(subject, bound);
        ratio[count] = measured[count] / expected[count];
        count++;
    }
    judge(check, measured, expected, ratio, count);
}

/** Returns the extent for which the operands fill half of the second cache, or of the first if
 * there is no second. */
static int64_t warm_extent(const struct selftest *test, enum tcplan_kernel kernel) {
    const struct tcplan_machine *machine = &test->machine;
    const int64_t cache = machine->cache_count > 1   ? machine->cache[1].size_bytes
                          : machine->cache_count > 0 ? machine->cache[0].size_bytes
                                                     : 1 << 18;
    const int64_t step = kernel == TCPLAN_AXPY ? STREAM_BLOCK_ELEMS : 8;
    int64_t n = step;
    while ((int64_t)subject_replica_bytes(kernel, n + step) <= cache / 2) n += step;
    return n;
}

static const struct stream_kernel *find_stream(const struct selftest *test,
                                               enum stream_operation operation) {
    const struct kernel_set *set = test->set[0];
    int k = 0;
    while (k < set->stream_count && set->stream[k].operation != operation) k++;
    return k < set->stream_count ? &set->stream[k] : NULL;
}

static struct subject make_subject(struct selftest *test, const struct plan *plan) {
    struct subject subject = {
        .kernel = plan->kernel,
        .n = plan->n > 0 ? plan->n : warm_extent(test, plan->kernel),
        .stream = plan->bound == STREAM_OPERATIONS ? NULL : find_stream(test, plan->bound),
        .fma = find_fma(test, MOST_BITS),
        .memory = test->workspace.region[0],
        .replicas = 1};
    subject_bind(&subject);
    if (plan->cold) subject.replicas = (int64_t)(test->workspace.bytes / subject.replica_bytes);
    subject_scatter(&subject);
    return subject;
}

static void check_kernel(struct selftest *test, const struct plan *plan) {
    struct subject subject = make_subject(test, plan);
    report(test);
    if (!subject.stream && !subject.fma) return;
    struct tcplan_check check = {
        .kind = TCPLAN_CHECK_KERNEL,
        .cold = plan->cold,
        .n = subject.n,
        .flops = subject_flops(&subject),
        .bytes = subject_bytes(&subject),
        .replicas_bytes = plan->cold ? (int64_t)subject.replica_bytes * subject.replicas : 0,
        .reduced = plan->cold && test->reduced,
        .lowest = plan->lowest,
        .highest = 1 + TOLERANCE};
    snprintf(check.name, sizeof check.name, "%s", plan->name);
    snprintf(check.bound, sizeof check.bound, "%s",
             subject.stream ? stream_name(plan->bound) : compute_name(COMPUTE_FMA));
    fill_windows(test, &subject);
    const double before_hz = chain_clock_hz();
    time_pairs(test, &subject, &check);
    note_clock(&check, before_hz, chain_clock_hz());
    if (test->out->per_cycle) turn_per_cycle(&check);
    add(test, &check);
    test->out->stopped = check.repeats == 0;
}

/* Counts. */

/** Counts the kernels with cold and warm caches, in the order of `plans`. */
static enum tcplan_status count_all(struct selftest *test, struct tcplan_error *error) {
    static const enum tcplan_point_kernel kernels[] = {TCPLAN_POINT_DAXPY, TCPLAN_POINT_DAXPY,
                                                       TCPLAN_POINT_DGEMV, TCPLAN_POINT_DGEMV,
                                                       TCPLAN_POINT_DGEMM, TCPLAN_POINT_DGEMM};
    const struct validation_setting setting =
        counted_setting(&test->machine, &test->workspace, test->team, test->counts,
                        validation_is_simulated(test->options.counters));
    struct tcplan_selftest *out = test->out;
    enum tcplan_status status = TCPLAN_OK;
    const bool hardware = strcmp(out->counts, "perf_event") == 0;
    if (test->counts->count == 0 && !setting.simulated) return TCPLAN_OK;
    for (int p = 0; p < PLANS && status == TCPLAN_OK && !(hardware && out->stopped); p++) {
        const int64_t n = plans[p].n > 0 ? plans[p].n : warm_extent(test, plans[p].kernel);
        struct tcplan_counted *counted = &out->counted[out->counted_count];
        report(test);
        status = counted_run(counted, kernels[p], n, plans[p].cold, &setting, error);
        if (status != TCPLAN_OK) break;
        out->counted_count++;
        for (int c = 0; c < TCPLAN_COUNTS; c++) {
            if (counted->count[c].known)
                out->verdict = verdict_both(out->verdict, counted->count[c].verdict);
        }
    }
    return status;
}

/** Opens the source of counts, or records why there is none. */
static enum tcplan_status open_counts(struct selftest *test, struct tcplan_error *error) {
    struct tcplan_selftest *out = test->out;
    const enum tcplan_status status =
        validation_open_counts(&test->counts, test->options.counters, 1, error);
    if (status != TCPLAN_OK) return status;
    const struct counter_source *counts = test->counts;
    const bool simulated = validation_is_simulated(test->options.counters),
               can_read = counter_can(counts, COUNTER_READ);
    snprintf(out->counts, sizeof out->counts, "%s", simulated ? "simulated" : counts->class->name);
    snprintf(out->why_no_work, sizeof out->why_no_work, "%s",
             simulated ? "a trace contains accesses, but no operations"
                       : counts->why_not[COUNTER_FLOPS]);
    if (!simulated && !(can_read && counter_can(counts, COUNTER_WRITTEN))) {
        snprintf(out->why_no_traffic, sizeof out->why_no_traffic, "%s",
                 counts->why_not[can_read ? COUNTER_WRITTEN : COUNTER_READ]);
    }
    return TCPLAN_OK;
}

static enum tcplan_status run_checks(struct selftest *test, struct tcplan_error *error) {
    const struct working_set set = working_set_for(&test->machine, test->machine.cache_count, 1,
                                                   test->options.max_memory_bytes);
    const size_t least = subject_replica_bytes(TCPLAN_AXPY, plans[0].n);
    const size_t bytes = (size_t)set.bytes > least ? (size_t)set.bytes : least;
    test->reduced = set.reduced;
    enum tcplan_status status = blas_warm_up(error);
    if (status == TCPLAN_OK)
        status = workspace_new(&test->workspace, test->team, 1, bytes, false, (struct deadline){0},
                               error);
    if (status != TCPLAN_OK) return status;
    check_multiply(test);
    for (int p = 0; p < PLANS && !test->out->stopped; p++) check_kernel(test, &plans[p]);
    status = count_all(test, error);
    workspace_free(&test->workspace);
    return status;
}

/** Replaces options of 0 by their defaults. */
static struct tcplan_selftest_options complete(const struct tcplan_selftest_options *options) {
    struct tcplan_selftest_options out = options ? *options : (struct tcplan_selftest_options){0};
    if (out.repeats < 1 || out.repeats > TCPLAN_CHECK_REPEATS) out.repeats = TCPLAN_CHECK_REPEATS;
    if (out.max_memory_bytes <= 0) out.max_memory_bytes = buffers_available_bytes() / 2;
    if (out.max_memory_bytes <= 0) out.max_memory_bytes = (int64_t)1 << 30;
    if (!out.counters) out.counters = "perf";
    return out;
}

enum tcplan_status tcplan_selftest_run(struct tcplan_selftest *out,
                                       const struct tcplan_selftest_options *options,
                                       struct tcplan_error *error) {
    struct selftest test = {.out = out, .options = complete(options)};
    *out = (struct tcplan_selftest){.verdict = TCPLAN_VERDICT_HOLDS,
                                    .per_cycle = test.options.per_cycle && chain_clock_hz() > 0};
    enum tcplan_status status = tcplan_machine_load(&test.machine, "live", error);
    if (status != TCPLAN_OK) return status;
    kernels_choose(test.set);
    const struct blas_threads before = blas_take_threads(1);
    status = team_new(&test.team, 1, NULL, error);
    if (status == TCPLAN_OK)
        status = open_counts(&test, error); /* the source is opened after this thread is bound */
    if (status == TCPLAN_OK) status = run_checks(&test, error);
    counter_close(test.counts);
    team_free(test.team);
    blas_put_threads_back(&before);
    return status;
}
