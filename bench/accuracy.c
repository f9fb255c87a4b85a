/**
 * Measures the errors of predictions, the quality of the choices and the cost of planning, on a
 * library of contractions.
 *
 *   bench_accuracy [--half tuning|held-out|all] [--space blas|full] [--effort
 *   quick|normal|thorough]
 *                  [--threads N] [--flops MAX] [--case NAME] [--seed N] [--details]
 *   bench_accuracy --list [--half ...]       names, contractions and sizes; nothing runs
 *
 * Every case is ranked with the default options (lower bounds prune algorithms). Then, as with
 * `tcplan measure --top 12`, the twelve algorithms with the shortest predictions get full windows
 * if they had only probes, and are executed alternately on the same memory. Planning time is that
 * of the ranking. Cases whose reference varies by more than 5 % are listed separately.
 *
 * Constants of the predictor may be chosen on the `tuning` half only; the numbers in
 * docs/accuracy.md come from the other half.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sorted.h"
#include "bench/library.h"
#include "bench/subject.h"
#include "microbench/timing/statistics.h"

enum { FASTEST_MEASURED = 12, MAX_CASES = 128 };

#define UNSTEADY_SPREAD 0.05

struct settings {
    enum library_half half;
    const char *only;
    enum tcplan_space space;
    enum tcplan_effort effort;
    int threads;
    double max_flops;
    uint64_t seed;
    bool details;
    bool list;
};

/** Results of one case. */
struct outcome {
    const struct library_case *library_case;
    double planning_seconds;
    double winner_seconds;
    double all_seconds; /**< sum over all algorithms of the measured time, otherwise the predicted
                           time, otherwise the lower bound */
    double mean_error;
    double median_error;
    double regret;
    double correlation;
    double spread; /**< median relative spread of the measured times */
    int measured;
    int covered;
};

static double median_of(double *value, int count) {
    sort_numbers(value, (size_t)count);
    return sorted_median(value, (size_t)count);
}

/** Returns Spearman's rank correlation of predicted and measured times; the entries are sorted by
 * prediction. */
static double rank_correlation(const double *measured, int count) {
    double squares = 0;
    for (int i = 0; i < count; i++) {
        int rank = 0;
        for (int j = 0; j < count; j++) rank += measured[j] < measured[i];
        squares += (double)(rank - i) * (double)(rank - i);
    }
    return count > 1 ? 1 - 6 * squares / ((double)count * ((double)count * count - 1)) : 1;
}

/** Returns the interquartile range of the samples, relative to their median. */
static double spread_of(const struct tcplan_estimate *estimate) {
    double sorted[TCPLAN_MAX_SAMPLES];
    memcpy(sorted, estimate->sample, sizeof sorted);
    sort_numbers(sorted, (size_t)estimate->sample_count);
    const int n = estimate->sample_count;
    return n > 2 ? (sorted[3 * n / 4] - sorted[n / 4]) / estimate->seconds : 0;
}

static const char *basis_name(enum tcplan_basis basis) {
    static const char *const names[] = {
        [TCPLAN_BASIS_PROBE] = "probe",       [TCPLAN_BASIS_WINDOWS] = "windows",
        [TCPLAN_BASIS_LONG] = "long windows", [TCPLAN_BASIS_RUNS] = "runs",
        [TCPLAN_BASIS_OTHER] = "other",       [TCPLAN_BASIS_ESTIMATE] = "estimate"};
    return names[basis];
}

static void print_detail(const struct tcplan_ranking *ranking, const struct tcplan_entry *entry) {
    char *name = tcplan_algorithm_name(&entry->algorithm, ranking->problem.contraction,
                                       ranking->problem.dtype);
    const double us = 1e6;
    printf("    %-32s predicted %10.2f us [%.2f, %.2f] by %-12s measured %10.2f us ratio %.3f\n",
           name ? name : "?", entry->prediction.seconds * us, entry->prediction.low * us,
           entry->prediction.high * us, basis_name(entry->basis), entry->measured.seconds * us,
           entry->prediction.seconds / entry->measured.seconds);
    free(name);
}

