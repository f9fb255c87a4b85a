/**
 * Belief about an algorithm's time: a normal distribution of its natural logarithm.
 *
 * A model, an evaluation and a sample are all observations with a variance. Decisions use the
 * expected improvement of the answer per second of planning. Pure.
 */
#ifndef PLAN_BELIEF_H
#define PLAN_BELIEF_H

/** A normal distribution of the logarithm of seconds. */
struct belief {
    double mean;
    double variance;
};

/** Returns the posterior after observing a value with an error of this variance. */
struct belief belief_observe(struct belief before, double value, double variance);

/**
 * Returns the expected improvement of the best by another: the share of its time by which the
 * minimum of both is expected to be faster (D. R. Jones, M. Schonlau, W. J. Welch, Efficient global
 * optimization of expensive black-box functions, 1998).
 */
double belief_improvement(struct belief best, struct belief other);

#endif
