/**
 * Measures how much time early stops save in an autotuning search, and how much speed the choice
 * loses: tables IV to VI and VIII to XI of Autotuning Benchmarking Techniques: A Roofline Model
 * Case Study, with this machine next to the paper's.
 *
 *   bench_autotune [--benchmark dgemm|triad] [--space tiny|small|quick|paper] [--threads N]
 *   [--iterations N] [--invocations N] [--seconds N]
 *                  [--level PERCENT] [--memory MIB] [--turns N] [--here]
 *
 * All techniques search the same configurations, on every part of the machine and, for triad, in
 * the last cache and in memory. `Default` runs every iteration of every invocation: an exhaustive
 * search, with which the times of the others are compared. Searches take minutes, during which the
 * machine drifts, so the means of two searches are not comparable. The configurations that the
 * techniques chose are therefore measured alternately at the end; the shortfall is the speed that
 * a choice lacks compared with that of the exhaustive search. Every invocation is a separate
 * process; with `--here`, everything runs in this process.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "autotune_paper.h"
#include "microbench/timing/session.h"
#include "microbench/timing/statistics.h"
#include "roofline/kernels/working_set.h"
#include "roofline/tuning/peak.h"
#include "roofline/tuning/tuner.h"

/** A technique: a set of stop rules. */
struct technique {
    const char *name;
    const struct paper_row *paper; /* the technique's row in the paper's tables; NULL: it is not a
                                      technique of the paper */
    enum { BY_RULES, HAND_TIME, HAND_ACCURACY } kind;
    bool single;     /* whether to run a single iteration in a single invocation */
    bool confidence; /* C: whether iterations end when the interval of their mean is narrow */
    bool inner;      /* I: whether iterations end when the configuration cannot be the best */
    bool outer;      /* O: whether invocations end when the configuration cannot be the best or the
                        interval of their mean is narrow */
    enum stop_interval interval;
    int64_t least_beaten; /* minimum number of iterations before rule I applies */
    enum autotune_order order;
};

/* Techniques. For hand-tuned ones, tune_by_hand() chooses the number of iterations; the last but
 * one is the default of `tcplan tune`. */
static const struct technique techniques[] = {
    {"Default", &paper_default, .interval = STOP_NORMAL},
    {"Single", &paper_single, .single = true},
    {"Confidence", &paper_c, .confidence = true, .interval = STOP_NORMAL},
    {"C+Inner", &paper_ci, .confidence = true, .inner = true, .interval = STOP_NORMAL},
    {"C+Inner+R", &paper_cir, .confidence = true, .inner = true, .interval = STOP_NORMAL,
     .order = AUTOTUNE_REVERSED},
    {"C+I+Outer", &paper_cio, .confidence = true, .inner = true, .outer = true,
     .interval = STOP_NORMAL},
    {"C+I+O+R", &paper_cior, .confidence = true, .inner = true, .outer = true,
     .interval = STOP_NORMAL, .order = AUTOTUNE_REVERSED},
    {"Hand-tuned Time", &paper_hand_time, .kind = HAND_TIME},
    {"Hand-tuned Accuracy", &paper_hand_accuracy, .kind = HAND_ACCURACY},
    {"C+Inner, 100", &paper_ci_100, .confidence = true, .inner = true, .interval = STOP_NORMAL,
     .least_beaten = 100},
    {"C+Inner+R, 100", &paper_cir_100, .confidence = true, .inner = true, .interval = STOP_NORMAL,
     .least_beaten = 100, .order = AUTOTUNE_REVERSED},
    {"C+I+Outer, 100", &paper_cio_100, .confidence = true, .inner = true, .outer = true,
     .interval = STOP_NORMAL, .least_beaten = 100},
    {"C+I+O+R, 100", &paper_cior_100, .confidence = true, .inner = true, .outer = true,
     .interval = STOP_NORMAL, .least_beaten = 100, .order = AUTOTUNE_REVERSED},
    {"C+I+O, Student", NULL, .confidence = true, .inner = true, .outer = true,
     .interval = STOP_STUDENT},
    {"C+I+O, Student, random", NULL, .confidence = true, .inner = true, .outer = true,
     .order = AUTOTUNE_RANDOM},
};

