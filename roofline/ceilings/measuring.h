/**
 * State of measuring a roofline, shared by compute, bandwidth and gemm ceilings.
 */
#ifndef ROOFLINE_CEILINGS_MEASURING_H
#define ROOFLINE_CEILINGS_MEASURING_H

#include "base/deadline.h"
#include "microbench/timing/drift.h"
#include "roofline/kernels/kernels.h"
#include "roofline/timing/team.h"
#include "tcplan/roofline.h"

/** How strongly the windows of a kind depend on the state of the cores. */
struct following {
    struct drift_regression regression;
    int windows;
};

/** The present activity, for progress. */
struct activity {
    char name[40];   /**< as reported; "": none */
    int done, total; /**< steps */
};

struct measuring {
    struct tcplan_roofline *roofline;
    struct tcplan_roofline_options options; /**< `threads` is set */
    int counts;                             /**< numbers of threads */
    int count[TCPLAN_ROOFLINE_COUNTS];
    struct team *team;
    const struct kernel_set *set[KERNEL_SETS];
    int widths; /**< sets of streams, those of the widest vectors first */
    const struct kernel_set *width[KERNEL_WIDTHS];
    double *seconds;   /**< one for each window, followed by their references */
    bool rough;        /**< all that is measured now */
    double last_hz;    /**< behind the last ceiling; 0: not known */
    double highest_hz; /**< of the core's clock so far; 0: not known */
    struct activity activity;
    size_t known_compute; /**< number of ceilings known before, which come first */
    size_t known_bandwidth;
    const struct tcplan_roofline *again; /**< ceilings that are measured again; NULL: none */
    struct deadline deadline;            /**< when it passes, no ceiling is begun and windows end */
    struct following following[TCPLAN_MAX_CACHE_LEVELS + 1]; /**< of the streams in each level, with
                                                                the threads at work */
    size_t compute_capacity;
    size_t bandwidth_capacity;
};

/** A series of windows as the options want it, bound in time. */
struct team_series measuring_series(const struct measuring *measuring);

/**
 * Times a series for a ceiling, again where the cores were slow all the while: for a tenth of a
 * second at most. Keeps only the windows in the good clock regime, which a twentieth of the
 * ceilings so far with as many threads reached; all windows if fewer than three are in it.
 *
 * @param ceiling  receives `reference_seconds`, and in `good_reference_seconds` the smallest that
 *                 was met
 */
void measuring_time(struct measuring *measuring, struct tcplan_ceiling *ceiling, int active,
                    team_fn *work, void *context, struct team_series *series);

/** When all ceilings of so many threads are there: sets their `good_reference_seconds` to what it
 * is by all of them. */
void measuring_note_good_state(struct tcplan_roofline *roofline, int threads);

/** When all bandwidths of so many threads are there: sets their `steadiness` by how far the windows
 * in each level followed the cores' state. */
void measuring_note_steadiness(struct measuring *measuring, int threads);

/** 1 minus the elasticity of windows; 0 if unknown. Pure. */
double measuring_steadiness(const struct following *following);

/** The part of measuring_time() that is pure: keeps the windows whose references are close to
 * `good_seconds`. Returns whether there are enough. */
bool measuring_keep_good(struct team_series *series, double good_seconds);

/**
 * The longest window of a trial, 0 if none counted. One timed far too short (seen in a virtual
 * machine) would make the windows to come last for minutes; one timed too long makes them shorter
 * than was asked for.
 */
double measuring_trial_seconds(const struct team_series *trial);

/** Times a few windows to learn how long they take, at most measuring_trial_seconds() each. */
double measuring_trial(const struct measuring *measuring, int threads, team_fn *work,
                       void *context);

/** Calls of a kernel in one window, from the time of some. */
int64_t measuring_repetitions(const struct measuring *measuring, double seconds, int64_t count);

/** How many thread counts are measured, and the one at a place; the last is options.threads. */
int measuring_thread_counts(const struct measuring *measuring);
int measuring_threads(const struct measuring *measuring, int place);

/**
 * Sets rate, quartiles, windows and limit of a ceiling from a series and adds it to the roofline;
 * one without any undisturbed window, or with a rate a little above the limit, is counted as such
 * instead.
 *
 * @param amount           operations or bytes of one window, of all threads
 * @param limit_per_cycle  the same that one core does at most in a cycle; 0: not known
 * @return TCPLAN_OK; TCPLAN_ENVIRONMENT if the kernel computed something wrong or the rate is far
 *         above the limit
 */
enum tcplan_status measuring_add(struct measuring *measuring, struct tcplan_ceiling *ceiling,
                                 const struct team_series *series, double amount,
                                 double limit_per_cycle, struct tcplan_error *error);

/** Adds a ceiling to the roofline as it is. TCPLAN_OK or TCPLAN_NO_MEMORY. */
enum tcplan_status measuring_append(struct measuring *measuring,
                                    const struct tcplan_ceiling *ceiling,
                                    struct tcplan_error *error);

/** Floating-point operations that one core does at most in a cycle in a precision, by its widest
 * kernel; those of a complex type are for its real parts. */
double measuring_most_flops(const struct measuring *measuring, enum tcplan_dtype dtype);

/** Begins an activity of so many steps and reports it. @param threads told with its name; 0: not */
void measuring_begin(struct measuring *measuring, const char *name, int threads, int steps);

/** Reports that a step is done; steps beyond the last one do not count. */
void measuring_step(struct measuring *measuring);

/**
 * Measures the ceilings of one kind with so many threads. Status as measuring_add(), and
 * TCPLAN_NO_MEMORY.
 */
enum tcplan_status compute_measure(struct measuring *measuring, int threads,
                                   struct tcplan_error *error);
enum tcplan_status bandwidth_measure(struct measuring *measuring, int threads,
                                     struct tcplan_error *error);
enum tcplan_status gemm_measure(struct measuring *measuring, int threads,
                                struct tcplan_error *error);

#endif
