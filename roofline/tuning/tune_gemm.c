#include "roofline/tuning/tune_gemm.h"

#include <math.h>
#include <sys/mman.h>

#include "base/error.h"
#include "microbench/kernels/kernels.h"
#include "microbench/timing/clock.h"
#include "microbench/timing/drift.h"
#include "microbench/timing/reference.h"

enum { ALIGNMENT = 64, PATTERN_PERIOD = 61 };

/* An iteration in which the thread had its core for less than this share of the time is disturbed.
 */
#define UNDISTURBED_SHARE 0.995

/** The memory and call of one invocation. */
struct gemm_tuner {
    struct gemm_run *run;
    char *memory;
    size_t bytes;
    struct kernel kernel;
    struct kernel_operands at;
    struct reference *reference;
};

struct gemm_choices gemm_choices_paper(void) {
    return (struct gemm_choices){.n_count = 4,
                                 .n = {500, 1000, 2000, 4000},
                                 .m_count = 4,
                                 .m = {512, 1024, 2048, 4096},
                                 .k_count = 6,
                                 .k = {64, 128, 256, 512, 1024, 2048}};
}

struct gemm_choices gemm_choices_quick(void) {
    return (struct gemm_choices){.n_count = 3,
                                 .n = {120, 480, 1920},
                                 .m_count = 3,
                                 .m = {128, 512, 2048},
                                 .k_count = 5,
                                 .k = {32, 64, 128, 256, 512}};
}

int64_t gemm_choices_count(const struct gemm_choices *choices) {
    return (int64_t)choices->n_count * choices->m_count * choices->k_count;
}

struct gemm_extents gemm_choices_at(const struct gemm_choices *choices, int64_t configuration) {
    const int64_t row = configuration / choices->k_count;
    return (struct gemm_extents){.m = choices->m[row % choices->m_count],
                                 .n = choices->n[row / choices->m_count],
                                 .k = choices->k[configuration % choices->k_count]};
}

double gemm_flops(struct gemm_extents extents, enum tcplan_dtype dtype) {
    return (tcplan_dtype_is_complex(dtype) ? 8.0 : 2.0) * (double)extents.m * (double)extents.n *
           (double)extents.k;
}

/** Fills the operands with different numbers of about 1. */
static void fill(struct gemm_tuner *tuner) {
    const enum tcplan_dtype dtype = tuner->run->dtype;
    const bool single = dtype == TCPLAN_FLOAT || dtype == TCPLAN_FLOAT_COMPLEX;
    const size_t count = tuner->bytes / (single ? sizeof(float) : sizeof(double));
    for (size_t i = 0; i < count; i++) {
        const double value = 0.5 + (double)(i % PATTERN_PERIOD) / PATTERN_PERIOD;
        if (single) {
            ((float *)(void *)tuner->memory)[i] = (float)value;
        } else {
            ((double *)(void *)tuner->memory)[i] = value;
        }
    }
}

static size_t matrix_bytes(int64_t rows, int64_t columns, enum tcplan_dtype dtype) {
    const size_t bytes = (size_t)rows * (size_t)columns * tcplan_dtype_bytes(dtype);
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static void end(void *context) {
    struct gemm_tuner *tuner = context;
    munmap(tuner->memory, tuner->bytes);
    tuner->memory = NULL;
}

static enum tcplan_status begin(void *context, struct tcplan_error *error) {
    struct gemm_tuner *tuner = context;
    const enum tcplan_dtype dtype = tuner->run->dtype;
    const struct gemm_extents extents = tuner->run->extents;
    const size_t a_bytes = matrix_bytes(extents.m, extents.k, dtype);
    const size_t b_bytes = matrix_bytes(extents.k, extents.n, dtype);
    tuner->bytes = a_bytes + b_bytes + matrix_bytes(extents.m, extents.n, dtype);
    void *memory =
        mmap(NULL, tuner->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return error_no_memory(error);
    tuner->memory = memory;
    tuner->at = (struct kernel_operands){.first = tuner->memory,
                                         .second = tuner->memory + a_bytes,
                                         .result = tuner->memory + a_bytes + b_bytes};
    const struct blas_call call = {.kernel = TCPLAN_GEMM,
                                   .provider = tuner->run->provider,
                                   .m = (int)extents.m,
                                   .n = (int)extents.n,
                                   .k = (int)extents.k,
                                   .ld = {(int)extents.m, (int)extents.k, (int)extents.m},
                                   .strides = {{1, extents.m}, {1, extents.k}, {1, extents.m}},
                                   .alpha = {1, 0},
                                   .beta = {0, 0}};
    tuner->kernel = kernel_bind(&call, dtype, NULL);
    if (!tuner->kernel.burst) {
        end(tuner);
        return error_set(error, TCPLAN_NOT_APPLICABLE, "%s has no gemm of this type",
                         tcplan_provider_name(tuner->run->provider));
    }
    fill(tuner);
    tuner->kernel.burst(&tuner->kernel, tuner->at, (struct kernel_steps){0}, 1);
    return TCPLAN_OK;
}

/** Returns the factor that converts a time to the best clock regime so far. Times of gemm are
 * proportional to the reference, which is a gemm too. */
static double factor_of_good_state(struct gemm_tuner *tuner, double reference_seconds) {
    double *good = &tuner->run->good_reference_seconds;
    if (reference_seconds > 0 && (*good == 0 || reference_seconds < *good))
        *good = reference_seconds;
    return drift_factor(1, reference_seconds, *good);
}

static struct autotune_sample iterate(void *context) {
    struct gemm_tuner *tuner = context;
    const double before = reference_seconds(tuner->reference);
    const uint64_t start_cpu_ns = clock_thread_cpu_ns();
    const uint64_t start_ns = clock_now_ns();
    tuner->kernel.burst(&tuner->kernel, tuner->at, (struct kernel_steps){0}, 1);
    const double wall_ns = (double)(clock_now_ns() - start_ns);
    const double cpu_ns = (double)(clock_thread_cpu_ns() - start_cpu_ns);
    const double good_ns =
        wall_ns * factor_of_good_state(tuner, sqrt(before * reference_seconds(tuner->reference)));
    return (struct autotune_sample){
        .value = gemm_flops(tuner->run->extents, tuner->run->dtype) / good_ns,
        .disturbed = tuner->run->threads == 1 && cpu_ns < UNDISTURBED_SHARE * wall_ns};
}

static uint64_t now_ns(void *context) {
    (void)context;
    return clock_now_ns();
}

enum tcplan_status gemm_invoke(struct autotune_invocation *out, struct gemm_run *run,
                               const struct stop_rules *rules, double best,
                               struct tcplan_error *error) {
    struct gemm_tuner tuner = {.run = run, .reference = reference_new()};
    const struct autotune_benchmark benchmark = {
        .context = &tuner, .begin = begin, .iterate = iterate, .end = end, .now_ns = now_ns};
    enum tcplan_status status = autotune_invoke(out, &benchmark, rules, best, error);
    reference_free(tuner.reference);
    return status;
}
