/**
 * Kernels of known work under the roofs: daxpy, dgemv, dgemm and an FFT, measured by the protocol
 * of Ofenbeck et al., Applying the Roofline Model (section III), with cold and with warm caches.
 *
 * The time is measured. Operations are counted by the hardware if possible; otherwise they are
 * analytic, for an FFT those that FFTW reports for its plan. Bytes are analytic (compulsory
 * traffic), simulated, or counted by the memory controllers.
 */
#ifndef TCPLAN_KERNEL_POINTS_H
#define TCPLAN_KERNEL_POINTS_H

#include "tcplan/points.h"
#include "tcplan/progress.h"

#ifdef __cplusplus
extern "C" {
#endif

enum tcplan_point_kernel {
    TCPLAN_POINT_DAXPY, /**< y := y + a x with vectors of n elements */
    TCPLAN_POINT_DGEMV, /**< y := y + a A x with an n x n matrix A */
    TCPLAN_POINT_DGEMM, /**< C := C + a A B with n x n matrices */
    TCPLAN_POINT_FFT,   /**< a complex out-of-place forward transform of n elements by FFTW, if
                           installed; one thread */
    TCPLAN_POINT_KERNELS
};

/** Returns `daxpy`, `dgemv`, `dgemm` or `fft`. */
TCPLAN_API const char *tcplan_point_kernel_name(enum tcplan_point_kernel kernel);

/** Meaning of a kernel's bytes. */
enum tcplan_kernel_bytes {
    TCPLAN_KERNEL_BYTES_ANALYTIC,  /**< compulsory traffic; for an FFT including the lines of the
                                      result, fetched before they are written */
    TCPLAN_KERNEL_BYTES_SIMULATED, /**< cache lines fetched and written back in a simulation of the
                                      caches */
    TCPLAN_KERNEL_BYTES_COUNTED    /**< traffic of the memory controllers, whatever its cause, or
                                      recorded counts */
};

/** Returns `analytic`, `simulated` or `counted`. */
TCPLAN_API const char *tcplan_kernel_bytes_name(enum tcplan_kernel_bytes source);

/** A kernel of one size in one state of the caches. Numbers refer to one run. */
struct tcplan_kernel_point {
    enum tcplan_point_kernel kernel;
    int64_t n;
    bool cold;    /**< whether the caches are cold: each run uses other data, a replica; false: all
                     runs use the same data */
    double flops; /**< operations; 0: unknown */
    enum tcplan_origin flops_origin; /**< measured if the hardware counted the operations, else
                                        analytic */
    double pseudo_flops; /**< 5 n log2 n for an FFT, by convention, which exceeds the actual number
                            for powers of two; `flops` for other kernels */
    double compulsory_bytes; /**< bytes of all operands, each read and written at most once */
    double compulsory_written_bytes; /**< written part of the compulsory bytes */
    double bytes;                    /**< bytes as defined by `bytes_source` */
    double written_bytes;            /**< written part of `bytes` */
    enum tcplan_kernel_bytes bytes_source;
    int64_t data_bytes;     /**< bytes of one replica */
    int64_t replicas_bytes; /**< bytes of all replicas */
    bool reduced; /**< for cold points: whether the replicas are smaller than twice the last cache,
                     which may therefore hold some of the data */
    double seconds, seconds_q1, seconds_q3; /**< time of one run: median and quartiles */
    int64_t runs;                           /**< number of runs per repeat */
    int repeats, disturbed; /**< number of repeats, and of those with a thread that lost its core */
};

struct tcplan_kernel_wanted {
    enum tcplan_point_kernel kernel;
    int64_t n;
};

struct tcplan_kernel_options {
    size_t count;
    const struct tcplan_kernel_wanted *wanted;
    const char *counters;      /**< `perf`, `none`, `simulated` or a file of recorded counts; NULL:
                                  `perf` */
    int threads;               /**< number of threads of the BLAS, at least 1; 1 for an FFT */
    int64_t max_memory_bytes;  /**< memory limit for data and replicas; 0: half of the available
                                  memory */
    int repeats;               /**< number of repeats; 0: 20 */
    double time_limit_seconds; /**< time limit, after which no point starts; 0: none */
    tcplan_progress_fn *progress; /**< progress callback; NULL: none */
    void *progress_context;
};

/** Results of the measurement. To be freed with tcplan_kernel_points_free(). */
struct tcplan_kernel_points {
    char counts[16]; /**< the source of counts: `perf_event`, `recorded`, `simulated` or `none` */
    char why_no_flops[TCPLAN_MESSAGE_SIZE]; /**< why operations could not be counted; empty: they
                                               were counted */
    char why_no_bytes[TCPLAN_MESSAGE_SIZE]; /**< why bytes could not be counted; empty: they were
                                               counted */
    char fft_version[64];                   /**< version of FFTW; empty: no FFT was measured */
    int unmeasured;                         /**< points not measured because of the time limit */
    size_t count;
    struct tcplan_kernel_point *point; /**< for each kernel and size, in the requested order: the
                                          cold point, then the warm one */
};

/**
 * Measures kernels on this machine. Each series takes at most five seconds, plus the runs that
 * fill the caches.
 *
 * @return TCPLAN_OK; TCPLAN_INVALID if a size is out of range or needs too much memory, threads
 *     exceed the processors or are several for an FFT, or a file of counts is malformed;
 *     TCPLAN_ENVIRONMENT if FFTW is missing, or the machine cannot be examined; TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_kernel_points_measure(
    struct tcplan_kernel_points **out, const struct tcplan_kernel_options *options,
    struct tcplan_error *error);

/** Frees points; NULL is fine. */
TCPLAN_API void tcplan_kernel_points_free(struct tcplan_kernel_points *points);

/**
 * Places a kernel in the roofline model: a cold one relative to memory, a warm one relative to the
 * innermost level that holds its data. The levels are those measured with the ceilings if
 * available, else those that the system reports. A pure function; `roofline` must outlive the
 * point.
 *
 * @param threads  selects the ceilings
 * @param fused    whether additions and multiplications are fused, see struct tcplan_point_subject
 * @param direction  selects the bytes that are counted
 */
TCPLAN_API struct tcplan_point tcplan_kernel_point_place(const struct tcplan_kernel_point *point,
                                                         const struct tcplan_roofline *roofline,
                                                         int threads, bool fused,
                                                         enum tcplan_direction direction);

#ifdef __cplusplus
}
#endif

#endif
