/**
 * What planning costs beside running: the time to rank the algorithms of a contraction, one run of the winner, and one run of every
 * algorithm.
 *
 *   bench_planning [CONTRACTION SIZES]...      default: the dissertation's first contraction, i = 8, a = b = c = 64, 128, 200, 400
 */
#include <stdio.h>
#include <sys/resource.h>

#include "bench/subject.h"

static void print_row(const char *sizes, const struct tcplan_ranking *ranking, double planning_seconds) {
    double all_seconds = 0;
    double best_seconds = 0;
    for (size_t e = 0; e < ranking->entry_count; e++) {
        const double seconds = ranking->entry[e].measured.seconds;
        all_seconds += seconds;
        if (seconds > 0 && (best_seconds == 0 || seconds < best_seconds)) best_seconds = seconds;
    }
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    const double chosen_seconds = ranking->entry[0].measured.seconds;
    printf("%-22s %10zu %12.1f %12.3f %12.1f %14.1f %8.3f\n", sizes, ranking->entry_count, planning_seconds * 1e3, chosen_seconds * 1e3,
           all_seconds * 1e3, all_seconds / planning_seconds, chosen_seconds / best_seconds);
    fflush(stdout);
}

static void study(const char *notation, const char *sizes) {
    struct subject subject = subject_open(notation, sizes);
    for (int64_t point = 0; point < tcplan_sizes_count(subject.sizes); point++) {
        const struct tcplan_problem problem = subject_problem(&subject, point);
        struct tcplan_ranking *ranking = NULL;
        struct tcplan_error error;
        subject_check(notation, tcplan_rank(&ranking, &problem, NULL, &error), &error);
        const double planning_seconds = ranking->planning_seconds;
        subject_check(notation, tcplan_ranking_measure(ranking, 0, ranking->entry_count, NULL, &error), &error);
        print_row(sizes, ranking, planning_seconds);
        tcplan_ranking_free(ranking);
    }
    subject_close(&subject);
}

int main(int argc, char **argv) {
    static const char *const defaults[] = {"C_abc=A_ai*B_ibc", "a=b=c=64,i=8",  "C_abc=A_ai*B_ibc", "a=b=c=128,i=8",
                                           "C_abc=A_ai*B_ibc", "a=b=c=200,i=8", "C_abc=A_ai*B_ibc", "a=b=c=400,i=8"};
    const int count = argc > 2 ? argc - 1 : (int)(sizeof defaults / sizeof *defaults);
    printf("%-22s %10s %12s %12s %12s %14s %8s\n", "sizes", "algorithms", "planning ms", "winner ms", "all once ms", "all / planning",
           "loss");
    for (int c = 0; c + 1 < count; c += 2) {
        if (argc > 2) {
            study(argv[c + 1], argv[c + 2]);
        } else {
            study(defaults[c], defaults[c + 1]);
        }
    }
    return 0;
}
