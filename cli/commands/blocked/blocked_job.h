/**
 * What `blocked predict`, `rank`, `measure` and `models` work on: algorithms at sizes and block
 * sizes, with the models that these need.
 */
#ifndef CLI_COMMANDS_BLOCKED_BLOCKED_JOB_H
#define CLI_COMMANDS_BLOCKED_BLOCKED_JOB_H

#include "cli/commands/blocked/blocked_request.h"
#include "cli/render/blocked/blocked_needs.h"
#include "cli/request.h"

/** Zero-initialise before use. */
struct blocked_job {
    const struct options *options;
    struct blocked_request of; /**< algorithms, and sizes as they are given */
    struct request request;    /**< machine, ceilings, experience, models */
    struct tcplan_model_setup setup;
    int points;
    struct tcplan_blocked_sizes *point; /**< owned; their blocks are not to be looked at */
    int blocks;
    int64_t *block; /**< owned, rising: those asked for, and LAPACK's where it lies between them */
    int default_place; /**< LAPACK's among these; -1: none */
    int lapack;        /**< which of the algorithms is LAPACK's; -1: none */
    struct tcplan_blocked_needs needs;
    struct blocked_view view;
};

/** What becomes of a job without all of its models. */
enum blocked_missing {
    BLOCKED_TELL,  /**< who asks tells what is missing */
    BLOCKED_DEMAND /**< they are made with --generate, or after asking; otherwise it is refused */
};

/**
 * Reads what the arguments behind the action and the options name, and looks up its models.
 *
 * @param out  receives it, to be freed with blocked_job_free() whatever is returned
 * @return EXIT_DONE; another status after its message was printed
 */
enum exit_status blocked_job_read(struct blocked_job *out, const struct options *options,
                                  enum blocked_missing missing);

/** What BLOCKED_DEMAND does, of a job that was read with BLOCKED_TELL. */
enum exit_status blocked_job_demand(struct blocked_job *out);

void blocked_job_free(struct blocked_job *job);

/** A map of the job that is to be filled. */
struct tcplan_blocked_map blocked_job_map(const struct blocked_job *job);

/** Whether something is printed: where a picture or a file of C was asked for only if -o or a
 * format was as well. */
bool blocked_job_prints(const struct options *options);

/** Looks whether the output can be written, before time is spent. */
enum exit_status blocked_job_check_output(const struct options *options);

#endif