static void evaluate(struct outcome *outcome, const struct tcplan_ranking *ranking,
                     const struct settings *settings) {
    double error[FASTEST_MEASURED];
    double measured[FASTEST_MEASURED];
    double spread[FASTEST_MEASURED];
    double best_seconds = INFINITY;
    for (size_t e = 0; e < ranking->entry_count; e++) {
        const struct tcplan_entry *entry = &ranking->entry[e];
        const bool was_measured = entry->status == TCPLAN_ENTRY_MEASURED && entry->predicted;
        outcome->all_seconds += was_measured       ? entry->measured.seconds
                                : entry->predicted ? entry->prediction.seconds
                                                   : entry->lower_bound_seconds;
        if (!was_measured || outcome->measured == FASTEST_MEASURED) continue;
        if (settings->details) print_detail(ranking, entry);
        const int i = outcome->measured++;
        measured[i] = entry->measured.seconds;
        error[i] = fabs(entry->prediction.seconds / entry->measured.seconds - 1);
        spread[i] = spread_of(&entry->measured);
        outcome->mean_error += error[i];
        outcome->covered += entry->measured.seconds >= entry->prediction.low &&
                            entry->measured.seconds <= entry->prediction.high;
        best_seconds = fmin(best_seconds, entry->measured.seconds);
    }
    outcome->mean_error /= outcome->measured;
    outcome->correlation = rank_correlation(measured, outcome->measured);
    outcome->winner_seconds = measured[0];
    outcome->regret = measured[0] / best_seconds;
    outcome->median_error = median_of(error, outcome->measured);
    outcome->spread = median_of(spread, outcome->measured);
}

static size_t predicted_count(const struct tcplan_ranking *ranking) {
    size_t count = 0;
    while (count < ranking->entry_count && count < FASTEST_MEASURED &&
           ranking->entry[count].predicted)
        count++;
    return count;
}

static struct outcome run_case(const struct library_case *library_case,
                               const struct settings *settings) {
    struct outcome outcome = {.library_case = library_case};
    struct tcplan_error error;
    struct subject subject = subject_open(library_case->contraction, library_case->sizes);
    const struct tcplan_problem problem = subject_problem(&subject, 0);
    struct tcplan_ranking *ranking = NULL;
    struct tcplan_rank_options options = tcplan_rank_defaults();
    options.threads = settings->threads;
    options.space = settings->space;
    options.effort = settings->effort;
    options.seed = settings->seed;
    if (problem.flops <= settings->max_flops) {
        subject_check(subject.notation, tcplan_rank(&ranking, &problem, &options, &error), &error);
        outcome.planning_seconds = ranking->planning_seconds;
        const size_t front =
            ranking->entry_count < FASTEST_MEASURED ? ranking->entry_count : FASTEST_MEASURED;
        subject_check(subject.notation,
                      tcplan_ranking_predict_front(ranking, front, &options, &error), &error);
        subject_check(
            subject.notation,
            tcplan_ranking_measure(ranking, 0, predicted_count(ranking), &options, &error), &error);
        evaluate(&outcome, ranking, settings);
    }
    tcplan_ranking_free(ranking);
    subject_close(&subject);
    return outcome;
}

static void print_head(void) {
    printf("%-12s %-22s %8s %6s %6s %8s %7s %6s %10s %10s %9s %10s %7s\n", "case", "contraction",
           "measured", "mean %", "med %", "covered", "regret", "corr", "winner ms", "plan ms",
           "plan/run", "all/plan", "spread%");
}

static void print_outcome(const struct outcome *o) {
    printf("%-12s %-22s %8d %6.1f %6.1f %5d/%-2d %7.3f %6.2f %10.3f %10.1f %9.2f %10.1f %7.1f\n",
           o->library_case->name, o->library_case->contraction, o->measured, 100 * o->mean_error,
           100 * o->median_error, o->covered, o->measured, o->regret, o->correlation,
           o->winner_seconds * 1e3, o->planning_seconds * 1e3,
           o->planning_seconds / o->winner_seconds, o->all_seconds / o->planning_seconds,
           100 * o->spread);
    fflush(stdout);
}

