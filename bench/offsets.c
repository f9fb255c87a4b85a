/*
 * Measures the cost of arrays that are not aligned to cache lines: whole runs of algorithms on
 * arrays that start at several offsets from a page, alternately, with and without buffering of
 * incomplete lines (gen/runtime/copy_end.h).
 *
 * usage: bench_offsets [--rounds N] [--of C] CONTRACTION SIZES ALGORITHM... (--of: only the named
 *       arrays are shifted)
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/subject.h"
#include "microbench/program/program.h"
#include "microbench/timing/clock.h"
#include "microbench/timing/drift.h"
#include "microbench/timing/reference.h"
#include "microbench/timing/session.h"
#include "microbench/timing/statistics.h"

enum { OFFSETS = 6, MOST_ROUNDS = 101, PAGE = 4096, ABOUT_ONE = 0x3f };

static const size_t offset_bytes[OFFSETS] = {0, 8, 16, 24, 32, 56};

struct study {
    struct subject subject;
    struct tcplan_problem problem;
    int rounds;
    const char *of;
    struct reference *reference;
    char *memory[TCPLAN_OPERANDS];
};

static void usage(void) {
    fputs("usage: bench_offsets [--rounds N] [--of ABC] CONTRACTION SIZES ALGORITHM...\n", stderr);
    exit(2);
}

static void allocate(struct study *study) {
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        const size_t bytes = (size_t)study->problem.elems[t] * study->problem.element_bytes;
        study->memory[t] = aligned_alloc(PAGE, (bytes / PAGE + 2) * PAGE);
        if (!study->memory[t]) exit(3);
        memset(study->memory[t], ABOUT_ONE, (bytes / PAGE + 2) * PAGE);
    }
}

/** The time of a run, and the core's speed during it. */
struct timed {
    double ns, reference_seconds;
};

static struct timed run(const struct study *study, struct tcplan_program *program, size_t offset) {
    char *array[TCPLAN_OPERANDS];
    for (int t = 0; t < TCPLAN_OPERANDS; t++)
        array[t] = study->memory[t] + (strchr(study->of, "ABC"[t]) ? offset : 0);
    const double before = reference_seconds(study->reference);
    const uint64_t start_ns = clock_thread_cpu_ns();
    tcplan_program_run(program, array[TCPLAN_A], array[TCPLAN_B], array[TCPLAN_C]);
    const double ns = (double)(clock_thread_cpu_ns() - start_ns);
    return (struct timed){ns, sqrt(before * reference_seconds(study->reference))};
}

/** Returns the elasticity of the runs' times with respect to the core's speed. */
static double follows(struct timed timed[OFFSETS][MOST_ROUNDS], int rounds) {
    struct drift_regression regression = {0};
    for (int o = 0; o < OFFSETS; o++) {
        drift_begin_series(&regression);
        for (int r = 0; r < rounds; r++)
            drift_add(&regression, timed[o][r].ns, timed[o][r].reference_seconds);
    }
    return drift_elasticity(&regression, 0);
}

/** Prints the median time at offset 0, and for other offsets the median of the ratios to offset 0
 * in the same round, corrected for the speed of the core. */
static void print_ratios(const struct study *study, struct tcplan_program *program,
                         const char *name, const char *ends) {
    static struct timed timed[OFFSETS][MOST_ROUNDS];
    double value[MOST_ROUNDS];
    for (int r = 0; r < study->rounds; r++) {
        for (int o = 0; o < OFFSETS; o++) timed[o][r] = run(study, program, offset_bytes[o]);
        value[r] = timed[0][r].ns;
    }
    const double followed = follows(timed, study->rounds);
    printf("%-36s %-8s %8.2f", name, ends, statistics_median(value, study->rounds) * 1e-6);
    for (int o = 1; o < OFFSETS; o++) {
        for (int r = 0; r < study->rounds; r++) {
            const struct timed aligned = timed[0][r], own = timed[o][r];
            value[r] = own.ns / aligned.ns *
                       drift_factor(followed, own.reference_seconds, aligned.reference_seconds);
        }
        printf("  %5.2f", statistics_median(value, study->rounds));
    }
    printf("\n");
    fflush(stdout);
}

static void study_algorithm(const struct study *study, const char *name) {
    struct tcplan_algorithm algorithm;
    struct tcplan_nest *nest = NULL;
    struct tcplan_program *program = NULL;
    struct tcplan_error error;
    subject_check(name,
                  tcplan_algorithm_parse(&algorithm, study->subject.contraction,
                                         study->problem.dtype, name, &error),
                  &error);
    subject_check(name, tcplan_nest_build(&nest, study->subject.contraction, &algorithm, &error),
                  &error);
    subject_check(name, tcplan_program_build(&program, nest, &study->problem, &error), &error);
    run(study, program, 0);
    const int64_t ends = program->end_count;
    if (ends > 0) print_ratios(study, program, name, "waiting");
    program->end_count = 0;
    print_ratios(study, program, name, ends > 0 ? "not" : "-");
    program->end_count = ends;
    tcplan_program_free(program);
    tcplan_nest_free(nest);
}

int main(int count, char *arguments[]) {
    struct study study = {.rounds = 7, .of = "ABC"};
    int first = 1;
    for (; first + 1 < count && strncmp(arguments[first], "--", 2) == 0; first += 2) {
        if (strcmp(arguments[first], "--rounds") == 0) {
            study.rounds = (int)strtol(arguments[first + 1], NULL, 10);
        } else if (strcmp(arguments[first], "--of") == 0) {
            study.of = arguments[first + 1];
        } else {
            usage();
        }
    }
    if (count < first + 3 || study.rounds < 1 || study.rounds > MOST_ROUNDS) usage();
    study.subject = subject_open(arguments[first], arguments[first + 1]);
    study.problem = subject_problem(&study.subject, 0);
    allocate(&study);
    struct session session;
    if (session_begin(&session, 1, NULL) != TCPLAN_OK) return 3;
    study.reference = reference_new();
    printf("%-36s %-8s %8s  time with offset / without\n%-36s %-8s %8s", "", "ends of", "ms at",
           "algorithm", "lines", "none");
    for (int o = 1; o < OFFSETS; o++) printf("  %5zu", offset_bytes[o]);
    printf("\n");
    for (int a = first + 2; a < count; a++) study_algorithm(&study, arguments[a]);
    reference_free(study.reference);
    session_end(&session);
    for (int t = 0; t < TCPLAN_OPERANDS; t++) free(study.memory[t]);
    subject_close(&study.subject);
    return 0;
}
