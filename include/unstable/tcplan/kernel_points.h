/**
 * Kernels of known work under the roofs: daxpy, dgemv, dgemm and an FFT, measured by the protocol
 * of Ofenbeck et al., Applying the Roofline Model (section III), with cold and with warm caches.
 *
 * The time is measured. Operations are analytic, and of an FFT those that FFTW counts in its own
 * plan, unless the hardware counts them. Bytes are analytic (the least that must be moved),
 * simulated, or counted by the memory controllers, and are called so.
 */
#ifndef TCPLAN_KERNEL_POINTS_H
#define TCPLAN_KERNEL_POINTS_H

#include "tcplan/points.h"
#include "tcplan/progress.h"

#ifdef __cplusplus
extern "C" {
#endif

enum tcplan_point_kernel {
    TCPLAN_POINT_DAXPY, /**< y := y + a x of n elements */
    TCPLAN_POINT_DGEMV, /**< y := y + a A x, A of n x n */
    TCPLAN_POINT_DGEMM, /**< C := C + a A B of n x n */
    TCPLAN_POINT_FFT,   /**< a complex forward transform of n elements, out of place, by FFTW, which
                           is loaded if installed; one thread */
    TCPLAN_POINT_KERNELS
};

/** `daxpy`, `dgemv`, `dgemm` or `fft`. */
TCPLAN_API const char *tcplan_point_kernel_name(enum tcplan_point_kernel kernel);

/** Meaning of a kernel's bytes. */
enum tcplan_kernel_bytes {
    TCPLAN_KERNEL_BYTES_ANALYTIC,  /**< the least: of an FFT also the lines of the result, which are
                                      fetched before they are written */
    TCPLAN_KERNEL_BYTES_SIMULATED, /**< lines that a simulation of the caches fetches and writes
                                      back */
    TCPLAN_KERNEL_BYTES_COUNTED    /**< traffic of the memory controllers, from any cause, or as
                                      recorded */
};

/** `analytic`, `simulated` or `counted`. */
TCPLAN_API const char *tcplan_kernel_bytes_name(enum tcplan_kernel_bytes source);

/** A kernel of one size in one state of the caches; all of one run. */
struct tcplan_kernel_point {
    enum tcplan_point_kernel kernel;
    int64_t n;
    bool cold;    /**< runs rotate over replicas of the data; otherwise all are on the same data */
    double flops; /**< 0: not known */
    enum tcplan_origin flops_origin; /**< analytic; measured if they were counted */
    double pseudo_flops; /**< of an FFT 5 n log2 n, as is usual: of powers of two more than is done;
                            of others as analytic */
    double compulsory_bytes;         /**< read and written once */
    double compulsory_written_bytes; /**< of them */
    double bytes;                    /**< by `bytes_source` */
    double written_bytes;            /**< of them */
    enum tcplan_kernel_bytes bytes_source;
    int64_t data_bytes;     /**< of one replica */
    int64_t replicas_bytes; /**< of all */
    bool reduced; /**< cold: these are less than twice the last cache, so that it may be lukewarm */
    double seconds, seconds_q1, seconds_q3; /**< median and quartiles */
    int64_t runs;                           /**< of a repeat */
    int repeats, disturbed; /**< how many, and in how many of them the thread lost its core */
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
    int threads;               /**< of the BLAS, at least 1; of an FFT it must be 1 */
    int64_t max_memory_bytes;  /**< for data and replicas; 0: half of the available memory */
    int repeats;               /**< 0: 20 */
    double time_limit_seconds; /**< after which no point is begun; 0: never */
    tcplan_progress_fn *progress; /**< NULL: none */
    void *progress_context;
};

/** To be freed with tcplan_kernel_points_free(). */
struct tcplan_kernel_points {
    char counts[16]; /**< the source: `perf_event`, `recorded`, `simulated` or `none` */
    char why_no_flops[TCPLAN_MESSAGE_SIZE]; /**< empty: they are counted */
    char why_no_bytes[TCPLAN_MESSAGE_SIZE]; /**< likewise */
    char fft_version[64];                   /**< of FFTW; empty: not needed */
    int unmeasured;                         /**< points that were not begun, as the time was over */
    size_t count;
    struct tcplan_kernel_point *point; /**< of each kernel and size the cold one and the warm one,
                                          in the order in which they were wanted */
};

/**
 * Measures on this machine: each series takes at most five seconds, in addition to the runs that
 * fill the caches.
 *
 * @return TCPLAN_OK; TCPLAN_INVALID if a size is out of range or needs more memory than there is,
 *         more threads are wanted than there are processors, or an FFT is to have several, or a
 *         file of counts is malformed; TCPLAN_ENVIRONMENT if FFTW is missing, or the machine cannot
 *         be looked at; TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_kernel_points_measure(
    struct tcplan_kernel_points **out, const struct tcplan_kernel_options *options,
    struct tcplan_error *error);

/** Frees points; NULL is fine. */
TCPLAN_API void tcplan_kernel_points_free(struct tcplan_kernel_points *points);

/**
 * Places a kernel under the roofs: cold ones against memory, warm ones against the innermost level,
 * of those that were found or else reported, that holds its data. A pure function; `roofline` must
 * outlive the point.
 *
 * @param threads  whose ceilings
 * @param fused    as in struct tcplan_point_subject
 */
TCPLAN_API struct tcplan_point tcplan_kernel_point_place(const struct tcplan_kernel_point *point,
                                                         const struct tcplan_roofline *roofline,
                                                         int threads, bool fused);

#ifdef __cplusplus
}
#endif

#endif
