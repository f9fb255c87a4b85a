/**
 * Measures work, traffic and time of daxpy, dgemv, dgemm and an FFT by the protocol of Ofenbeck et
 * al., Applying the Roofline Model, and compares counted with expected values (their tables I and
 * IV, figures 2 to 5).
 *
 *   bench_validation [--counts perf|none|simulated|FILE] [--caches cold|warm|both] [--kernels
 *   daxpy,dgemv,dgemm,fft] [--sizes validation|figures|tiny]
 *                    [--threads N] [--repeats N] [--seconds N] [--max-memory MIB] [--machine
 *                    MACHINE]
 *   bench_validation --loops [--machine MACHINE]
 *
 * --counts selects the source of operations and bytes: `perf`, the hardware; `none`, so that bytes
 * are the analytic bound, and marked as such; a file with recorded counts (one list of increments
 * for all kernels in sequence); or `simulated`, a simulation of the lines that the library touches
 * in the caches of --machine. Times are always measured on this machine; a series takes at most
 * --seconds. FFTW is loaded if installed; its work is its own count, printed next to the
 * conventional 5 n log2 n.
 *
 * --loops prints the simulated operational intensity of a matrix product by three loops and by six
 * with blocks, next to the values that the paper expects.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "microbench/program/buffers.h"
#include "microbench/providers/blas.h"
#include "roofline/timing/chain.h"
#include "roofline/timing/summary.h"
#include "roofline/validation/fft.h"
#include "roofline/validation/measure.h"
#include "validation_loops.h"

enum { MOST_SIZES = 18 };

/** The sizes of a kernel. */
struct sizes {
    int count;
    int64_t n[MOST_SIZES];
};

struct study {
    const char *counts, *caches, *kernels, *sizes, *machine_name;
    int threads, repeats;
    double most_seconds;
    int64_t memory_bytes;
    bool loops;
    struct tcplan_machine machine; /* machine whose caches are simulated; replicas exceed these
                                      caches */
    double clock_hz;
    struct team *team;
    struct workspace workspace;
    struct validation_setting setting;
};

static void give_up(const char *message) {
    fprintf(stderr, "bench_validation: %s\n", message);
    exit(3);
}

/* Sizes: those of section III.F of the paper, those of its figures, and some that take almost no
 * time. */

static struct sizes sizes_of(const struct study *study, enum tcplan_point_kernel kernel) {
    struct sizes out = {0};
    const bool figures = strcmp(study->sizes, "figures") == 0,
               tiny = strcmp(study->sizes, "tiny") == 0;
    const bool axpy = kernel == TCPLAN_POINT_DAXPY, fft = kernel == TCPLAN_POINT_FFT;
    const int count = tiny ? 2 : figures ? (fft ? 18 : 10) : 6;
    for (int i = 0; i < count; i++) {
        int64_t n = axpy ? 10000000LL * (i + 1) : fft ? 1LL << (3 * i + 5) : 100LL * (i + 1);
        if (figures) n = axpy ? 10000 + 30000LL * i * i : fft ? 1LL << (i + 5) : 100 + 300LL * i;
        if (tiny) n = axpy ? 1000LL * (i + 1) : fft ? 1LL << (i + 5) : 16LL * (i + 1);
        out.n[out.count++] = n;
    }
    return out;
}

/* Counts. */

static struct counter_source *open_counts(const struct study *study) {
    struct counter_source *out = NULL;
    struct tcplan_error error;
    if (validation_open_counts(&out, study->counts, study->threads, &error) != TCPLAN_OK)
        give_up(error.message);
    return out;
}

/* Printing. */

static void print_heading(void) {
    printf("%-6s %-5s %9s %9s %9s  %-11s %-24s %9s  %-30s %11s %11s\n", "kernel", "cache", "n",
           "replicas", "runs", "seconds", "GFLOP/s (quartiles)", "pseudo", "flop/byte (quartiles)",
           "read", "written");
}

/** Prints an operational intensity with its interval, "0.0833 (0.083 - 0.0834)", or its bound if
 * bytes were not counted. */
