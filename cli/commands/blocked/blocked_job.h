/**
 * The job of most actions of `blocked`: algorithms at sizes and block sizes, with the models that
 * these need.
 */
#ifndef CLI_COMMANDS_BLOCKED_BLOCKED_JOB_H
#define CLI_COMMANDS_BLOCKED_BLOCKED_JOB_H

#include "cli/commands/blocked/blocked_request.h"
#include "cli/render/blocked/blocked.h"
#include "cli/request.h"

enum { BLOCKED_LIBRARY = 128 };

struct blocked_job {
    const struct options *options;
    struct blocked_request of; /**< algorithms, and sizes as given */
    struct request request;    /**< machine, ceilings, experience, models */
    struct tcplan_model_setup setup;
    char library[BLOCKED_LIBRARY];      /**< the library that computes, as `OpenBLAS 0.3.21` */
    struct tcplan_blocked_map map;      /**< its predictions are owned, see blocked_job_predict() */
    struct tcplan_blocked_rank *rank;   /**< owned: of each point, see blocked_job_predict() */
    size_t count;                       /**< places of the map */
    struct tcplan_blocked_sizes *point; /**< owned; ignore their block sizes */
    int64_t *block;    /**< owned, increasing: the given ones, and LAPACK's if it is between them */
    int default_place; /**< LAPACK's among these; -1: none */
    int lapack;        /**< which of the algorithms is LAPACK's; -1: none */
    struct tcplan_blocked_needs needs;
    struct blocked_head head;
    struct tcplan_node_lock *lock;
};

/** An action: the steps of its work, in order. Each receives the action's own struct, which begins
 * with a struct blocked_job. NULL: nothing to do. */
struct blocked_work {
    size_t size; /**< of that struct, which is zeroed first */
    const struct blocked_work *(*other)(const struct blocked_job *job); /**< selects another action
                                                                           instead; NULL: none */
    enum exit_status (*prepare)(void *own); /**< before the expensive steps */
    bool locks;                             /**< it times calls */
    enum exit_status (*run)(void *own);
    enum exit_status (*show)(void *own); /**< draws, emits and prints */
    void (*release)(void *own);
};

/** The work of actions, each in a file of its name. */
extern const struct blocked_work blocked_cache_work, blocked_measure_work, blocked_predict_work,
    blocked_rank_work, blocked_windows_work;

/** Reads the job and does the work of the action. */
enum exit_status blocked_job_run(const struct options *options);

/** Makes missing models, with --generate or after asking; otherwise fails. */
enum exit_status blocked_job_demand(struct blocked_job *job);

/** Allocates zeroed ranks and, if requested, the map's predictions. */
enum exit_status blocked_job_reserve(struct blocked_job *job, bool predictions);

/** Ranks the algorithms by the map's predictions. */
void blocked_job_rank(struct blocked_job *job, double tie);

/** Predicts by models, none of which may be missing, and ranks. */
enum exit_status blocked_job_predict(struct blocked_job *job, double tie);

/** Index into the map of an algorithm, a point and a block size. */
size_t blocked_job_place(const struct blocked_job *job, int algorithm, int point, int block);

/** Whether a table is printed: with --plot or --emit only if -o or a format is given as well. */
bool blocked_job_prints(const struct options *options);

/** Checks that the output can be written, before the expensive steps. */
enum exit_status blocked_job_check_output(const struct options *options);

/* Pictures of predictions and measurements of blocked algorithms.
 *
 *   several n                       performance over n, a line for each algorithm with its best
 *                                   block size
 *   several b, one n                one algorithm: the share of each kernel over b; several:
 *                                   performance over b
 *   several n and b, one algorithm  performance over n and b as colours, with the best b of each n
 *
 * Measurements add marks to the predicted lines; over n and b, the colours then show the error of
 * the predicted median. */

/** The data to draw, all borrowed. */
struct blocked_picture {
    const struct blocked_job *job;           /**< with its predictions and ranks */
    const struct blocked_predicted *kernels; /**< in the order of the map's places; NULL: unknown */
    const struct tcplan_blocked_measured *measured; /**< in the same order; NULL: not measured */
};

/** With --plot, checks that the file can be written and that a size or block size varies, before
 * the expensive steps. */
enum exit_status blocked_plot_check(const struct blocked_job *job);

/** Writes the picture with --plot. */
enum exit_status blocked_plot(const struct blocked_picture *picture);

#endif
