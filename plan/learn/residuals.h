/**
 * What predictions turn out to be off by, beside what their samples and the core's states tell:
 * where pages lie, how a shared cache is divided, what a window does not meet.
 *
 * Looks are judged by the comparison of their ranking, comparisons by those of the same algorithm
 * in later processes, in the same state of the core. What a store has of that, of whatever
 * problems, replaces what is assumed before anything is known, which counts as RESIDUALS_ASSUMED
 * predictions of the kind.
 */
#ifndef PLAN_LEARN_RESIDUALS_H
#define PLAN_LEARN_RESIDUALS_H

#include "plan/rank.h"
#include "store/experience.h"

#define RESIDUALS_ASSUMED 3.0

/** A standard deviation by `known`, drawn to what is assumed. */
double residuals_drawn(const struct residual *known, double assumed);

/** The standard deviation of what looks of a basis are off by that were not compared, in
 * logarithms; 0 for what is no basis of looks. */
double residuals_of_look(const struct ranker *ranker, enum tcplan_basis basis);

/** The same of comparisons. */
double residuals_of_comparison(const struct ranker *ranker, enum tcplan_basis basis);

/** Of the change that is assumed of what nobody watches (STATES_USUAL_CHANGE), what comparisons of
 * other processes have not shown yet: they hold it. */
double residuals_unwatched(const struct ranker *ranker);

/** Learns what an entry's look was off by, where there was one: `look` is what it said, before the
 * comparison replaced it. */
void residuals_learn_look(const struct ranker *ranker, const struct tcplan_entry *entry,
                          const struct tcplan_estimate *look, enum tcplan_basis basis);

/**
 * Learns what the comparisons of earlier processes were off by, where they said something of the
 * same algorithms, as this one says, and notes for later ones what this one says. Its algorithms
 * are off together: all of them count as one.
 *
 * @param met  the core while they were compared
 */
void residuals_learn_comparison(const struct ranker *ranker, const struct states *met);

/** What was said of an algorithm over what is said now, in the same state, as a logarithm. */
double residuals_between(const struct said *before, const struct said *now,
                         double reference_seconds);

#endif
