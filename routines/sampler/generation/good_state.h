/**
 * Samples of points as times at the core's best speed, whatever speed they met.
 *
 * A sample stands between two references (microbench/timing/drift.h). If enough samples of a point
 * met the best speed, they alone count, as they were measured: a minimum over corrected ones would
 * be that of the errors of corrections. Otherwise each becomes what it would have been at the best
 * speed, by the elasticity of the samples of its case. So a model is of times at the best speed,
 * and a prediction of a run multiplies it by what the machine is expected to be like. Times without
 * references stay as they are. Pure functions.
 */
#ifndef SAMPLER_GENERATION_GOOD_STATE_H
#define SAMPLER_GENERATION_GOOD_STATE_H

#include "microbench/timing/drift.h"

/** One execution that was timed, and what the core was like around it. */
struct timed_sample {
    double seconds;       /**< of the execution */
    double before;        /**< seconds of the reference right before; 0: not known */
    double after;         /**< likewise right after */
    double apart_seconds; /**< from one to the other */
    double at_seconds;    /**< when the first was, by any clock that runs evenly */
};

/** All samples of a point. */
struct timed_point {
    double flops; /**< of an execution, times of double precision; 0: it only moves data */
    int count;
    const struct timed_sample *sample;
};

/** How fast the core was by at most DRIFT_TIMINGS samples, evenly taken. All zeros where nothing is
 * known. */
struct drift good_state_drift(const struct timed_point point[], int count);

/** The elasticity of the samples of a case, shrunk towards what is expected of their operations.
 *
 * @param good_seconds  of the reference at the core's best speed; 0: not known */
double good_state_elasticity(double good_seconds, const struct timed_point point[], int count);

/** So many samples of a point that met the best speed are enough, or all if there are fewer. */
enum { GOOD_STATE_ENOUGH = 3 };

/** Whether enough samples of a point met the best speed; true if it is unknown. */
bool good_state_is_enough(double good_seconds, const struct timed_point *point);

/**
 * Times at the core's best speed.
 *
 * @param out         room for all of the point's samples; receives times in their order
 * @param elasticity  of the samples of its case
 * @return how many there are: those that met the best speed, or all
 */
int good_state_times(double out[], double good_seconds, const struct timed_point *point,
                     double elasticity);

/**
 * How far such times may be off because they had to be corrected: a quarter of what they were
 * corrected by, relative. 0 if they count as they were measured.
 */
double good_state_doubt(double good_seconds, const struct timed_point *point, double elasticity);

#endif
