/*
 * Measures the gain of sums of products in one call of libxsmm: GFLOP/s of C := A_1 B_1 + ... + A_8
 * B_8 (m x n, inner extent k), column-major, one thread.
 *
 *   bench_sums [--dtype s|d] [--products N] [--side-by-side] [MxNxK]...
 *       default: double, 8 products, the shapes of thin kernels inside contractions
 *
 * single: one call for each product; ahead: the same, but each call prefetches the A of the next
 * one into the second cache; sum: one call for all products. The matrices A are consecutive (m x k
 * x products; --side-by-side: m x products x k); 1, 4 or 200 MB of them are used in turn, with the
 * same B and C. A number is the median of 9 samples, each of at least a millisecond of the
 * thread's CPU time and at least one pass over all A; the variants are sampled alternately.
 * `LIBXSMM_TARGET=hsw bench_sums` shows the code for processors with AVX2.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gen/providers/provider.h"
#include "microbench/kernels/kernels.h"
#include "microbench/timing/clock.h"
#include "microbench/timing/session.h"
#include "microbench/timing/statistics.h"

enum { SAMPLES = 9, ALIGNMENT = 64, SHAPES_MAX = 100 };
#define SAMPLE_NS 1e6

static const double pool_bytes[] = {1e6, 4e6, 200e6};
enum { POOLS = sizeof pool_bytes / sizeof *pool_bytes };

enum way { SINGLE, AHEAD, SUM, WAYS };

struct shape {
    int m, n, k;
};

struct study {
    enum tcplan_dtype dtype;
    int products;
    bool side_by_side;
    int shape_count;
    struct shape shape[SHAPES_MAX];
    char *A;
    char *B;
    char *C;
};

static const struct shape thin[] = {{16, 8, 8},   {24, 8, 8},    {24, 24, 24},  {48, 24, 8},
                                    {72, 24, 9},  {128, 24, 8},  {64, 32, 8},   {64, 64, 8},
                                    {64, 128, 8}, {24, 96, 24},  {24, 192, 24}, {72, 64, 72},
                                    {72, 192, 9}, {128, 128, 8}, {256, 256, 8}, {312, 24, 39}};

/** Kernels for the first product and for the others; for a sum, the kernel of the single call. */
struct pair {
    struct kernel first;
    struct kernel later;
};

/** Returns the distance in bytes from one A of a sum to the next. */
static ptrdiff_t first_step(const struct study *study, const struct shape *shape) {
    return (ptrdiff_t)tcplan_dtype_bytes(study->dtype) * shape->m *
           (study->side_by_side ? 1 : shape->k);
}

static struct kernel bind(const struct study *study, const struct shape *shape, enum way way,
                          double beta) {
    const int bytes = (int)tcplan_dtype_bytes(study->dtype);
    struct blas_call call = {
        .kernel = way == SUM ? TCPLAN_BRGEMM : TCPLAN_GEMM,
        .provider = TCPLAN_PROVIDER_LIBXSMM,
        .m = shape->m,
        .n = shape->n,
        .k = shape->k,
        .ld = {study->side_by_side ? shape->m * study->products : shape->m, shape->k, shape->m},
        .alpha = {1, 0},
        .beta = {beta, 0},
        .fetches_ahead = way == AHEAD,
        .products = way == SUM ? study->products : 0,
        .product_elems = {first_step(study, shape) / bytes, (int64_t)shape->k * shape->n}};
    blas_call_set_strides(&call);
    return kernel_bind(&call, study->dtype, NULL);
}

/** Computes the sum of products for each of `sets` groups of matrices A, with the same B and C. */
static void compute(const struct study *study, const struct shape *shape, const struct pair *pair,
                    enum way way, int64_t sets) {
    const ptrdiff_t bytes = (ptrdiff_t)tcplan_dtype_bytes(study->dtype);
    const struct kernel_steps steps = {.first = first_step(study, shape),
                                       .second = (ptrdiff_t)shape->k * shape->n * bytes};
    const ptrdiff_t set_bytes = bytes * shape->m * shape->k * study->products;
    for (int64_t s = 0; s < sets; s++) {
        const char *A = study->A + s * set_bytes;
        struct kernel_operands at = {
            .first = A, .second = study->B, .result = study->C, .next_first = A + steps.first};
        pair->first.burst(&pair->first, at, steps, 1);
        if (way == SUM) continue;
        at.first += steps.first;
        at.second += steps.second;
        at.next_first = A + set_bytes;
        pair->later.burst(&pair->later, at, steps, study->products - 1);
    }
}

static double time_rounds(const struct study *study, const struct shape *shape,
                          const struct pair *pair, enum way way, int64_t sets, int64_t rounds) {
    const uint64_t start_ns = clock_thread_cpu_ns();
    for (int64_t r = 0; r < rounds; r++) compute(study, shape, pair, way, sets);
    return (double)(clock_thread_cpu_ns() - start_ns);
}

static int64_t sets_in(const struct study *study, const struct shape *shape, double bytes) {
    const double set_bytes =
        (double)shape->m * shape->k * study->products * (double)tcplan_dtype_bytes(study->dtype);
    return bytes < set_bytes ? 1 : (int64_t)(bytes / set_bytes);
}

