/**
 * The BLAS as a whole: threads, initialisation, best speed.
 */
#ifndef MICROBENCH_BLAS_H
#define MICROBENCH_BLAS_H

#include "microbench/providers/providers.h"
#include "tcplan/blas.h"
#include "tcplan/problem.h"

/** Sets the number of threads inside the BLAS, and inside every other provider that has threads;
 * returns the number before, of the BLAS. */
int blas_set_threads(int threads);

/** The number of threads inside the BLAS. */
int blas_threads(void);

/** Threads that were borrowed of every provider, see microbench/providers/threads.h. */
struct blas_threads {
    uint64_t ticket[TCPLAN_PROVIDERS];
};

/** As blas_set_threads(), for whoever must leave all as it was: with blas_put_threads_back(). */
struct blas_threads blas_take_threads(int threads);
void blas_put_threads_back(const struct blas_threads *taken);

/**
 * Checks that the limit on address space (RLIMIT_AS) leaves room for the first call of the BLAS in
 * each of the threads that call it at once, and remembers that it does. Without room OpenBLAS would
 * try again for ever, and libxsmm crash.
 *
 * @return TCPLAN_OK, or TCPLAN_NO_MEMORY
 */
enum tcplan_status blas_check_memory(int callers, struct tcplan_error *error);

/**
 * Makes an untimed call: a library's first one initialises it (dissertation, section 2.1.1).
 *
 * @return as blas_check_memory(); on failure nothing is called
 */
enum tcplan_status blas_warm_up(struct tcplan_error *error);

/** GFLOP/s of a large square gemm of a type with the current threads, median of a few; 0 when
 * memory is out. */
double blas_gemm_gflops(enum tcplan_dtype dtype);

#endif
