/**
 * Writes the result of a comparison to its ranking: the chosen entry, times from samples, and
 * corrected times of candidates that were not compared.
 */
#ifndef PLAN_DECISION_FINDINGS_H
#define PLAN_DECISION_FINDINGS_H

#include "plan/decision/select.h"
#include "plan/rank.h"

/**
 * Writes the result to the ranking, and learns the variance between processes from the chosen arm's
 * time (plan/learn/between.h).
 * @param select its arms are the ranking's first entries
 * @param basis how the samples were taken
 */
void findings_note(struct ranker *ranker, const struct select *select, enum tcplan_basis basis);

#endif