enum {
    TECHNIQUES = sizeof techniques / sizeof *techniques,
    EXHAUSTIVE = 0,
    SINGLE = 1,
    CIO = 5,
    AUTOTUNED = TECHNIQUES - 2,
    MOST_TURNS = 99,
    MOST_COLUMNS = 2 * PLACE_SCOPES,
    PATIENCE_SECONDS = 300
};

/** One part of the machine; for triad, also one level of the memory. */
struct column {
    char name[32];
    struct places places;
    struct gemm_choices gemm;
    struct triad_choices triad;
    double peak; /* theoretical peak; 0: unknown */
    struct autotune_result result[TECHNIQUES];
    int64_t hand_iterations[TECHNIQUES];
    double last[TECHNIQUES]; /* speed of the choice, measured at the end; 0: not measured */
};

struct study {
    bool triad;
    const char *space;
    int threads; /* number of threads; 0: the threads of all parts */
    int64_t iterations;
    int64_t invocations;
    int64_t seconds;
    int64_t memory_mib;
    int64_t turns;
    double level;
    bool here;
    int columns;
    struct column *column;
};

static void fail(const char *message) {
    fprintf(stderr, "bench_autotune: %s\n", message);
    exit(EXIT_FAILURE);
}

static struct autotune_options options_of(const struct study *study,
                                          const struct technique *technique) {
    struct autotune_options options = autotune_defaults();
    options.order = technique->order;
    options.seed = 1;
    options.iteration.most_seconds = (double)study->seconds;
    options.iteration.most_samples = technique->single ? 1 : study->iterations;
    options.invocation.most_samples = technique->single ? 1 : study->invocations;
    options.iteration.level = options.invocation.level = study->level;
    options.iteration.interval = options.invocation.interval = technique->interval;
    if (technique->least_beaten > 0) options.iteration.least_beaten = technique->least_beaten;
    if (!technique->confidence) options.iteration.precise_share = 0;
    if (!technique->inner) options.iteration.beaten = false;
    if (!technique->outer) {
        options.invocation.precise_share = 0;
        options.invocation.beaten = false;
    }
    return options;
}

static struct autotune_result search(const struct study *study, const struct column *column,
                                     const struct autotune_options *options) {
    static const char *const serving[] = {"/proc/self/exe", "--serve", NULL};
    struct tuner tuner = {.gemm = study->triad ? NULL : &column->gemm,
                          .dtype = TCPLAN_DOUBLE,
                          .threads = column->places.count,
                          .triad = &column->triad,
                          .places = &column->places,
                          .program = study->here ? NULL : serving,
                          .patience_seconds = PATIENCE_SECONDS + 10 * (double)study->seconds};
    struct session session = {0};
    struct autotune_result result;
    struct tcplan_error error;
    if (study->here && session_begin(&session, column->places.count, &error) != TCPLAN_OK)
        fail(error.message);
    if (tuner_search(&result, &tuner, options, &error) != TCPLAN_OK) fail(error.message);
    if (study->here) session_end(&session);
    if (*tuner.state.reason)
        fprintf(stderr, "bench_autotune: a process ended without a result: %s\n",
                tuner.state.reason);
    return result;
}

/** Searches with one invocation of this many iterations. */
static struct autotune_result search_by_hand(const struct study *study, const struct column *column,
                                             int64_t iterations) {
    struct autotune_options options = options_of(study, &techniques[SINGLE]);
    options.iteration.most_samples = iterations;
    return search(study, column, &options);
}

/** Finds a fixed number of iterations of one invocation: either as many as take the time of the
 * search with all early stops, or as many as are as accurate, doubled until the mean is within 0.5
 * %. */
static void tune_by_hand(const struct study *study, struct column *column, int t) {
    const struct autotune_result *fixed = &column->result[EXHAUSTIVE];
    const struct autotune_result *early = &column->result[CIO];
    /* seconds of one iteration of every configuration */
    const double seconds = fixed->seconds / (double)(study->invocations * study->iterations);
    const double extra = (early->seconds - column->result[SINGLE].seconds) / seconds;
    int64_t iterations = extra > 0 ? 1 + llround(extra) : 1;
    struct autotune_result result = search_by_hand(study, column, iterations);
    while (techniques[t].kind == HAND_ACCURACY && result.value < 0.995 * early->value &&
           iterations < study->iterations) {
        autotune_free(&result);
        iterations = 2 * iterations < study->iterations ? 2 * iterations : study->iterations;
        result = search_by_hand(study, column, iterations);
    }
    column->hand_iterations[t] = iterations;
    column->result[t] = result;
}