static void print_intensity(const struct validation_result *result, bool cold) {
    char text[64] = "not known";
    const struct validation_bounds *bounds = &result->bounds;
    const double most = bounds->flops / (bounds->read_bytes + bounds->written_bytes);
    const struct protocol_quantity *found = &result->bytes.intensity;
    if (found->known) {
        snprintf(text, sizeof text, "%.4g (%.4g - %.4g)", found->median, found->q1, found->q3);
    } else if (cold && bounds->flops > 0) {
        snprintf(text, sizeof text, "at most %.4g (analytic)", most);
    }
    printf("  %-30s", text);
}

static void print_share(const struct protocol_quantity *found, double expected) {
    if (found->known && expected > 0) {
        printf(" %11.3f", found->median / expected);
    } else {
        printf(" %11s", "-");
    }
}

static void print_line(enum tcplan_point_kernel kernel, int64_t n, bool cold,
                       const struct validation_result *result) {
    char speed[64] = "-", pseudo[16] = "-";
    const struct protocol_result *time = &result->time;
    const struct validation_bounds *bounds = &result->bounds;
    if (time->gflops.known)
        snprintf(speed, sizeof speed, "%.4g (%.4g - %.4g)", time->gflops.median, time->gflops.q1,
                 time->gflops.q3);
    if (kernel == TCPLAN_POINT_FFT)
        snprintf(pseudo, sizeof pseudo, "%.4g", 1e-9 * bounds->pseudo_flops / time->seconds.median);
    printf("%-6s %-5s %9lld %9lld %9lld  %-11.4g %-24s %9s", tcplan_point_kernel_name(kernel),
           cold ? "cold" : "warm", (long long)n, (long long)result->replicas, (long long)time->runs,
           time->seconds.median, speed, pseudo);
    print_intensity(result, cold);
    print_share(&result->bytes.read, bounds->read_bytes);
    print_share(&result->bytes.written, bounds->written_bytes);
    if (result->lukewarm) printf("  lukewarm: --max-memory");
    printf("%s\n", time->disturbed > 0 && time->disturbed == time->repeats ? "  disturbed" : "");
    fflush(stdout);
}

/* Table IV: the median and the maximum over the sizes of measured over expected. */

enum column { COLUMN_WORK, COLUMN_READ, COLUMN_WRITTEN, COLUMN_MOVED, COLUMNS };

struct ratios {
    int count[COLUMNS];
    double value[COLUMNS][MOST_SIZES];
};

static void note_ratio(struct ratios *ratios, enum column column,
                       const struct protocol_quantity *found, double expected) {
    if (found->known && expected > 0)
        ratios->value[column][ratios->count[column]++] = found->median / expected;
}

static void note_ratios(struct ratios *ratios, const struct protocol_result *bytes,
                        const struct validation_bounds *bounds) {
    note_ratio(ratios, COLUMN_WORK, &bytes->work, bounds->flops);
    note_ratio(ratios, COLUMN_READ, &bytes->read, bounds->read_bytes);
    note_ratio(ratios, COLUMN_WRITTEN, &bytes->written, bounds->written_bytes);
    note_ratio(ratios, COLUMN_MOVED, &bytes->moved, bounds->read_bytes + bounds->written_bytes);
}

static void print_ratios(struct ratios ratios[TCPLAN_POINT_KERNELS], const char *who) {
    printf(
        "\nCold, %s over expected: median and maximum over the sizes\n%-8s %15s %15s %15s %15s\n",
        who, "kernel", "work", "read", "written", "both");
    for (int k = 0; k < TCPLAN_POINT_KERNELS; k++) {
        printf("%-8s", tcplan_point_kernel_name((enum tcplan_point_kernel)k));
        for (int c = 0; c < COLUMNS; c++) {
            const int count = ratios[k].count[c];
            if (count == 0) {
                printf(" %15s", "-");
                continue;
            }
            const double median =
                summary_make(ratios[k].value[c], count).median; /* the summary sorts the values */
            printf(" %7.3f %7.3f", median, ratios[k].value[c][count - 1]);
        }
        printf("\n");
    }
}

/* The study. */

static bool wants(const char *list, const char *word) {
    const size_t length = strlen(word);
    for (const char *at = list; *at; at += strcspn(at, ","), at += *at == ',') {
        if (strncmp(at, word, length) == 0 && (at[length] == ',' || at[length] == '\0'))
            return true;
    }
    return false;
}

