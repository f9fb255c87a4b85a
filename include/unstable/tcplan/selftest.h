/**
 * The built-in validation of measurements: kernels whose work, traffic and bound are known
 * (Ofenbeck et al., section V), timed together with the bound itself on the same memory; and, if
 * there are counters, their work and traffic by the paper's protocol, compared with the expected
 * values (its table IV).
 *
 * Warm: the same data in every run. Cold: runs rotate over replicas of the data that together do
 * not fit the caches, so that nothing has to be flushed while time is taken. Not controlled are the
 * code's own cache, the buffers inside the BLAS, and address translation.
 */
#ifndef TCPLAN_SELFTEST_H
#define TCPLAN_SELFTEST_H

#include "tcplan/kernel_points.h"
#include "tcplan/program.h"
#include "tcplan/progress.h"
#include "tcplan/roofline.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The subject of a check. */
enum tcplan_check_kind {
    TCPLAN_CHECK_CYCLES, /**< cycles of an instruction that is known to take a whole number of them
                          */
    TCPLAN_CHECK_KERNEL  /**< GFLOP/s of a BLAS kernel against the bound of its work and traffic */
};

/** Result of a check. */
enum tcplan_verdict {
    TCPLAN_VERDICT_HOLDS,
    TCPLAN_VERDICT_FAILS,
    TCPLAN_VERDICT_NOT_TESTED /**< other load had the core: no undisturbed pair, or half of the
                                 windows disturbed and a ratio that does not hold */
};

enum { TCPLAN_CHECK_NAME = 24, TCPLAN_MAX_CHECKS = 16, TCPLAN_CHECK_REPEATS = 20 };

struct tcplan_check {
    enum tcplan_check_kind kind;
    char name[TCPLAN_CHECK_NAME]; /**< `daxpy`, `dgemv`, `dgemm`; `multiply`, `fma` */
    bool cold;
    int64_t n;               /**< extent of vectors and square matrices; 0: cycles */
    double flops;            /**< analytic, of one run */
    double bytes;            /**< analytic: compulsory reads and writes of one run */
    int64_t replicas_bytes;  /**< cold: of all replicas */
    bool reduced;            /**< cold: memory did not allow four times the caches */
    double measured, q1, q3; /**< GFLOP/s, operations a cycle, or cycles: median and quartiles */
    double expected;         /**< the bound, measured with it; of cycles the whole number */
    char bound[TCPLAN_CHECK_NAME]; /**< what the bound is: `axpy`, `load`, `fma`; empty: cycles */
    double clock_hz;    /**< of the core during the check, by a chain of dependent additions: before
                           and after, the mean; 0: not known */
    double clock_drift; /**< before and after, the faster over the slower, less 1: beyond
                           TCPLAN_CLOCK_DRIFT the figures mix several clock rates */
    double ratio, ratio_q1,
        ratio_q3; /**< measured / expected, of pairs taken one behind the other */
    double lowest,
        highest; /**< between which the ratio holds; lowest 0: this is a bound and no prediction */
    enum tcplan_verdict verdict;
    int repeats; /**< undisturbed pairs */
    int dropped; /**< disturbed windows */
};

/** What is counted. */
enum tcplan_count {
    TCPLAN_COUNT_WORK,    /**< operations */
    TCPLAN_COUNT_READ,    /**< bytes */
    TCPLAN_COUNT_WRITTEN, /**< bytes */
    TCPLAN_COUNT_MOVED,   /**< bytes read and written */
    TCPLAN_COUNTS
};

/** `work`, `read`, `written` or `moved`. */
TCPLAN_API const char *tcplan_count_name(enum tcplan_count count);

/** A count of one run with its expected value: work exactly, bytes at least. */
struct tcplan_count_check {
    bool known;
    double counted, q1, q3; /**< operations or bytes: median and quartiles */
    double expected; /**< analytic; 0: nothing, as of warm caches, and then there is no ratio */
    double ratio;    /**< counted / expected */
    double lowest, highest; /**< accepted range of the ratio: from a twentieth below expected to the
                               paper's value */
    enum tcplan_verdict verdict;
};

/** The counts of a kernel in one state of the caches. */
struct tcplan_counted {
    enum tcplan_point_kernel kernel;
    bool cold;
    int64_t n;
    int64_t runs; /**< of a repeat */
    int64_t replicas_bytes;
    bool reduced;           /**< cold: replicas are less than twice the last cache */
    int repeats, disturbed; /**< how many, and in how many of them a thread lost its core */
    struct tcplan_count_check count[TCPLAN_COUNTS];
};

enum { TCPLAN_MAX_COUNTED = 6 };

struct tcplan_selftest {
    bool per_cycle; /**< figures of kernels are operations a cycle */
    int count;
    struct tcplan_check check[TCPLAN_MAX_CHECKS];
    enum tcplan_verdict verdict; /**< of all checks: one that fails decides, then one that could not
                                    be tested */
    bool stopped;    /**< at a check without an undisturbed window: later ones are omitted */
    char counts[16]; /**< the source of counts: `perf_event`, `recorded`, `simulated` or `none` */
    char why_no_work[TCPLAN_MESSAGE_SIZE]; /**< why operations are not counted; empty: they are */
    char why_no_traffic[TCPLAN_MESSAGE_SIZE]; /**< likewise */
    int counted_count;                        /**< 0: nothing is counted */
    struct tcplan_counted counted[TCPLAN_MAX_COUNTED];
};

struct tcplan_selftest_options {
    int repeats;    /**< pairs of windows, 1 to TCPLAN_CHECK_REPEATS; 0: all of these */
    bool per_cycle; /**< operations per cycle of the clock measured with each check, not GFLOP/s; if
                       that is unknown GFLOP/s */
    int64_t max_memory_bytes; /**< for replicas; 0: half of the available memory */
    const char *counters;     /**< who counts: `perf`, `none`, `simulated` (bytes, of traced runs in
                                 this machine's caches) or a file of counts; NULL: `perf` */
    tcplan_progress_fn *progress; /**< NULL: none */
    void *progress_context;
};

/**
 * Runs all checks on one core: about ten seconds, and as long again where the hardware counts.
 * Counts of the hardware are left out where the checks were stopped.
 *
 * @param options  NULL: the defaults
 * @return TCPLAN_OK, whatever the verdict; TCPLAN_INVALID if a file of counts is malformed;
 *         TCPLAN_NO_MEMORY; TCPLAN_ENVIRONMENT
 */
TCPLAN_API enum tcplan_status tcplan_selftest_run(struct tcplan_selftest *out,
                                                  const struct tcplan_selftest_options *options,
                                                  struct tcplan_error *error);

#ifdef __cplusplus
}
#endif

#endif
