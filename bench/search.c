/**
 * Traces a search, and shows at which stage it dropped a better algorithm.
 *
 *   bench_search [--effort quick|normal|thorough] [--seed N] [--threads N] [--trace] CONTRACTION
 *   SIZES [NAME...]
 *
 * Ranks the contraction once, without stored data, and prints the time of each stage of planning,
 * in milliseconds and in runs of the choice, its CPU time and steps (tcplan/planning.h). Then it
 * prints, for each named algorithm, how far it got: whether its structure was arranged, and in
 * which place; the times of its kernels and its estimate, and how many candidates had better ones;
 * the number and result of its evaluation. It also prints the same for the best other arrangement
 * of its structure. --trace prints every event when it happens.
 *
 * Counts are also valid under other load, but times are not.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/subject.h"
#include "tcplan/study/words.h"

enum { MOST_NAMES = 32 };

/** Summary of the events of one kind: their number, the position of the first one, and the shortest
 * time. */
struct told {
    int count;
    int first; /**< position of the first event among all events of its kind, from 1 */
    double seconds;
};

struct named {
    const char *name;
    struct tcplan_algorithm algorithm;
    struct told own[TCPLAN_PLANNING_EVENTS];
    struct told structure[TCPLAN_PLANNING_EVENTS]; /**< events of the same structure, in any
                                                      arrangement */
    int better; /**< number of candidates with a better estimate; computed at the end */
};

struct study {
    const struct tcplan_problem *problem;
    struct tcplan_rank_options options;
    bool traces;
    int events[TCPLAN_PLANNING_EVENTS];
    int estimate_capacity;
    double *estimate; /**< estimates of the candidates, in the order of the events */
    int name_count;
    struct named named[MOST_NAMES];
};

static const char *const event_names[TCPLAN_PLANNING_EVENTS] = {
    [TCPLAN_PLANNING_SELECTED] = "sketched",   [TCPLAN_PLANNING_SLOW_KERNEL] = "kernels too slow",
    [TCPLAN_PLANNING_LEFT_OUT] = "left out",   [TCPLAN_PLANNING_CANDIDATE] = "candidate",
    [TCPLAN_PLANNING_EXCLUDED] = "excluded",   [TCPLAN_PLANNING_CENSORED] = "cut off",
    [TCPLAN_PLANNING_EVALUATED] = "evaluated", [TCPLAN_PLANNING_SAMPLED] = "compared"};

static void usage(void) {
    fputs(
        "usage: bench_search [--effort quick|normal|thorough] [--seed N] [--threads N] [--trace] CONTRACTION SIZES [NAME...]\n",
        stderr);
    exit(2);
}

/** Returns whether two algorithms are arrangements of the same structure. */
static bool same_structure(const struct tcplan_algorithm *a, const struct tcplan_algorithm *b) {
    if (a->kernel != b->kernel || a->provider != b->provider ||
        memcmp(a->group, b->group, sizeof a->group) != 0)
        return false;
    if (a->split_count != b->split_count) return false;
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        const bool copied = a->copy[t].depth >= 0;
        if (copied != (b->copy[t].depth >= 0)) return false;
        if (copied && (a->copy[t].transposed != b->copy[t].transposed ||
                       a->copy[t].streamed != b->copy[t].streamed))
            return false;
    }
    for (int s = 0; s < a->split_count; s++) {
        bool found = false;
        for (int o = 0; o < b->split_count; o++)
            found = found || (a->split[s].index == b->split[o].index &&
                              a->split[s].step == b->split[o].step);
        if (!found) return false;
    }
    return true;
}

static void note(struct told *told, int number, double seconds) {
    if (told->count++ == 0) *told = (struct told){.count = 1, .first = number, .seconds = seconds};
    told->seconds = fmin(told->seconds, seconds);
}

static void keep_estimate(struct study *study, double seconds) {
    const int count = study->events[TCPLAN_PLANNING_CANDIDATE];
    if (count > study->estimate_capacity) {
        study->estimate_capacity = 2 * count;
        double *grown = realloc(study->estimate, (size_t)study->estimate_capacity * sizeof *grown);
        if (!grown) exit(3);
        study->estimate = grown;
    }
    study->estimate[count - 1] = seconds;
}

/** Receives the events: a tcplan_planning_fn. */
static void watch(void *context, enum tcplan_planning_event event,
                  const struct tcplan_algorithm *algorithm, double seconds) {
    struct study *study = context;
    const int number = ++study->events[event];
    if (event == TCPLAN_PLANNING_CANDIDATE) keep_estimate(study, seconds);
    for (int n = 0; n < study->name_count; n++) {
        struct named *named = &study->named[n];
        if (tcplan_algorithm_equal(&named->algorithm, algorithm))
            note(&named->own[event], number, seconds);
        if (same_structure(&named->algorithm, algorithm))
            note(&named->structure[event], number, seconds);
    }
    if (!study->traces) return;
    char *name =
        tcplan_algorithm_name(algorithm, study->problem->contraction, study->problem->dtype);
    printf("%-16s %5d %12.6f  %s\n", event_names[event], number, 1e3 * seconds, name ? name : "?");
    free(name);
}

