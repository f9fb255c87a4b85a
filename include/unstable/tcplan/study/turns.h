/**
 * Compares contenders that compute the same contraction, alternately, on arrays like those of
 * users: complete, backed by physical memory, aligned as by malloc and numpy. Every round samples
 * each contender once, alternately in forward and reverse order, so that drift affects all alike.
 * Two contenders are compared by the ratios of their samples in the same rounds.
 */
#ifndef TCPLAN_STUDY_TURNS_H
#define TCPLAN_STUDY_TURNS_H

#include "tcplan/algorithm.h"
#include "tcplan/binding.h"
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
    TCPLAN_CONTENDER_NUMPY,      /**< numpy.einsum, in a separate python3 process */
    TCPLAN_CONTENDER_NUMPY_BEST, /**< numpy.einsum with optimize=True, in a separate python3 process
                                  */
    TCPLAN_CONTENDER_NUMPY_MATMUL /**< numpy.matmul on transposed and reshaped arrays */
};

/** Speed of a contender compared with the fastest. */
enum tcplan_standing {
    TCPLAN_STANDING_FASTEST,
    TCPLAN_STANDING_TIE, /**< tied: its ratio's 95 % interval ends below 1 + TCPLAN_EQUAL_SHARE */
    TCPLAN_STANDING_SLOWER, /**< slower: its ratio's 95 % interval begins above 1 +
                               TCPLAN_EQUAL_SHARE */
    TCPLAN_STANDING_OPEN,   /**< undecided: more rounds are needed */
    TCPLAN_STANDING_NONE    /**< none: the contender did not run */
};

/** A contender. Set `kind` and `algorithm`, and zero-initialise the rest. */
struct tcplan_contender {
    enum tcplan_contender_kind kind;
    const struct tcplan_algorithm *algorithm; /**< the algorithm, borrowed; NULL for other kinds of
                                                 contenders */
    int threads;      /**< for an algorithm: its number of threads; 0: the number in the options */
    char version[64]; /**< for other kinds: version, such as "numpy 1.26.4" */
    char reason[TCPLAN_MESSAGE_SIZE];        /**< why the contender did not run; empty: it ran */
    double round_seconds[TCPLAN_ROUNDS_MAX]; /**< time of one execution in each round */
    double round_reference_seconds[TCPLAN_ROUNDS_MAX]; /**< in each round, time of a short gemm: the
                                                          speed of the core; 0: unknown */
    struct tcplan_estimate seconds; /**< median of the rounds (mean, if there are few) with 95 %
                                       interval */
    double ratio, ratio_low, ratio_high; /**< time of this contender over that of the fastest,
                                            corrected for the core's speed, with 95 % interval */
    enum tcplan_standing standing;
};

struct tcplan_turns {
    int count; /**< number of contenders, at most TCPLAN_CONTENDERS_MAX */
    struct tcplan_contender contender[TCPLAN_CONTENDERS_MAX];
    int rounds;           /**< number of rounds completed by all contenders that ran */
    double spent_seconds; /**< total time spent */
    int fastest;          /**< number of the fastest contender; -1: none ran */
};

struct tcplan_turns_options {
    int threads;                   /**< number of threads, at least 1 */
    struct tcplan_binding binding; /**< cores of threads and NUMA nodes of memory; empty: not bound
                                    */
    int64_t alignment_bytes;       /**< alignment of arrays, a power of two; 0: that of malloc */
    int64_t max_memory_bytes;      /**< memory limit for the tensors; 0: the free memory */
    double time_limit_seconds; /**< time limit; after it no round starts, except the first. It also
                                  limits each single contender. 0: 20 seconds */
    tcplan_progress_fn *progress;
    void *progress_context;
};

/**
 * Checks whether numpy can be a contender, before anything is timed.
 *
 * @param patience_seconds longest time to wait for numpy: if it does not answer by then, it is
 *     assumed to be present
 * @return TCPLAN_OK; TCPLAN_ENVIRONMENT, with the reason
 */
TCPLAN_API enum tcplan_status tcplan_turns_find_numpy(double patience_seconds,
                                                      struct tcplan_error *error);

/**
 * Runs the contenders until every ratio to the fastest is known to half a per cent,
 * TCPLAN_ROUNDS_MAX rounds were made, or the time limit has passed.
 *
 * @return TCPLAN_OK, also if a contender did not run (`reason` says why); TCPLAN_NO_MEMORY if the
 *     tensors do not fit; TCPLAN_INVALID
 */
TCPLAN_API enum tcplan_status tcplan_turns_run(struct tcplan_turns *turns,
                                               const struct tcplan_problem *problem,
                                               const struct tcplan_turns_options *options,
                                               struct tcplan_error *error);

/** Computes the members that follow from `rounds`, samples and reasons: times, ratios, standings,
 * `fastest`. A pure function. */
TCPLAN_API void tcplan_turns_judge(struct tcplan_turns *turns);

#ifdef __cplusplus
}
#endif

#endif
