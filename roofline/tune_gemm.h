/**
 * The fastest gemm of the BLAS: extents m, n and k found by autotuning.
 *
 * A configuration is C := A B with A m x k, B k x n and C m x n, column-major, beta = 0: 2 m n k operations, times 4 where numbers are
 * complex. An invocation has memory of its own, from the system and filled anew, and one call that is not timed.
 */
#ifndef ROOFLINE_TUNE_GEMM_H
#define ROOFLINE_TUNE_GEMM_H

#include "roofline/autotune.h"
#include "tcplan/problem.h"

enum { GEMM_MAX_CHOICES = 8 };

/** The extents that are combined, each list from small to large. */
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

/** The paper's reduced space: n 500 to 4000, m 512 to 4096, k 64 to 2048, 96 configurations. */
struct gemm_choices gemm_choices_paper(void);

/** 45 configurations that take a second rather than minutes: n 120 to 1920, m 128 to 2048, k 32 to 512. */
struct gemm_choices gemm_choices_quick(void);

int64_t gemm_choices_count(const struct gemm_choices *choices);

/** Configuration `configuration` in the paper's order: n outermost, k innermost. */
struct gemm_extents gemm_choices_at(const struct gemm_choices *choices, int64_t configuration);

/** Operations of one call. */
double gemm_flops(struct gemm_extents extents, enum tcplan_dtype dtype);

/**
 * Searches for the fastest gemm; values are GFLOP/s. With one thread, calls during which the thread lost its core are left out. The
 * threads of the BLAS are as they are: a measuring session is the caller's.
 *
 * @return as autotune_search()
 */
enum tcplan_status tune_gemm(struct autotune_result *out, const struct gemm_choices *choices, enum tcplan_dtype dtype, int threads,
                             const struct autotune_options *options, struct tcplan_error *error);

#endif
