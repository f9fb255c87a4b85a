/**
 * The input of most actions of `blocked`: algorithms, sizes and block sizes, and the models that
 * they need.
 */
#ifndef CLI_COMMANDS_BLOCKED_BLOCKED_JOB_H
#define CLI_COMMANDS_BLOCKED_BLOCKED_JOB_H

#include "cli/commands/blocked/blocked_request.h"
#include "cli/render/blocked/blocked.h"
#include "cli/request.h"

enum { BLOCKED_LIBRARY = 128 };

struct blocked_job {
    const struct options *options;
    struct blocked_request of; /**< algorithms, sizes and block sizes of the command line */
    struct request request;    /**< machine, ceilings, experience, models */
    struct tcplan_model_setup setup;
    char library[BLOCKED_LIBRARY]; /**< library whose routines are called, as `OpenBLAS 0.3.21` */
    struct tcplan_blocked_map map; /**< predictions for each algorithm, size and block size; the job
                                      owns them, see blocked_job_predict() */
    struct tcplan_blocked_rank *rank;   /**< ranking at each size point; the job owns it, see
                                           blocked_job_predict() */
    size_t count;                       /**< number of predictions in the map */
    struct tcplan_blocked_sizes *point; /**< size points, owned by the job; their block sizes are
                                           unused */
    int64_t *block; /**< increasing block sizes, owned by the job: the given ones, and LAPACK's if
                       it is between them */
    int default_place; /**< position of LAPACK's block size in `block`; -1: none */
    int lapack;        /**< number of LAPACK's algorithm among the given ones; -1: none */
    struct tcplan_blocked_needs needs;
    struct blocked_head head;
    struct tcplan_node_lock *lock;
};

/** The steps of an action, in order. Each receives the action's own struct, which begins with a
 * struct blocked_job. NULL: the action has no such step. */
struct blocked_work {
    size_t size; /**< size of the action's struct, which is zeroed first */
    const struct blocked_work *(*other)(const struct blocked_job *job); /**< returns another action
                                                                           to execute instead, or
                                                                           NULL for none */
    enum exit_status (*prepare)(void *own); /**< checks the options before steps that take long */
    bool locks;                             /**< it times calls */
    enum exit_status (*run)(void *own);
    enum exit_status (*show)(void *own); /**< writes the picture and the C code, and prints the
                                            result */
    void (*release)(void *own);
};

/** The steps of the actions, each in a file of the same name. */
extern const struct blocked_work blocked_cache_work, blocked_measure_work, blocked_predict_work,
    blocked_rank_work, blocked_windows_work;

/** Reads the input of an action and executes its steps. */
enum exit_status blocked_job_run(const struct options *options);

/** Makes missing models with --generate, or after asking the user; otherwise fails. */
enum exit_status blocked_job_demand(struct blocked_job *job);

/** Allocates zeroed rankings and, if requested, predictions. */
enum exit_status blocked_job_reserve(struct blocked_job *job, bool predictions);

/** Ranks the algorithms by the map's predictions. */
void blocked_job_rank(struct blocked_job *job, double tie);

/** Predicts by models, all of which must exist, and ranks the algorithms. */
enum exit_status blocked_job_predict(struct blocked_job *job, double tie);

/** Returns the position in the map for an algorithm, a size point and a block size. */
size_t blocked_job_place(const struct blocked_job *job, int algorithm, int point, int block);

/** Returns whether a table is printed: with --plot or --emit only if -o or a format is also given.
 */
bool blocked_job_prints(const struct options *options);

/** Checks that the output file can be written, before the steps that take long. */
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

/** What a picture of `blocked` shows; all pointers are borrowed. */
struct blocked_picture {
    const struct blocked_job *job;           /**< job with predictions and rankings */
    const struct blocked_predicted *kernels; /**< predictions with kernels, in the order of the map;
                                                NULL: unknown */
    const struct tcplan_blocked_measured *measured; /**< measurements, in the order of the map;
                                                       NULL: not measured */
};

/** With --plot, checks that the file can be written and that a size or block size varies, before
 * the expensive steps. */
enum exit_status blocked_plot_check(const struct blocked_job *job);

/** Writes the picture with --plot. */
enum exit_status blocked_plot(const struct blocked_picture *picture);

#endif