static void study_size(const struct study *study, enum tcplan_point_kernel kernel, int64_t n,
                       bool cold, struct ratios *ratios) {
    struct validation_result result;
    struct tcplan_error error;
    if (!validation_fits(&study->setting, kernel, n)) {
        printf("%-6s %-5s %9lld  omitted: the data exceed --max-memory\n",
               tcplan_point_kernel_name(kernel), cold ? "cold" : "warm", (long long)n);
        return;
    }
    if (validation_measure(&result, kernel, n, cold, &study->setting, &error) != TCPLAN_OK)
        give_up(error.message);
    print_line(kernel, n, cold, &result);
    if (cold) note_ratios(ratios, &result.bytes, &result.bounds);
}

static void run_study(const struct study *study) {
    struct ratios ratios[TCPLAN_POINT_KERNELS] = {{{0}, {{0}}}};
    print_heading();
    for (int k = 0; k < TCPLAN_POINT_KERNELS; k++) {
        const enum tcplan_point_kernel kernel = (enum tcplan_point_kernel)k;
        if (!wants(study->kernels, tcplan_point_kernel_name(kernel))) continue;
        if (kernel == TCPLAN_POINT_FFT && !fft_version()) {
            printf("fft     omitted: no " FFT_LIBRARY " (Debian: " FFT_PACKAGE ")\n");
            continue;
        }
        const struct sizes sizes = sizes_of(study, kernel);
        for (int cold = 1; cold >= 0; cold--) {
            if (!wants(study->caches, cold ? "cold" : "warm") && strcmp(study->caches, "both") != 0)
                continue;
            for (int s = 0; s < sizes.count; s++)
                study_size(study, kernel, sizes.n[s], cold, &ratios[k]);
        }
    }
    print_ratios(ratios, study->setting.simulated ? "simulated" : "counted");
}

/** Prints the heading. */
static void print_head(const struct study *study) {
    const struct counter_source *counts = study->setting.counts;
    const struct tcplan_blas blas = tcplan_blas_info();
    printf("machine  %s; caches of %s\n", study->machine.live ? study->machine.cpu : "this one",
           study->machine.source);
    printf("clock    %.3f GHz, from dependent additions\n", 1e-9 * study->clock_hz);
    printf("BLAS     %s, %d thread%s; FFTW %s\n", blas.text, study->threads,
           study->threads == 1 ? "" : "s", fft_version() ? fft_version() : "none");
    if (study->setting.simulated) {
        printf(
            "counts   simulated: lines that the last cache fetches and writes back; LRU replacement, no prefetching; operations are not counted\n");
    } else {
        printf("counts   %s\n", counts->class->name);
        for (int q = 0; q < COUNTER_QUANTITIES; q++) {
            if (COUNTER_ALL & 1U << q && *counts->why_not[q])
                printf("         no %s: %s\n", counter_quantity_name((enum counter_quantity)q),
                       counts->why_not[q]);
        }
    }
    printf("\n");
}

/* Loops. */

static double loops_intensity(const struct study *study, int64_t n, int64_t block) {
    const struct simulator_options caches = simulator_options_of(&study->machine, false);
    struct simulator *simulator = simulator_new(&caches);
    if (!simulator) give_up("out of memory");
    validation_trace_loops(simulator, n, block);
    simulator_flush(simulator);
    const double bytes = (double)simulator_traffic_bytes(simulator, caches.level_count - 1),
                 m = (double)n;
    simulator_free(simulator);
    return (2 * m * m * m + 2 * m * m) / bytes;
}