static void run_techniques(const struct study *study, struct column *column) {
    for (int w = 0; w < 2; w++) { /* The first two invocations only let the clock rate settle; they
                                     are not reported. */
        struct autotune_result warming = search_by_hand(study, column, 1);
        autotune_free(&warming);
    }
    for (int t = 0; t < TECHNIQUES; t++) {
        const struct autotune_options options = options_of(study, &techniques[t]);
        if (techniques[t].kind == BY_RULES) {
            column->result[t] = search(study, column, &options);
        } else {
            tune_by_hand(study, column, t);
        }
        fprintf(stderr, "%s: %s, %.1f s\n", column->name, techniques[t].name,
                column->result[t].seconds);
    }
}

/** Restricts a column to a single configuration. */
static void narrow(struct column *column, const struct column *of, int64_t configuration,
                   bool triad) {
    column->places = of->places;
    if (triad) {
        column->triad =
            (struct triad_choices){.count = 1, .choice = {of->triad.choice[configuration]}};
    } else {
        const struct gemm_extents extents = gemm_choices_at(&of->gemm, configuration);
        column->gemm = (struct gemm_choices){.n_count = 1,
                                             .n = {extents.n},
                                             .m_count = 1,
                                             .m = {extents.m},
                                             .k_count = 1,
                                             .k = {extents.k}};
    }
}

/** Returns the first technique with the same choice as technique `t`. */
static int first_with_choice(const struct column *column, int t) {
    int first = 0;
    while (column->result[first].best != column->result[t].best) first++;
    return first;
}

/** Measures all chosen configurations alternately, with one invocation of fixed length per turn.
 * Reports medians of the turns' means. */
static void compare_choices(const struct study *study, struct column *column) {
    struct technique turn = {.name = "turn"};
    struct autotune_options options = options_of(study, &turn);
    static double mean[TECHNIQUES][MOST_TURNS];
    static struct column one;
    int counted[TECHNIQUES] = {0};
    options.invocation.most_samples = 1;
    options.iteration.most_seconds = 1;
    for (int r = 0; r < study->turns; r++) {
        for (int t = 0; t < TECHNIQUES; t++) {
            if (column->result[t].best < 0 || first_with_choice(column, t) != t) continue;
            narrow(&one, column, column->result[t].best, study->triad);
            struct autotune_result measured = search(study, &one, &options);
            if (measured.best >= 0) mean[t][counted[t]++] = measured.value;
            autotune_free(&measured);
        }
    }
    for (int t = 0; t < TECHNIQUES; t++) {
        const int first = first_with_choice(column, t);
        column->last[t] = column->result[t].best < 0 || counted[first] == 0 ? 0
                          : first < t                                       ? column->last[first]
                                      : statistics_median(mean[t], counted[t]);
    }
}

/* Tables. */

static void print_choice(char *out, size_t size, const struct study *study,
                         const struct column *column, int t) {
    const int64_t best = column->result[t].best;
    if (best < 0) {
        snprintf(out, size, "nothing");
    } else if (study->triad) {
        const struct triad_choice *choice = &column->triad.choice[best];
        snprintf(out, size, "%.4g MiB on %d %s%s",
                 (double)(choice->elements * TRIAD_ELEMENT_BYTES) / (1 << 20), choice->threads,
                 place_affinity_name(choice->affinity), choice->interleaved ? ", interleaved" : "");
    } else {
        const struct gemm_extents extents = gemm_choices_at(&column->gemm, best);
        snprintf(out, size, "%lld, %lld, %lld", (long long)extents.n, (long long)extents.m,
                 (long long)extents.k);
    }
}

static const char *socket_name(int socket) {
    return socket == 0 ? "one socket" : "two sockets";
}