static void print_stages(const struct tcplan_ranking *ranking) {
    const double pick_seconds = tcplan_ranking_chosen(ranking)->prediction.seconds;
    printf("%-12s %9s %7s %9s %7s\n", "stage", "ms", "runs", "CPU ms", "steps");
    for (int s = 0; s < TCPLAN_PLANNING_STAGES; s++) {
        const struct tcplan_planning_part *part = &ranking->part[s];
        printf("%-12s %9.2f %7.2f %9.2f %7lld\n", tcplan_word(tcplan_words_planning_stages, s),
               1e3 * part->seconds, part->seconds / pick_seconds, 1e3 * part->cpu_seconds,
               (long long)part->steps);
    }
    printf("%-12s %9.2f %7.2f\n", "all", 1e3 * ranking->planning_seconds,
           ranking->planning_seconds / pick_seconds);
}

static void print_told(const char *what, const struct study *study, const struct told told[]) {
    printf("  %s:", what);
    bool any = false;
    for (int e = 0; e < TCPLAN_PLANNING_EVENTS; e++) {
        if (told[e].count == 0) continue;
        printf("%s %s, %d of %d, %.4f ms", any ? ";" : "", event_names[e], told[e].first,
               study->events[e], 1e3 * told[e].seconds);
        any = true;
    }
    puts(any ? "" : " never seen");
}

static void print_named(const struct study *study, struct named *named) {
    const struct told *candidate = &named->own[TCPLAN_PLANNING_CANDIDATE];
    const struct told *nearest =
        candidate->count > 0 ? candidate : &named->structure[TCPLAN_PLANNING_CANDIDATE];
    for (int e = 0; e < study->events[TCPLAN_PLANNING_CANDIDATE]; e++)
        named->better += study->estimate[e] < nearest->seconds;
    printf("%s\n", named->name);
    print_told("itself", study, named->own);
    print_told("its structure", study, named->structure);
    if (nearest->count > 0)
        printf("  %d candidates have a better estimate than %s\n", named->better,
               nearest == candidate ? "it" : "the best of these candidates");
}

static void read_names(struct study *study, char *names[], int count) {
    struct tcplan_error error;
    if (count > MOST_NAMES) usage();
    for (int n = 0; n < count; n++) {
        struct named *named = &study->named[study->name_count++];
        named->name = names[n];
        subject_check(names[n],
                      tcplan_algorithm_parse(&named->algorithm, study->problem->contraction,
                                             study->problem->dtype, names[n], &error),
                      &error);
    }
}

int main(int count, char *arguments[]) {
    static struct study study;
    struct tcplan_error error;
    struct tcplan_ranking *ranking = NULL;
    int a = 1;
    study.options = tcplan_rank_defaults();
    for (; a < count && strncmp(arguments[a], "--", 2) == 0; a++) {
        if (strcmp(arguments[a], "--trace") == 0) {
            study.traces = true;
        } else if (a + 1 < count && strcmp(arguments[a], "--effort") == 0) {
            study.options.effort = subject_effort(arguments[++a]);
        } else if (a + 1 < count && strcmp(arguments[a], "--seed") == 0) {
            study.options.seed = strtoull(arguments[++a], NULL, 10);
        } else if (a + 1 < count && strcmp(arguments[a], "--threads") == 0) {
            study.options.threads = atoi(arguments[++a]);
        } else {
            usage();
        }
    }
    if (count < a + 2) usage();
    struct subject subject = subject_open(arguments[a], arguments[a + 1]);
    const struct tcplan_problem problem = subject_problem(&subject, 0);
    study.problem = &problem;
    read_names(&study, arguments + a + 2, count - a - 2);
    study.options.gemm_gflops = -1;
    study.options.watch = watch;
    study.options.watch_context = &study;
    subject_check(subject.notation, tcplan_rank(&ranking, &problem, &study.options, &error),
                  &error);
    const struct tcplan_entry *chosen = tcplan_ranking_chosen(ranking);
    char *pick = tcplan_algorithm_name(&chosen->algorithm, problem.contraction, problem.dtype);
    printf("%s: %.4f ms, %s\n", pick ? pick : "?", 1e3 * chosen->prediction.seconds,
           ranking->compared ? "compared" : "not compared");
    free(pick);
    print_stages(ranking);
    for (int n = 0; n < study.name_count; n++) print_named(&study, &study.named[n]);
    tcplan_ranking_free(ranking);
    free(study.estimate);
    subject_close(&subject);
    return 0;
}
