/**
 * Records how planning spends its time and what happens to each algorithm, to explain the result
 * of a search.
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
    TCPLAN_PLANNING_SETUP,  /**< machine, libraries, stored knowledge about the machine; and sorting
                               in the end */
    TCPLAN_PLANNING_PAGES,  /**< tensors are backed with pages, at once or at the first touch */
    TCPLAN_PLANNING_ORDERS, /**< candidates of the `blas` space */
    TCPLAN_PLANNING_STRUCTURES,  /**< structures of the `full` space, selected and arranged */
    TCPLAN_PLANNING_KERNELS,     /**< kernels timed alone, at any stage */
    TCPLAN_PLANNING_FIRST,       /**< evaluations of the baseline and of candidates expected to be
                                    clearly faster */
    TCPLAN_PLANNING_EVALUATIONS, /**< evaluations by expected improvement */
    TCPLAN_PLANNING_COMPILING,   /**< the compiler, for emitted kernels at any stage */
    TCPLAN_PLANNING_COMPARISON,
    TCPLAN_PLANNING_STAGES
};

/** Time of a stage. Together all parts are the planning. */
struct tcplan_planning_part {
    double seconds;
    double cpu_seconds; /**< of the thread that plans */
    int64_t steps;      /**< pages backed, candidates made, kernels timed or compiled, evaluations,
                           samples compared; else 0 */
};

/** What may happen to an algorithm, or to a structure: an algorithm without the order of its loops
 * and the places of its copies. */
enum tcplan_planning_event {
    TCPLAN_PLANNING_SELECTED,    /**< a structure is one of those to be arranged; seconds: heuristic
                                    cost; reported in the order of arrangement */
    TCPLAN_PLANNING_SLOW_KERNEL, /**< it is not arranged; seconds: of its kernels */
    TCPLAN_PLANNING_LEFT_OUT,    /**< its estimate is too far above the best; seconds: estimated */
    TCPLAN_PLANNING_CANDIDATE,   /**< seconds: estimated */
    TCPLAN_PLANNING_EXCLUDED,    /**< pruned when its evaluation was due; seconds: of its kernels */
    TCPLAN_PLANNING_CENSORED,    /**< its evaluation ended early because it was too slow
                               (right-censored);    seconds: until then */
    TCPLAN_PLANNING_EVALUATED,   /**< seconds: seen */
    TCPLAN_PLANNING_SAMPLED,     /**< in the comparison; seconds: of the sample */
    TCPLAN_PLANNING_EVENTS
};

/* Deprecated: names in 0.1.0. */
#define TCPLAN_PLANNING_LOOKS TCPLAN_PLANNING_EVALUATIONS
#define TCPLAN_PLANNING_SKETCHED TCPLAN_PLANNING_SELECTED
#define TCPLAN_PLANNING_CUT TCPLAN_PLANNING_CENSORED
#define TCPLAN_PLANNING_LOOKED TCPLAN_PLANNING_EVALUATED

/** Receives an event when it happens. */
typedef void tcplan_planning_fn(void *context, enum tcplan_planning_event event,
                                const struct tcplan_algorithm *algorithm, double seconds);

#ifdef __cplusplus
}
#endif

#endif
