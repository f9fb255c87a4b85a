/**
 * Writes the result of a comparison to its ranking: the chosen entry, times from samples, and
 * corrected times of candidates that were not compared.
 */
#ifndef PLAN_DECISION_FINDINGS_H
#define PLAN_DECISION_FINDINGS_H

#include "plan/decision/select.h"
#include "plan/rank.h"

/**
 * Writes the result, and learns the variance between processes from the pick
 * (plan/learn/between.h).
 *
 * @param select  its arms are the ranking's first entries
 * @param basis   of its samples
 */
void findings_note(struct ranker *ranker, const struct select *select, enum tcplan_basis basis);

#endif
