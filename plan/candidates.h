/**
 * The candidates of the `full` space: structures, each with its best arrangements, in the order of a coarse estimate.
 */
#ifndef PLAN_CANDIDATES_H
#define PLAN_CANDIDATES_H

#include "gen/blas_call.h"
#include "gen/structures.h"
#include "plan/rank.h"

struct candidate {
    struct tcplan_algorithm algorithm;
    double call_ns;          /**< measured: one call of the kernel */
    double kernel_seconds;   /**< measured: the kernels by themselves, a bound from below */
    double estimate_seconds; /**< the same and, from the model, copies and what caches miss */
};

struct candidates {
    size_t count;
    size_t capacity;
    struct candidate *candidate; /**< by estimate */
    double generated;            /**< arrangements that were rated */
    double structures;
    int index_count; /**< of the contraction */
    enum tcplan_status status;
};

/** Fills in the candidates that may be faster than `best_seconds`; free them with candidates_free(). */
enum tcplan_status candidates_make(struct candidates *out, struct ranker *ranker, double best_seconds, struct tcplan_error *error);

/** Takes an algorithm from the candidates, if it is one of them. */
void candidates_remove(struct candidates *candidates, const struct tcplan_algorithm *algorithm);

/** Fills in what is known of an algorithm's time. Status as candidate_estimate(), and TCPLAN_NOT_APPLICABLE where its temporaries are too large. */
enum tcplan_status candidate_rate(struct candidate *out, struct ranker *ranker, const struct tcplan_algorithm *algorithm,
                                  struct tcplan_error *error);

/** Whether the kernels of a candidate take more than `seconds` by themselves; they are timed again before that is said. */
bool candidate_exceeds(const struct candidate *candidate, struct ranker *ranker, double seconds);

/**
 * An algorithm's time without a look at it: its kernel timed by itself, its loops by a model that leaves out tiles and the depths of copies.
 *
 * @param seconds  NULL where it is known already
 * @param calls    receives the number of kernel calls
 * @return as blas_call_of(); TCPLAN_NOT_APPLICABLE also where nobody makes the kernel's call
 */
enum tcplan_status candidate_estimate(double *seconds, double *calls, struct ranker *ranker, const struct tcplan_algorithm *algorithm,
                                      struct tcplan_error *error);

void candidates_free(struct candidates *candidates);

/**
 * Lets threads share a loop of an arrangement: the one that its structure names, which comes outermost, or else the outermost that has enough
 * iterations.
 *
 * @param algorithm  the arrangement, changed
 * @param share      receives what the thread with the most makes of all calls
 * @return false where no loop can be shared
 */
bool candidate_share(struct tcplan_algorithm *algorithm, double *share, const struct tcplan_problem *problem,
                     const struct tcplan_algorithm *structure, int threads);

/** What structures are enumerated for a problem on a machine: with the kernels of all providers that are there, with loops that `threads` may share. */
struct structures_options candidate_structures(const struct tcplan_problem *problem, const struct tcplan_machine *machine, int threads);

#endif
