/**
 * Priors of candidates from an experience.
 *
 * Similar algorithms exceed their estimates by similar factors, whatever the contraction: those
 * with the same kernel, copies of the same operands, and loops that move in the same tensors. The
 * prior is the mean of the logarithms of time over estimate, weighted by similarity. Evaluations of
 * one problem share a bias, so many of them count little more than a few.
 */
#ifndef PLAN_LEARN_LEARNED_H
#define PLAN_LEARN_LEARNED_H

#include "store/experience.h"
#include "tcplan/rank.h"

/** The stored evaluations that apply to a ranking: those with its type, threads and cache state. */
struct learned;

/** Copies the stored evaluations that apply to a ranking. NULL if out of memory. */
struct learned *learned_new(const struct tcplan_problem *problem,
                            const struct tcplan_rank_options *options);

void learned_free(struct learned *learned);

/** Describes a candidate for comparison; false if it has no estimate or its kernel comes from a
 * file. */
bool learned_describe(struct evaluation *out, const struct learned *learned,
                      const struct tcplan_entry *candidate);

/** The prediction that stored evaluations give for a candidate. */
struct expectation {
    double ratio; /**< mean logarithm of the candidate's measured time divided by its estimate */
    double trust; /**< weight, from 0 (nothing similar is known) to almost 1 */
};

struct expectation learned_expect(const struct learned *learned,
                                  const struct evaluation *evaluation);

/**
 * Corrects estimates by stored evaluations: repeatedly the lowest one that was not corrected, at
 * most `most`. Only estimates with measured kernels are corrected, because recorded ratios refer
 * to such estimates. Returns TCPLAN_OK or TCPLAN_NO_MEMORY.
 */
enum tcplan_status learned_correct(struct tcplan_ranking *ranking,
                                   const struct tcplan_rank_options *options, int most,
                                   struct tcplan_error *error);

#endif
