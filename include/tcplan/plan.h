/**
 * Planning: rank the algorithms of a problem, keep the best, execute it often.
 */
#ifndef TCPLAN_PLAN_H
#define TCPLAN_PLAN_H

#include "tcplan/benchmark.h"
#include "tcplan/execute.h"
#include "tcplan/predict.h"
#include "tcplan/progress.h"

/** What became of an algorithm. */
enum tcplan_entry_status {
    TCPLAN_ENTRY_PREDICTED,
    TCPLAN_ENTRY_PRUNED,        /**< its lower bound exceeds the best prediction: it was not predicted */
    TCPLAN_ENTRY_MEASURED,      /**< run for real, with or without a prediction beside it */
    TCPLAN_ENTRY_NOT_APPLICABLE /**< cannot run at these sizes: a stride exceeds the BLAS integer */
};

struct tcplan_entry {
    struct tcplan_algorithm algorithm;
    enum tcplan_entry_status status;
    uint64_t ordinal; /**< place in the enumeration, from 0: settles equal times */
    bool predicted;   /**< `prediction` is set */
    bool tied;        /**< its interval overlaps that of the fastest, and one of its samples lies within that */
    struct tcplan_estimate prediction;
    int benchmark_count;
    struct tcplan_benchmark *benchmark; /**< TCPLAN_PREDICT_THESIS: where the prediction comes from */
    struct tcplan_estimate measured;    /**< status measured */
    double lower_bound_seconds;         /**< the kernel on operands that stay in cache, times the calls; 0 where it was not timed */
    int64_t calls;                      /**< kernel calls of one execution */
};

/** A ranking holds every algorithm: contractions with more are refused. */
enum { TCPLAN_MAX_RANKED = 100000 };

struct tcplan_rank_options {
    enum tcplan_predictor predictor;
    enum tcplan_stage stage;   /**< TCPLAN_PREDICT_THESIS: how much of the method is applied */
    int64_t setup_limit_bytes; /**< TCPLAN_PREDICT_THESIS: cache setups are cut here; 0: at 5/4 of the last cache */
    enum tcplan_cache_state cache;
    int threads;                          /**< of the BLAS, at least 1 */
    bool predict_all;                     /**< prune nothing */
    uint64_t seed;                        /**< equal seeds choose equal windows */
    int64_t max_memory_bytes;             /**< bound on the tensors' resident memory; 0: 384 MiB to predict, what is free to measure */
    const struct tcplan_machine *machine; /**< caches to assume; NULL: this machine's */
    tcplan_progress_fn *progress;         /**< NULL: none */
    void *progress_context;
};

struct buffers;

/** A ranking, fastest first: predicted entries by time, then pruned ones by bound, then those that do not apply. */
struct tcplan_ranking {
    struct tcplan_problem problem;
    size_t entry_count;
    struct tcplan_entry *entry;
    double planning_seconds; /**< wall clock, everything included */
    double gemm_gflops;      /**< this machine's speed for a large gemm of the same type and threads, measured alongside */
    size_t tied_count;       /**< entries tied with the fastest, itself included */
    struct buffers *buffers; /**< private: the memory that was measured on */
};

/** The defaults: window, all stages, warm, one thread, pruning, seed 1. */
TCPLAN_API struct tcplan_rank_options tcplan_rank_defaults(void);

/**
 * Ranks all algorithms of the `blas` space of a problem.
 *
 * @param options  NULL: the defaults
 * @param out      receives the ranking, to be freed with tcplan_ranking_free()
 * @return TCPLAN_OK; TCPLAN_OVERFLOW where there are more than TCPLAN_MAX_RANKED algorithms; TCPLAN_NO_MEMORY (also: tensors do not
 *         fit the address space); TCPLAN_ENVIRONMENT
 */
TCPLAN_API enum tcplan_status tcplan_rank(struct tcplan_ranking **out, const struct tcplan_problem *problem,
                                          const struct tcplan_rank_options *options, struct tcplan_error *error);

/**
 * Predicts pruned entries until the first `count` are the `count` fastest for certain, their bounds excluding all others: what a
 * comparison with measured times needs. Adds to planning_seconds. Status as tcplan_rank().
 */
TCPLAN_API enum tcplan_status tcplan_ranking_predict_front(struct tcplan_ranking *ranking, size_t count,
                                                           const struct tcplan_rank_options *options, struct tcplan_error *error);

/**
 * Whether the tensors of a problem can be backed as a whole, as running needs: TCPLAN_OK, or TCPLAN_NO_MEMORY with the figures.
 */
TCPLAN_API enum tcplan_status tcplan_measure_check(const struct tcplan_problem *problem, const struct tcplan_rank_options *options,
                                                   struct tcplan_error *error);

/**
 * Runs entries [first, first + count) of a ranking for real, interleaved, and fills in `measured`; re-sorts nothing.
 * The whole tensors are backed, in the memory that the predictions were made on: where physical pages lie is part of the result.
 *
 * @return TCPLAN_OK; TCPLAN_NO_MEMORY where the tensors do not fit max_memory_bytes or the machine's memory
 */
TCPLAN_API enum tcplan_status tcplan_ranking_measure(struct tcplan_ranking *ranking, size_t first, size_t count,
                                                     const struct tcplan_rank_options *options, struct tcplan_error *error);

/**
 * Predicts every entry of a ranking anew, with options of their own, on the same memory, and sorts. Measured times stay in `measured`; which
 * entries have one is forgotten.
 */
TCPLAN_API enum tcplan_status tcplan_ranking_predict(struct tcplan_ranking *ranking, const struct tcplan_rank_options *options,
                                                     struct tcplan_error *error);

/** Makes a ranking with the one given algorithm, predicted. Status as tcplan_rank(), and TCPLAN_NOT_APPLICABLE. */
TCPLAN_API enum tcplan_status tcplan_rank_one(struct tcplan_ranking **out, const struct tcplan_problem *problem,
                                              const struct tcplan_algorithm *algorithm, const struct tcplan_rank_options *options,
                                              struct tcplan_error *error);

/** Frees a ranking; NULL is fine. */
TCPLAN_API void tcplan_ranking_free(struct tcplan_ranking *ranking);

/** A problem with the algorithm chosen for it: plan once, execute often. */
struct tcplan_plan;

/** Ranks and keeps the fastest. Free with tcplan_plan_free(). Status as tcplan_rank(). */
TCPLAN_API enum tcplan_status tcplan_plan_new(struct tcplan_plan **out, const struct tcplan_problem *problem,
                                              const struct tcplan_rank_options *options, struct tcplan_error *error);

/** A plan for an algorithm already chosen, for example by name from an earlier run. */
TCPLAN_API enum tcplan_status tcplan_plan_from(struct tcplan_plan **out, const struct tcplan_problem *problem,
                                               const struct tcplan_algorithm *algorithm, struct tcplan_error *error);

/** Computes the contraction, see tcplan_program_run(). */
TCPLAN_API void tcplan_plan_execute(struct tcplan_plan *plan, const void *A, const void *B, void *C);

/** The algorithm a plan uses. */
TCPLAN_API const struct tcplan_algorithm *tcplan_plan_algorithm(const struct tcplan_plan *plan);

/** Frees a plan; NULL is fine. */
TCPLAN_API void tcplan_plan_free(struct tcplan_plan *plan);

#endif
