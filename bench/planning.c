/**
 * Compares the cost of planning with that of running: the time to rank the algorithms of a
 * contraction, one run of the winner, and one run of every algorithm.
 *
 *   bench_planning [--effort quick|normal|thorough] [CONTRACTION SIZES]...
 *       default: the dissertation's first contraction, i = 8, a = b = c = 64, 128, 200, 400
 *
 * Every case is planned five times with different seeds; then all algorithms are executed
 * alternately on the last ranking's memory.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "bench/subject.h"
#include "microbench/timing/statistics.h"

enum { PLANNINGS = 5, MAX_ALGORITHMS = 1000 };

struct study {
    enum tcplan_effort effort;
    struct tcplan_machine machine; /**< this machine, examined once as in a program that plans
                                      several times */
};

/** Results of planning one case. */
struct plannings {
    double milliseconds[PLANNINGS];
    uint64_t pick[PLANNINGS]; /**< ordinals of the winners */
};

static struct tcplan_ranking *plan(const struct study *study, const struct subject *subject,
                                   const struct tcplan_problem *problem,
                                   struct plannings *plannings) {
    struct tcplan_ranking *ranking = NULL;
    struct tcplan_error error;
    for (int p = 0; p < PLANNINGS; p++) {
        struct tcplan_rank_options options = tcplan_rank_defaults();
        options.effort = study->effort;
        options.space = TCPLAN_SPACE_BLAS;
        options.machine = &study->machine;
        options.gemm_gflops = -1;
        options.seed = (uint64_t)p + 1;
        tcplan_ranking_free(ranking);
        subject_check(subject->notation, tcplan_rank(&ranking, problem, &options, &error), &error);
        plannings->milliseconds[p] = ranking->planning_seconds * 1e3;
        plannings->pick[p] = tcplan_ranking_chosen(ranking)->ordinal;
    }
    return ranking;
}

static void print_row(const char *sizes, const struct tcplan_ranking *ranking,
                      const struct plannings *plannings) {
    static double seconds[MAX_ALGORITHMS];
    double all_seconds = 0;
    double best_seconds = INFINITY;
    double loss[PLANNINGS];
    double worst_loss = 0;
    for (size_t e = 0; e < ranking->entry_count; e++) {
        const struct tcplan_entry *entry = &ranking->entry[e];
        seconds[entry->ordinal] = entry->measured.seconds;
        all_seconds += entry->measured.seconds;
        if (entry->measured.seconds > 0) best_seconds = fmin(best_seconds, entry->measured.seconds);
    }
    for (int p = 0; p < PLANNINGS; p++) {
        loss[p] = seconds[plannings->pick[p]] / best_seconds;
        worst_loss = fmax(worst_loss, loss[p]);
    }
    const double planning_ms = statistics_median(plannings->milliseconds, PLANNINGS);
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf("%-16s %5zu %9.2f %9.2f %10.3f %10.1f %9.2f %9.0f %7.3f %7.3f %5.0f\n", sizes,
           ranking->entry_count, planning_ms,
           statistics_smallest(plannings->milliseconds, PLANNINGS), best_seconds * 1e3,
           all_seconds * 1e3, planning_ms * 1e-3 / best_seconds, all_seconds / planning_ms * 1e3,
           statistics_median(loss, PLANNINGS), worst_loss, (double)usage.ru_maxrss / 1024);
    fflush(stdout);
}

static void study_case(const struct study *study, const char *notation, const char *sizes) {
    struct subject subject = subject_open(notation, sizes);
    for (int64_t point = 0; point < tcplan_sizes_count(subject.sizes); point++) {
        const struct tcplan_problem problem = subject_problem(&subject, point);
        struct plannings plannings;
        struct tcplan_error error;
        struct tcplan_ranking *ranking = plan(study, &subject, &problem, &plannings);
        if (ranking->entry_count <= MAX_ALGORITHMS && ranking->lists_all) {
            subject_check(notation,
                          tcplan_ranking_measure(ranking, 0, ranking->entry_count, NULL, &error),
                          &error);
            print_row(sizes, ranking, &plannings);
        }
        tcplan_ranking_free(ranking);
    }
    subject_close(&subject);
}

int main(int argc, char **argv) {
    static const char *const defaults[] = {
        "C_abc=A_ai*B_ibc", "a=b=c=64,i=8",  "C_abc=A_ai*B_ibc", "a=b=c=128,i=8",
        "C_abc=A_ai*B_ibc", "a=b=c=200,i=8", "C_abc=A_ai*B_ibc", "a=b=c=400,i=8"};
    struct study study = {.effort = TCPLAN_EFFORT_NORMAL};
    struct tcplan_error error;
    int first = 1;
    if (argc > 2 && strcmp(argv[1], "--effort") == 0) {
        study.effort = subject_effort(argv[2]);
        first = 3;
    }
    subject_check("this machine", tcplan_machine_load(&study.machine, "live", &error), &error);
    printf("%-16s %5s %9s %9s %10s %10s %9s %9s %7s %7s %5s\n", "sizes", "algs", "plan ms",
           "least ms", "winner ms", "all ms", "plan/run", "all/plan", "loss", "worst", "MiB");
    if (argc > first) {
        for (int c = first; c + 1 < argc; c += 2) study_case(&study, argv[c], argv[c + 1]);
    } else {
        for (size_t c = 0; c + 1 < sizeof defaults / sizeof *defaults; c += 2)
            study_case(&study, defaults[c], defaults[c + 1]);
    }
    return 0;
}
