/**
 * Median and quartiles of any number of values. Pure functions.
 */
#ifndef ROOFLINE_TIMING_SUMMARY_H
#define ROOFLINE_TIMING_SUMMARY_H

struct summary {
    double median;
    double q1;
    double q3;
};

/** Sorts `count` > 0 values and summarises them. Quantiles are interpolated between two values. */
struct summary summary_make(double *value, int count);

#endif
