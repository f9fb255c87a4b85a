/**
 * Generates the algorithms of a space, each with its arrangement and estimate.
 *
 * First come the papers' algorithms, the `blas` space: for each structure (a choice of kernel
 * indices) the best orders of loops. Then come the structures of the `full` space
 * (gen/space/structures.h), each in its best arrangements (cachesim/arrangement/arrangement.h),
 * with threads in the BLAS or around it. The caller provides the times of calls, which it may
 * measure; all other times are modelled.
 */
#ifndef PLAN_GENERATE_H
#define PLAN_GENERATE_H

#include "base/deadline.h"
#include "plan/effort.h"
#include "plan/estimate.h"
#include "tcplan/planning.h"

/** An algorithm and its estimate before any evaluation. */
struct generated {
    struct tcplan_algorithm algorithm;
    double calls;             /**< number of kernel calls */
    struct estimate estimate; /**< estimate; its kernel_seconds are those of the thread with the
                                 most calls */
};

struct generator {
    const struct tcplan_problem *problem;
    const struct tcplan_machine *machine;
    int threads; /**< number of threads: within BLAS calls or, if a structure of the `full` space
                    can share a loop, around calls */
    int orders;  /**< approximate number of algorithms of the `blas` space to generate, at least
                      three for each structure; 0: generate_arrangements() also generates algorithms
                      of that space */
    bool fuses;  /**< whether algorithms of the canonical product are generated first; those of the
                    problem itself follow if they are few */
    int beam_width; /**< width of the beam search for a structure's best arrangement, at least 1 */
    bool streams;   /**< whether kernels that write the result by non-temporal stores are generated
                       too */
    bool compiles;  /**< whether kernels that must be compiled are generated too */
    struct deadline deadline; /**< deadline at which generating ends, but not before the first
                                 algorithm */
    struct effort_work work;  /**< if estimates are the answer: limits on heuristic costs and
                                 arrangements; otherwise zeros */
    double guess_error; /**< largest factor by which an estimate from a guess may exceed one from a
                           known call time; 1: there are only guesses */
    size_t structures;  /**< maximum number of structures of the `full` space to arrange, by
                           heuristic cost  (plan/sketch.h); 0: all, in the order of enumeration */
    const struct model_times *models; /**< models of calls on operands in memory, and of copies;
                                         NULL: none */
    void *context;
    /** returns the time of a call with this number of threads and operands in cache; a time above
     * `doubtful_ns` must be measured twice */
    struct call_time (*call_time)(void *context, const struct blas_call *call, int threads,
                                  double doubtful_ns);
    /** guesses the nanoseconds of a call without timing it; NULL if all structures are arranged */
    double (*guess_call)(void *context, const struct blas_call *call);
    /** returns the best time so far, in seconds: structures of the `full` space whose kernels take
     * clearly longer are not arranged */
    double (*best_seconds)(void *context);
    /** receives an algorithm; false ends the generation */
    bool (*take)(void *context, const struct generated *generated);
    /** receives a structure of the `blas` space whose calls are impossible at these sizes; false
     * ends the generation */
    bool (*refuse)(void *context, const struct tcplan_algorithm *structure);
    /** receives structures of the `full` space that were selected for arranging, and those that
     * were not arranged after all; may be NULL */
    tcplan_planning_fn *tell;
};

/** Generates algorithms of the `blas` space. Returns TCPLAN_OK, also if it ended early, or
 * TCPLAN_NO_MEMORY. */
enum tcplan_status generate_orders(const struct generator *generator, struct tcplan_error *error);

/** Generates algorithms of the `full` space that are not in the `blas` space. Status as
 * generate_orders(). */
enum tcplan_status generate_arrangements(const struct generator *generator,
                                         struct tcplan_error *error);

#endif
