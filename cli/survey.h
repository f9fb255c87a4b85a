/**
 * Ranks or measures all size points of a request, and prints each point when it is done.
 */
#ifndef CLI_SURVEY_H
#define CLI_SURVEY_H

#include "cli/emission.h"
#include "cli/node_lock.h"
#include "cli/request.h"

/** Callback for the ranking of each size point, called before the ranking is printed; may be
 * NULL. */
typedef enum tcplan_status survey_step(struct tcplan_ranking *ranking,
                                       const struct request *request,
                                       const struct tcplan_rank_options *options);

/**
 * For each size point, ranks all algorithms or the named one, calls `step`, and prints the report.
 *
 * @param emission  NULL, or the open files for the C of the fastest algorithm of the only point
 * @param lock      NULL, or the lock to hold during each point
 */
enum exit_status survey_run(const struct request *request, survey_step *step,
                            struct emission *emission, struct tcplan_node_lock *lock);

/** Ranks one size point, and shows progress on stderr. */
enum exit_status survey_rank(struct tcplan_ranking **out, const struct request *request,
                             int64_t point, survey_step *step);

/**
 * Predicts one algorithm without ranking others. If it is not applicable at these sizes, prints a
 * note and returns EXIT_DONE with a NULL ranking.
 */
enum exit_status survey_rank_algorithm(struct tcplan_ranking **out, const struct request *request,
                                       int64_t point, const struct tcplan_algorithm *algorithm,
                                       survey_step *step);

/** Checks, before anything is timed, that the numpy that --compare needs is installed. */
enum exit_status contest_check_numpy(const struct options *options);

/** Measures algorithms alternately. Returns EXIT_DONE, or another status after a message. */
enum exit_status contest_run(struct tcplan_turns *turns, const struct request *request,
                             const struct tcplan_problem *problem);

#endif
