/** The BLAS as a whole: threads, initialisation, peak speed. */
#ifndef MICROBENCH_BLAS_H
#define MICROBENCH_BLAS_H

#include "microbench/providers/providers.h"
#include "tcplan/blas.h"
#include "tcplan/problem.h"

/** Sets the number of threads of the BLAS and of every other provider that has threads; returns
 * the BLAS's previous number. */
int blas_set_threads(int threads);

/** Returns the number of threads of the BLAS. */
int blas_threads(void);

/** Numbers of threads of every provider before a change, see microbench/providers/threads.h. */
struct blas_threads {
    uint64_t ticket[TCPLAN_PROVIDERS];
};

/** Sets threads like blas_set_threads(), to be restored by blas_put_threads_back(). */
struct blas_threads blas_take_threads(int threads);
void blas_put_threads_back(const struct blas_threads *taken);

/**
 * Checks that the limit on address space (RLIMIT_AS) leaves room for the first BLAS call of each of
 * `callers` concurrent threads; a positive result is remembered. Without room OpenBLAS would retry
 * forever, and libxsmm would crash.
 * @return TCPLAN_OK, or TCPLAN_NO_MEMORY
 */
enum tcplan_status blas_check_memory(int callers, struct tcplan_error *error);

/**
 * Makes an untimed call, because a library's first call initialises it (dissertation, section
 * 2.1.1).
 * @return a status of blas_check_memory(); on failure nothing is called
 */
enum tcplan_status blas_warm_up(struct tcplan_error *error);

/** Returns the GFLOP/s of a large square gemm of a type with the current threads. Uses the
 * fastest of a few runs, because other load only slows them down; 0 if out of memory. */
double blas_gemm_gflops(enum tcplan_dtype dtype);

#endif
