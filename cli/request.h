/**
 * What a command works on: the contraction, sizes, machine and algorithm that the command line
 * names, read and checked.
 */
#ifndef CLI_REQUEST_H
#define CLI_REQUEST_H

#include "cli/options/options.h"
#include "tcplan/unstable.h"

/** Zero-initialise before use. */
struct request {
    const struct options *options;
    struct tcplan_contraction *contraction;
    struct tcplan_shapes *shapes;          /**< NULL: none were given */
    struct tcplan_sizes *sizes;            /**< likewise; of the shapes, where those were given */
    struct tcplan_machine machine;         /**< its ceilings are those below */
    struct tcplan_roofline *ceilings;      /**< NULL: none, or none were asked for */
    char no_ceilings[TCPLAN_MESSAGE_SIZE]; /**< why those that are there are not used; empty where
                                              there are none at all */
    struct tcplan_experience *experience;  /**< of this machine; NULL: none was asked for, or there
                                              is no store */
    struct tcplan_models *models;          /**< likewise */
    struct tcplan_store *code;             /**< likewise: where compiled kernels are kept */
    struct tcplan_stored_plans *plans;     /**< likewise, or none are to be used */
    struct tcplan_algorithm algorithm;     /**< where options->algorithm is given */
    struct tcplan_algorithm baseline;      /**< likewise */
    double deadline_seconds; /**< of monotonic_seconds(): when the time limit of all that the
                                command does is over; 0: each part has the limit for itself */
};

/** What a command needs besides the contraction. */
enum request_need {
    REQUEST_SIZES = 1,
    REQUEST_MACHINE = 2,
    REQUEST_ONE_POINT = 4,
    REQUEST_CEILINGS = 16,   /**< of the machine, where they are known */
    REQUEST_EXPERIENCE = 32, /**< what looks taught, and models: to search with; the former to be
                                kept with kept_keep_experience() */
    REQUEST_PLANS = 64, /**< the user's stored plans: to be found with plans_recall(), and kept with
                           plans_keep() */
    REQUEST_UNTIMED = 8 /**< nothing is timed, so that another machine's caches need no note */
};

/**
 * Reads everything that the options name; all size points are known to be valid then.
 *
 * @param out      receives the request, to be freed with request_free() whatever is returned
 * @param needs    bits of enum request_need
 * @return EXIT_DONE; another status after its message was printed
 */
enum exit_status request_read(struct request *out, const struct options *options, unsigned needs);

/** Reads only the machine that the request's options name. */
enum exit_status request_read_machine(struct request *request, unsigned needs);

/** Prints that sizes name more than the indices; `unused` as of tcplan_sizes_parse_more(). */
void request_note_unused(const struct options *options, const char *unused);

/** Prints that tensors of so many bytes are more than the machine's memory, if they are. */
void request_note_memory(const struct request *request, double bytes);

void request_free(struct request *request);

/** The number of size points, at least 1 where sizes were given. */
int64_t request_points(const struct request *request);

/** The problem at a size point. */
struct tcplan_problem request_problem(const struct request *request, int64_t point);

/** Begins the time limit of all that the command does together. */
void request_begin_limit(struct request *request);

/**
 * Seconds of the time limit that are left, at least a nanosecond; the whole of it where it is for
 * each part of the command; 0: there is none.
 */
double request_seconds_left(const struct request *request);

/** What the library wants to know for a ranking; the caller adds progress. */
struct tcplan_rank_options request_rank_options(const struct request *request);

#endif