/** Prints tables IV and V, or VI, with this machine's results. */
static void print_best(const struct study *study) {
    puts(study->triad ? "\nTable VI: triad, GB/s" : "\nTables IV and V: dgemm, GFLOP/s");
    printf("%-10s %-22s %9s %9s  %s\n", "system", "part", study->triad ? "GB/s" : "GFLOP/s",
           "of peak", study->triad ? "vectors" : "n, m, k");
    for (int s = 0; s < PAPER_SYSTEMS; s++) {
        for (int k = 0; k < PAPER_SOCKETS; k++) {
            if (!study->triad) {
                printf("%-10s %-22s %9.2f %7.2f %%  %d, %d, %d\n", paper_system[s], socket_name(k),
                       paper_dgemm[s][k].gflops, paper_dgemm[s][k].share, paper_dgemm[s][k].n,
                       paper_dgemm[s][k].m, paper_dgemm[s][k].k);
                continue;
            }
            printf("%-10s %-11s %-10s %9.2f %9s\n", paper_system[s], socket_name(k), "L3",
                   paper_triad[s][k].l3, "-");
            printf("%-10s %-11s %-10s %9.2f %7.2f %%\n", paper_system[s], socket_name(k), "DRAM",
                   paper_triad[s][k].dram, paper_triad[s][k].share);
        }
    }
    for (int c = 0; c < study->columns; c++) {
        const struct column *column = &study->column[c];
        char choice[64], share[16] = "-";
        print_choice(choice, sizeof choice, study, column, AUTOTUNED);
        if (column->peak > 0)
            snprintf(share, sizeof share, "%.2f %%", 100 * column->last[AUTOTUNED] / column->peak);
        printf("%-10s %-22s %9.2f %9s  %s\n", "here", column->name, column->last[AUTOTUNED], share,
               choice);
    }
}

static double shortfall(const struct column *column, int t) {
    return column->last[t] > 0 && column->last[EXHAUSTIVE] > 0
               ? 100 * (1 - column->last[t] / column->last[EXHAUSTIVE])
               : NAN;
}

static void print_technique(const struct study *study, const struct column *column, int t) {
    const struct autotune_result *result = &column->result[t];
    int64_t invocations = 0, iterations = 0;
    char choice[64], name[48];
    for (int64_t c = 0; c < result->count; c++) {
        invocations += result->record[c].means.count;
        iterations += result->record[c].iterations + result->record[c].disturbed;
    }
    print_choice(choice, sizeof choice, study, column, t);
    snprintf(name, sizeof name, "%s", techniques[t].name);
    if (column->hand_iterations[t] > 0)
        snprintf(name, sizeof name, "%s (%lld)", techniques[t].name,
                 (long long)column->hand_iterations[t]);
    printf("%-26s %8.2f %8.1fx %11lld %10lld  %-24s %8.2f %8.2f %8.2f %%\n", name, result->seconds,
           column->result[EXHAUSTIVE].seconds / result->seconds, (long long)invocations,
           (long long)iterations, choice, result->value, column->last[t], shortfall(column, t));
}

/** Prints the highest, lowest and median speed of the configurations in the exhaustive search. */
static void print_space(const struct study *study, const struct column *column) {
    const struct autotune_result *fixed = &column->result[EXHAUSTIVE];
    double worst = fixed->value;
    int64_t close = 0, disturbed = 0;
    for (int64_t c = 0; c < fixed->count; c++) {
        const struct autotune_record *record = &fixed->record[c];
        if (record->means.count > 0) worst = fmin(worst, record->means.mean);
        close += record->means.mean > 0.98 * fixed->value;
        disturbed += record->disturbed;
    }
    printf(
        "The slowest of %lld configurations reaches %.1f %% of the best; %lld are within 2 %% of "
        "it. The exhaustive search omitted %lld iterations that other load disturbed.\n",
        (long long)fixed->count, 100 * worst / fixed->value, (long long)close,
        (long long)disturbed);
    const double speedup = fixed->seconds / column->result[AUTOTUNED].seconds;
    const double lacks = shortfall(column, AUTOTUNED);
    printf("Target (%s of `tcplan tune`: 20 times less time, rate at most 1 %% lower): %.1f times, "
           "%.2f %%: %s.\n",
           study->triad ? "triad" : "dgemm", speedup, lacks,
           speedup >= 20 && lacks <= 1 ? "met" : "MISSED");
}

