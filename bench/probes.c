/**
 * Compares short probes with whole runs, for algorithms drawn at random.
 *
 *   bench_probes [--random N] [--rounds N] [--seed N] [--seconds S] [--between MIB]
 *                CONTRACTION SIZES [NAME...]
 *
 * Takes the named algorithms and N of all candidates of the `full` space. An algorithm whose run
 * takes more than OUT_FACTOR times the fastest is excluded: probes of such algorithms need not be
 * accurate. Each round takes a probe of every algorithm (microbench/predict/window.h), and then
 * executes every algorithm as a whole, on the same memory. Before each probe, --between writes to
 * memory of that size, as the search does between two evaluations.
 *
 * Prints a line for each algorithm. Its columns:
 *
 * - the ratio of the median probe to the median run
 * - microseconds: CPU time of taking a probe, time of a run
 * - the number of kernel calls
 * - nanoseconds of a call: in place, in the last probe
 * - calls of a stretch
 * - the number of copies and scalings timed by themselves, and their share of the probe
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "bench/subject.h"
#include "microbench/predict/cutoff.h"
#include "microbench/predict/window.h"
#include "microbench/program/program.h"
#include "microbench/timing/clock.h"
#include "microbench/timing/session.h"
#include "microbench/timing/statistics.h"
#include "tcplan/candidates.h"

enum {
    MOST_NAMES = 256,
    MOST_ALGORITHMS = 64,
    MOST_ROUNDS = 15,
    MALLOC_OFFSET = 16,
    PROBE_SAMPLES = 2,
    LINE = 64
};

#define OUT_FACTOR 2.0
#define LIST_SECONDS 3

/** One algorithm: its nest, its program for whole runs, and their times. */
struct subject_algorithm {
    const char *name;
    struct tcplan_nest *nest;
    struct tcplan_program *program;
    double run_ns[MOST_ROUNDS];
    double probe_ns[MOST_ROUNDS];
    double cost_ns[MOST_ROUNDS];
    double rare_share;
    double warm_ns;
    double call_ns;
    int64_t stretch_calls;
    int rare_count;
};

struct study {
    uint64_t start_ns;
    double seconds; /**< time limit in seconds, after which no algorithm begins */
    int random;
    int rounds;
    double between_bytes;
    char *between; /**< memory that is written to before each probe */
    uint64_t seed;
    struct subject subject;
    struct tcplan_problem problem;
    struct buffers buffers;
    struct window_settings settings;
    int count;
    char *name[MOST_NAMES];
    int algorithms;
    struct subject_algorithm algorithm[MOST_ALGORITHMS];
};

static void usage(void) {
    fputs(
        "usage: bench_probes [--random N] [--rounds N] [--seed N] [--seconds S] [--between MIB] CONTRACTION SIZES [NAME...]\n",
        stderr);
    exit(2);
}

static int parse(struct study *study, int count, char *arguments[]) {
    int a = 1;
    for (; a + 1 < count && strncmp(arguments[a], "--", 2) == 0; a += 2) {
        const double value = strtod(arguments[a + 1], NULL);
        if (strcmp(arguments[a], "--random") == 0) {
            study->random = (int)value;
        } else if (strcmp(arguments[a], "--rounds") == 0) {
            study->rounds = (int)value;
        } else if (strcmp(arguments[a], "--seed") == 0) {
            study->seed = (uint64_t)value;
        } else if (strcmp(arguments[a], "--between") == 0) {
            study->between_bytes = value * 1048576;
        } else if (strcmp(arguments[a], "--seconds") == 0) {
            study->seconds = value;
        } else {
            usage();
        }
    }
    if (count < a + 2 || study->rounds < 1 || study->rounds > MOST_ROUNDS) usage();
    return a;
}

static void draw(struct study *study) {
    const struct tcplan_rank_options options = {
        .space = TCPLAN_SPACE_FULL, .threads = 1, .time_limit_seconds = LIST_SECONDS};
    struct tcplan_candidate_list *list;
    struct tcplan_error error;
    struct random random = {study->seed};
    if (study->random == 0) return;
    subject_check(study->subject.notation,
                  tcplan_candidates_list(&list, &study->problem, &options, &error), &error);
    for (size_t left = list->count, wanted = (size_t)study->random;
         left > 0 && wanted > 0 && study->count < MOST_NAMES; left--, wanted--) {
        const size_t one = (size_t)random_below(&random, (int64_t)left);
        study->name[study->count++] = tcplan_algorithm_name(
            &list->candidate[one].algorithm, study->problem.contraction, study->problem.dtype);
        list->candidate[one] = list->candidate[left - 1];
    }
    tcplan_candidate_list_free(list);
}

static bool open_algorithm(struct study *study, const char *name, struct subject_algorithm *out) {
    struct tcplan_algorithm algorithm;
    struct tcplan_error error;
    *out = (struct subject_algorithm){0};
    subject_check(name,
                  tcplan_algorithm_parse(&algorithm, study->problem.contraction,
                                         study->problem.dtype, name, &error),
                  &error);
    subject_check(name,
                  tcplan_nest_build(&out->nest, study->problem.contraction, &algorithm, &error),
                  &error);
    return program_build_on(&out->program, out->nest, &study->problem, &study->buffers.scratch,
                            NULL, NULL) == TCPLAN_OK;
}

static void close_algorithm(struct subject_algorithm *algorithm) {
    tcplan_program_free(algorithm->program);
    tcplan_nest_free(algorithm->nest);
}

