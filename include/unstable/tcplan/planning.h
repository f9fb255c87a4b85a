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

/** Stages of planning. plan/README.md describes them. */
enum tcplan_planning_stage {
    TCPLAN_PLANNING_SETUP,  /**< loading the machine, libraries and stored data about the machine;
                               and the final sorting */
    TCPLAN_PLANNING_PAGES,  /**< backing tensors with pages, at once or at the first access */
    TCPLAN_PLANNING_ORDERS, /**< making candidates of the `blas` space */
    TCPLAN_PLANNING_STRUCTURES, /**< selecting and arranging structures of the `full` space */
    TCPLAN_PLANNING_KERNELS,    /**< timing kernels alone, at any stage */
    TCPLAN_PLANNING_FIRST, /**< evaluating the baseline and the candidates that are expected to be
                              clearly faster than it */
    TCPLAN_PLANNING_EVALUATIONS, /**< evaluating candidates by expected improvement */
    TCPLAN_PLANNING_COMPILING,   /**< compiling emitted kernels, at any stage */
    TCPLAN_PLANNING_COMPARISON,
    TCPLAN_PLANNING_STAGES
};

/** Time of a stage. The times of all stages sum to the planning time. */
struct tcplan_planning_part {
    double seconds;
    double cpu_seconds; /**< CPU time of the thread that plans */
    int64_t steps;      /**< number of pages backed, candidates made, kernels timed or compiled,
                           evaluations, or samples compared; 0 for other stages */
};

/** Events of an algorithm or of a structure (an algorithm without the order of its loops and the
 * places of its copies), each with a time in seconds. */
enum tcplan_planning_event {
    TCPLAN_PLANNING_SELECTED, /**< a structure will be arranged; seconds: heuristic cost; reported
                                 in the order of arrangement */
    TCPLAN_PLANNING_SLOW_KERNEL, /**< a structure is not arranged, because its kernels alone take
                                    too long; seconds: time of its kernels */
    TCPLAN_PLANNING_LEFT_OUT,  /**< an algorithm is omitted, because its estimated time exceeds the
                                  best estimate by too much; seconds: estimated time */
    TCPLAN_PLANNING_CANDIDATE, /**< an algorithm becomes a candidate; seconds: estimated time */
    TCPLAN_PLANNING_EXCLUDED, /**< an algorithm was pruned when its evaluation was due; seconds: its
                                 lower bound */
    TCPLAN_PLANNING_CENSORED, /**< the evaluation of an algorithm ended early because the algorithm
                                 was too slow (right-censored); seconds: time until the evaluation
                                 ended */
    TCPLAN_PLANNING_EVALUATED, /**< an algorithm was evaluated; seconds: measured time */
    TCPLAN_PLANNING_SAMPLED,   /**< an algorithm was sampled in the comparison; seconds: time of the
                                  sample */
    TCPLAN_PLANNING_EVENTS
};

/* Deprecated: names in 0.1.0. */
#define TCPLAN_PLANNING_LOOKS TCPLAN_PLANNING_EVALUATIONS
#define TCPLAN_PLANNING_SKETCHED TCPLAN_PLANNING_SELECTED
#define TCPLAN_PLANNING_CUT TCPLAN_PLANNING_CENSORED
#define TCPLAN_PLANNING_LOOKED TCPLAN_PLANNING_EVALUATED

/** Receives events as they happen. */
typedef void tcplan_planning_fn(void *context, enum tcplan_planning_event event,
                                const struct tcplan_algorithm *algorithm, double seconds);

#ifdef __cplusplus
}
#endif

#endif
