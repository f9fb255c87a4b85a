/**
 * The core's two speeds: what short references (microbench/timing/reference.h) tell of them, and
 * what a run in the next minutes will meet.
 *
 * A shared core is in one of two states, a factor apart, and stays in one for a while (its dwell
 * time). A sample that is short for that meets one state, which the references beside it tell; a
 * long one meets both, and what it takes is a mean. The states of a machine are a chain that
 * forgets: what a reference tells of a moment tells exp(-t / dwell) of one that is t away (a random
 * telegraph signal). Times follow the references by a power: 1 where the core alone decides, less
 * where memory does. Pure functions.
 */
#ifndef MICROBENCH_STATES_H
#define MICROBENCH_STATES_H

#include <stdbool.h>
#include <stdint.h>

#include "microbench/timing/statistics.h"
#include "tcplan/predict.h"

/* What was met. */

/** So many looks are looked at, the last ones. */
enum { STATES_LOOKS = 2048 };

/** Operations of a reference of the core: a gemm of extent 48. */
#define STATES_REFERENCE_FLOPS (2.0 * 48 * 48 * 48)

/** How long the reference took at a moment. */
struct states_look {
    double at_seconds; /**< by any clock that runs evenly */
    double seconds;
};

/** What a core was like while somebody watched. All zeros: nothing is known. */
struct states {
    double good;          /**< seconds of the reference in the good state */
    double ratio;         /**< of those in the other state to that; 1: no other state was met */
    double share;         /**< of the time in the other state */
    double dwell_seconds; /**< see above; 0: not known, as no change was met */
    double watched_seconds;
};

/** What was met by an earlier process. */
struct states_kept {
    int64_t made; /**< seconds since 1970 */
    bool memory;  /**< told by references of memory, not of the core: another thing */
    struct states states;
};

/**
 * What looks tell, in the order of their times. Where all met one state, what is known before says
 * whether that was the good one.
 *
 * @param known  what is known before; all zeros: nothing
 */
struct states states_of(const struct states_look look[], int count, const struct states *known);

/** Whether somebody watched, and what was met can be: what is not is neither kept nor believed. */
bool states_can_be(const struct states *states);

/** What a tenth of `count` references is as small as, which are sorted; 0 without any. */
double states_good_reference(double *reference_seconds, int count);

/* What will be met. */

/** The share of the time of a run in the next minutes that the core will be slow. */
struct states_outlook {
    double ratio;         /**< see struct states */
    double dwell_seconds; /**< 0: not known; a run then meets one state */
    double share;         /**< that is expected */
    double spread; /**< of the share over minutes, from 0 to 1: its variance over share (1 - share)
                    */
    double pace_change; /**< from minutes to others, a standard deviation of the logarithm of what
                           references take on average, beside what that spread makes of it */
    double unwatched;   /**< likewise, of what times wait for that do not follow references: nobody
                           watches it */
};

/**
 * What the speed of something shared changes by from minutes to others, as a standard deviation of
 * its logarithm, before anything is known of it; it counts as one change that was met. A thread
 * that shares its core with another has between half of it and all, so that the logarithm of the
 * slower speed is anywhere from 0 to ln 2; so is the share of the minutes that the other one works:
 * sqrt(1/3) ln 2 sqrt(2/12). Nothing as simple bounds what others take of caches and memory; it is
 * taken for as much.
 */
#define STATES_USUAL_CHANGE 0.163

/**
 * What is expected by what was met now, and earlier: the older that is the less it says. `met` may
 * be all zeros. `unwatched` is STATES_USUAL_CHANGE: who knows more puts it there.
 */
struct states_outlook states_outlook(const struct states *met, const struct states_kept kept[],
                                     int count, int64_t now);

/**
 * The pace: what the reference took on average, of all states that were met: what the times of
 * other minutes are compared by. 0 where nothing was met.
 */
double states_mean_reference(const struct states *met);

/** The speed that the core will have on average, as a share of that in the good state. */
double states_speed_share(const struct states_outlook *outlook);

/** What earlier processes met, as what is known before. All zeros: nothing. */
struct states states_known(const struct states_kept kept[], int count, int64_t now);

/* Samples. */

/** A time beside references. */
struct states_sample {
    double seconds;
    double reference_seconds; /**< the mean of those around it, or in it; 0: not known */
    double apart_seconds;     /**< between two of these */
    bool disturbed;           /**< somebody else had the core meanwhile */
    double squares; /**< of a regression, as below, of the times of its pieces on theirs, where it
                       has any */
    double products;
};

/** The reference that a sample met on average, as far as those beside it tell: the farther they are
 * apart the nearer to what was met in all. */
double states_felt(const struct states *met, const struct states_sample *sample);

/**
 * Sums of a regression over series of samples, one for each thing that is timed, of the logarithms
 * of times on those of their references. Empty when zeroed.
 */
struct states_regression {
    double squares;
    double products;
    int count; /**< of the series */
    double mean_reference;
    double mean;
};

/** Begins another series: it has a constant of its own. */
void states_begin_series(struct states_regression *regression);

/** Adds a sample to the series. One whose reference is not known, which is 0, tells nothing. */
void states_add(struct states_regression *regression, double seconds, double reference_seconds);

/** Adds what a sample felt, and its pieces. */
void states_add_felt(struct states_regression *regression, const struct states *met,
                     const struct states_sample *sample);

/** How far samples are seen to follow their references: times change by this power of them. 0: not
 * at all. The slope, drawn to 0 (ridge). */
double states_follows(const struct states_regression *regression);

/** The same for what is not seen: drawn to what is expected. */
double states_follows_drawn(const struct states_regression *regression, double expected);

/**
 * How far something is expected to follow: what is the reference's kind of work does, at the speed
 * of that in the good state; of the rest of its time nothing is known, and half of it does.
 *
 * @param references  work in `seconds`, as so many references (reference_count())
 */
double states_follows_expected(const struct states *met, double references, double seconds);

/** By what to multiply a time that was met beside a reference for another state. 1 where one is not
 * known. */
double states_factor(double follows, double reference_seconds, double state_seconds);

/** What samples of one thing tell. */
struct states_fit {
    double good_seconds; /**< in the good state, or where that is not known in that of the samples
                          */
    double follows;
    double deviation; /**< of a single one in one state, in logarithms; the error of `good_seconds`
                         included */
    double error;     /**< of `good_seconds` alone: its logarithm's standard error */
    int freedom;      /**< degrees of `deviation` */
};

/**
 * Fits `count` > 0 samples, TCPLAN_MAX_SAMPLES at most.
 *
 * @param follows   by how much they are expected to follow; their own say more where they met both
 *                  states
 * @param expected  how much samples of this kind spread
 */
struct states_fit states_fit(const struct states *met, const struct states_sample sample[],
                             int count, double follows, struct expected_spread expected);

/**
 * The time of a single run in the next minutes: its mean, and the interval that holds it in 95 of
 * 100 cases, whatever states it meets. The estimate has no samples.
 *
 * @param residual  what samples of this kind are off by together, beside what references tell: a
 *                  standard deviation of the logarithm
 */
struct tcplan_estimate states_predict(const struct states_outlook *outlook,
                                      const struct states_fit *fit, double residual);

/**
 * Makes an estimate that was timed in some state one of a single run in the next minutes. Its
 * interval is what its samples spread by.
 *
 * @param residual  as above
 * @return seconds in the good state; 0, and the estimate is as it was, where nothing is known
 */
double states_widen(const struct states *met, const struct states_outlook *outlook, double follows,
                    double residual, struct tcplan_estimate *estimate);

#endif
