/**
 * Measures the cost of the library's calls: the time of executing a plan over that of the C that
 * it emits, alternately; executions with other factors; estimates.
 *
 *   bench_calls [--quick]       --quick: few rounds, as a test
 *
 * The targets: execution costs at most 1 % or 100 ns, whichever is more; an estimate at most 1 ms
 * with up to six indices and 5 ms with up to ten, after the machine was recognised.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/library.h"
#include "microbench/providers/blas.h"
#include "microbench/timing/clock.h"
#include "microbench/timing/statistics.h"
#include "support/emitted.h"
#include "tcplan/tcplan.h"

enum {
    MOST_ROUNDS = 101,
    QUICK_ROUNDS = 5,
    ESTIMATES = 11,
    MOST_CASES = 100,
    FEW_INDICES = 6,
    MANY_INDICES = 10
};

/* Duration of a batch of calls: much longer than reading the clock. */
#define BATCH_NS 2e5

#define ALLOWED_SHARE 0.01
#define ALLOWED_NS 100.0

static void check(enum tcplan_status status, const struct tcplan_error *error) {
    if (status == TCPLAN_OK) return;
    fprintf(stderr, "bench_calls: %s\n", error->message);
    exit(EXIT_FAILURE);
}

static double *numbers(int64_t count) {
    double *values = malloc((size_t)(count + 1) * sizeof *values);
    if (!values) abort();
    for (int64_t i = 0; i < count; i++) values[i] = 0.5 + (double)(i % 61) / 61;
    return values;
}

static struct tcplan_product *parse(const char *notation, const char *sizes) {
    struct tcplan_product *product = NULL;
    struct tcplan_error error;
    check(tcplan_product_parse(&product, notation, sizes, NULL, TCPLAN_DOUBLE, TCPLAN_COLUMN_MAJOR,
                               &error),
          &error);
    return product;
}

/* Execution. */

/** The calls that are timed alternately. */
struct subject {
    struct tcplan_plan *plan;
    emitted_function *emitted;
    double *A, *B, *C;
    double alpha, beta; /* scalar factors for the next execution that passes its own factors */
};

static void call_emitted(struct subject *subject) {
    subject->emitted(subject->A, subject->B, subject->C);
}

static void call_execute(struct subject *subject) {
    tcplan_plan_execute(subject->plan, subject->A, subject->B, subject->C, NULL);
}

/** Executes the plan with the product's factors passed in each call. */
static void call_run(struct subject *subject) {
    const struct tcplan_execution execution = {.size = sizeof execution,
                                               .A = subject->A,
                                               .B = subject->B,
                                               .D = subject->C,
                                               .alpha = &subject->alpha,
                                               .beta = &subject->beta};
    tcplan_plan_run(subject->plan, &execution, NULL);
}

/** Executes the plan with another alpha in each call, never 0 or 1. */
static void call_run_changing(struct subject *subject) {
    subject->alpha = subject->alpha > 2 ? 1.25 : subject->alpha + 0.125;
    call_run(subject);
}

typedef void call_fn(struct subject *subject);
enum { EMITTED, EXECUTE, RUN, CHANGING, CALLS };
static call_fn *const calls[CALLS] = {call_emitted, call_execute, call_run, call_run_changing};

/** Returns the CPU time of one call in nanoseconds, measured over a batch of calls. */
static double time_batch(call_fn *call, struct subject *subject, int64_t count) {
    subject->alpha = call == call_run_changing ? 1.25 : 1;
    subject->beta = 0;
    call(subject); /* The first call prepares the plan for the factors of the following calls. */
    const uint64_t start_ns = clock_thread_cpu_ns();
    for (int64_t i = 0; i < count; i++) call(subject);
    return (double)(clock_thread_cpu_ns() - start_ns) / (double)count;
}

static void subject_free(struct subject *subject) {
    free(subject->A);
    free(subject->B);
    free(subject->C);
    tcplan_plan_free(subject->plan);
}

