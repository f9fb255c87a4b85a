/**
 * Compares contenders that compute the same contraction, alternately, on arrays like users':
 * whole, in physical memory, aligned as by malloc and numpy. Every round samples each of them
 * once, in alternating directions, so that drift affects all alike. Two contenders are compared by
 * the ratios of their samples in the same rounds.
 */
#ifndef TCPLAN_STUDY_TURNS_H
#define TCPLAN_STUDY_TURNS_H

#include "tcplan/algorithm.h"
#include "tcplan/predict.h"
#include "tcplan/problem.h"
#include "tcplan/progress.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { TCPLAN_CONTENDERS_MAX = 8, TCPLAN_ROUNDS_MAX = TCPLAN_MAX_SAMPLES };

/** Times within this share of each other are equal. */
#define TCPLAN_EQUAL_SHARE 0.02

enum tcplan_contender_kind {
    TCPLAN_CONTENDER_ALGORITHM,
    TCPLAN_CONTENDER_NUMPY,       /**< numpy.einsum, in a python3 of its own */
    TCPLAN_CONTENDER_NUMPY_BEST,  /**< likewise with optimize=True */
    TCPLAN_CONTENDER_NUMPY_MATMUL /**< numpy.matmul on transposed and reshaped arrays */
};

/** How a contender stands to the fastest. */
enum tcplan_standing {
    TCPLAN_STANDING_FASTEST,
    TCPLAN_STANDING_TIE,    /**< its ratio's interval ends within TCPLAN_EQUAL_SHARE */
    TCPLAN_STANDING_SLOWER, /**< its ratio's interval begins above TCPLAN_EQUAL_SHARE */
    TCPLAN_STANDING_OPEN,   /**< neither: more rounds are needed */
    TCPLAN_STANDING_NONE    /**< it did not run */
};

/** A contender. Set `kind` and `algorithm`, the rest to zero. */
struct tcplan_contender {
    enum tcplan_contender_kind kind;
    const struct tcplan_algorithm *algorithm; /**< borrowed; of others NULL */
    int threads;                              /**< of the algorithm; 0: those of the options */
    char version[64];                         /**< of others: "numpy 1.26.4" */
    char reason[TCPLAN_MESSAGE_SIZE];         /**< why it did not run; empty: it did */
    double round_seconds[TCPLAN_ROUNDS_MAX];  /**< of one execution, by round */
    double round_reference_seconds[TCPLAN_ROUNDS_MAX]; /**< speed of the core during it: of a short
                                                          gemm; 0: not known */
    struct tcplan_estimate seconds;                    /**< median, 95 % interval */
    double ratio, ratio_low, ratio_high; /**< its time over that of the fastest in the same state of
                                            the core, 95 % interval */
    enum tcplan_standing standing;
};

struct tcplan_turns {
    int count; /**< at most TCPLAN_CONTENDERS_MAX */
    struct tcplan_contender contender[TCPLAN_CONTENDERS_MAX];
    int rounds;           /**< number of rounds completed by all contenders that ran */
    double spent_seconds; /**< total time spent */
    int fastest;          /**< its number; -1: none ran */
};

struct tcplan_turns_options {
    int threads;               /**< at least 1 */
    int64_t alignment_bytes;   /**< of arrays, a power of two; 0: as malloc aligns */
    int64_t max_memory_bytes;  /**< bound on the tensors; 0: what is free */
    double time_limit_seconds; /**< no round but the first starts after it, and no contender may
                                  take longer; 0: 20 */
    tcplan_progress_fn *progress;
    void *progress_context;
};

/**
 * Checks whether numpy can be a contender, before anything is timed.
 *
 * @param patience_seconds  longest time to wait for it: if it does not answer by then, numpy is
 * assumed to be present
 * @return TCPLAN_OK; TCPLAN_ENVIRONMENT, with the reason
 */
TCPLAN_API enum tcplan_status tcplan_turns_find_numpy(double patience_seconds,
                                                      struct tcplan_error *error);

/**
 * Runs the contenders until every ratio to the fastest is known to a half per cent, there were
 * TCPLAN_ROUNDS_MAX rounds, or the time is over.
 *
 * @return TCPLAN_OK, also if some contender did not run, which its `reason` says; TCPLAN_NO_MEMORY
 *         if the tensors do not fit; TCPLAN_INVALID
 */
TCPLAN_API enum tcplan_status tcplan_turns_run(struct tcplan_turns *turns,
                                               const struct tcplan_problem *problem,
                                               const struct tcplan_turns_options *options,
                                               struct tcplan_error *error);

/** Derives the remaining members from `rounds`, the samples and the reasons. A pure function. */
TCPLAN_API void tcplan_turns_judge(struct tcplan_turns *turns);

#ifdef __cplusplus
}
#endif

#endif