static void run_loops(const struct study *study) {
    static const int64_t sizes[] = {50, 100, 150, 200, 300, 400};
    enum { BLOCK = 50 };
    const int last = study->machine.cache_count - 1;
    if (last < 0) give_up("--loops needs a machine with caches");
    printf("Simulated flop/byte of C += A B, cold caches of %s, the last of %.4g KiB\n",
           study->machine.source, (double)study->machine.cache[last].size_bytes / 1024);
    printf("%6s %12s %12s %12s %12s\n", "n", "data KiB", "(n + 1) / 16", "three loops",
           "blocks of 50");
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        const double n = (double)sizes[s];
        printf("%6lld %12.4g %12.4g %12.4g %12.4g\n", (long long)sizes[s], 24 * n * n / 1024,
               (n + 1) / 16, loops_intensity(study, sizes[s], 0),
               loops_intensity(study, sizes[s], BLOCK));
        fflush(stdout);
    }
    printf(
        "If the matrices exceed the caches and each load of B moves 8 bytes, three loops approach 2 n^3 / (8 n^3) = 0.25 flop/byte; blocks keep at "
        "least %d / 8 = %.4g flop/byte.\n",
        BLOCK, BLOCK / 8.0);
}

/* The command line. */

static const char *value_of(int argc, char **argv, int *place) {
    if (*place + 1 >= argc)
        give_up("an option lacks its value; the top of bench/validation.c lists the options");
    return argv[++*place];
}

static void read_option(struct study *study, int argc, char **argv, int *place) {
    const char *name = argv[*place];
    if (strcmp(name, "--loops") == 0) {
        study->loops = true;
        return;
    }
    const char *value = value_of(argc, argv, place);
    if (strcmp(name, "--counts") == 0)
        study->counts = value;
    else if (strcmp(name, "--caches") == 0)
        study->caches = value;
    else if (strcmp(name, "--kernels") == 0)
        study->kernels = value;
    else if (strcmp(name, "--sizes") == 0)
        study->sizes = value;
    else if (strcmp(name, "--machine") == 0)
        study->machine_name = value;
    else if (strcmp(name, "--threads") == 0)
        study->threads = atoi(value);
    else if (strcmp(name, "--repeats") == 0)
        study->repeats = atoi(value);
    else if (strcmp(name, "--seconds") == 0)
        study->most_seconds = atof(value);
    else if (strcmp(name, "--max-memory") == 0)
        study->memory_bytes = (int64_t)(atof(value) * 1048576);
    else
        give_up("unknown option; the top of bench/validation.c lists the options");
}

int main(int argc, char **argv) {
    struct study study = {.counts = "perf",
                          .caches = "both",
                          .kernels = "daxpy,dgemv,dgemm,fft",
                          .sizes = "validation",
                          .machine_name = "live",
                          .threads = 1,
                          .repeats = PROTOCOL_REPEATS,
                          .most_seconds = 10,
                          .memory_bytes = buffers_available_bytes() / 4};
    struct tcplan_error error;
    for (int a = 1; a < argc; a++) read_option(&study, argc, argv, &a);
    if (study.threads < 1 || study.repeats < 1 || study.memory_bytes < 1 << 16)
        give_up("--threads, --repeats and --max-memory are positive numbers");
    if (tcplan_machine_load(&study.machine, study.machine_name, &error) != TCPLAN_OK)
        give_up(error.message);
    if (study.loops) {
        run_loops(&study);
        return 0;
    }
    const struct blas_threads before = blas_take_threads(study.threads);
    if (team_new(&study.team, 1, NULL, &error) != TCPLAN_OK) give_up(error.message);
    if (workspace_new(&study.workspace, study.team, 1, (size_t)study.memory_bytes, false,
                      (struct deadline){0}, &error) != TCPLAN_OK)
        give_up(error.message);
    if (blas_warm_up(&error) != TCPLAN_OK) give_up(error.message);
    study.clock_hz = chain_clock_hz();
    study.setting = (struct validation_setting){
        .machine = &study.machine,
        .workspace = &study.workspace,
        .team = study.team,
        .counts = open_counts(&study),
        .simulated = validation_is_simulated(study.counts),
        .threads = study.threads,
        .repeats = study.repeats,
        .least_seconds = study.clock_hz > 0 ? PROTOCOL_CYCLES / study.clock_hz : 0.03,
        .most_seconds = study.most_seconds};
    print_head(&study);
    run_study(&study);
    counter_close(study.setting.counts);
    const double after_hz = chain_clock_hz();
    if (study.clock_hz > 0)
        printf("\nThe clock is %+.1f %% of its initial rate.\n",
               100 * (after_hz / study.clock_hz - 1));
    workspace_free(&study.workspace);
    team_free(study.team);
    blas_put_threads_back(&before);
    return 0;
}
