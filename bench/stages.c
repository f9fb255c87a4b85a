/**
 * Measures the accuracy of each stage of the dissertation's method (sections 6.2.2-6.2.6) on this
 * machine, and compares it with the dissertation's results and with the window predictor.
 *
 *   bench_stages [--contraction C --sizes SIZES] [--level23] [--limit BYTES] [--seed N] [--plot
 *   FILE.svg [--stage STAGE]]
 *
 * Without a contraction, it uses those of sections 6.2 and 6.3, at sizes that take less than five
 * minutes together on two cores. SIZES may be a sweep. For every size, all algorithms (with
 * --level23 those whose kernel is BLAS level 2 or 3, as in the dissertation's figures) are
 * predicted by every stage, and executed alternately on the same memory. --limit truncates cache
 * setups at that size instead of 5/4 of the last cache. --plot draws performance against size, as
 * predicted by the stage and as measured, like figures 6.5 to 6.9.
 *
 * Errors are absolute values, relative to the measured time. The dissertation's errors are those
 * of the performance, for kernels of level 2 and 3, and so is the line next to them.
 */
#include "bench/stages.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/sorted.h"

static const char *const stage_names[STAGES] = {"repeated", "access", "prefetch",
                                                "failure",  "first",  "window"};
static const double dissertation_errors[STAGES] = {154, 26.3, 19.1, 14.7, 9.47, NAN};

struct settings {
    const char *contraction;
    const char *sizes;
    const char *plot;
    int plot_stage;
    int64_t limit_bytes;
    uint64_t seed;
    bool level23;
};

static void fail(const char *message) {
    fprintf(stderr, "bench_stages: %s\n", message);
    exit(1);
}

static void check(enum tcplan_status status, const struct tcplan_error *error) {
    if (status != TCPLAN_OK) fail(error->message);
}

/* Progress. */

struct progress {
    bool enabled;
    int done;
    int total; /* number of steps: a step is one predictor, or the measurement, at one size */
    double start_seconds;
    const char *step;
};

static double now_seconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/** Prints the progress: a tcplan_progress_fn. */
static void show_progress(void *context, const char *activity, double done, double total) {
    const struct progress *progress = context;
    const double fraction =
        ((double)progress->done + (total > 0 ? done / total : 0)) / (double)progress->total;
    const double elapsed = now_seconds() - progress->start_seconds;
    if (!progress->enabled) return;
    fprintf(stderr, "\r%-8s %-24.24s %3.0f %%", progress->step, activity, 100 * fraction);
    if (fraction > 0.03) fprintf(stderr, ", %.0f s left ", elapsed * (1 - fraction) / fraction);
    fflush(stderr);
}

static void clear_progress(const struct progress *progress) {
    if (progress->enabled) fprintf(stderr, "\r%60s\r", "");
}

/* Predicting and measuring one size. */

static bool is_level23(enum tcplan_kernel kernel) {
    return kernel == TCPLAN_GEMV || kernel == TCPLAN_GER || kernel == TCPLAN_GEMM;
}

static struct tcplan_rank_options options_of(const struct settings *settings, int stage,
                                             struct progress *progress) {
    struct tcplan_rank_options options = tcplan_rank_defaults();
    options.predictor = stage == STAGES_WINDOW ? TCPLAN_PREDICT_WINDOW : TCPLAN_PREDICT_THESIS;
    options.stage = stage == STAGES_WINDOW ? TCPLAN_STAGE_FIRST : (enum tcplan_stage)stage;
    options.setup_limit_bytes = settings->limit_bytes;
    options.predict_all = true;
    options.space = TCPLAN_SPACE_BLAS;
    options.seed = settings->seed;
    options.progress = show_progress;
    options.progress_context = progress;
    return options;
}

static void note_predictions(struct stages_point *point, const struct tcplan_ranking *ranking,
                             int stage) {
    for (size_t e = 0; e < ranking->entry_count; e++) {
        const struct tcplan_entry *entry = &ranking->entry[e];
        point->row[entry->ordinal].algorithm = entry->algorithm;
        point->row[entry->ordinal].predicted[stage] =
            entry->predicted ? entry->prediction.seconds : 0;
    }
}

