/**
 * Samples of points, taken in whatever state the core was in, as times in its good state.
 *
 * The rule is that of planning (microbench/timing/states.h): a sample stands between two
 * references, each of which was in one of the two states; it follows them by a power, which the
 * samples of its case tell together, and those of its own point where they met both states; so each
 * becomes what it would have been in the good state. Where enough samples of a point met that state
 * they alone count, and are as they were measured: a minimum over corrected ones would be that of
 * the errors of corrections. What a model says is therefore a time in the good state: who predicts
 * a run multiplies it by what the machine is expected to be like. Where no reference is known, or
 * only one state was met, times stay as they are. Pure functions.
 */
#ifndef SAMPLER_GENERATION_GOOD_STATE_H
#define SAMPLER_GENERATION_GOOD_STATE_H

#include "microbench/timing/states.h"

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

/** What the samples of a run tell of the core: at most STATES_LOOKS looks of them, evenly taken.
 * All zeros where nothing is known. */
struct states good_state_met(const struct timed_point point[], int count,
                             const struct states *known);

/** How far the samples of a case follow their references together, drawn to what is expected of
 * their operations. */
double good_state_follows(const struct states *met, const struct timed_point point[], int count);

/** So many samples of a point that met the good state are enough. */
enum { GOOD_STATE_ENOUGH = 3 };

/** How many samples of a point met the good state; all where only one state is known. */
int good_state_count(const struct states *met, const struct timed_point *point);

/**
 * Times in the good state.
 *
 * @param out      room for all of the point's samples; receives times in their order
 * @param follows  how far those of its case follow
 * @return how many there are: those that met the good state, or all
 */
int good_state_times(double out[], const struct states *met, const struct timed_point *point,
                     double follows);

/**
 * How far such times may be off because they had to be corrected: a quarter of what they were
 * corrected by, relative. 0 where they count as they were measured.
 */
double good_state_doubt(const struct states *met, const struct timed_point *point, double follows);

#endif
