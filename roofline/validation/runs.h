/**
 * The kernels of the validation: their work and traffic by analysis, and runs of them on replicas
 * of their data.
 */
#ifndef ROOFLINE_VALIDATION_RUNS_H
#define ROOFLINE_VALIDATION_RUNS_H

#include "cachesim/simulator.h"
#include "roofline/validation/subject.h"
#include "tcplan/kernel_points.h"

/** The expected work and traffic of one run (table I of the paper): work is exact, bytes are the
 * least. Of an FFT the work is FFTW's own count. */
struct validation_bounds {
    double flops;
    double pseudo_flops; /**< of an FFT of n elements 5 n log2 n: of powers of two more than is
                            done; of others as flops */
    double read_bytes;
    double written_bytes;
};

/** Bytes of the data of one run, in whole pages. */
size_t validation_bytes(enum tcplan_point_kernel kernel, int64_t n);

/** Of one run with n elements or n x n. An FFT's flops are 0: fft_flops() knows them. */
struct validation_bounds validation_bounds(enum tcplan_point_kernel kernel, int64_t n);

/** A kernel on its replicas. */
struct validation_run {
    enum tcplan_point_kernel kernel;
    int64_t n;
    struct subject subject;      /**< BLAS kernels, and where the replicas are */
    struct fft *fft;             /**< NULL: a BLAS kernel */
    struct simulator *simulator; /**< of validation_trace() */
};

/** A kernel on so many replicas in a memory; an FFT is still to be planned. */
struct validation_run validation_run_make(enum tcplan_point_kernel kernel, int64_t n, char *memory,
                                          int64_t replicas);

/** Functions of a struct protocol_target; the context is a struct validation_run. */
void validation_run(void *context, int64_t runs);
void validation_run_empty(void *context, int64_t runs);

#endif