/** Moves the entries to be measured to the front, and returns their number. */
static size_t select_entries(struct tcplan_ranking *ranking, const struct settings *settings) {
    size_t count = 0;
    for (size_t e = 0; e < ranking->entry_count; e++) {
        const struct tcplan_entry entry = ranking->entry[e];
        if (entry.status == TCPLAN_ENTRY_NOT_APPLICABLE ||
            (settings->level23 && !is_level23(entry.algorithm.kernel)))
            continue;
        ranking->entry[e] = ranking->entry[count];
        ranking->entry[count++] = entry;
    }
    return count;
}

static void measure(struct stages_point *point, struct tcplan_ranking *ranking,
                    const struct settings *settings, const struct tcplan_rank_options *options) {
    struct tcplan_error error = {0};
    const size_t count = select_entries(ranking, settings);
    check(tcplan_ranking_measure(ranking, 0, count, options, &error), &error);
    for (size_t e = 0; e < count; e++) {
        if (ranking->entry[e].status == TCPLAN_ENTRY_MEASURED)
            point->row[ranking->entry[e].ordinal].measured = ranking->entry[e].measured.seconds;
    }
}

/** Studies one size. Half of the predictors run before the measurement and half after it, so that
 * drift of the machine does not favour any. */
static void study_point(struct stages_point *point, const struct settings *settings,
                        struct progress *progress) {
    struct tcplan_error error = {0};
    struct tcplan_ranking *ranking = NULL;
    for (int stage = 0; stage < STAGES; stage++) {
        const struct tcplan_rank_options options = options_of(settings, stage, progress);
        progress->step = stage_names[stage];
        if (!ranking) {
            check(tcplan_rank(&ranking, &point->problem, &options, &error), &error);
            point->count = ranking->entry_count;
            point->row = calloc(point->count, sizeof *point->row);
            if (!point->row) fail("out of memory");
        } else {
            check(tcplan_ranking_predict(ranking, &options, &error), &error);
        }
        note_predictions(point, ranking, stage);
        progress->done++;
        if (stage != STAGES / 2) continue;
        progress->step = "measure";
        measure(point, ranking, settings, &options);
        progress->done++;
    }
    tcplan_ranking_free(ranking);
}

/* Errors. */

/** Kernels in one line of the table: bit k stands for kernel class k. */
struct selection {
    const char *name;
    unsigned kernels;
};

static const struct selection selections[] = {
    {"dot", 1U << TCPLAN_DOT},
    {"axpy", 1U << TCPLAN_AXPY},
    {"gemv", 1U << TCPLAN_GEMV},
    {"ger", 1U << TCPLAN_GER},
    {"gemm", 1U << TCPLAN_GEMM},
    {"level 2+3", 1U << TCPLAN_GEMV | 1U << TCPLAN_GER | 1U << TCPLAN_GEMM},
    {"all", ~0U},
};
enum { SELECTIONS = sizeof selections / sizeof *selections, LEVEL23 = SELECTIONS - 2 };

static bool is_selected(const struct selection *selection, enum tcplan_kernel kernel) {
    return (selection->kernels >> kernel & 1U) != 0;
}

/** Errors in percent; owned by the caller of collect(). */
struct errors {
    size_t count;
    double *of_time;
    double *of_performance;
};

static struct errors collect(const struct stages_point *point, size_t points,
                             const struct selection *selection, int stage) {
    size_t most = 1;
    for (size_t p = 0; p < points; p++) most += point[p].count;
    struct errors errors = {.of_time = malloc(most * sizeof(double)),
                            .of_performance = malloc(most * sizeof(double))};
    if (!errors.of_time || !errors.of_performance) fail("out of memory");
    for (size_t p = 0; p < points; p++) {
        for (size_t r = 0; r < point[p].count; r++) {
            const struct stages_row *row = &point[p].row[r];
            if (row->measured <= 0 || row->predicted[stage] <= 0 ||
                !is_selected(selection, row->algorithm.kernel))
                continue;
            errors.of_time[errors.count] = 100 * fabs(row->predicted[stage] / row->measured - 1);
            errors.of_performance[errors.count++] =
                100 * fabs(row->measured / row->predicted[stage] - 1);
        }
    }
    sort_numbers(errors.of_time, errors.count);
    return errors;
}

static void free_errors(struct errors *errors) {
    free(errors->of_time);
    free(errors->of_performance);
}

static double mean_of(const double *value, size_t count) {
    double sum = 0;
    for (size_t i = 0; i < count; i++) sum += value[i];
    return sum / (double)count;
}

static double median_of_sorted(const double *value, size_t count) {
    return count % 2 ? value[count / 2] : (value[count / 2 - 1] + value[count / 2]) / 2;
}

