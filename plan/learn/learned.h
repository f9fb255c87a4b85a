/**
 * What an experience says of the candidates of a ranking.
 *
 * Where looks took longer than estimated, looks at algorithms that are alike did so, too, whatever
 * the contraction: alike are those with the same kernel, copies of the same operands, and loops
 * that move in the same tensors. The mean of their ratios, in logarithms, weighted by how alike
 * they are, is what a candidate is expected to take over its estimate. Looks at one problem are
 * wrong together, as they met the same machine: many of them count little more than a few.
 */
#ifndef PLAN_LEARN_LEARNED_H
#define PLAN_LEARN_LEARNED_H

#include "store/experience.h"
#include "tcplan/rank.h"

/** The looks of an experience that a ranking can learn from: those of its type, threads and caches.
 */
struct learned;

/** `options` has the experience, which is copied from. NULL when memory is out. */
struct learned *learned_new(const struct tcplan_problem *problem,
                            const struct tcplan_rank_options *options);

void learned_free(struct learned *learned);

/** What a look at a candidate is of; false where it is of nothing that can be compared: not
 * estimated, or with a kernel of a file. */
bool learned_describe(struct look *out, const struct learned *learned,
                      const struct tcplan_entry *candidate);

/** What is expected of a candidate. */
struct expectation {
    double ratio; /**< the logarithm of its time over the estimate */
    double trust; /**< from 0, where nothing alike is known, to almost 1 */
};

struct expectation learned_expect(const struct learned *learned, const struct look *look);

/**
 * Brings estimates of a ranking to what the looks of the options' experience let expect: one after
 * the other the least that was not brought there, `most` of them. Only those whose kernels were
 * timed before, as looks are held against estimates with such times. TCPLAN_NO_MEMORY.
 */
enum tcplan_status learned_correct(struct tcplan_ranking *ranking,
                                   const struct tcplan_rank_options *options, int most,
                                   struct tcplan_error *error);

#endif
