/**
 * What short references beside samples (microbench/timing/reference.h) tell: how far samples follow the core's speed, and what they would have been in another
 * state of the core. Pure functions.
 */
#ifndef MICROBENCH_STATES_H
#define MICROBENCH_STATES_H

#include "tcplan/predict.h"

/**
 * Sums of a regression over series of samples, one for each thing that is timed, of the logarithms of times on those of their references. Empty when
 * zeroed.
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

/** How far samples follow their references: times change by this power of them. 0: not at all. The slope, drawn to 0 (ridge). */
double states_follows(const struct states_regression *regression);

/** What the core's states are, by their references. All zeros: nothing is known. */
struct states {
    double follows;
    double good;  /**< met or surpassed in a tenth of the samples */
    double usual; /**< in half of them */
    double bad;   /**< in nine tenths */
};

/** Sorts `count` known references, and says what they show. */
struct states states_of(double follows, double *reference_seconds, int count);

/** By what to multiply a time that was met beside a reference, or the mean of some, for another state. 1 where one is not known. */
double states_factor(double follows, double reference_seconds, double state_seconds);

/**
 * Makes an estimate for the core's usual state one that holds for a run in the next minutes: its interval reaches from the good state to the bad one.
 *
 * @return seconds in the good state; 0 where nothing is known
 */
double states_widen(const struct states *states, struct tcplan_estimate *estimate);

/** The speed that the core usually had, as a share of that in the good state; 0 where nothing is known. */
double states_speed_share(const struct states *states);

#endif
