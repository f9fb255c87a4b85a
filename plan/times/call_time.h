/**
 * What a kernel's call takes by itself: from where it is known, or as it is timed now where the
 * effort allows that.
 */
#ifndef PLAN_TIMES_CALL_TIME_H
#define PLAN_TIMES_CALL_TIME_H

#include "gen/lower/blas_call.h"
#include "tcplan/rank.h"

struct ranker;

/** The time of a call, where it is from, and how far it may be off by that. */
struct call_time {
    double ns; /**< negative: its provider cannot make it */
    double low_ns;
    double high_ns;
    enum tcplan_time_source source;
};

/** What calls that were timed took over what the ceilings have them take: sums of logarithms, by
 * class of kernels and provider. */
struct call_errors {
    double logs[TCPLAN_KERNELS][TCPLAN_PROVIDERS];
    int count[TCPLAN_KERNELS][TCPLAN_PROVIDERS];
};

/** Adds such a call that took `ns` where the ceilings have `expected_ns`. */
void call_errors_add(struct call_errors *errors, const struct blas_call *call, double ns,
                     double expected_ns);

/** Whether a call of the same class and provider was added. */
bool call_errors_know(const struct call_errors *errors, const struct blas_call *call);

/**
 * How many times as long as by the ceilings a call takes: as those of its class and provider that
 * were timed, and as one more that errs as all did. One provider's gemm says little of another's:
 * of small ones they differ by a factor of two.
 */
double call_errors_factor(const struct call_errors *errors, const struct blas_call *call);

/** Nanoseconds that a call of these extents may take: a guess by the ceilings and by what they
 * erred before. Nothing is timed. */
double call_time_guess(const struct ranker *ranker, const struct blas_call *call);

/**
 * The time of a call by itself, on operands in cache, with so many threads of the BLAS.
 *
 * Where nothing may be timed it is that of the first source that knows: a model, on its domain; the
 * time that was kept of this very call; a model beyond its domain; the machine's ceilings.
 * Otherwise it is what was kept, or a model has, and the call is timed where neither knows it, or
 * what they say is more than `doubtful_ns`: times exclude only when they were taken twice, some
 * time apart, as other load and swings of the clock last for milliseconds. What a compiler would
 * have to make first is not timed: it is call_time_expected().
 */
struct call_time call_time_of(struct ranker *ranker, const struct blas_call *call, int threads,
                              double doubtful_ns);

/** The same as it was timed, in this ranking where it was not before: whatever a model says. */
struct call_time call_time_timed(struct ranker *ranker, const struct blas_call *call, int threads,
                                 double doubtful_ns);

/** The same without timing it: as it was timed before, or as a model has it, or as
 * call_time_guess() does. */
struct call_time call_time_expected(const struct ranker *ranker, const struct blas_call *call,
                                    int threads);

/** Whether a call was timed twice, so that its time may exclude. */
bool call_time_is_certain(const struct ranker *ranker, const struct blas_call *call, int threads);

/**
 * Has each provider whose kernels are searched make a small call. The first one of a process sets a
 * library up, which takes milliseconds (libxsmm 5 to 6): a stage that is to end after as many would
 * be over then.
 */
void call_time_make_ready(struct ranker *ranker);

/** A call took so long in place, and takes no longer by itself. */
void call_time_learn(struct ranker *ranker, const struct blas_call *call, int threads, double ns);

#endif
