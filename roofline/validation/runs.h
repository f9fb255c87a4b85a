/**
 * The kernels of the validation: their work and traffic by analysis, and their runs on replicas of
 * their data.
 */
#ifndef ROOFLINE_VALIDATION_RUNS_H
#define ROOFLINE_VALIDATION_RUNS_H

#include "cachesim/simulator.h"
#include "roofline/validation/subject.h"
#include "tcplan/kernel_points.h"

/** The expected work and traffic of one run (table I of the paper): the exact work and the minimum
 * bytes. The work of an FFT is what FFTW counts. */
struct validation_bounds {
    double flops;
    double pseudo_flops; /**< for an FFT of n elements 5 n log2 n, which for powers of two exceeds
                            the actual work; for other kernels equal to `flops` */
    double read_bytes;
    double written_bytes;
};

/** Returns the bytes of the data of one run, in whole pages. */
size_t validation_bytes(enum tcplan_point_kernel kernel, int64_t n);

/** Returns the bounds of one run with n elements, or n x n. For an FFT `flops` is 0; see
 * fft_flops(). */
struct validation_bounds validation_bounds(enum tcplan_point_kernel kernel, int64_t n);

/** A kernel with its replicas. */
struct validation_run {
    enum tcplan_point_kernel kernel;
    int64_t n;
    struct subject subject;      /**< the BLAS kernel if there is one, and the replicas */
    struct fft *fft;             /**< plan of the FFT; NULL: the kernel is in the BLAS */
    struct simulator *simulator; /**< simulator used by validation_trace() */
};

/** Makes a run of a kernel on replicas in `memory`. For an FFT, the caller makes the plan. */
struct validation_run validation_run_make(enum tcplan_point_kernel kernel, int64_t n, char *memory,
                                          int64_t replicas);

/** Functions of a struct protocol_target; the context is a struct validation_run. */
void validation_run(void *context, int64_t runs);
void validation_run_empty(void *context, int64_t runs);

#endif
