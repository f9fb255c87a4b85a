/**
 * Converts samples of points to the core's best speed, whatever the speed when they were taken.
 *
 * A sample lies between two references (microbench/timing/drift.h). If enough samples of a point
 * were taken at the best speed, only these count, unchanged: the minimum of corrected samples
 * would be the one with the largest error. Otherwise each sample is corrected by the elasticity of
 * its case's samples. Models therefore hold times at the best speed, and a prediction multiplies
 * them by the machine's expected slowdown. Times without references are unchanged. Pure functions.
 */
#ifndef SAMPLER_GENERATION_GOOD_STATE_H
#define SAMPLER_GENERATION_GOOD_STATE_H

#include "microbench/timing/drift.h"

/** A timed execution, and the state of the core around it. */
struct timed_sample {
    double seconds;       /**< seconds of the execution */
    double before;        /**< seconds of the reference right before the execution; 0: unknown */
    double after;         /**< seconds of the reference right after the execution */
    double apart_seconds; /**< seconds from the first reference to the second */
    double at_seconds;    /**< time of the first reference, by any clock that runs evenly */
};

/** All samples of a point. */
struct timed_point {
    double flops; /**< operations of an execution, in double-precision equivalents; 0: the call only
                     moves data */
    int count;
    const struct timed_sample *sample;
};

/** Determines the speed of the core from at most DRIFT_TIMINGS evenly chosen samples. All members
 * are zero if nothing is known. */
struct drift good_state_drift(const struct timed_point point[], int count);

/**
 * Returns the elasticity of the samples of a case, shrunk towards the value expected from their
 * operations.
 *
 * @param good_seconds seconds of the reference at the core's best speed; 0: unknown
 */
double good_state_elasticity(double good_seconds, const struct timed_point point[], int count);

/** Returns whether a reference was taken at the best speed. */
bool good_state_is(double good_seconds, double reference_seconds);

/** Number of samples at the best speed that suffice for a point. If a point has fewer samples in
 * all, every one must be at the best speed. */
enum { GOOD_STATE_ENOUGH = 3 };

/** Returns whether enough samples of a point were taken at the best speed; true if the best speed
 * is unknown. */
bool good_state_is_enough(double good_seconds, const struct timed_point *point);

/**
 * Converts times to the core's best speed.
 *
 * @param out         receives times in the order of the samples; has room for all
 * @param elasticity  elasticity of the samples of the point's case
 * @return the number of times: samples taken at the best speed, or all
 */
int good_state_times(double out[], double good_seconds, const struct timed_point *point,
                     double elasticity);

/**
 * Returns the relative error of the times of good_state_times() that their correction causes: a
 * quarter of the correction. 0 if they are unchanged.
 */
double good_state_doubt(double good_seconds, const struct timed_point *point, double elasticity);

#endif
