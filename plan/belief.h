/**
 * What is believed of an algorithm's time: its natural logarithm is taken for normal.
 *
 * Whatever tells something of a time, a model, a look or a sample, is an observation with a
 * variance; whatever decides what to do next asks by how much that is expected to make the answer
 * faster, per second that it takes. Pure.
 */
#ifndef PLAN_BELIEF_H
#define PLAN_BELIEF_H

/*
 * What looks at those that may be the fastest are off by, each by itself, a standard deviation: two
 * thirds by no more than 7 % where runs take 5 ms and more, and 10 % below (48 drawn contractions
 * on a Zen 3, six rounds of ten each).
 */
#define LOOK_SPREAD 0.1

/** Of the logarithm of seconds. */
struct belief {
    double mean;
    double variance;
};

/** What is believed once a value with an error of this variance was observed: the mean weighted by
 * what is known of both. */
struct belief belief_observe(struct belief before, double value, double variance);

/**
 * The share of its time by which the best is expected to become faster where another turns out to
 * be faster than it (its expected improvement; D. R. Jones, M. Schonlau, W. J. Welch, Efficient
 * global optimization of expensive black-box functions, 1998).
 */
double belief_improvement(struct belief best, struct belief other);

#endif