static double run_once(struct study *study, struct tcplan_program *program, double limit_ns) {
    const struct cutoff_run run = cutoff_warm_up(program, &study->buffers, limit_ns, 250e3);
    if (!run.finished) return INFINITY;
    return run.ns < 20e3 ? cutoff_repeat(program, &study->buffers, run.ns).ns : run.ns;
}

static double probe(struct study *study, struct subject_algorithm *algorithm, uint64_t seed) {
    struct window window;
    struct tcplan_error error;
    if (window_init(&window, algorithm->nest, &study->problem, &study->buffers, &study->settings,
                    seed, &error) != TCPLAN_OK)
        return NAN;
    for (int s = 0; s < PROBE_SAMPLES; s++) {
        if (window_sample(&window, &error) != TCPLAN_OK) break;
    }
    double rare_ns = 0;
    for (int r = 0; r < window.rare_count; r++) rare_ns += window.strata.rare_ns[r];
    const double ns = statistics_median(window.sample_ns, window.sample_count);
    algorithm->rare_share = rare_ns / (rare_ns + window.strata.calls_ns);
    algorithm->warm_ns = window.warm_call_ns;
    algorithm->call_ns =
        window.strata.calls_ns / window.sample_count / (double)window.program->calls;
    algorithm->stretch_calls = window.calls;
    algorithm->rare_count = window.rare_count;
    window_free(&window);
    return ns;
}

/** Opens the algorithms whose first run takes no more than OUT_FACTOR times the fastest one. */
static void open_all(struct study *study) {
    double fastest_ns = INFINITY;
    for (int n = 0; n < study->count; n++) {
        struct subject_algorithm *algorithm = &study->algorithm[study->algorithms];
        const bool is_late = clock_since_ns(study->start_ns) * 1e-9 > study->seconds / 2;
        const bool can_run = !is_late && open_algorithm(study, study->name[n], algorithm);
        algorithm->name = study->name[n];
        double first_ns =
            can_run ? run_once(study, algorithm->program, OUT_FACTOR * fastest_ns) : INFINITY;
        fastest_ns = fmin(fastest_ns, first_ns);
        if (isfinite(first_ns) && study->algorithms < MOST_ALGORITHMS - 1) {
            study->algorithms++;
        } else if (!is_late) {
            close_algorithm(algorithm);
        }
    }
}

/** Probes all algorithms one after the other, as a ranking does, and then runs them all. */
static void run_round(struct study *study, int round) {
    const uint64_t seed = study->seed + (uint64_t)round * 0x9e3779b97f4a7c15U;
    for (int n = 0; n < study->algorithms; n++) {
        struct subject_algorithm *algorithm = &study->algorithm[n];
        for (size_t b = 0; b < (size_t)study->between_bytes; b += LINE) study->between[b]++;
        const uint64_t start_ns = clock_thread_cpu_ns();
        algorithm->probe_ns[round] = probe(study, algorithm, seed + (uint64_t)n);
        algorithm->cost_ns[round] = (double)(clock_thread_cpu_ns() - start_ns);
    }
    for (int n = 0; n < study->algorithms; n++) {
        struct subject_algorithm *algorithm = &study->algorithm[n];
        algorithm->run_ns[round] = run_once(study, algorithm->program, INFINITY);
    }
}

static void print(const struct study *study, int rounds) {
    for (int n = 0; n < study->algorithms; n++) {
        const struct subject_algorithm *algorithm = &study->algorithm[n];
        const double probe_ns = statistics_median(algorithm->probe_ns, rounds);
        const double run_ns = statistics_median(algorithm->run_ns, rounds);
        printf("%.3f %8.2f %9.2f %7lld %9.1f %9.1f %5lld %d %.3f %s\n", probe_ns / run_ns,
               statistics_median(algorithm->cost_ns, rounds) * 1e-3, run_ns * 1e-3,
               (long long)algorithm->program->calls, algorithm->warm_ns, algorithm->call_ns,
               (long long)algorithm->stretch_calls, algorithm->rare_count, algorithm->rare_share,
               algorithm->name);
    }
}

int main(int count, char *arguments[]) {
    static struct study study = {.random = 40, .rounds = 7, .seed = 1, .seconds = INFINITY};
    struct tcplan_error error;
    struct tcplan_machine machine;
    const int first = parse(&study, count, arguments);
    study.start_ns = clock_now_ns();
    study.subject = subject_open(arguments[first], arguments[first + 1]);
    study.problem = subject_problem(&study.subject, 0);
    subject_check("machine", tcplan_machine_load(&machine, "live", &error), &error);
    study.settings = window_settings_for(&machine, TCPLAN_CACHE_WARM, WINDOW_PROBE);
    subject_check(
        arguments[first],
        buffers_reserve(&study.buffers, &study.problem, MALLOC_OFFSET, SIZE_MAX / 2, &error),
        &error);
    buffers_back_all(&study.buffers);
    struct session session;
    if (session_begin(&session, 1, &error) != TCPLAN_OK) return 3;
    for (int a = first + 2; a < count; a++) study.name[study.count++] = strdup(arguments[a]);
    draw(&study);
    study.between = calloc((size_t)study.between_bytes + LINE, 1);
    if (!study.between) return 3;
    open_all(&study);
    int round = 0;
    while (round < study.rounds && clock_since_ns(study.start_ns) * 1e-9 < study.seconds)
        run_round(&study, round++);
    print(&study, round);
    for (int n = 0; n < study.algorithms; n++) close_algorithm(&study.algorithm[n]);
    for (int n = 0; n < study.count; n++) free(study.name[n]);
    session_end(&session);
    free(study.between);
    buffers_free(&study.buffers);
    subject_close(&study.subject);
}
