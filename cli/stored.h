/**
 * The user's stored data about this machine, see tcplan/store.h: the place of the store, ceilings
 * from it or from a file, experience, and models.
 *
 * The store is the folder $TCPLAN_STORE (set and empty: none), else tcplan in $XDG_CACHE_HOME, else
 * .cache/tcplan in $HOME; without $HOME there is none.
 */
#ifndef CLI_STORED_H
#define CLI_STORED_H

#include "base/output_file.h"
#include "cli/request.h"

/** Zero-initialise before use. */
struct stored {
    struct tcplan_store store;
    char *folder; /**< private */
};

/** Finds the user's store for a live machine; the result may have no folder. */
enum exit_status stored_open(struct stored *out, const struct tcplan_machine *machine);

/** Finds the user's store for this machine. */
enum exit_status stored_open_here(struct stored *out);

void stored_close(struct stored *stored);

/**
 * Finds the ceilings for a request: in the file of --ceilings or, for this machine, in the store.
 *
 * @param out receives the ceilings, to be freed with tcplan_roofline_free(), for each of the given
 *     numbers of threads; NULL if there are none
 * @param reason  receives why existing ceilings are not used, or ""
 * @return EXIT_DONE; another status after a message if the file of --ceilings is rejected
 */
enum exit_status stored_ceilings(struct tcplan_roofline **out, char reason[TCPLAN_MESSAGE_SIZE],
                                 const struct request *request, const int thread[], int count);

/** Prints notes on why stored ceilings may be wrong (another clock, slow cores, other load, age),
 * and how to measure them again. */
void stored_report_doubts(const struct tcplan_roofline *roofline, const struct options *options);

/**
 * Loads the experience of earlier searches on this machine; prints notes about damaged or
 * unreadable files.
 *
 * @param out  receives the experience; free it with tcplan_experience_free(). NULL if there is no
 *             store, or if the request is for another machine
 */
enum exit_status stored_experience(struct tcplan_experience **out, const struct request *request);

/**
 * Loads performance models of this machine and its libraries; prints notes about damaged files.
 *
 * @param out  receives the models; free them with tcplan_models_free(). NULL if there is no store,
 *             or if the request is for another machine
 */
enum exit_status stored_models(struct tcplan_models **out, const struct request *request);

/**
 * Opens the store of compiled kernels of this machine.
 *
 * @param out  receives the store; free it with stored_code_free(). NULL if there is no store, or if
 *             the request is for another machine
 */
enum exit_status stored_code(struct tcplan_store **out, const struct request *request);

/** Accepts NULL. */
void stored_code_free(struct tcplan_store *code);

/** Stores the request's experience if there is any. Prints a note if writing fails. */
enum exit_status stored_add_experience(const struct request *request);

/** Gives a planner access to the user's stored data and plans, for reading and adding. */
enum tcplan_status stored_give(struct tcplan_planner *planner, const struct options *options);

/** Stores new ceilings if they are of this machine. Prints a note if writing fails. */
enum exit_status stored_put(const struct request *request, const struct tcplan_roofline *roofline);

/**
 * Measures and stores the costs of cache lines, pages and copies. Does nothing if the store has
 * undisturbed ones and --remeasure is not given. Prints a note if writing fails.
 */
enum exit_status stored_calibrate(const struct request *request);

/** Writes ceilings to the open file of --ceilings, and completes the file. */
enum exit_status stored_write(const struct request *request, const struct tcplan_roofline *roofline,
                              struct output_file *out);

/**
 * Opens the user's plans.
 *
 * @param out  receives the plans; close them with tcplan_stored_plans_close(). They may have
 *             neither file nor folder
 * @return EXIT_DONE; another status after a message if the file of --plans has no plans
 */
enum exit_status plans_open_place(struct tcplan_stored_plans **out,
                                  const struct tcplan_machine *machine,
                                  const struct options *options);

/**
 * Opens the plans for a request. `*out` is NULL for another machine, with --no-plans, and with
 * --no-store unless --plans is given.
 */
enum exit_status plans_open(struct tcplan_stored_plans **out, const struct request *request);

/**
 * Finds the stored plan of a size point. Prints a note with the plan, or why it is not used. *found
 * receives whether there is a plan.
 *
 * @param use  purpose of the plan, which ends the note
 */
enum exit_status plans_recall(bool *found, struct tcplan_found_plan *out,
                              const struct request *request, int64_t point, const char *use);

/** Ranks like tcplan_rank(), but the search starts with stored plans of this product and of similar
 * ones. */
enum tcplan_status plans_rank(struct tcplan_ranking **out, const struct request *request,
                              int64_t point, const struct tcplan_rank_options *options);

/** Stores the result of a ranking if the request has plans. Prints a note if writing fails. */
enum exit_status plans_keep(const struct request *request, const struct tcplan_ranking *ranking,
                            const struct tcplan_rank_options *options);

#endif
