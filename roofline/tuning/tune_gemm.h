/**
 * A gemm of the BLAS as a benchmark for autotuning, whose configurations are the extents m, n and
 * k.
 *
 * A configuration is C := A B with A m x k, B k x n and C m x n, column-major, beta = 0: 2 m n k
 * operations, times 4 for complex types. Each invocation maps and fills new memory and begins with
 * an untimed call.
 */
#ifndef ROOFLINE_TUNING_TUNE_GEMM_H
#define ROOFLINE_TUNING_TUNE_GEMM_H

#include "roofline/tuning/autotune.h"
#include "tcplan/problem.h"

enum { GEMM_MAX_CHOICES = 8 };

/** The extents to combine; each list is in ascending order. */
struct gemm_choices {
    int n_count, m_count, k_count;
    int64_t n[GEMM_MAX_CHOICES];
    int64_t m[GEMM_MAX_CHOICES];
    int64_t k[GEMM_MAX_CHOICES];
};

/** The extents of one configuration. */
struct gemm_extents {
    int64_t m, n, k;
};

/** Returns the paper's reduced space: n 500 to 4000, m 512 to 4096, k 64 to 2048, 96
 * configurations. */
struct gemm_choices gemm_choices_paper(void);

/** Returns 45 configurations that take a second rather than minutes: n 120 to 1920, m 128 to 2048,
 * k 32 to 512. */
struct gemm_choices gemm_choices_quick(void);

int64_t gemm_choices_count(const struct gemm_choices *choices);

/** Returns a configuration by its number, in the paper's order: n outermost, k innermost. */
struct gemm_extents gemm_choices_at(const struct gemm_choices *choices, int64_t configuration);

/** Returns the operations of one call. */
double gemm_flops(struct gemm_extents extents, enum tcplan_dtype dtype);

/** The state of an invocation. */
struct gemm_run {
    struct gemm_extents extents;
    enum tcplan_dtype dtype;
    enum tcplan_provider provider; /**< library of the gemm */
    int threads;                   /**< number of threads that the BLAS already uses */
    double good_reference_seconds; /**< shortest reference (microbench/timing/reference.h) so far,
                                      kept from run to run; 0: unknown */
};

/**
 * Invokes a gemm; values are GFLOP/s. With one thread, calls during which the thread lost its core
 * count as disturbed. The caller has begun a measuring session.
 *
 * @return TCPLAN_OK; TCPLAN_NOT_APPLICABLE if the library has no such gemm; TCPLAN_NO_MEMORY
 */
enum tcplan_status gemm_invoke(struct autotune_invocation *out, struct gemm_run *run,
                               const struct stop_rules *rules, double best,
                               struct tcplan_error *error);

#endif
