/**
 * The built-in validation of measurements. Kernels with known work, traffic and bound (Ofenbeck et
 * al., section V) are timed alternately with the bound, on the same memory. If there are hardware
 * counters, the work and traffic of the kernels are counted by the paper's protocol and compared
 * with the expected values (its table IV).
 *
 * Warm: every run uses the same data. Cold: runs rotate over replicas of the data that together
 * exceed the caches, so nothing has to be flushed between runs. Not controlled are the instruction
 * cache, buffers inside the BLAS, and address translation.
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
    TCPLAN_CHECK_CYCLES, /**< cycles of an instruction that takes a known whole number of cycles */
    TCPLAN_CHECK_KERNEL  /**< speed of a BLAS kernel compared with the bound of its work and traffic
                          */
};

/** Result of a check. */
enum tcplan_verdict {
    TCPLAN_VERDICT_HOLDS,
    TCPLAN_VERDICT_FAILS,
    TCPLAN_VERDICT_NOT_TESTED /**< not tested because of other load: no pair of windows was
                                 undisturbed, or half of the windows were disturbed and the ratio is
                                 out of range */
};

enum { TCPLAN_CHECK_NAME = 24, TCPLAN_MAX_CHECKS = 16, TCPLAN_CHECK_REPEATS = 20 };

struct tcplan_check {
    enum tcplan_check_kind kind;
    char name[TCPLAN_CHECK_NAME]; /**< kernel `daxpy`, `dgemv` or `dgemm`; for TCPLAN_CHECK_CYCLES,
                                     the instruction `multiply` */
    bool cold;
    int64_t n;              /**< extent of vectors and square matrices; 0: a check of cycles */
    double flops;           /**< operations of one run, analytic */
    double bytes;           /**< compulsory reads and writes of one run, analytic */
    int64_t replicas_bytes; /**< for cold caches: bytes of all replicas */
    bool reduced; /**< for cold caches: whether memory did not suffice for replicas of four times
                     the caches */
    double measured, q1, q3; /**< GFLOP/s, operations per cycle, or cycles: median and quartiles */
    double expected;         /**< the bound, measured alternately; for cycles, the whole number */
    char bound[TCPLAN_CHECK_NAME]; /**< kind of the bound: `axpy`, `load`, `fma`; empty: a check of
                                      cycles */
    double clock_hz; /**< core clock, measured by a chain of dependent additions: mean of before and
                        after the check; 0: unknown */
    double clock_drift; /**< faster over slower clock (before and after) minus 1; above
                           TCPLAN_CLOCK_DRIFT the result mixes several clock rates */
    double ratio, ratio_q1,
        ratio_q3; /**< measured / expected, of pairs of consecutive windows: median and quartiles */
    double lowest,
        highest; /**< accepted range of the ratio; lowest 0: `expected` is only a bound */
    enum tcplan_verdict verdict;
    int repeats; /**< number of undisturbed pairs */
    int dropped; /**< number of disturbed windows */
};

/** The quantity that is counted. */
enum tcplan_count {
    TCPLAN_COUNT_WORK,    /**< operations */
    TCPLAN_COUNT_READ,    /**< bytes read */
    TCPLAN_COUNT_WRITTEN, /**< bytes written */
    TCPLAN_COUNT_MOVED,   /**< bytes read and written */
    TCPLAN_COUNTS
};

/** Returns `work`, `read`, `written` or `moved`. */
TCPLAN_API const char *tcplan_count_name(enum tcplan_count count);

/** A count of one run, compared with the expected value. Operations must equal the expected value,
 * bytes must reach at least that value. */
struct tcplan_count_check {
    bool known;
    double counted, q1, q3; /**< operations or bytes: median and quartiles */
    double expected; /**< analytic value; 0: nothing is expected, as for bytes with warm caches, and
                        there is no ratio */
    double ratio;    /**< counted amount divided by the expected one */
    double lowest, highest; /**< accepted range of the ratio: from a twentieth below the expected
                               value to the value in the paper */
    enum tcplan_verdict verdict;
};

/** The counts of a kernel in one state of the caches. */
struct tcplan_counted {
    enum tcplan_point_kernel kernel;
    bool cold;
    int64_t n;
    int64_t runs; /**< number of runs per repeat */
    int64_t replicas_bytes;
    bool reduced; /**< for cold caches: whether the replicas are smaller than twice the last cache
                   */
    int repeats, disturbed; /**< number of repeats, and of those in which a thread lost its core */
    struct tcplan_count_check count[TCPLAN_COUNTS];
};

enum { TCPLAN_MAX_COUNTED = 6 };

struct tcplan_selftest {
    bool per_cycle; /**< whether results of kernels are operations per cycle; false: GFLOP/s */
    int count;
    struct tcplan_check check[TCPLAN_MAX_CHECKS];
    enum tcplan_verdict verdict; /**< verdict of all checks together: failed if any check failed;
                                    otherwise not tested if any check could not be tested */
    bool stopped; /**< whether later checks were omitted, because a check had no undisturbed window
                   */
    char counts[16]; /**< source of the counts: `perf_event`, `recorded`, `simulated` or `none` */
    char why_no_work[TCPLAN_MESSAGE_SIZE];    /**< why operations were not counted; empty: they were
                                                 counted */
    char why_no_traffic[TCPLAN_MESSAGE_SIZE]; /**< why bytes were not counted; empty: they were
                                                 counted */
    int counted_count; /**< number of counted kernels; 0: there are no counts */
    struct tcplan_counted counted[TCPLAN_MAX_COUNTED];
};

struct tcplan_selftest_options {
    int repeats; /**< number of pairs of windows, 1 to TCPLAN_CHECK_REPEATS; 0: TCPLAN_CHECK_REPEATS
                  */
    bool per_cycle; /**< whether results are operations per cycle instead of GFLOP/s, with the clock
                       rate measured with each check; GFLOP/s if that is unknown */
    int64_t max_memory_bytes; /**< memory limit for replicas; 0: half of the available memory */
    const char *counters; /**< source of counts: `perf`, `none`, `simulated` (bytes, of traced runs
                             in this machine's caches) or a file of recorded counts; NULL: `perf` */
    tcplan_progress_fn *progress; /**< progress callback; NULL: none */
    void *progress_context;
};

/**
 * Runs all checks on one core: about ten seconds, and as long again if the hardware counts. If the
 * checks were stopped, the hardware's counts are omitted.
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
