/** Times of single kernel calls, from the most accurate source, or measured if the effort
 * permits it. */
#ifndef PLAN_TIMES_CALL_TIME_H
#define PLAN_TIMES_CALL_TIME_H

#include "gen/lower/blas_call.h"
#include "tcplan/rank.h"

struct ranker;

/** The time of a call, the source of the time, and its error interval, from the errors of the
 * source. */
struct call_time {
    double ns; /**< nanoseconds; negative: the provider does not have the call */
    double low_ns;
    double high_ns;
    enum tcplan_time_source source;
};

/** Errors of the ceilings: sums of log(measured over predicted), by kernel class and provider. */
struct call_errors {
    double logs[TCPLAN_KERNELS][TCPLAN_PROVIDERS];
    int count[TCPLAN_KERNELS][TCPLAN_PROVIDERS];
};

/** Adds a call that took `ns` where the ceilings predict `expected_ns`. */
void call_errors_add(struct call_errors *errors, const struct blas_call *call, double ns,
                     double expected_ns);

/** Returns whether a call of the same class and provider was added. */
bool call_errors_know(const struct call_errors *errors, const struct blas_call *call);

/**
 * Returns the correction factor of the ceilings for a call: the mean of its class and provider,
 * with the mean of all classes and providers as one more observation. Providers have their own
 * factors, since their small gemms differ by a factor of two.
 */
double call_errors_factor(const struct call_errors *errors, const struct blas_call *call);

/** Estimates the nanoseconds of a call by the corrected ceilings. Times nothing. */
double call_time_guess(const struct ranker *ranker, const struct blas_call *call);

/**
 * Returns the time of a call alone, with operands in cache and so many BLAS threads.
 *
 * If nothing may be timed, the source is the first of: a model on its domain; the recorded time of
 * this call; a model beyond its domain; the machine's ceilings. Otherwise it is the recorded time
 * or a model, and the call is timed if neither exists or the time exceeds `doubtful_ns`: a time
 * excludes a candidate only if it was measured twice, some time apart, as other load and clock
 * regimes last for milliseconds. A kernel that has to be compiled first is not timed, see
 * call_time_expected().
 */
struct call_time call_time_of(struct ranker *ranker, const struct blas_call *call, int threads,
                              double doubtful_ns);

/** Returns a measured time of a call. Times the call if it has no recorded time or the recorded
 * time exceeds `doubtful_ns`, whatever a model predicts. */
struct call_time call_time_timed(struct ranker *ranker, const struct blas_call *call, int threads,
                                 double doubtful_ns);

/** Returns the time of a call without timing it: the recorded time, a model, or call_time_guess().
 */
struct call_time call_time_expected(const struct ranker *ranker, const struct blas_call *call,
                                    int threads);

/** Returns whether a call was timed twice, so that its time may exclude candidates. */
bool call_time_is_certain(const struct ranker *ranker, const struct blas_call *call, int threads);

/**
 * Makes a small call with each searched provider. The first call in a process initialises a
 * library, which takes milliseconds (libxsmm: 5 to 6) and would exhaust a short stage.
 */
void call_time_make_ready(struct ranker *ranker);

/** Records that a call took this long within a contraction, which is an upper bound of its time
 * alone. */
void call_time_learn(struct ranker *ranker, const struct blas_call *call, int threads, double ns);

#endif
