/**
 * The user's stored plans, see tcplan/stored_plans.h: where they are, and what commands do with
 * them.
 *
 * They are in the file (or folder) of --plans, else in that of $TCPLAN_PLANS (set and empty:
 * nowhere), else in the folder of the store (cli/kept.h).
 */
#ifndef CLI_PLANS_H
#define CLI_PLANS_H

#include "cli/kept.h"

/**
 * Opens the place of a user's plans.
 *
 * @param out  receives it, to be closed with tcplan_stored_plans_close(); it may have neither file
 *             nor folder
 * @return EXIT_DONE; another status after a message where the file of --plans is none of plans
 */
enum exit_status plans_open_place(struct tcplan_stored_plans **out,
                                  const struct tcplan_machine *machine,
                                  const struct options *options);

/**
 * The same for a request: NULL where there are to be none, as the machine is another one, or by
 * --no-plans, or --no-store and no --plans.
 */
enum exit_status plans_open(struct tcplan_stored_plans **out, const struct request *request);

/**
 * The stored plan of a size point, where there is one; a note tells of it, or why one that is there
 * is not used. *found says whether.
 *
 * @param use  what is made of it, the end of the note
 */
enum exit_status plans_recall(bool *found, struct tcplan_found_plan *out,
                              const struct request *request, int64_t point, const char *use);

/** Ranks; the search begins with what is stored of this product, or of what is like it. As
 * tcplan_rank(). */
enum tcplan_status plans_rank(struct tcplan_ranking **out, const struct request *request,
                              int64_t point, const struct tcplan_rank_options *options,
                              struct tcplan_error *error);

/** Keeps what a ranking found, where the request has plans. A place that cannot be written is a
 * note. */
enum exit_status plans_keep(const struct request *request, const struct tcplan_ranking *ranking,
                            const struct tcplan_rank_options *options);

#endif
