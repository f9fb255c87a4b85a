/**
 * The user's stored plans, see tcplan/stored_plans.h: their place and their use by commands.
 *
 * They are in the file (or folder) of --plans, else in that of $TCPLAN_PLANS (set and empty: none),
 * else in the folder of the store (cli/kept.h).
 */
#ifndef CLI_PLANS_H
#define CLI_PLANS_H

#include "cli/stored.h"

/**
 * Opens the user's plans.
 *
 * @param out  receives them; close them with tcplan_stored_plans_close(); they may have neither
 * file nor folder
 * @return EXIT_DONE; another status after a message if the file of --plans has no plans
 */
enum exit_status plans_open_place(struct tcplan_stored_plans **out,
                                  const struct tcplan_machine *machine,
                                  const struct options *options);

/**
 * Opens the plans for a request. NULL for another machine, with --no-plans, and with --no-store
 * unless --plans is given.
 */
enum exit_status plans_open(struct tcplan_stored_plans **out, const struct request *request);

/**
 * Finds the stored plan of a size point. Notes the plan, or why it is not used. *found receives
 * whether there is one.
 *
 * @param use  its use, the end of the note
 */
enum exit_status plans_recall(bool *found, struct tcplan_found_plan *out,
                              const struct request *request, int64_t point, const char *use);

/** Ranks as tcplan_rank(); the search starts with stored plans of this product and of similar ones.
 */
enum tcplan_status plans_rank(struct tcplan_ranking **out, const struct request *request,
                              int64_t point, const struct tcplan_rank_options *options);

/** Stores the result of a ranking, if the request has plans. Notes a failed write. */
enum exit_status plans_keep(const struct request *request, const struct tcplan_ranking *ranking,
                            const struct tcplan_rank_options *options);

#endif
