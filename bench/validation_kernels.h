/**
 * The kernels of the validation: their work and traffic by analysis, runs for real, and traces of their accesses to memory for a simulator.
 */
#ifndef BENCH_VALIDATION_KERNELS_H
#define BENCH_VALIDATION_KERNELS_H

#include "cachesim/simulator.h"
#include "roofline/validation/protocol.h"
#include "roofline/validation/subject.h"

enum validation_kernel { VALIDATION_DAXPY, VALIDATION_DGEMV, VALIDATION_DGEMM, VALIDATION_FFT, VALIDATION_KERNELS };

/** What is expected of one run (table I of the paper): work is exact, bytes are the least. Of an FFT the work is FFTW's own count. */
struct validation_bounds {
    double flops;
    double pseudo_flops; /**< of an FFT of n elements 5 n log2 n, which is more than is done; of others as flops */
    double read_bytes;
    double written_bytes;
};

const char *validation_name(enum validation_kernel kernel);

/** Bytes of the data of one run, in whole pages. */
size_t validation_bytes(enum validation_kernel kernel, int64_t n);

/** Of one run with n elements or n x n. An FFT's flops are 0: fft_flops() knows them. */
struct validation_bounds validation_bounds(enum validation_kernel kernel, int64_t n);

/** A kernel on its replicas. */
struct validation_run {
    enum validation_kernel kernel;
    int64_t n;
    struct subject subject;      /**< BLAS kernels, and where the replicas are */
    struct fft *fft;             /**< NULL: a BLAS kernel */
    struct simulator *simulator; /**< of validation_trace() */
};

/** Functions of a struct protocol_target; the context is a struct validation_run. */
void validation_run(void *context, int64_t runs);
void validation_run_empty(void *context, int64_t runs);

/** The same where runs are traced. */
void validation_trace(void *context, int64_t runs);
void validation_trace_empty(void *context, int64_t runs);

/** Whether there is a trace of a kernel: FFTW's order of accesses is not known. */
bool validation_has_trace(enum validation_kernel kernel);

/** A source of counts that asks a simulator: lines fetched from memory and written back. NULL when memory is out. */
struct counter_source *validation_simulated_counts(struct simulator *simulator, int level, int64_t line_bytes);

/** Loops over a matrix product, traced: three loops in the order i, j, k, or six with blocks of `block` (0: three). C is updated. */
void validation_trace_loops(struct simulator *simulator, int64_t n, int64_t block);

#endif
