#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "microbench/kernels/kernels.h"
#include "microbench/providers/blas.h"
#include "roofline/ceilings/known.h"
#include "roofline/ceilings/measuring.h"
#include "roofline/tuning/tuner.h"

/* Limits of the search for extents. A short search matters more than the last per cent of speed. */
enum { ALIGNMENT = 64, MOST_ITERATIONS = 50, MOST_INVOCATIONS = 5, UNTUNED_EXTENT = 384 };

#define INVOCATION_SECONDS 0.05
#define SEARCH_SHARE 0.5 /* maximum share of the remaining time for each type's search */

/** A multiplication, C := A B. */
struct gemm {
    enum tcplan_dtype dtype;
    int m, n, k;
    char *memory;
    struct kernel kernel;
    struct kernel_operands at;
    int64_t calls; /* number of calls in a window */
};

static bool gemm_make(struct gemm *gemm) {
    const size_t element = tcplan_dtype_bytes(gemm->dtype);
    const size_t a = element * (size_t)gemm->m * (size_t)gemm->k;
    const size_t b = element * (size_t)gemm->k * (size_t)gemm->n;
    const size_t c = element * (size_t)gemm->m * (size_t)gemm->n;
    gemm->memory = base_aligned_alloc(ALIGNMENT, a + b + c);
    if (!gemm->memory) return false;
    memset(gemm->memory, 0x3f, a + b + c); /* the byte 0x3f makes the elements 0.75 in single
                                              precision and 0.0005 in double */
    const struct blas_call call = {.kernel = TCPLAN_GEMM,
                                   .m = gemm->m,
                                   .n = gemm->n,
                                   .k = gemm->k,
                                   .ld = {gemm->m, gemm->k, gemm->m},
                                   .alpha = {1, 0},
                                   .beta = {0, 0}};
    gemm->kernel = kernel_bind(&call, gemm->dtype, NULL);
    gemm->at = (struct kernel_operands){
        .first = gemm->memory, .second = gemm->memory + a, .result = gemm->memory + a + b};
    return true;
}

static bool run(void *context, int thread, int64_t window) {
    const struct gemm *gemm = context;
    (void)thread;
    (void)window;
    gemm->kernel.burst(&gemm->kernel, gemm->at, (struct kernel_steps){0}, gemm->calls);
    return true;
}

/**
 * Finds the fastest extents for gemm by autotuning. If the time limit ends the search, *cut is
 * true, and the best extents so far are used, or the initial ones.
 */
static enum tcplan_status choose_extents(struct gemm *gemm, double *seconds, bool *cut, int threads,
                                         struct deadline deadline, struct tcplan_error *error) {
    const struct gemm_choices choices = gemm_choices_quick();
    struct autotune_options options = autotune_defaults();
    struct autotune_result result;
    options.iteration.most_seconds = INVOCATION_SECONDS;
    options.iteration.most_samples = MOST_ITERATIONS;
    options.invocation.most_samples = MOST_INVOCATIONS;
    options.deadline = deadline;
    struct tuner tuner = {.gemm = &choices, .dtype = gemm->dtype, .threads = threads};
    enum tcplan_status status = tuner_search(&result, &tuner, &options, error);
    if (status != TCPLAN_OK) return status;
    *cut = result.cut;
    if (result.best >= 0) {
        const struct gemm_extents extents = gemm_choices_at(&choices, result.best);
        gemm->m = (int)extents.m;
        gemm->n = (int)extents.n;
        gemm->k = (int)extents.k;
        *seconds = 1e-9 * gemm_flops(extents, gemm->dtype) / result.value;
    }
    autotune_free(&result);
    return TCPLAN_OK;
}

/** Reuses the extents of an earlier measurement; *seconds receives the time of one call with them.
 */
static void take_extents(struct gemm *gemm, double *seconds, const struct tcplan_ceiling *before) {
    gemm->m = (int)before->m;
    gemm->n = (int)before->n;
    gemm->k = (int)before->k;
    *seconds = 1e-9 *
               gemm_flops((struct gemm_extents){.m = before->m, .n = before->n, .k = before->k},
                          gemm->dtype) /
               before->rate;
}

/** Measures gemm of one type. Only the calling thread of the team works; the BLAS has its own
 * threads. */
static enum tcplan_status measure(struct measuring *measuring, enum tcplan_dtype dtype, int threads,
                                  struct tcplan_error *error) {
    struct gemm gemm = {
        .dtype = dtype, .m = UNTUNED_EXTENT, .n = UNTUNED_EXTENT, .k = UNTUNED_EXTENT};
    struct tcplan_ceiling ceiling = {
        .precision = dtype, .threads = threads, .cache = -1, .m = gemm.m, .n = gemm.n, .k = gemm.k};
    double seconds = 0;
    enum tcplan_status status = TCPLAN_OK;
    snprintf(ceiling.name, sizeof ceiling.name, "%c%s", tcplan_dtype_letter(dtype),
             tcplan_kernel_name(TCPLAN_GEMM, dtype));
    if (known_is_settled(measuring, &ceiling)) return TCPLAN_OK;
    const struct tcplan_ceiling *before =
        measuring->again ? known_find(measuring->again, &ceiling) : NULL;
    if (before) {
        take_extents(&gemm, &seconds, before);
    } else if (!measuring->options.untuned) {
        status = choose_extents(&gemm, &seconds, &ceiling.rough, threads,
                                deadline_share(measuring->deadline, SEARCH_SHARE), error);
    }
    if (status != TCPLAN_OK) return status;
    ceiling.m = gemm.m;
    ceiling.n = gemm.n;
    ceiling.k = gemm.k;
    if (!gemm_make(&gemm)) return error_no_memory(error);
    gemm.calls = measuring_repetitions(measuring, seconds, 1);
    struct team_series series = measuring_series(measuring);
    measuring_time(measuring, &ceiling, 1, run, &gemm, &series);
    base_free(gemm.memory);
    const double flops =
        gemm_flops((struct gemm_extents){.m = gemm.m, .n = gemm.n, .k = gemm.k}, dtype) *
        (double)gemm.calls;
    return measuring_add(measuring, &ceiling, &series, flops,
                         measuring_most_flops(measuring, dtype), error);
}

enum tcplan_status gemm_measure(struct measuring *measuring, int threads,
                                struct tcplan_error *error) {
    enum tcplan_status status = TCPLAN_OK;
    if (measuring->options.dtypes != 0) return TCPLAN_OK; /* gemm was not requested */
    measuring_begin(measuring, "multiplying matrices", threads, TCPLAN_DTYPES);
    const int before = blas_set_threads(threads);
    if (!known_is_over(measuring)) status = blas_warm_up(error);
    for (int dtype = 0; dtype < TCPLAN_DTYPES && status == TCPLAN_OK; dtype++) {
        status = measure(measuring, (enum tcplan_dtype)dtype, threads, error);
    }
    blas_set_threads(before);
    return status;
}
