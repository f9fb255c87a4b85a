/**
 * Measures the cost of stored plans: recognising the machine, as the first action of a process;
 * finding a plan in a file or folder; finding a plan in memory.
 *
 *   bench_stored_plans [--quick]       --quick: few repetitions and plans, as a test
 *
 * The targets: at most 20 ms to recognise the machine, once per process; at most 100 us for a plan
 * from a file, and 1 us for one in memory.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "microbench/timing/clock.h"
#include "microbench/timing/statistics.h"
#include "support/random_contraction.h"
#include "tcplan/recall.h"
#include "tcplan/tcplan.h"

enum { MOST_REPETITIONS = 101, QUICK_REPETITIONS = 5, IN_A_BATCH = 1000 };

#define ALLOWED_RECOGNISING_MS 20.0
#define ALLOWED_FILE_US 100.0
#define ALLOWED_MEMORY_US 1.0

static void check(enum tcplan_status status, const struct tcplan_error *error) {
    if (status == TCPLAN_OK) return;
    fprintf(stderr, "bench_stored_plans: %s\n", error->message);
    exit(EXIT_FAILURE);
}

static double us_since(uint64_t start_ns) {
    return 1e-3 * (double)(clock_now_ns() - start_ns);
}

static void print(const char *what, double value, const char *unit, double allowed) {
    printf("%-66s %10.2f %s", what, value, unit);
    if (allowed > 0) printf("  %s", value <= allowed ? "within" : "beyond");
    printf("\n");
}

/** Recognises the machine: a cost paid once per process. */
static struct tcplan_store recognise(void) {
    struct tcplan_machine machine;
    struct tcplan_store store = {.folder = NULL};
    struct tcplan_error error;
    const uint64_t start_ns = clock_now_ns(), start_cpu_ns = clock_thread_cpu_ns();
    check(tcplan_machine_load(&machine, "live", &error), &error);
    const double caches_us = us_since(start_ns);
    store.fingerprint = tcplan_fingerprint_make(&machine);
    const double all_us = us_since(start_ns),
                 cpu_us = 1e-3 * (double)(clock_thread_cpu_ns() - start_cpu_ns);
    print("recognising the machine: caches", 1e-3 * caches_us, "ms", 0);
    print("recognising the machine: libraries", 1e-3 * (all_us - caches_us), "ms", 0);
    print("recognising the machine: both, CPU time", 1e-3 * cpu_us, "ms", 0);
    print("recognising the machine: both, once for each process", 1e-3 * all_us, "ms",
          ALLOWED_RECOGNISING_MS);
    return store;
}

/** Makes a product with its plan: the extent of its first index is its number. */
static void numbered(struct random_contraction *out, struct tcplan_found_plan *plan, int number) {
    char sizes[64];
    struct tcplan_error error;
    snprintf(sizes, sizeof sizes, "a=%d,b=24,c=16,i=8", number);
    random_contraction_given(out, "C_abc=A_ai*B_ibc", sizes, TCPLAN_COLUMN_MAJOR, TCPLAN_DOUBLE);
    *plan = (struct tcplan_found_plan){
        .effort = TCPLAN_EFFORT_NORMAL, .seconds = 1e-5, .low = 1e-5, .high = 1e-5};
    check(
        tcplan_algorithm_parse(&plan->algorithm, out->contraction, TCPLAN_DOUBLE, "dgemm", &error),
        &error);
}

/** Stores plans 1 to `count`. */
static void fill(struct tcplan_stored_plans *plans, const struct tcplan_rank_options *options,
                 int count) {
    const struct tcplan_plan_setup setup = tcplan_recall_setup(options);
    for (int n = 1; n <= count; n++) {
        struct random_contraction given;
        struct tcplan_found_plan plan;
        struct tcplan_error error;
        numbered(&given, &plan, n);
        check(tcplan_stored_plans_keep(plans, &given.problem, &setup, &plan, &error), &error);
        random_contraction_free(&given);
    }
}

/** Returns the microseconds until a new process without plans in memory has found one. */
static double time_file(const struct tcplan_store *store, const char *file,
                        const struct tcplan_problem *problem,
                        const struct tcplan_rank_options *options) {
    struct tcplan_stored_plans *plans = NULL;
    struct tcplan_found_plan found;
    struct tcplan_error error;
    const uint64_t start_ns = clock_now_ns();
    check(tcplan_stored_plans_open(&plans, store, file, &error), &error);
    check(tcplan_recall(&found, plans, problem, options, &error), &error);
    const double us = us_since(start_ns);
    tcplan_stored_plans_close(plans);
    return us;
}

