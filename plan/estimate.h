/**
 * The estimate of an algorithm before its evaluation: the time of its kernels alone, from any
 * source, plus the cost of loops and copies by performance models or by the cost model
 * (cachesim/arrangement/arrangement.h).
 */
#ifndef PLAN_ESTIMATE_H
#define PLAN_ESTIMATE_H

#include "cachesim/arrangement/arrangement.h"
#include "gen/lower/blas_call.h"
#include "plan/times/model_times.h"
#include "tcplan/rank.h"

/** Largest error of the cost model's estimates, as a factor; plan/candidates.c drops candidates
 * beyond it. */
#define ESTIMATE_FACTOR 3.0

/** What an estimate is made from. */
struct estimate_task {
    const struct model_times *models; /**< models of kernels; NULL: none */
    const struct tcplan_problem *problem;
    const struct blas_call *call;
    struct call_time call_time; /**< time of one call with operands in cache */
    double calls;               /**< number of calls of the thread with the most */
    int threads;                /**< number of BLAS threads of each call */
    int threads_around; /**< number of threads that share a loop around calls, and so the memory
                           bandwidth */
    const struct arrangement *arrangement;
};

struct estimate {
    double kernel_seconds; /**< seconds of the kernels with operands in cache: a lower bound if the
                              call time is right */
    double seconds;
    double low_seconds; /**< low and high: error interval, from the errors of the sources */
    double high_seconds;
    double rest_seconds; /**< modelled seconds of everything but kernels */
    enum tcplan_time_source kernel_source;
    enum tcplan_time_source copy_source; /**< TCPLAN_TIME_MODEL only if models give the times of all
                                            copies */
};

struct estimate estimate_of(const struct estimate_task *task);

#endif