static void compare(const char *notation, const char *sizes, const char *name, int rounds) {
    struct tcplan_product *product = parse(notation, sizes);
    struct subject subject = {.A = numbers(tcplan_product_span(product, TCPLAN_A, NULL)),
                              .B = numbers(tcplan_product_span(product, TCPLAN_B, NULL)),
                              .C = numbers(tcplan_product_span(product, TCPLAN_C, NULL))};
    struct tcplan_error error;
    char *text = NULL;
    static double ns[CALLS][MOST_ROUNDS];
    const enum tcplan_status status = tcplan_plan_named(&subject.plan, NULL, product, name, &error);
    if (status != TCPLAN_OK && strchr(name, '@')) { /* The library is not available, or generates no
                                                       code for this machine. */
        printf("%-20s %-16s %-16s %s\n", notation, sizes, name, error.message);
        subject_free(&subject);
        tcplan_product_free(product);
        return;
    }
    check(status, &error);
    check(tcplan_plan_emit(&text, subject.plan, NULL, false, &error), &error);
    struct emitted *emitted = emitted_build(NULL, text);
    subject.emitted = emitted_find(emitted, "contract");
    const int64_t count = 1 + (int64_t)(BATCH_NS / time_batch(call_emitted, &subject, 10));
    for (int r = 0; r < rounds; r++) {
        for (int c = 0; c < CALLS; c++) ns[c][r] = time_batch(calls[c], &subject, count);
    }
    double median[CALLS];
    for (int c = 0; c < CALLS; c++) median[c] = statistics_median(ns[c], rounds);
    const double over = median[EXECUTE] - median[EMITTED],
                 allowed = fmax(ALLOWED_NS, ALLOWED_SHARE * median[EMITTED]);
    printf("%-20s %-16s %-16s %10.0f %10.0f %10.0f %10.0f %9.0f %7.1f %% %s\n", notation, sizes,
           name, median[EMITTED], median[EXECUTE], median[RUN], median[CHANGING], over,
           100 * over / median[EMITTED], over <= allowed ? "within" : "beyond");
    fflush(stdout);
    emitted_free(emitted);
    free(text);
    subject_free(&subject);
    tcplan_product_free(product);
}

static void compare_all(int rounds, int blas_threads) {
    static const char *const cases[][3] = {{"C_ab=A_ai*B_ib", "a=b=i=4", "dgemm"},
                                           {"C_ab=A_ai*B_ib", "a=b=i=4", "dgemm@libxsmm"},
                                           {"C_ab=A_ai*B_ib", "a=b=i=32", "dgemm"},
                                           {"C_ab=A_ai*B_ib", "a=b=i=128", "dgemm"},
                                           {"C_abc=A_ai*B_ibc", "a=b=c=16,i=8", "c-dgemm"},
                                           {"C_abc=A_ai*B_ibc", "a=b=c=16,i=8", "dgemm"},
                                           {"C_abc=A_ai*B_ibc", "a=b=c=16,i=8", "cb-dgemv"},
                                           {"C_abc=A_ai*B_ibc", "a=b=c=48,i=8", "'AC-dgemm"}};
    blas_set_threads(blas_threads);
    printf("\nExecution, nanoseconds per call, the BLAS with %d thread%s\n", blas_threads,
           blas_threads == 1 ? "" : "s");
    printf("%-20s %-16s %-16s %10s %10s %10s %10s %9s %9s\n", "product", "sizes", "algorithm",
           "emitted", "execute", "run", "new alpha", "over", "share");
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        compare(cases[c][0], cases[c][1], cases[c][2], rounds);
}

/* Planning. */

/** Returns the milliseconds that making and freeing a plan takes. */
static double time_plan(struct tcplan_planner *planner, const struct tcplan_product *product) {
    struct tcplan_plan *plan = NULL;
    struct tcplan_error error;
    const uint64_t start_ns = clock_now_ns();
    check(tcplan_plan_new(&plan, planner, product, &error), &error);
    const double ms = 1e-6 * (double)(clock_now_ns() - start_ns);
    tcplan_plan_free(plan);
    return ms;
}