/** Prints the paper's part of tables VIII to XI: speed-ups, and shortfalls of the means from that
 * of the default. */
static void print_paper(void) {
    puts("\nTables VIII to XI of the paper: speed-up, and by how many per cent the rate is below "
         "that of Default, on one and on two sockets");
    printf("%-22s", "technique");
    for (int s = 0; s < PAPER_SYSTEMS; s++) printf(" %9s %6s %6s", paper_system[s], "one", "two");
    putchar('\n');
    for (int t = 0; t < TECHNIQUES; t++) {
        if (!techniques[t].paper) continue;
        printf("%-22s", techniques[t].name);
        for (int s = 0; s < PAPER_SYSTEMS; s++) {
            const struct paper_technique *there = &techniques[t].paper->system[s];
            const struct paper_technique *usual = &paper_default.system[s];
            if (there->speedup > 0) {
                printf(" %8.2fx %6.2f %6.2f", there->speedup,
                       100 * (1 - there->gflops[0] / usual->gflops[0]),
                       100 * (1 - there->gflops[1] / usual->gflops[1]));
            } else {
                printf(" %9s %6s %6s", "-", "-", "-");
            }
        }
        putchar('\n');
    }
}

static void run(struct study *study) {
    printf(
        "%s, at most %lld iterations and %lld s in each of %lld invocations%s, %g %% intervals\n",
        study->triad ? "triad" : "dgemm", (long long)study->iterations, (long long)study->seconds,
        (long long)study->invocations, study->here ? "" : ", each in a new process",
        100 * study->level);
    for (int c = 0; c < study->columns; c++) {
        struct column *column = &study->column[c];
        run_techniques(study, column);
        if (column->result[EXHAUSTIVE].best < 0)
            fail("every iteration was disturbed by other load");
        compare_choices(study, column);
        printf("\n%s\n%-26s %8s %9s %11s %10s  %-24s %8s %8s %10s\n", column->name, "technique",
               "search s", "speed-up", "invocations", "iterations",
               study->triad ? "chosen vectors" : "chosen n, m, k", "found", "at last", "shortfall");
        for (int t = 0; t < TECHNIQUES; t++) print_technique(study, column, t);
        print_space(study, column);
        fflush(stdout);
    }
    if (!study->triad) print_paper();
    print_best(study);
}

/* Arguments. */

static int64_t positive(const char *name, const char *value, int64_t most) {
    char *end;
    const long long number = strtoll(value, &end, 10);
    if (end == value || *end || number < 1 || number > most) {
        fprintf(stderr, "bench_autotune: %s: '%.40s' is not a number from 1 to %lld\n", name, value,
                (long long)most);
        exit(EXIT_FAILURE);
    }
    return number;
}

/** Selects the space of configurations. Small: calls of 20 us to 8 ms, so that an exhaustive search
 * takes minutes instead of hours. */
static bool choose_space(struct gemm_choices *out, const char *name) {
    static const struct gemm_choices tiny = {
        .n_count = 2, .n = {16, 32}, .m_count = 1, .m = {32}, .k_count = 2, .k = {8, 16}};
    static const struct gemm_choices small = {.n_count = 4,
                                              .n = {120, 240, 480, 960},
                                              .m_count = 4,
                                              .m = {128, 256, 512, 1024},
                                              .k_count = 4,
                                              .k = {32, 64, 128, 256}};
    if (strcmp(name, "tiny") == 0)
        *out = tiny;
    else if (strcmp(name, "small") == 0)
        *out = small;
    else if (strcmp(name, "quick") == 0)
        *out = gemm_choices_quick();
    else if (strcmp(name, "paper") == 0)
        *out = gemm_choices_paper();
    else
        return false;
    return true;
}