/** Returns the microseconds to find a plan that the process has found before. */
static double time_memory(struct tcplan_stored_plans *plans, const struct tcplan_problem *problem,
                          const struct tcplan_rank_options *options) {
    struct tcplan_found_plan found;
    struct tcplan_error error;
    const uint64_t start_ns = clock_now_ns();
    for (int n = 0; n < IN_A_BATCH; n++)
        check(tcplan_recall(&found, plans, problem, options, &error), &error);
    return us_since(start_ns) / IN_A_BATCH;
}

static void time_place(const struct tcplan_store *store, const char *file, const char *name,
                       int count, int repetitions) {
    const struct tcplan_rank_options options = tcplan_rank_defaults();
    struct tcplan_stored_plans *plans = NULL;
    struct random_contraction given;
    struct tcplan_found_plan plan;
    struct tcplan_error error;
    double from_file[MOST_REPETITIONS], from_memory[MOST_REPETITIONS];
    char what[96];
    check(tcplan_stored_plans_open(&plans, store, file, &error), &error);
    fill(plans, &options, count);
    numbered(&given, &plan, (count + 1) / 2);
    for (int r = 0; r < repetitions; r++) {
        from_file[r] = time_file(store, file, &given.problem, &options);
        from_memory[r] = time_memory(plans, &given.problem, &options);
    }
    snprintf(what, sizeof what, "finding a plan in a %s of %d plans", name, count);
    print(what, statistics_median(from_file, repetitions), "us", ALLOWED_FILE_US);
    snprintf(what, sizeof what, "finding a plan in memory, in a %s of %d plans", name, count);
    print(what, statistics_median(from_memory, repetitions), "us", ALLOWED_MEMORY_US);
    tcplan_stored_plans_close(plans);
    random_contraction_free(&given);
}

/** Times the same through the first tier of the library, until the plan is ready for execution. */
static void time_planner(const char *file, int repetitions) {
    struct tcplan_error error;
    struct tcplan_product *product = NULL;
    double first[MOST_REPETITIONS], again[MOST_REPETITIONS];
    check(tcplan_product_parse(&product, "C_abc=A_ai*B_ibc", "a=1,b=24,c=16,i=8", NULL,
                               TCPLAN_DOUBLE, TCPLAN_COLUMN_MAJOR, &error),
          &error);
    for (int r = 0; r < repetitions; r++) {
        struct tcplan_planner *planner = NULL;
        struct tcplan_plan *plan = NULL;
        check(tcplan_planner_new(&planner, &error), &error);
        check(tcplan_planner_set_plans(planner, file, NULL),
              &(struct tcplan_error){.message = "no folder for the plans"});
        for (int n = 0; n < 2; n++) {
            const uint64_t start_ns = clock_now_ns();
            check(tcplan_plan_new(&plan, planner, product, &error), &error);
            (n == 0 ? first : again)[r] = us_since(start_ns);
            if (tcplan_plan_origin(plan) != TCPLAN_PLAN_STORED)
                fprintf(stderr, "bench_stored_plans: the plan was not found\n");
            tcplan_plan_free(plan);
        }
        tcplan_planner_free(planner);
    }
    print("tcplan_plan_new() with a stored plan: the planner's first",
          statistics_median(first, repetitions), "us", 0);
    print("tcplan_plan_new() with a stored plan: in process", statistics_median(again, repetitions),
          "us", 0);
    tcplan_product_free(product);
}

static void time_all(int repetitions) {
    static const int counts[] = {1, 100, TCPLAN_PLANS_MOST};
    char root[] = "/tmp/tcplan-bench-XXXXXX", place[64], command[64];
    printf("medians of %d, except for the machine\n", repetitions);
    const struct tcplan_store store = recognise();
    if (!mkdtemp(root)) abort();
    for (size_t c = 0;
         c < sizeof counts / sizeof *counts && (repetitions > QUICK_REPETITIONS || c < 2); c++) {
        snprintf(place, sizeof place, "%s/folder-%d/", root, counts[c]);
        time_place(&store, place, "folder", counts[c], repetitions);
        snprintf(place, sizeof place, "%s/file-%d", root, counts[c]);
        time_place(&store, place, "file", counts[c], repetitions);
    }
    snprintf(place, sizeof place, "%s/folder-1/", root);
    time_planner(place, repetitions);
    snprintf(command, sizeof command, "rm -rf %s", root);
    if (system(command) != 0)
        fprintf(stderr, "bench_stored_plans: '%s' could not be deleted\n", root);
}

int main(int argc, char **argv) {
    time_all(argc > 1 && strcmp(argv[1], "--quick") == 0 ? QUICK_REPETITIONS : MOST_REPETITIONS);
    return 0;
}
