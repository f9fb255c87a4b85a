/**
 * Compares the gemm of the providers for several shapes: GFLOP/s of C := A B (m x n, inner extent
 * k), column-major, one thread.
 *
 *   bench_providers [--dtype s|d|c|z] [--transposed-b] [--blas FILE]... [MxNxK]...
 *       default: double, the shapes of thin kernels inside contractions, and squares
 *
 * "in cache": every call has the same operands. "beyond L2": every call has other operands, from a
 * pool of 64 MiB. There is one column for each provider, and a second one for BLIS on matrices
 * without a contiguous dimension, with elements 8 apart: slices that the others would have to
 * copy. A number is the median of 9 samples of at least a millisecond of the thread's CPU time;
 * the columns of a row are sampled alternately. `-`: the provider has no such gemm.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gen/providers/provider.h"
#include "microbench/kernels/kernels.h"
#include "microbench/providers/blas.h"
#include "microbench/timing/clock.h"
#include "microbench/timing/session.h"
#include "microbench/timing/statistics.h"

enum {
    SAMPLES = 9,
    COLUMNS_MAX = TCPLAN_PROVIDERS + 1,
    SPREAD = 8,
    ALIGNMENT = 64,
    SHAPES_MAX = 100
};
#define POOL_BYTES ((size_t)64 << 20)
#define SAMPLE_NS 1e6

struct shape {
    int m, n, k;
};

struct study {
    enum tcplan_dtype dtype;
    bool transposed_b;
    int shape_count;
    struct shape shape[SHAPES_MAX];
    char *pool;
};

static const struct shape thin[] = {
    {64, 64, 8},     {200, 200, 8},   {400, 400, 8},   {400, 8, 8},     {8, 400, 8},
    {48, 24, 32},    {72, 24, 72},    {312, 24, 312},  {24, 312, 312},  {2496, 24, 312},
    {1536, 24, 32},  {1536, 24, 512}, {24, 1536, 512}, {8, 8, 8},       {16, 16, 16},
    {24, 24, 24},    {48, 48, 48},    {72, 72, 72},    {96, 96, 96},    {128, 128, 128},
    {192, 192, 192}, {256, 256, 256}, {312, 312, 312}, {384, 384, 384}, {512, 512, 512},
    {312, 312, 24},  {1024, 1024, 24}};

/** The gemm of one provider for a shape, and the offsets of its operands in the pool. */
struct column {
    struct kernel kernel;
    bool there;
    size_t operand_bytes[3];
    int64_t sets;  /* number of sets of operands in the pool */
    int64_t calls; /* number of calls per sample */
    int64_t at;    /* number of the next set */
    double ns[SAMPLES];
};

static struct blas_call call_of(const struct study *study, const struct shape *shape,
                                enum tcplan_provider provider, bool spread) {
    struct blas_call call = {.kernel = TCPLAN_GEMM,
                             .provider = provider,
                             .transposed = {false, study->transposed_b},
                             .m = shape->m,
                             .n = shape->n,
                             .k = shape->k,
                             .ld = {shape->m, study->transposed_b ? shape->n : shape->k, shape->m},
                             .alpha = {1, 0}};
    blas_call_set_strides(&call);
    for (int part = 0; part < 3 && spread; part++) {
        call.strides[part][0] *= SPREAD;
        call.strides[part][1] *= SPREAD;
    }
    return call;
}

