/**
 * The estimate of an algorithm that nobody has looked at: what its kernels take by themselves,
 * wherever that is known from, and by the model of loops (cachesim/arrangement/arrangement.h), or
 * models of these cases, what brings operands to them and what copies take.
 */
#ifndef PLAN_ESTIMATE_H
#define PLAN_ESTIMATE_H

#include "cachesim/arrangement/arrangement.h"
#include "gen/lower/blas_call.h"
#include "plan/times/model_times.h"
#include "tcplan/rank.h"

/** Estimates without a better source are off by this much at most where anything is known about
 * them (plan/candidates.c keeps what is within). */
#define ESTIMATE_FACTOR 3.0

/** What an estimate is made of. */
struct estimate_task {
    const struct model_times *models; /**< NULL: none */
    const struct tcplan_problem *problem;
    const struct blas_call *call;
    struct call_time call_time; /**< of one, on operands in cache */
    double calls;               /**< of the thread with most of them */
    int threads;                /**< that each call has */
    int threads_around; /**< the calls: they share the memory, which serves them less than so many
                           times as fast */
    const struct arrangement *arrangement;
};

struct estimate {
    double kernel_seconds; /**< on operands that stay in cache: what calls do not take less than, if
                              their time is true */
    double seconds;
    double low_seconds; /**< as far as the sources may be off */
    double high_seconds;
    double rest_seconds; /**< what is no kernel, by the coarse model alone */
    enum tcplan_time_source kernel_source;
    enum tcplan_time_source copy_source; /**< TCPLAN_TIME_MODEL only where all copies are from
                                            models */
};

struct estimate estimate_of(const struct estimate_task *task);

#endif
