/**
 * The input of a command: the contraction, sizes, machine and algorithm of the command line, parsed
 * and checked.
 */
#ifndef CLI_REQUEST_H
#define CLI_REQUEST_H

#include "cli/options/options.h"
#include "tcplan/unstable.h"

/** Zero-initialise before use. */
struct request {
    const struct options *options;
    struct tcplan_contraction *contraction;
    struct tcplan_shapes *shapes; /**< NULL: not given */
    struct tcplan_sizes *sizes; /**< NULL: not given; derived from the shapes if those are given */
    struct tcplan_machine machine;         /**< its ceilings are those below */
    struct tcplan_roofline *ceilings;      /**< NULL: none, or not requested */
    char no_ceilings[TCPLAN_MESSAGE_SIZE]; /**< why existing ceilings are not used; empty if there
                                              are none */
    struct tcplan_experience *experience;  /**< of this machine; NULL: not requested, or no store */
    struct tcplan_models *models;          /**< NULL as above */
    struct tcplan_store *code;             /**< compiled kernels; NULL as above */
    struct tcplan_stored_plans *plans;     /**< NULL as above, or with --no-plans */
    struct tcplan_algorithm algorithm;     /**< if options->algorithm is given */
    struct tcplan_algorithm baseline;      /**< if options->baseline is given */
    double deadline_seconds; /**< of monotonic_seconds(): the end of the command's time limit; 0:
                                the limit applies to each part */
};

/** The needs of a command in addition to the contraction. */
enum request_need {
    REQUEST_SIZES = 1,
    REQUEST_MACHINE = 2,
    REQUEST_ONE_POINT = 4,
    REQUEST_CEILINGS = 16,   /**< of the machine, if known */
    REQUEST_EXPERIENCE = 32, /**< experience and models for the search; store the former with
                                stored_add_experience() */
    REQUEST_PLANS = 64,      /**< the user's stored plans, for plans_recall() and plans_keep() */
    REQUEST_UNTIMED = 8      /**< nothing is timed, so that another machine's caches need no note */
};

/**
 * Reads everything that the options name, and validates all size points.
 *
 * @param out      receives the request; always free it with request_free()
 * @param needs    bits of enum request_need
 * @return EXIT_DONE; another status after a message
 */
enum exit_status request_read(struct request *out, const struct options *options, unsigned needs);

/** Reads the name of an algorithm; NULL: none, `out` stays as it is. */
enum exit_status request_read_algorithm(struct tcplan_algorithm *out, const struct request *request,
                                        const char *name);

/** Rejects more threads than processing units, unless --oversubscribe allows them. */
enum exit_status request_check_threads(const struct options *options);

/** Reads only the machine that the request's options name. */
enum exit_status request_read_machine(struct request *request, unsigned needs);

/** Prints the error of a contraction, and its corrected spelling if there is one. */
enum exit_status request_refuse_contraction(const struct options *options);

/** Prints the error of sizes or shapes of a contraction with these indices. Without any, the
 * contraction is to blame. */
enum exit_status request_refuse_sizes(const struct options *options, const char *const index[],
                                      int count);

/** Notes sizes of unused indices; `unused` as of tcplan_sizes_parse_more(). */
void request_note_unused(const struct options *options, const char *unused);

/** Notes tensors that exceed the machine's memory. */
void request_note_memory(const struct request *request, double bytes);

void request_free(struct request *request);

/** The number of size points, at least 1 if sizes are given. */
int64_t request_points(const struct request *request);

/** The problem at a size point. */
struct tcplan_problem request_problem(const struct request *request, int64_t point);

/** Starts a time limit for the whole command. */
void request_begin_limit(struct request *request);

/**
 * Returns the remaining seconds of the time limit, at least a nanosecond; the whole limit if it
 * applies to each part of the command; 0: no limit.
 */
double request_seconds_left(const struct request *request);

/** Makes a planner with the options' threads, alignment, workspace and preference; sets `failure`.
 */
enum tcplan_status request_planner(struct tcplan_planner **out, const struct options *options,
                                   enum tcplan_effort effort);

/** Returns the options for a ranking; the caller adds progress. */
struct tcplan_rank_options request_rank_options(const struct request *request);

#endif
