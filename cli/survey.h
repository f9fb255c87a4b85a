/**
 * Ranking or measuring all size points of a request, and printing each as soon as it is known.
 */
#ifndef CLI_SURVEY_H
#define CLI_SURVEY_H

#include "cli/emission.h"
#include "cli/node_lock.h"
#include "cli/request.h"

/** What is done with a size point after its ranking: a status of the library. May be NULL. */
typedef enum tcplan_status survey_step(struct tcplan_ranking *ranking,
                                       const struct request *request,
                                       const struct tcplan_rank_options *options,
                                       struct tcplan_error *error);

/**
 * Surveys a request: for each point ranks (only the named algorithm, where one is), takes the step
 * and prints the report.
 *
 * @param emission  NULL, or the open files of what is emitted for the fastest algorithm of the only
 *                  point
 * @param lock      NULL, or what is held during each point
 */
enum exit_status survey_run(const struct request *request, survey_step *step,
                            struct emission *emission, struct tcplan_node_lock *lock);

/** Ranks one point with progress on stderr. */
enum exit_status survey_rank(struct tcplan_ranking **out, const struct request *request,
                             int64_t point, survey_step *step);

/**
 * The same of one algorithm, predicted: nothing is ranked. Where it cannot run at the sizes there
 * is no ranking (NULL) but a note, and all is well.
 */
enum exit_status survey_rank_algorithm(struct tcplan_ranking **out, const struct request *request,
                                       int64_t point, const struct tcplan_algorithm *algorithm,
                                       survey_step *step);

#endif
