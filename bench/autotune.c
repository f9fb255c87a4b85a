/**
 * What early stops save in a search by measuring, and what they cost: the comparison of techniques of Autotuning Benchmarking Techniques: A
 * Roofline Model Case Study (tables VIII to XI), on dgemm here.
 *
 *   bench_autotune [--space tiny|small|quick|paper] [--threads N] [--iterations N] [--invocations N] [--level PERCENT]
 *
 * All techniques search the same configurations. `fixed` runs every iteration of every invocation: an exhaustive search, with whose time the
 * others' are compared. A minute lies between the first configuration and the last, so means of one search cannot be held against those of
 * another: what the techniques chose is measured once more at the end, side by side, and the shortfall is what a choice lacks of the
 * exhaustive search's there.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "microbench/timing/session.h"
#include "microbench/timing/statistics.h"
#include "roofline/tune_gemm.h"

/** What a technique uses of the stop rules. */
struct technique {
    const char *name;
    bool single;     /* one iteration, one invocation */
    bool confidence; /* C: iterations end when their interval is narrow */
    bool inner;      /* I: iterations end when beaten */
    bool outer;      /* O: invocations end when beaten or when their interval is narrow */
    enum stop_interval interval;
    int64_t least_beaten; /* iterations */
    enum autotune_order order;
};

static const struct technique techniques[] = {
    {.name = "fixed"},
    {.name = "single", .single = true},
    {.name = "C", .confidence = true, .interval = STOP_NORMAL},
    {.name = "C+I", .confidence = true, .inner = true, .interval = STOP_NORMAL},
    {.name = "C+I+R", .confidence = true, .inner = true, .interval = STOP_NORMAL, .order = AUTOTUNE_REVERSED},
    {.name = "C+I+O", .confidence = true, .inner = true, .outer = true, .interval = STOP_NORMAL},
    {.name = "C+I+O+R", .confidence = true, .inner = true, .outer = true, .interval = STOP_NORMAL, .order = AUTOTUNE_REVERSED},
    {.name = "C+I+O, at least 10", .confidence = true, .inner = true, .outer = true, .interval = STOP_NORMAL, .least_beaten = 10},
    {.name = "C+I+O, Student", .confidence = true, .inner = true, .outer = true, .interval = STOP_STUDENT},
    {.name = "C+I+O, Student, random", .confidence = true, .inner = true, .outer = true, .order = AUTOTUNE_RANDOM},
};

enum { TECHNIQUES = sizeof techniques / sizeof *techniques, TURNS = 15 };

struct study {
    struct gemm_choices choices;
    int threads;
    int64_t iterations;
    int64_t invocations;
    double level;
};

