/**
 * What a comparison found, written into its ranking: what was compared and picked, the time of each
 * by its samples, and corrections of the looks that were not compared.
 */
#ifndef PLAN_DECISION_FINDINGS_H
#define PLAN_DECISION_FINDINGS_H

#include "plan/decision/select.h"
#include "plan/rank.h"

/**
 * Writes it, and learns from the pick what times differ by between processes
 * (plan/learn/between.h).
 *
 * @param select  its arms are the ranking's first entries
 * @param basis   what its samples are
 */
void findings_note(const struct ranker *ranker, const struct select *select,
                   enum tcplan_basis basis);

#endif