/** Returns the loss of choosing by a stage: measured time of the algorithm with the shortest
 * prediction over that of the fastest, as a geometric mean over the points. */
static double loss_of_pick(const struct stages_point *point, size_t points, int stage) {
    double logarithms = 0;
    for (size_t p = 0; p < points; p++) {
        const struct stages_row *pick = NULL;
        double fastest = INFINITY;
        for (size_t r = 0; r < point[p].count; r++) {
            const struct stages_row *row = &point[p].row[r];
            if (row->measured <= 0) continue;
            fastest = fmin(fastest, row->measured);
            if (!pick || row->predicted[stage] < pick->predicted[stage]) pick = row;
        }
        if (pick) logarithms += log(pick->measured / fastest);
    }
    return exp(logarithms / (double)points);
}

/* The table. */

static void print_selection(const struct stages_point *point, size_t points,
                            const struct selection *selection) {
    for (int stage = 0; stage < STAGES; stage++) {
        struct errors errors = collect(point, points, selection, stage);
        if (stage == 0 && errors.count > 0) printf("%-24s %5zu", selection->name, errors.count);
        if (errors.count > 0)
            printf("  %6.1f /%6.1f", mean_of(errors.of_time, errors.count),
                   median_of_sorted(errors.of_time, errors.count));
        if (stage == STAGES - 1 && errors.count > 0) printf("\n");
        free_errors(&errors);
    }
}

/** Prints a number in the table; a dash if there is none. */
static void print_cell(int stage, double value, int decimals) {
    if (isnan(value)) {
        printf("  %6s", "-");
    } else {
        printf("  %6.*f", decimals, value);
    }
    if (stage < STAGES - 1) printf("%8s", "");
}

static void print_performance(const struct stages_point *point, size_t points) {
    printf("%-24s      ", "level 2+3, performance");
    for (int stage = 0; stage < STAGES; stage++) {
        struct errors errors = collect(point, points, &selections[LEVEL23], stage);
        print_cell(stage, mean_of(errors.of_performance, errors.count), 1);
        free_errors(&errors);
    }
    printf("\n%-24s      ", "  in the dissertation");
    for (int stage = 0; stage < STAGES; stage++) {
        print_cell(stage, dissertation_errors[stage], stage < TCPLAN_STAGE_FIRST ? 1 : 2);
    }
    printf("\n%-24s      ", "time of the choice / time of the best");
    for (int stage = 0; stage < STAGES; stage++)
        print_cell(stage, loss_of_pick(point, points, stage), 3);
    printf("\n\n");
}

static void print_points(const char *title, const struct stages_point *point, size_t points) {
    printf("%s\n%-24s %5s", title, "error %, mean / median", "count");
    for (int stage = 0; stage < STAGES; stage++) printf("  %14s", stage_names[stage]);
    printf("\n");
    for (int s = 0; s < SELECTIONS; s++) print_selection(point, points, &selections[s]);
    print_performance(point, points);
    fflush(stdout);
}

/* The study. */

struct study_case {
    const char *contraction;
    const char *sizes;
};

/* clang-format off */
static const struct study_case default_cases[] = {
    {"C_abc+=A_ai*B_ibc",   "a=b=c=64,i=8"},   {"C_abc+=A_ai*B_ibc",   "a=b=c=200,i=8"},
    {"C_a+=A_iaj*B_ji",     "a=i=j=64"},       {"C_a+=A_iaj*B_ji",     "a=i=j=256"},
    {"C_abc+=A_ija*B_jbic", "a=b=c=32,i=j=8"}, {"C_abc+=A_ija*B_jbic", "a=b=c=48,i=j=8"},
};
/* clang-format on */
enum { DEFAULT_CASES = sizeof default_cases / sizeof *default_cases };

enum { MAX_POINTS = 256 };

/** All points so far, and their contractions, which points refer to. */
struct study {
    const struct settings *settings;
    struct progress progress;
    size_t points;
    struct stages_point point[MAX_POINTS];
};

static void print_point(const struct stages_point *point) {
    char title[256];
    char *text = tcplan_contraction_text(point->problem.contraction);
    size_t length = (size_t)snprintf(title, sizeof title, "%s  ", text ? text : "");
    for (int i = 0; i < point->problem.contraction->index_count && length < sizeof title; i++) {
        length += (size_t)snprintf(title + length, sizeof title - length, "%s%s=%lld",
                                   i > 0 ? "," : "", point->problem.contraction->index[i].name,
                                   (long long)point->problem.extent[i]);
    }
    free(text);
    print_points(title, point, 1);
}

