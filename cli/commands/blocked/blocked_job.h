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
    struct blocked_request of; /**< algorithms, sizes and block sizes that the command line selects
                                */
    struct request request;    /**< machine, ceilings, experience and models */
    struct tcplan_model_setup setup;
    char library[BLOCKED_LIBRARY]; /**< library whose routines are called, such as `OpenBLAS 0.3.21`
                                    */
    struct tcplan_blocked_map map; /**< predictions for each algorithm, size and block size; the job
                                      owns them, see blocked_job_predict() */
    struct tcplan_blocked_rank *rank;   /**< ranking at each size point; the job owns it, see
                                           blocked_job_predict() */
    size_t count;                       /**< number of predictions in the map */
    struct tcplan_blocked_sizes *point; /**< size points, owned by the job; their block sizes are
                                           unused */
    int64_t *block;    /**< block sizes in increasing order, owned by the job: those of the command
                          line, and LAPACK's if it is between them */
    int default_place; /**< position of LAPACK's block size in `block`; -1 if absent */
    int lapack;        /**< number of LAPACK's algorithm among the selected ones; -1 if absent */
    struct tcplan_blocked_needs needs;
    struct blocked_head head;
    struct tcplan_node_lock *lock;
};

/** The steps of an action, in order. Each receives the action's own struct, which begins with a
 * struct blocked_job. NULL: the action has no such step. */
struct blocked_work {
    size_t size; /**< size of the action's struct, which is zeroed first */
    const struct blocked_work *(*other)(const struct blocked_job *job); /**< returns the steps of
                                                                           another action to execute
                                                                           instead; NULL: continue
                                                                           with this action */
    enum exit_status (*prepare)(void *own); /**< checks the options before the slow steps */
    bool locks; /**< whether the action times calls, and therefore locks the machine */
    enum exit_status (*run)(void *own);
    enum exit_status (*show)(void *own); /**< draws the picture, writes the C code, and prints the
                                            result */
    void (*release)(void *own);
};

/** The steps of each action; each is defined in the file of the same name. */
extern const struct blocked_work blocked_cache_work, blocked_measure_work, blocked_predict_work,
    blocked_rank_work, blocked_windows_work;

/** Reads the input of an action and executes the action's steps. */
enum exit_status blocked_job_run(const struct options *options);

/** Makes missing models if --generate is given or the user agrees; otherwise fails with a
 * message. */
enum exit_status blocked_job_demand(struct blocked_job *job);

/** Allocates zeroed rankings; with `predictions`, also zeroed predictions. */
enum exit_status blocked_job_reserve(struct blocked_job *job, bool predictions);

/** Ranks the algorithms by the map's predictions. `tie` is the relative difference up to which
 * algorithms are tied. */
void blocked_job_rank(struct blocked_job *job, double tie);

/** Predicts times by models, all of which must exist, and ranks the algorithms. */
enum exit_status blocked_job_predict(struct blocked_job *job, double tie);

/** Returns the position of an algorithm, a size point and a block size in the map. */
size_t blocked_job_place(const struct blocked_job *job, int algorithm, int point, int block);

/** Returns whether a table is printed. With --plot or --emit, this requires -o or an output
 * format. */
bool blocked_job_prints(const struct options *options);

/** Checks that the output file can be written, before the slow steps. */
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

/** Contents of a picture of `blocked`; all pointers are borrowed. */
struct blocked_picture {
    const struct blocked_job *job;           /**< job with predictions and rankings */
    const struct blocked_predicted *kernels; /**< predictions with the shares of kernels, in the
                                                order of the map; NULL: unknown */
    const struct tcplan_blocked_measured *measured; /**< measurements, in the order of the map;
                                                       NULL: not measured */
};

/** With --plot, checks that the file can be written and that a size or block size varies. Runs
 * before the slow steps. */
enum exit_status blocked_plot_check(const struct blocked_job *job);

/** Writes the picture to the file of --plot. */
enum exit_status blocked_plot(const struct blocked_picture *picture);

#endif