/** Returns the number of indices of a product. */
static int index_count(const struct tcplan_product *product) {
    char *sizes = tcplan_product_sizes(product);
    int count = 0;
    for (const char *at = sizes; at && (at = strchr(at, '=')) != NULL; at++) count++;
    free(sizes);
    return count;
}

/** Median times of estimates for products with a given number of indices. */
struct estimates {
    int count;
    double ms[MOST_CASES];
    char slowest[64];
};

static double largest_of(const double *value, int count) {
    double largest = 0;
    for (int i = 0; i < count; i++) largest = fmax(largest, value[i]);
    return largest;
}

static void add_estimate(struct estimates *estimates, const char *name, double ms) {
    if (estimates->count == MOST_CASES) return;
    if (estimates->count == 0 || ms > largest_of(estimates->ms, estimates->count)) {
        snprintf(estimates->slowest, sizeof estimates->slowest, "%s", name);
    }
    estimates->ms[estimates->count++] = ms;
}

static void print_estimates(const char *indices, struct estimates *estimates, double allowed_ms) {
    if (estimates->count == 0) return;
    const double largest = largest_of(estimates->ms, estimates->count);
    printf("%-14s %6d %10.2f %10.2f  %-24s %s\n", indices, estimates->count,
           statistics_median(estimates->ms, estimates->count), largest, estimates->slowest,
           largest <= allowed_ms ? "within" : "beyond");
}

static void time_estimates(int repetitions) {
    static struct estimates few, many;
    struct tcplan_planner *planner = NULL;
    struct tcplan_error error;
    check(tcplan_planner_new(&planner, &error), &error);
    tcplan_planner_set_effort(planner, TCPLAN_EFFORT_ESTIMATE, NULL);
    for (int l = 0; l < library_count(); l++) {
        const struct library_case *one = library_get(l);
        struct tcplan_product *product = parse(one->contraction, one->sizes);
        const int indices = index_count(product);
        double ms[ESTIMATES];
        for (int r = -1; r < repetitions; r++)
            ms[r < 0 ? 0 : r] = time_plan(planner, product); /* the first round warms up */
        if (indices <= MANY_INDICES)
            add_estimate(indices <= FEW_INDICES ? &few : &many, one->name,
                         statistics_median(ms, repetitions));
        tcplan_product_free(product);
    }
    printf("\nEstimates, milliseconds: medians of %d for each product of the benchmark\n",
           repetitions);
    printf("%-14s %6s %10s %10s  %s\n", "indices", "cases", "median", "largest", "which");
    print_estimates("up to 6", &few, 1);
    print_estimates("7 to 10", &many, 5);
    tcplan_planner_free(planner);
}

/** Measures the cost that a process pays once: recognising the machine. */
static void time_first_plan(void) {
    struct tcplan_product *product = parse("C_ab=A_ai*B_ib", "a=b=i=4");
    struct tcplan_plan *plan = NULL;
    struct tcplan_error error;
    double ms[2];
    for (int p = 0; p < 2; p++) {
        const uint64_t start_ns = clock_now_ns();
        check(tcplan_plan_named(&plan, NULL, product, "dgemm", &error), &error);
        ms[p] = 1e-6 * (double)(clock_now_ns() - start_ns);
        tcplan_plan_free(plan);
    }
    printf("First plan of the process, named: %.2f ms; second plan: %.3f ms\n", ms[0], ms[1]);
    tcplan_product_free(product);
}

int main(int argc, char **argv) {
    const bool quick = argc > 1 && strcmp(argv[1], "--quick") == 0;
    const int before = blas_threads();
    time_first_plan();
    compare_all(quick ? QUICK_ROUNDS : MOST_ROUNDS, 1);
    if (before > 1) compare_all(quick ? QUICK_ROUNDS : MOST_ROUNDS, before);
    blas_set_threads(before);
    time_estimates(quick ? 1 : ESTIMATES);
    return 0;
}