static void study_case(struct study *study, struct tcplan_contraction *contraction,
                       const struct tcplan_sizes *sizes) {
    struct tcplan_error error = {0};
    for (int64_t p = 0; p < tcplan_sizes_count(sizes) && study->points < MAX_POINTS; p++) {
        struct stages_point *point = &study->point[study->points++];
        int64_t extent[TCPLAN_MAX_INDICES];
        tcplan_sizes_point(sizes, p, extent);
        check(tcplan_problem_init(&point->problem, contraction, extent, TCPLAN_DOUBLE, &error),
              &error);
        study_point(point, study->settings, &study->progress);
        clear_progress(&study->progress);
        print_point(point);
    }
}

static void run(struct study *study, const struct study_case *cases, size_t count) {
    struct tcplan_contraction *contraction[DEFAULT_CASES] = {0};
    struct tcplan_sizes *sizes[DEFAULT_CASES] = {0};
    struct tcplan_error error = {0};
    for (size_t c = 0; c < count; c++) {
        check(tcplan_contraction_parse(&contraction[c], cases[c].contraction, TCPLAN_COLUMN_MAJOR,
                                       &error),
              &error);
        check(tcplan_sizes_parse(&sizes[c], contraction[c], cases[c].sizes, &error), &error);
        study->progress.total += (int)tcplan_sizes_count(sizes[c]) * (STAGES + 1);
    }
    study->progress.start_seconds = now_seconds();
    for (size_t c = 0; c < count; c++) study_case(study, contraction[c], sizes[c]);
    if (study->points > 1) print_points("all of these", study->point, study->points);
    printf("%zu size points in %.0f s\n", study->points,
           now_seconds() - study->progress.start_seconds);
    const int stage = study->settings->plot_stage;
    if (study->settings->plot &&
        !stages_plot(study->settings->plot, study->point, study->points, stage, stage_names[stage]))
        exit(3);
    for (size_t p = 0; p < study->points; p++) free(study->point[p].row);
    for (size_t c = 0; c < count; c++) {
        tcplan_sizes_free(sizes[c]);
        tcplan_contraction_free(contraction[c]);
    }
}

/* The command line. */

static void usage(void) {
    fputs(
        "usage: bench_stages [--contraction C --sizes SIZES] [--level23] [--limit BYTES] [--seed N]\n"
        "                    [--plot FILE.svg [--stage repeated|access|prefetch|failure|first|window]]\n",
        stderr);
    exit(2);
}

static int stage_named(const char *name) {
    for (int stage = 0; stage < STAGES; stage++) {
        if (strcmp(stage_names[stage], name) == 0) return stage;
    }
    usage();
    return 0;
}

/** Stores one option with its value. */
static void set_option(struct settings *settings, const char *option, const char *value) {
    if (strcmp(option, "--contraction") == 0) {
        settings->contraction = value;
    } else if (strcmp(option, "--sizes") == 0) {
        settings->sizes = value;
    } else if (strcmp(option, "--limit") == 0) {
        settings->limit_bytes = strtoll(value, NULL, 10);
    } else if (strcmp(option, "--seed") == 0) {
        settings->seed = strtoull(value, NULL, 10);
    } else if (strcmp(option, "--plot") == 0) {
        settings->plot = value;
    } else if (strcmp(option, "--stage") == 0) {
        settings->plot_stage = stage_named(value);
    } else {
        usage();
    }
}

int main(int argc, char **argv) {
    static struct study study; /* static, because it is too large for the stack */
    struct settings settings = {.plot_stage = TCPLAN_STAGE_FIRST, .seed = 1};
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--level23") == 0) {
            settings.level23 = true;
        } else if (i + 1 < argc) {
            set_option(&settings, argv[i], argv[i + 1]);
            i++;
        } else {
            usage();
        }
    }
    if (!settings.contraction != !settings.sizes || (settings.plot && !settings.sizes)) usage();
    study.settings = &settings;
    study.progress.enabled = isatty(STDERR_FILENO);
    const struct study_case only = {settings.contraction, settings.sizes};
    run(&study, settings.sizes ? &only : default_cases, settings.sizes ? 1 : DEFAULT_CASES);
    return 0;
}
