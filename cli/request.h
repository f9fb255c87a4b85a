/**
 * Reads and checks the input of a command: its contraction, sizes, machine and algorithm.
 */
#ifndef CLI_REQUEST_H
#define CLI_REQUEST_H

#include "cli/options/options.h"
#include "tcplan/binding.h"
#include "tcplan/unstable.h"

/** Zero-initialise before use. */
struct request {
    const struct options *options;
    struct tcplan_contraction *contraction;
    struct tcplan_shapes *shapes;  /**< shapes of tensors; NULL: not given */
    struct tcplan_sizes *sizes;    /**< sizes, which may be derived from shapes; NULL: not given */
    struct tcplan_machine machine; /**< the machine; it uses the ceilings of the next member */
    struct tcplan_roofline *ceilings;      /**< ceilings; NULL: absent or not needed */
    char no_ceilings[TCPLAN_MESSAGE_SIZE]; /**< why existing ceilings are not used; empty if there
                                              are none */
    struct tcplan_experience *experience;  /**< stored observations of this machine; NULL: not
                                              needed, or there is no store */
    struct tcplan_models *models; /**< stored models; NULL: not needed, or there is no store */
    struct tcplan_store *code;    /**< store of compiled kernels; NULL: not needed, or there is no
                                     store */
    struct tcplan_stored_plans *plans; /**< stored plans; NULL: not needed, there is no store, or
                                          --no-plans is given */
    struct tcplan_binding binding;     /**< binding of --cores and --memory, after
                                          request_read_binding(); empty: not bound */
    struct tcplan_algorithm algorithm; /**< the algorithm of --algorithm if it is given */
    struct tcplan_algorithm baseline;  /**< the algorithm of --baseline if it is given */
    double deadline_seconds; /**< time, by monotonic_seconds(), at which the command's time limit
                                ends; 0: the limit applies to each part of the command */
};

/** Data that a command needs in addition to the contraction, as bits. */
enum request_need {
    REQUEST_SIZES = 1,
    REQUEST_MACHINE = 2,
    REQUEST_ONE_POINT = 4,
    REQUEST_CEILINGS = 16, /**< ceilings of the machine, if known */
    REQUEST_EXPERIENCE =
        32, /**< stored observations and models; stored_add_experience() stores new observations */
    REQUEST_PLANS = 64, /**< the user's stored plans, for plans_recall() and plans_keep() */
    REQUEST_UNTIMED = 8 /**< the command times nothing, so no note is needed if it uses the caches
                           of another machine */
};

/**
 * Reads everything that the options name, and validates all size points.
 *
 * @param out      receives the request, to be freed with request_free() even after an error
 * @param needs    bits of enum request_need
 * @return EXIT_DONE; another status after a message
 */
enum exit_status request_read(struct request *out, const struct options *options, unsigned needs);

/** Parses the name of an algorithm; if `name` is NULL, leaves `out` unchanged. */
enum exit_status request_read_algorithm(struct tcplan_algorithm *out, const struct request *request,
                                        const char *name);

/** Rejects more threads than processing units, unless --oversubscribe allows them. */
enum exit_status request_check_threads(const struct options *options);

/** Reads the binding of threads and memory from --cores and --memory. */
enum exit_status request_read_binding(struct tcplan_binding *out, const struct options *options);

/** Reads stored observations, models and compiled kernels, as REQUEST_EXPERIENCE does. */
enum exit_status request_read_experience(struct request *request);

/** Reads only the machine that the request's options name. */
enum exit_status request_read_machine(struct request *request, unsigned needs);

/** Prints the error of an invalid contraction, and its corrected spelling if there is one. */
enum exit_status request_refuse_contraction(const struct options *options);

/** Prints the error of invalid sizes or shapes. If neither is given, the error says that the
 * contraction needs them. */
enum exit_status request_refuse_sizes(const struct options *options, const char *const index[],
                                      int count);

/** Prints a note about sizes of indices that the contraction lacks; `unused` is from
 * tcplan_sizes_parse_more(). */
void request_note_unused(const struct options *options, const char *unused);

/** Rejects a sweep with more size points than --max-points; if `only_one`, with more than one
 * point. */
enum exit_status request_check_points(const struct options *options, int64_t points, bool only_one);

/** Prints a note if tensors with `bytes` bytes exceed the machine's memory. */
void request_note_memory(const struct request *request, double bytes);

void request_free(struct request *request);

/** Returns the number of size points, at least 1 if sizes are given. */
int64_t request_points(const struct request *request);

/** Returns the problem at a size point. */
struct tcplan_problem request_problem(const struct request *request, int64_t point);

/** Starts the time limit that applies to the whole command. */
void request_begin_limit(struct request *request);

/**
 * Returns the remaining seconds of the time limit, at least a nanosecond; the whole limit if it
 * applies to each part of the command; 0 if there is no limit.
 */
double request_seconds_left(const struct request *request);

/** Makes a planner with the threads, alignment, workspace and preference of the options. Sets
 * `failure` on errors. */
enum tcplan_status request_planner(struct tcplan_planner **out, const struct options *options,
                                   enum tcplan_effort effort);

/** Returns the options for a ranking. The caller adds the progress callback. */
struct tcplan_rank_options request_rank_options(const struct request *request);

#endif
