/**
 * The surrogate model: which candidate to evaluate next.
 *
 * Similar algorithms have similar errors of their estimates. So each estimate is corrected by the
 * errors of evaluated candidates: the mean of the logarithms of time over estimate, weighted by
 * similarity (kernel regression; plan/learn/likeness.h). Far from all evaluated candidates the
 * correction is uncertain, which raises the expected improvement, as in Bayesian optimisation. An
 * experience (tcplan/experience.h) contributes evaluations of other problems as a prior; their
 * common bias is learnt.
 */
#ifndef PLAN_LEARN_SURROGATE_H
#define PLAN_LEARN_SURROGATE_H

#include "plan/belief.h"
#include "tcplan/rank.h"

struct surrogate;

/**
 * Creates a surrogate model of the open entries of a ranking, which must keep their positions.
 * Learns from the evaluations in the ranking and from the experience of the options. NULL if out of
 * memory.
 */
struct surrogate *surrogate_new(const struct tcplan_ranking *ranking,
                                const struct tcplan_rank_options *options);

/** Adds the entries that were appended to the ranking since the last call: neighbours of the entry
 * `parent`, or of none if it is SIZE_MAX. False if out of memory. */
bool surrogate_extend(struct surrogate *surrogate, size_t parent);

void surrogate_free(struct surrogate *surrogate);

/** Estimates the seconds that an evaluation of a candidate takes: the same for each call until the
 * next surrogate_learn(), except for candidates that are reconsidered. */
typedef double surrogate_cost_fn(const void *context, struct tcplan_entry *candidate);

/**
 * Returns the open candidate with the highest expected improvement per second of evaluation; NULL:
 * none is left. Before the first evaluation, returns the candidate with the lowest possible time.
 *
 * @param per_second  its expected improvement (plan/belief.h) per second; INFINITY before the first
 *                    evaluation
 */
struct tcplan_entry *surrogate_next(struct surrogate *surrogate, surrogate_cost_fn *cost,
                                    const void *context, double *per_second);

/** Returns the belief about an open candidate. */
struct belief surrogate_belief(const struct surrogate *surrogate,
                               const struct tcplan_entry *candidate);

/**
 * Returns the candidate whose neighbours have the highest expected improvement per second, to add
 * these neighbours; each candidate is returned once. An evaluated candidate's neighbours have its
 * mean; neighbours of other candidates have the candidate's mean and the gain that other providers
 * brought so far. NULL: none exceeds `least_per_second`.
 */
struct tcplan_entry *surrogate_next_parent(struct surrogate *surrogate, surrogate_cost_fn *cost,
                                           const void *context, double least_per_second);

/** Updates the belief after the estimate of an open candidate changed. */
void surrogate_reconsider(struct surrogate *surrogate, const struct tcplan_entry *candidate);

/** Returns the time of an evaluation, or the lower bound of a right-censored run; INFINITY:
 * neither. */
double surrogate_learnt_seconds(const struct tcplan_entry *candidate);

/** Removes a candidate from the open ones and learns its time; INFINITY: unknown. */
void surrogate_learn(struct surrogate *surrogate, const struct tcplan_entry *candidate,
                     double seconds);

/** Stores the evaluations for later processes, as far as memory permits. */
void surrogate_keep(const struct surrogate *surrogate);

#endif