static struct autotune_options options_of(const struct study *study, const struct technique *technique) {
    struct autotune_options options = autotune_defaults();
    options.order = technique->order;
    options.seed = 1;
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

static void fail(const char *message) {
    fprintf(stderr, "bench_autotune: %s\n", message);
    exit(EXIT_FAILURE);
}

static int64_t total_iterations(const struct autotune_result *result) {
    int64_t total = 0;
    for (int64_t c = 0; c < result->count; c++) total += result->record[c].iterations + result->record[c].disturbed;
    return total;
}

static int64_t total_invocations(const struct autotune_result *result) {
    int64_t total = 0;
    for (int64_t c = 0; c < result->count; c++) total += result->record[c].means.count;
    return total;
}

/** One technique's search, or one configuration's last measurement: choices with nothing to choose. */
static struct autotune_result search(const struct study *study, const struct gemm_choices *choices, const struct technique *technique) {
    const struct autotune_options options = options_of(study, technique);
    struct autotune_result result;
    struct tcplan_error error;
    if (tune_gemm(&result, choices, TCPLAN_DOUBLE, study->threads, &options, &error) != TCPLAN_OK) fail(error.message);
    if (result.best < 0) fail("every iteration was disturbed");
    return result;
}

static struct gemm_choices only(struct gemm_extents extents) {
    return (struct gemm_choices){.n_count = 1, .n = {extents.n}, .m_count = 1, .m = {extents.m}, .k_count = 1, .k = {extents.k}};
}

/** Measures each technique's choice in turns, a fixed invocation a turn: medians of the turns' means. */
static void compare_choices(const struct study *study, const struct autotune_result *result, double gflops[TECHNIQUES]) {
    const struct technique turn = {.single = false};
    struct study one = *study;
    double mean[TECHNIQUES][TURNS];
    one.invocations = 1;
    for (int r = 0; r < TURNS; r++) {
        for (int t = 0; t < TECHNIQUES; t++) {
            const struct gemm_choices choices = only(gemm_choices_at(&study->choices, result[t].best));
            struct autotune_result measured = search(&one, &choices, &turn);
            mean[t][r] = measured.value;
            autotune_free(&measured);
        }
    }
    for (int t = 0; t < TECHNIQUES; t++) gflops[t] = statistics_median(mean[t], TURNS);
}

static void print_row(const struct study *study, int t, const struct autotune_result *result, const double gflops[TECHNIQUES]) {
    const struct gemm_extents chosen = gemm_choices_at(&study->choices, result[t].best);
    char name[64];
    snprintf(name, sizeof name, "%lld, %lld, %lld", (long long)chosen.n, (long long)chosen.m, (long long)chosen.k);
    printf("%-24s %8.2f %8.1fx %11lld %11lld  %-15s %7.2f %8.2f %9.2f %%\n", techniques[t].name, result[t].seconds,
           result[0].seconds / result[t].seconds, (long long)total_invocations(&result[t]), (long long)total_iterations(&result[t]), name,
           result[t].value, gflops[t], 100 * (1 - gflops[t] / gflops[0]));
}

/** The most, the least and what lies between of the configurations, as the exhaustive search measured them. */
static void print_space(const struct study *study, const struct autotune_result *fixed) {
    int64_t worst = fixed->best;
    int64_t close = 0;
    int64_t disturbed = 0;
    for (int64_t c = 0; c < fixed->count; c++) {
        if (fixed->record[c].means.mean < fixed->record[worst].means.mean) worst = c;
        close += fixed->record[c].means.mean > 0.98 * fixed->value;
        disturbed += fixed->record[c].disturbed;
    }
    const struct gemm_extents extents = gemm_choices_at(&study->choices, worst);
    printf("\nThe slowest configuration (n, m, k = %lld, %lld, %lld) reaches %.1f %% of the best; %lld of %lld are within 2 %% of it.\n",
           (long long)extents.n, (long long)extents.m, (long long)extents.k, 100 * fixed->record[worst].means.mean / fixed->value,
           (long long)close, (long long)fixed->count);
    printf("The fixed search left out %lld iterations during which something else had the core.\n", (long long)disturbed);
}

static void run(const struct study *study) {
    struct autotune_result result[TECHNIQUES];
    double gflops[TECHNIQUES];
    printf("dgemm, %lld configurations, %d thread%s; at most %lld iterations in each of %lld invocations, %g %% intervals\n\n",
           (long long)gemm_choices_count(&study->choices), study->threads, study->threads > 1 ? "s" : "", (long long)study->iterations,
           (long long)study->invocations, 100 * study->level);
    printf("%-24s %8s %9s %11s %11s  %-15s %16s %11s\n", "", "", "", "", "", "", "GFLOP/s", "");
    printf("%-24s %8s %9s %11s %11s  %-15s %7s %8s %11s\n", "technique", "search s", "speed-up", "invocations", "iterations",
           "chosen n, m, k", "found", "at last", "shortfall");
    fflush(stdout);
    for (int w = 0; w < 2; w++) { /* the clock rate settles; not shown */
        result[0] = search(study, &study->choices, &(struct technique){.single = true});
        autotune_free(&result[0]);
    }
    for (int t = 0; t < TECHNIQUES; t++) result[t] = search(study, &study->choices, &techniques[t]);
    compare_choices(study, result, gflops);
    for (int t = 0; t < TECHNIQUES; t++) print_row(study, t, result, gflops);
    print_space(study, &result[0]);
    for (int t = 0; t < TECHNIQUES; t++) autotune_free(&result[t]);
}

static int64_t positive(const char *name, const char *value, int64_t most) {
    char *end;
    const long long number = strtoll(value, &end, 10);
    if (end == value || *end || number < 1 || number > most) {
        fprintf(stderr, "bench_autotune: %s: '%.40s' is no number from 1 to %lld\n", name, value, (long long)most);
        exit(EXIT_FAILURE);
    }
    return number;
}

/** Calls of 20 us to 8 ms, so that an exhaustive search takes minutes rather than hours. */
static struct gemm_choices small_choices(void) {
    return (struct gemm_choices){
        .n_count = 4, .n = {120, 240, 480, 960}, .m_count = 4, .m = {128, 256, 512, 1024}, .k_count = 4, .k = {32, 64, 128, 256}};
}

static void set(struct study *study, const char *name, const char *value) {
    if (strcmp(name, "--space") == 0 && strcmp(value, "paper") == 0) {
        study->choices = gemm_choices_paper();
    } else if (strcmp(name, "--space") == 0 && strcmp(value, "tiny") == 0) {
        study->choices = (struct gemm_choices){.n_count = 2, .n = {16, 32}, .m_count = 1, .m = {32}, .k_count = 2, .k = {8, 16}};
    } else if (strcmp(name, "--space") == 0 && strcmp(value, "small") == 0) {
        study->choices = small_choices();
    } else if (strcmp(name, "--space") == 0 && strcmp(value, "quick") == 0) {
        study->choices = gemm_choices_quick();
    } else if (strcmp(name, "--threads") == 0) {
        study->threads = (int)positive(name, value, 4096);
    } else if (strcmp(name, "--iterations") == 0) {
        study->iterations = positive(name, value, 1000000);
    } else if (strcmp(name, "--invocations") == 0) {
        study->invocations = positive(name, value, 1000000);
    } else if (strcmp(name, "--level") == 0) {
        study->level = 0.01 * (double)positive(name, value, 99);
    } else {
        fail("usage: bench_autotune [--space tiny|small|quick|paper] [--threads N] [--iterations N] [--invocations N] [--level PERCENT]");
    }
}

int main(int argc, char **argv) {
    struct study study = {.choices = small_choices(), .threads = 1, .iterations = 100, .invocations = 10, .level = 0.99};
    for (int a = 1; a < argc; a += 2) set(&study, argv[a], a + 1 < argc ? argv[a + 1] : "");
    const struct session session = session_begin(study.threads);
    run(&study);
    session_end(&session);
    return 0;
}
