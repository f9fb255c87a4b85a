/**
 * Contenders that run in turns for a request, with progress on stderr.
 */
#ifndef CLI_CONTEST_H
#define CLI_CONTEST_H

#include "cli/request.h"

/** Refuses, before anything is timed, to compare with a numpy that is not installed. */
enum exit_status contest_check_numpy(const struct options *options);

/** Runs them; EXIT_DONE, or another status after its message was printed. */
enum exit_status contest_run(struct tcplan_turns *turns, const struct request *request,
                             const struct tcplan_problem *problem);

/** Likewise the winner of a ranking beside what --compare names. */
enum exit_status contest_run_winner(struct tcplan_turns *turns, const struct request *request,
                                    const struct tcplan_ranking *ranking);

/**
 * Runs the choice of a ranking and another algorithm in turns, for a second at most.
 *
 * @return the other's time over that of the choice; 0 if they could not be run
 */
double contest_speedup(const struct request *request, const struct tcplan_ranking *ranking,
                       const struct tcplan_algorithm *other);

#endif