/** Prints means over the cases with a steady reference, or over the other cases. */
static void print_summary(const char *title, const struct outcome *outcome, int count,
                          bool steady) {
    double median[MAX_CASES];
    double mean_error = 0;
    double log_regret = 0;
    double worst_regret = 1;
    double planning_seconds = 0;
    int cases = 0;
    int measured = 0;
    int covered = 0;
    for (int c = 0; c < count; c++) {
        if ((outcome[c].spread <= UNSTEADY_SPREAD) != steady) continue;
        median[cases++] = outcome[c].median_error;
        mean_error += outcome[c].mean_error * outcome[c].measured;
        measured += outcome[c].measured;
        covered += outcome[c].covered;
        log_regret += log(outcome[c].regret);
        worst_regret = fmax(worst_regret, outcome[c].regret);
        planning_seconds += outcome[c].planning_seconds;
    }
    if (cases == 0) return;
    printf(
        "%s: %d cases, %d algorithms: error mean %.1f %%, median of medians %.1f %%; interval holds %.1f %%; regret mean %.3f, worst %.3f; "
        "planned in %.1f s\n",
        title, cases, measured, 100 * mean_error / measured, 100 * median_of(median, cases),
        100.0 * covered / measured, exp(log_regret / cases), worst_regret, planning_seconds);
}

static struct settings parse(int argc, char **argv) {
    struct settings settings = {.half = LIBRARY_HELD_OUT,
                                .space = TCPLAN_SPACE_BLAS,
                                .effort = TCPLAN_EFFORT_NORMAL,
                                .threads = 1,
                                .max_flops = 3e9,
                                .seed = 1};
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        if (strcmp(argv[i], "--details") == 0) {
            settings.details = true;
            continue;
        }
        if (strcmp(argv[i], "--list") == 0) {
            settings.list = true;
            continue;
        }
        if (strcmp(argv[i], "--half") == 0) settings.half = library_half_named(value);
        if (strcmp(argv[i], "--space") == 0)
            settings.space = strcmp(value, "full") == 0 ? TCPLAN_SPACE_FULL : TCPLAN_SPACE_BLAS;
        if (strcmp(argv[i], "--effort") == 0) settings.effort = subject_effort(value);
        if (strcmp(argv[i], "--threads") == 0) settings.threads = atoi(value);
        if (strcmp(argv[i], "--flops") == 0) settings.max_flops = atof(value);
        if (strcmp(argv[i], "--case") == 0) settings.only = value;
        if (strcmp(argv[i], "--seed") == 0) settings.seed = strtoull(value, NULL, 10);
        i++;
    }
    return settings;
}

static bool is_chosen(const struct settings *settings, const struct library_case *library_case) {
    if (settings->only) return strcmp(settings->only, library_case->name) == 0;
    return settings->half == LIBRARY_ALL || library_case->half == settings->half;
}

static void print_list(const struct settings *settings) {
    for (int c = 0; c < library_count(); c++) {
        const struct library_case *one = library_get(c);
        if (is_chosen(settings, one))
            printf("%-10s %-24s %s\n", one->name, one->contraction, one->sizes);
    }
}

int main(int argc, char **argv) {
    static struct outcome outcome[MAX_CASES];
    const struct settings settings = parse(argc, argv);
    const struct tcplan_blas blas = tcplan_blas_info();
    int count = 0;
    if (settings.list) {
        print_list(&settings);
        return 0;
    }
    printf("tcplan %s, %s, %s space, %d thread(s), seed %llu\n", TCPLAN_VERSION_STRING, blas.text,
           settings.space == TCPLAN_SPACE_FULL ? "full" : "blas", settings.threads,
           (unsigned long long)settings.seed);
    print_head();
    for (int c = 0; c < library_count() && count < MAX_CASES; c++) {
        if (!is_chosen(&settings, library_get(c))) continue;
        outcome[count] = run_case(library_get(c), &settings);
        if (outcome[count].measured > 0) print_outcome(&outcome[count++]);
    }
    print_summary("steady reference", outcome, count, true);
    print_summary("reference varies by more than 5 %", outcome, count, false);
    return 0;
}