static struct column column_of(const struct study *study, const struct shape *shape,
                               enum tcplan_provider provider, bool spread) {
    const struct blas_call call = call_of(study, shape, provider, spread);
    const size_t elems[3] = {(size_t)shape->m * (size_t)shape->k,
                             (size_t)shape->k * (size_t)shape->n,
                             (size_t)shape->m * (size_t)shape->n};
    struct column column = {0};
    size_t bytes = 0;
    for (int part = 0; part < 3; part++) {
        column.operand_bytes[part] =
            elems[part] * tcplan_dtype_bytes(study->dtype) * (spread ? SPREAD : 1);
        column.operand_bytes[part] =
            (column.operand_bytes[part] + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
        bytes += column.operand_bytes[part];
    }
    column.sets = (int64_t)(POOL_BYTES / bytes);
    if (column.sets < 1 || !blas_call_provider_has(&call, study->dtype, provider)) return column;
    column.kernel = kernel_bind(&call, study->dtype, NULL);
    column.there = column.kernel.burst != NULL;
    return column;
}

/** Makes `calls` calls: with the same operands, or with those of the pool in turn. */
static void make_calls(const struct study *study, struct column *column, int64_t calls,
                       bool in_cache) {
    const size_t *bytes = column->operand_bytes;
    const size_t first = (size_t)column->sets * bytes[0];
    const size_t second = first + (size_t)column->sets * bytes[1];
    struct kernel_steps steps = {(ptrdiff_t)bytes[0], (ptrdiff_t)bytes[1], (ptrdiff_t)bytes[2]};
    if (in_cache) steps = (struct kernel_steps){0};
    while (calls > 0) {
        const int64_t rest = column->sets - column->at;
        const int64_t count = in_cache || calls < rest ? calls : rest;
        const size_t at = in_cache ? 0 : (size_t)column->at;
        const struct kernel_operands operands = {.first = study->pool + at * bytes[0],
                                                 .second = study->pool + first + at * bytes[1],
                                                 .result = study->pool + second + at * bytes[2]};
        column->kernel.burst(&column->kernel, operands, steps, count);
        if (!in_cache) column->at = (column->at + count) % column->sets;
        calls -= count;
    }
}

static double time_calls(const struct study *study, struct column *column, int64_t calls,
                         bool in_cache) {
    const uint64_t start_ns = clock_thread_cpu_ns();
    make_calls(study, column, calls, in_cache);
    return (double)(clock_thread_cpu_ns() - start_ns);
}

/** Measures the GFLOP/s of each available column. */
static void measure(double gflops[COLUMNS_MAX], const struct study *study,
                    const struct shape *shape, struct column columns[], int count, bool in_cache) {
    const double flops =
        (tcplan_dtype_is_complex(study->dtype) ? 8.0 : 2.0) * shape->m * shape->n * shape->k;
    for (int c = 0; c < count; c++) {
        if (!columns[c].there) continue;
        columns[c].calls = 1;
        while (time_calls(study, &columns[c], columns[c].calls, in_cache) < SAMPLE_NS)
            columns[c].calls *= 2;
    }
    for (int s = 0; s < SAMPLES; s++) {
        for (int c = 0; c < count; c++) {
            if (columns[c].there)
                columns[c].ns[s] = time_calls(study, &columns[c], columns[c].calls, in_cache) /
                                   (double)columns[c].calls;
        }
    }
    for (int c = 0; c < count; c++)
        gflops[c] = columns[c].there ? flops / statistics_median(columns[c].ns, SAMPLES) : 0;
}

static void print_figures(const double gflops[], int count) {
    double best = 0;
    for (int c = 0; c < count - 1; c++)
        best = gflops[c] > best ? gflops[c] : best; /* the last column is excluded, because its
                                                       matrices differ */
    for (int c = 0; c < count; c++) {
        if (gflops[c] == 0) {
            printf(" %9s ", "-");
        } else {
            printf(" %9.1f%c", gflops[c], gflops[c] == best && c < count - 1 ? '*' : ' ');
        }
    }
}

static bool is_there(enum tcplan_provider provider) {
    struct tcplan_provider_info info;
    return tcplan_provider_info(&info, provider);
}

static void print_head(int *columns) {
    printf("%-16s", "");
    for (int state = 0; state < 2; state++) {
        *columns = 0;
        for (int p = 0; p < TCPLAN_PROVIDERS; p++) *columns += is_there((enum tcplan_provider)p);
        *columns += 1;
        printf("  %-*s", *columns * 11, state == 0 ? "in cache" : "beyond L2");
    }
    printf("\n%-16s", "m x n x k");
    for (int state = 0; state < 2; state++) {
        printf("  ");
        for (int p = 0; p < TCPLAN_PROVIDERS; p++) {
            if (is_there((enum tcplan_provider)p))
                printf(" %9s ", tcplan_provider_name((enum tcplan_provider)p));
        }
        printf(" %9s ", "blis 8");
    }
    printf("\n");
}

static void study_shape(const struct study *study, const struct shape *shape) {
    struct column columns[COLUMNS_MAX];
    double gflops[COLUMNS_MAX];
    char name[64];
    int count = 0;
    for (int p = 0; p < TCPLAN_PROVIDERS; p++) {
        if (is_there((enum tcplan_provider)p))
            columns[count++] = column_of(study, shape, (enum tcplan_provider)p, false);
    }
    columns[count++] = column_of(study, shape, TCPLAN_PROVIDER_BLIS, true);
    snprintf(name, sizeof name, "%d x %d x %d", shape->m, shape->n, shape->k);
    printf("%-16s", name);
    for (int state = 0; state < 2; state++) {
        measure(gflops, study, shape, columns, count, state == 0);
        printf("  ");
        print_figures(gflops, count);
    }
    printf("\n");
    fflush(stdout);
}

static void usage(void) {
    fputs("usage: bench_providers [--dtype s|d|c|z] [--transposed-b] [--blas FILE]... [MxNxK]...\n",
          stderr);
    exit(2);
}

static void open_file(const char *file) {
    enum tcplan_provider provider;
    struct tcplan_error error;
    if (tcplan_provider_open(&provider, file, &error) == TCPLAN_OK) return;
    fprintf(stderr, "bench_providers: %s\n", error.message);
    exit(1);
}

static void read_arguments(struct study *study, int count, char *arguments[]) {
    static const char letters[] = "sdcz";
    for (int a = 1; a < count; a++) {
        struct shape shape;
        if (strcmp(arguments[a], "--transposed-b") == 0) {
            study->transposed_b = true;
        } else if (strcmp(arguments[a], "--blas") == 0 && a + 1 < count) {
            open_file(arguments[++a]);
        } else if (strcmp(arguments[a], "--dtype") == 0 && a + 1 < count) {
            const char *letter = strchr(letters, *arguments[++a]);
            if (!letter || !*letter || arguments[a][1]) usage();
            study->dtype = (enum tcplan_dtype)(letter - letters);
        } else if (study->shape_count < SHAPES_MAX &&
                   sscanf(arguments[a], "%dx%dx%d", &shape.m, &shape.n, &shape.k) == 3 &&
                   shape.m > 0 && shape.n > 0 && shape.k > 0) {
            study->shape[study->shape_count++] = shape;
        } else {
            usage();
        }
    }
    if (study->shape_count > 0) return;
    study->shape_count = sizeof thin / sizeof *thin;
    memcpy(study->shape, thin, sizeof thin);
}

int main(int count, char *arguments[]) {
    struct study study = {.dtype = TCPLAN_DOUBLE};
    int columns;
    read_arguments(&study, count, arguments);
    study.pool = aligned_alloc(ALIGNMENT, POOL_BYTES);
    if (!study.pool) return 3;
    memset(study.pool, 0x3f, POOL_BYTES); /* makes each element about 1, in every type */
    struct session session;
    if (session_begin(&session, 1, NULL) != TCPLAN_OK) return 3;
    print_head(&columns);
    for (int s = 0; s < study.shape_count; s++) study_shape(&study, &study.shape[s]);
    session_end(&session);
    free(study.pool);
    return 0;
}