/** Sets an option; returns the number of arguments that it used. */
static int set(struct study *study, const char *name, const char *value) {
    struct gemm_choices choices;
    if (strcmp(name, "--here") == 0) {
        study->here = true;
        return 1;
    }
    if (strcmp(name, "--benchmark") == 0 &&
        (strcmp(value, "triad") == 0 || strcmp(value, "dgemm") == 0)) {
        study->triad = strcmp(value, "triad") == 0;
    } else if (strcmp(name, "--space") == 0 && choose_space(&choices, value)) {
        study->space = value;
    } else if (strcmp(name, "--threads") == 0) {
        study->threads = (int)positive(name, value, PLACES_MAX);
    } else if (strcmp(name, "--iterations") == 0) {
        study->iterations = positive(name, value, 1000000);
    } else if (strcmp(name, "--invocations") == 0) {
        study->invocations = positive(name, value, 1000000);
    } else if (strcmp(name, "--seconds") == 0) {
        study->seconds = positive(name, value, 1000000);
    } else if (strcmp(name, "--memory") == 0) {
        study->memory_mib = positive(name, value, 1 << 30);
    } else if (strcmp(name, "--turns") == 0) {
        study->turns = positive(name, value, MOST_TURNS);
    } else if (strcmp(name, "--level") == 0) {
        study->level = 0.01 * (double)positive(name, value, 99);
    } else {
        fail(
            "usage: bench_autotune [--benchmark dgemm|triad] [--space tiny|small|quick|paper] [--threads N] [--iterations N] [--invocations N]\n"
            "    [--seconds N] [--level PERCENT] [--memory MIB] [--turns N] [--here]");
    }
    return 2;
}

static void add_columns(struct study *study, const struct tcplan_machine *machine,
                        const struct tcplan_peak *peak, const char *part,
                        const struct places *places) {
    for (int level = 0; level < (study->triad ? 2 : 1); level++) {
        struct column *column = &study->column[study->columns];
        *column = (struct column){.places = *places};
        snprintf(column->name, sizeof column->name, "%s, %d core%s", part, places->count,
                 places->count > 1 ? "s" : "");
        if (study->triad) {
            char name[TCPLAN_LEVEL_NAME];
            triad_choices_make(&column->triad, machine, places, level == 1,
                               study->memory_mib << 20);
            working_set_level(name, sizeof name, machine,
                              level == 1 ? machine->cache_count : machine->cache_count - 1);
            snprintf(column->name, sizeof column->name, "%s (%d), %s%s", part, places->count, name,
                     column->triad.reduced ? ", reduced" : "");
            if (column->triad.count == 0) continue;
            column->peak = level == 1 ? peak->socket_gbytes * places_sockets(places) : 0;
        } else {
            (void)choose_space(&column->gemm, study->space);
            column->peak = peak->core_gflops * places->count;
        }
        study->columns++;
    }
}

static void prepare(struct study *study) {
    struct tcplan_machine machine;
    struct places places;
    struct place_part part[PLACE_SCOPES];
    struct tcplan_error error;
    if (tcplan_machine_load(&machine, "live", &error) != TCPLAN_OK ||
        places_load(&places, NULL, &error) != TCPLAN_OK)
        fail(error.message);
    const struct tcplan_peak peak = peak_find(&machine.data_sheet);
    if (study->threads > places.count) fail("this process may not run on so many cores");
    study->column = calloc(MOST_COLUMNS, sizeof *study->column);
    if (!study->column) fail("there is not enough memory");
    const int parts = places_parts(part, &places);
    for (int p = 0; p < parts && study->threads == 0; p++) {
        const struct places first = places_first(&places, part[p].threads);
        add_columns(study, &machine, &peak, place_scope_name(part[p].scope), &first);
    }
    const struct places first = places_first(&places, study->threads);
    if (study->threads > 0) add_columns(study, &machine, &peak, "threads", &first);
}

int main(int argc, char **argv) {
    struct study study = {.space = "small",
                          .iterations = 200,
                          .invocations = 10,
                          .seconds = 10,
                          .memory_mib = 4096,
                          .turns = 15,
                          .level = 0.99};
    if (argc == 2 && strcmp(argv[1], "--serve") == 0)
        return tuner_serve() ? EXIT_SUCCESS : EXIT_FAILURE;
    for (int a = 1; a < argc;) a += set(&study, argv[a], a + 1 < argc ? argv[a + 1] : "");
    prepare(&study);
    run(&study);
    for (int c = 0; c < study.columns; c++) {
        for (int t = 0; t < TECHNIQUES; t++) autotune_free(&study.column[c].result[t]);
    }
    free(study.column);
    return 0;
}
