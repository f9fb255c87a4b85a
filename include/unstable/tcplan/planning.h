/**
 * Where the time of planning goes, and what becomes of each algorithm on the way: for those who ask
 * why a search found what it found.
 */
#ifndef TCPLAN_PLANNING_H
#define TCPLAN_PLANNING_H

#include <stdint.h>

#include "tcplan/algorithm.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Stages of planning, as plan/README.md has them. */
enum tcplan_planning_stage {
    TCPLAN_PLANNING_SETUP,  /**< machine, libraries, what the machine knows already; and sorting in
                               the end */
    TCPLAN_PLANNING_PAGES,  /**< tensors are backed with pages, at once or by who touches them first
                             */
    TCPLAN_PLANNING_ORDERS, /**< candidates of the `blas` space */
    TCPLAN_PLANNING_STRUCTURES, /**< structures of the `full` space, sketched and arranged */
    TCPLAN_PLANNING_KERNELS,    /**< kernels timed by themselves, whoever asks */
    TCPLAN_PLANNING_FIRST,      /**< the baseline, and what promises clearly more */
    TCPLAN_PLANNING_LOOKS,      /**< at what promises most */
    TCPLAN_PLANNING_COMPILING,  /**< kernels that are written for the call, whoever asks: the
                                   compiler */
    TCPLAN_PLANNING_COMPARISON,
    TCPLAN_PLANNING_STAGES
};

/** What a stage took. Together all parts are the planning. */
struct tcplan_planning_part {
    double seconds;
    double cpu_seconds; /**< of the thread that plans */
    int64_t steps; /**< pages backed, candidates made, kernels timed or compiled, algorithms looked
                      at, samples compared; else 0 */
};

/** What may become of an algorithm, or of a structure: all of it but the order of loops and the
 * places of copies. */
enum tcplan_planning_event {
    TCPLAN_PLANNING_SKETCHED,    /**< a structure is one of those to be arranged; seconds: guessed;
                                    those that come first are told first */
    TCPLAN_PLANNING_SLOW_KERNEL, /**< it is not arranged; seconds: of its kernels */
    TCPLAN_PLANNING_LEFT_OUT,    /**< a candidate's estimate is too far above the best; seconds:
                                    estimated */
    TCPLAN_PLANNING_CANDIDATE,   /**< seconds: estimated */
    TCPLAN_PLANNING_EXCLUDED,    /**< when it was to be looked at; seconds: of its kernels */
    TCPLAN_PLANNING_CUT, /**< it was looked at, until it had taken too long; seconds: until then */
    TCPLAN_PLANNING_LOOKED,  /**< seconds: seen */
    TCPLAN_PLANNING_SAMPLED, /**< in the comparison; seconds: of the sample */
    TCPLAN_PLANNING_EVENTS
};

/** Told of an event, at once. */
typedef void tcplan_planning_fn(void *context, enum tcplan_planning_event event,
                                const struct tcplan_algorithm *algorithm, double seconds);

#ifdef __cplusplus
}
#endif

#endif