/** Prints the figures for a shape, with a pool of this many bytes of A. */
static void study_pool(const struct study *study, const struct shape *shape,
                       const struct pair pair[WAYS], double bytes) {
    const int64_t sets = sets_in(study, shape, bytes);
    const double flops = 2.0 * shape->m * shape->n * shape->k * study->products * (double)sets;
    double ns[WAYS][SAMPLES];
    int64_t rounds = 1;
    while (time_rounds(study, shape, &pair[SUM], SUM, sets, rounds) < SAMPLE_NS) rounds *= 2;
    for (int s = 0; s < SAMPLES; s++) {
        for (int w = 0; w < WAYS; w++)
            ns[w][s] =
                time_rounds(study, shape, &pair[w], (enum way)w, sets, rounds) / (double)rounds;
    }
    printf("  ");
    for (int w = 0; w < WAYS; w++) printf("%7.1f", flops / statistics_median(ns[w], SAMPLES));
}

static void study_shape(const struct study *study, const struct shape *shape) {
    struct pair pair[WAYS];
    char name[64];
    snprintf(name, sizeof name, "%d x %d x %d", shape->m, shape->n, shape->k);
    printf("%-14s", name);
    for (int w = 0; w < WAYS; w++) {
        pair[w] =
            (struct pair){bind(study, shape, (enum way)w, 0), bind(study, shape, (enum way)w, 1)};
        if (!pair[w].first.burst || !pair[w].later.burst) {
            printf("  libxsmm generates no code\n");
            return;
        }
    }
    for (int p = 0; p < POOLS; p++) study_pool(study, shape, pair, pool_bytes[p]);
    printf("\n");
    fflush(stdout);
}

static void usage(void) {
    fputs("usage: bench_sums [--dtype s|d] [--products N] [--side-by-side] [MxNxK]...\n", stderr);
    exit(2);
}

static bool is_shape(const struct shape *shape) {
    enum { MOST = 4096 };
    return shape->m > 0 && shape->n > 0 && shape->k > 0 && shape->m <= MOST && shape->n <= MOST &&
           shape->k <= MOST;
}

static void read_arguments(struct study *study, int count, char *arguments[]) {
    for (int a = 1; a < count; a++) {
        struct shape shape;
        if (strcmp(arguments[a], "--dtype") == 0 && a + 1 < count) {
            a++;
            if (strcmp(arguments[a], "s") != 0 && strcmp(arguments[a], "d") != 0) usage();
            study->dtype = arguments[a][0] == 's' ? TCPLAN_FLOAT : TCPLAN_DOUBLE;
        } else if (strcmp(arguments[a], "--products") == 0 && a + 1 < count) {
            study->products = (int)strtol(arguments[++a], NULL, 10);
            if (study->products < 2 || study->products > 256) usage();
        } else if (strcmp(arguments[a], "--side-by-side") == 0) {
            study->side_by_side = true;
        } else if (study->shape_count < SHAPES_MAX &&
                   sscanf(arguments[a], "%dx%dx%d", &shape.m, &shape.n, &shape.k) == 3 &&
                   is_shape(&shape)) {
            study->shape[study->shape_count++] = shape;
        } else {
            usage();
        }
    }
    if (study->shape_count > 0) return;
    study->shape_count = sizeof thin / sizeof *thin;
    memcpy(study->shape, thin, sizeof thin);
}

/** Allocates memory for the largest shape; its elements are about 1. */
static char *allocate(double bytes) {
    const size_t rounded = ((size_t)bytes / ALIGNMENT + 1) * ALIGNMENT;
    char *memory = aligned_alloc(ALIGNMENT, rounded);
    if (!memory) exit(3);
    memset(memory, 0x3f, rounded);
    return memory;
}

static void allocate_operands(struct study *study) {
    const double bytes = (double)tcplan_dtype_bytes(study->dtype);
    double largest[3] = {pool_bytes[POOLS - 1], 0, 0};
    for (int s = 0; s < study->shape_count; s++) {
        const struct shape *shape = &study->shape[s];
        const double own[3] = {bytes * shape->m * shape->k * study->products,
                               bytes * shape->k * shape->n * study->products,
                               bytes * shape->m * shape->n};
        for (int t = 0; t < 3; t++) largest[t] = own[t] > largest[t] ? own[t] : largest[t];
    }
    study->A = allocate(largest[0]);
    study->B = allocate(largest[1]);
    study->C = allocate(largest[2]);
}

int main(int count, char *arguments[]) {
    struct study study = {.dtype = TCPLAN_DOUBLE, .products = 8};
    read_arguments(&study, count, arguments);
    allocate_operands(&study);
    struct session session;
    if (session_begin(&session, 1, NULL) != TCPLAN_OK) return 3;
    printf("%-14s  %-21s  %-21s  %-21s\n", "A:", "1 MB", "4 MB", "200 MB");
    printf("%-14s", "m x n x k");
    for (int p = 0; p < POOLS; p++) printf("  %7s%7s%7s", "single", "ahead", "sum");
    printf("\n");
    for (int s = 0; s < study.shape_count; s++) study_shape(&study, &study.shape[s]);
    session_end(&session);
    free(study.A);
    free(study.B);
    free(study.C);
    return 0;
}
