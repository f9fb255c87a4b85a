/**
 * Which candidate to look at next.
 *
 * A model's estimates are wrong alike for algorithms that are alike. So each candidate's estimate
 * is corrected by what candidates looked at before turned out to take over their own estimates: the
 * mean of these ratios, in logarithms, each weighted by how alike the two algorithms are. Where
 * nothing alike has been looked at the correction is uncertain, which counts in the candidate's
 * favour: it may turn out to be faster than the fastest by more (a surrogate model with kernel
 * regression, and expected improvement, as in Bayesian optimisation). With an experience
 * (tcplan/experience.h) it is not that uncertain from the start: looks at other problems are a
 * prior, and what all looks at this one are off it by is learnt, too.
 */
#ifndef PLAN_LEARN_SURROGATE_H
#define PLAN_LEARN_SURROGATE_H

#include "plan/belief.h"
#include "tcplan/rank.h"

struct surrogate;

/**
 * A surrogate of the open entries of a ranking, whose entries keep their places;
 * what looks have told already is learnt. It begins with the experience of the options, where there
 * is one. NULL when memory is out.
 */
struct surrogate *surrogate_new(const struct tcplan_ranking *ranking,
                                const struct tcplan_rank_options *options);

/** Takes entries in that the ranking has got since, behind those that it had: neighbours of the
 * entry `parent`, or of none, SIZE_MAX. False when memory is out. */
bool surrogate_extend(struct surrogate *surrogate, size_t parent);

void surrogate_free(struct surrogate *surrogate);

/** Seconds that a look at a candidate takes, about. */
typedef double surrogate_cost_fn(const void *context, const struct tcplan_entry *candidate);

/**
 * The candidate to look at next: the one that promises most for each second of its look; NULL:
 * there is none left. Until one was looked at, the one that may be the fastest.
 *
 * @param per_second  what it promises, a share of the fastest's time (plan/belief.h) over the
 *                    seconds; INFINITY until one was looked at
 */
struct tcplan_entry *surrogate_next(const struct surrogate *surrogate, surrogate_cost_fn *cost,
                                    const void *context, double *per_second);

/** What is believed of a candidate that is left. */
struct belief surrogate_belief(const struct surrogate *surrogate,
                               const struct tcplan_entry *candidate);

/**
 * The candidate whose neighbours are to be proposed next, each once: the one of whose like a look
 * promises most for each second. Of what was looked at neighbours may be faster, as nothing else is
 * known of them; of others where another provider's kernel made some candidate faster by as much.
 * NULL: none promises more than `least_per_second`.
 */
struct tcplan_entry *surrogate_next_parent(struct surrogate *surrogate, surrogate_cost_fn *cost,
                                           const void *context, double least_per_second);

/** The estimate of a candidate that is left has become another. */
void surrogate_reconsider(struct surrogate *surrogate, const struct tcplan_entry *candidate);

/** What is known from a look at a candidate, a run that was cut off included; INFINITY: there was
 * none, or it told nothing. */
double surrogate_learnt_seconds(const struct tcplan_entry *candidate);

/** Takes a candidate from what is left; `seconds`: what it takes, as far as that is known now;
 * INFINITY: that is not known. */
void surrogate_learn(struct surrogate *surrogate, const struct tcplan_entry *candidate,
                     double seconds);

/** Adds what was learnt to the experience of the options, where there is one and memory. */
void surrogate_keep(const struct surrogate *surrogate);

#endif
