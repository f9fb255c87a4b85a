/** State of the measurement of a roofline, shared by compute, bandwidth and gemm ceilings. */
#ifndef ROOFLINE_CEILINGS_MEASURING_H
#define ROOFLINE_CEILINGS_MEASURING_H

#include "base/deadline.h"
#include "microbench/timing/drift.h"
#include "roofline/kernels/kernels.h"
#include "roofline/timing/team.h"
#include "tcplan/roofline.h"

/** Sums from which the elasticity of windows is computed: how strongly their times follow the speed
 * of the cores. */
struct following {
    struct drift_regression regression;
    int windows;
};

/** The current activity, reported as progress. */
struct activity {
    char name[40];   /**< text in reports; "": none */
    int done, total; /**< number of completed steps, and of all steps */
};

struct measuring {
    struct tcplan_roofline *roofline;
    struct tcplan_roofline_options options; /**< the options of the caller; `threads` is never 0 */
    int counts; /**< number of entries in `count`, which holds the numbers of threads to measure */
    int count[TCPLAN_ROOFLINE_COUNTS];
    struct team *team;
    const struct kernel_set *set[KERNEL_SETS];
    int widths; /**< number of sets in `width`, whose streams are measured; widest first */
    const struct kernel_set *width[KERNEL_WIDTHS];
    double *seconds;   /**< times of the windows of a series, followed by the times of the windows'
                          references */
    bool rough;        /**< whether the ceilings of this measurement are rough */
    double last_hz;    /**< clock rate after the last ceiling in Hz; 0: unknown */
    double highest_hz; /**< highest clock rate of a core so far in Hz; 0: unknown */
    struct activity activity;
    size_t known_compute; /**< number of ceilings from options.known, which come first */
    size_t known_bandwidth;
    const struct tcplan_roofline *again; /**< ceilings that are being measured again; NULL: none */
    struct deadline deadline; /**< time after which no ceiling is begun and a series ends */
    struct following following[TCPLAN_MAX_CACHE_LEVELS + 1]; /**< sums for the streams in each
                                                                level, with the current number of
                                                                threads */
    size_t compute_capacity;
    size_t bandwidth_capacity;
};

/** Returns a series of the windows that the options request, with a time limit. */
struct team_series measuring_series(const struct measuring *measuring);

/**
 * Times a series for a ceiling. The series is repeated, for a tenth of a second at most, until
 * three windows are in the good clock regime. If there are three, only windows in this regime are
 * kept, otherwise all. The good regime is the fastest one that at least a twentieth of the
 * ceilings so far with as many threads reached.
 *
 * @param ceiling  receives the median of the references in `reference_seconds`, and the smallest
 *     of all series in `good_reference_seconds`
 */
void measuring_time(struct measuring *measuring, struct tcplan_ceiling *ceiling, int active,
                    team_fn *work, void *context, struct team_series *series);

/** Sets `good_reference_seconds` of the ceilings with this number of threads to the reference in
 * the good clock regime, found from all of them. To be called after they are measured. */
void measuring_note_good_state(struct tcplan_roofline *roofline, int threads);

/** Sets the `steadiness` of the bandwidths with this number of threads, from how strongly the
 * windows in each level followed the speed of the cores. To be called after they are measured. */
void measuring_note_steadiness(struct measuring *measuring, int threads);

/** Returns 1 minus the elasticity of windows; 0 if unknown. Pure. */
double measuring_steadiness(const struct following *following);

/** Keeps only the windows whose references are close to `good_seconds`. Returns false, with all
 * windows kept, if fewer than three are. Pure. */
bool measuring_keep_good(struct team_series *series, double good_seconds);

/**
 * Returns the longest window of a trial in seconds; 0 if no window counted. A window timed far too
 * short (seen in a virtual machine) would make the windows of the series last for minutes. One
 * timed too long only makes them shorter than requested.
 */
double measuring_trial_seconds(const struct team_series *trial);

/** Times a few windows and returns their measuring_trial_seconds(). */
double measuring_trial(const struct measuring *measuring, int threads, team_fn *work,
                       void *context);

/** Returns the number of calls that fill a window, given that `count` calls take `seconds`. */
int64_t measuring_repetitions(const struct measuring *measuring, double seconds, int64_t count);

/** Returns how many numbers of threads are measured. */
int measuring_thread_counts(const struct measuring *measuring);
int measuring_threads(const struct measuring *measuring, int place);

/**
 * Sets rate, quartiles, windows and limit of a ceiling from a series and adds the ceiling to the
 * roofline. A ceiling without an undisturbed window, or with a rate slightly above its limit, is
 * not added but counted (`left_out`, `above_limit`).
 *
 * @param amount  operations or bytes of all threads in a window
 * @param limit_per_cycle the maximum number of operations or bytes of one core per cycle; 0:
 *     unknown
 * @return TCPLAN_OK; TCPLAN_ENVIRONMENT if the kernel computed something wrong or the rate is far
 *     above the limit; TCPLAN_NO_MEMORY
 */
enum tcplan_status measuring_add(struct measuring *measuring, struct tcplan_ceiling *ceiling,
                                 const struct team_series *series, double amount,
                                 double limit_per_cycle, struct tcplan_error *error);

/** Adds a ceiling to the roofline unchanged. Returns TCPLAN_OK or TCPLAN_NO_MEMORY. */
enum tcplan_status measuring_append(struct measuring *measuring,
                                    const struct tcplan_ceiling *ceiling,
                                    struct tcplan_error *error);

/** Returns the maximum number of floating-point operations of one core per cycle in a precision,
 * with its widest kernel. For a complex type, these are operations on real numbers. */
double measuring_most_flops(const struct measuring *measuring, enum tcplan_dtype dtype);

/** Begins an activity of `steps` steps and reports it.
 * @param threads  added to the name; 0: not added */
void measuring_begin(struct measuring *measuring, const char *name, int threads, int steps);

/** Reports that a step is done. Steps beyond the last one are not counted. */
void measuring_step(struct measuring *measuring);

/**
 * Measures the ceilings of one kind with this number of threads. Returns the statuses of
 * measuring_add().
 */
enum tcplan_status compute_measure(struct measuring *measuring, int threads,
                                   struct tcplan_error *error);
enum tcplan_status bandwidth_measure(struct measuring *measuring, int threads,
                                     struct tcplan_error *error);
enum tcplan_status gemm_measure(struct measuring *measuring, int threads,
                                struct tcplan_error *error);

#endif
