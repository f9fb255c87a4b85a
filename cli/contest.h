/**
 * Runs algorithms alternately for a request, with progress on stderr.
 */
#ifndef CLI_CONTEST_H
#define CLI_CONTEST_H

#include "cli/request.h"

/** Checks, before anything is timed, that a numpy to compare with is installed. */
enum exit_status contest_check_numpy(const struct options *options);

/** Runs them. Returns EXIT_DONE, or another status after a message. */
enum exit_status contest_run(struct tcplan_turns *turns, const struct request *request,
                             const struct tcplan_problem *problem);

/** Runs the winner of a ranking alternately with the contender of --compare. */
enum exit_status contest_run_winner(struct tcplan_turns *turns, const struct request *request,
                                    const struct tcplan_ranking *ranking);

/**
 * Runs the choice of a ranking alternately with another algorithm, for at most one second.
 *
 * @return the other's time over that of the choice; 0 if they could not be run
 */
double contest_speedup(const struct request *request, const struct tcplan_ranking *ranking,
                       const struct tcplan_algorithm *other);

#endif
