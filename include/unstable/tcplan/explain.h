/**
 * Explaining a ranking: where the time of two algorithms goes, and which differences decide between
 * them.
 *
 * There are three kinds of numbers. Measured: timed on this machine for the explanation. Predicted:
 * the ranking's, from timed stretches. Analytic: computed from the loop nest, the sizes and the
 * machine's cache sizes, with nothing timed.
 */
#ifndef TCPLAN_EXPLAIN_H
#define TCPLAN_EXPLAIN_H

#include "tcplan/analysis.h"
#include "tcplan/rank.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The parts of an algorithm's predicted time. */
enum tcplan_part {
    TCPLAN_PART_OVERHEAD, /**< measured: the same kernel with all extents 1, times the calls; at
                             most the kernel alone */
    TCPLAN_PART_KERNEL,   /**< measured: the kernel alone, on operands in the cache state that one
                             call leaves, less the overhead */
    TCPLAN_PART_COPIES,   /**< measured: copies and scalings, see struct tcplan_explained_copy */
    TCPLAN_PART_WAITING, /**< the rest: waiting for operands, loops; 0 if the measured parts take as
                            long as the whole */
    TCPLAN_PARTS
};

enum { TCPLAN_MAX_EXPLAINED_COPIES = 5 };

/** A copy or scaling of the nest. */
struct tcplan_explained_copy {
    enum tcplan_node_kind kind;
    struct tcplan_slice to;   /**< scaling: what is scaled */
    struct tcplan_slice from; /**< copies only */
    uint64_t summed;          /**< copies only: the summed indices */
    double times;             /**< executions */
    double seconds;           /**< of all of them; measured */
    bool apart; /**< timed by itself, in the cache state it meets; otherwise, being short, repeated
                   in cache */
    bool accumulates; /**< adds to existing values, except for a first time, which may assign */
    bool streamed;    /**< with non-temporal stores */
};

/** One operand of the kernel in the steady calls; analytic. */
struct tcplan_explained_operand {
    struct tcplan_slice slice;
    int64_t bytes;         /**< that a call needs */
    bool never;            /**< not touched before: cold caches */
    double distance_bytes; /**< touched since its last access; INFINITY where never */
    int level; /**< where it is found: place in machine.cache, or machine.cache_count for memory */
    bool prefetched;    /**< hardware is taken to fetch it ahead of the call */
    int prefetch_level; /**< where the prefetched line is found; `level` if it is not prefetched */
    double lines;       /**< cache lines that a call touches */
    double pages;       /**< pages that a call touches */
    double used_share;  /**< of these lines' bytes, those that the call needs */
    double total_traffic_bytes; /**< lines of all calls */
};

/** Calls that meet the same state, see struct tcplan_call_class; analytic. */
struct tcplan_explained_class {
    enum tcplan_class_kind kind;
    int loop;
    int64_t calls;
};

/** One algorithm, its time taken apart. */
struct tcplan_explained {
    struct tcplan_algorithm algorithm;
    size_t place; /**< in the ranking, from 0 */
    bool pruned;  /**< the ranking did not predict it */
    bool tied;    /**< with the choice: in the rounds of the ranking, or else in those of the
                     explanation */
    /** the ranking's; of a loser that the ranking did not compare with the winner: by its ratio to
     * the winner in samples taken alternately */
    struct tcplan_estimate prediction;
    double estimate_seconds; /**< what the ranking took it to be before it was looked at; INFINITY:
                                not estimated */
    enum tcplan_time_source kernel_source; /**< where the kernels' time in that was from */
    enum tcplan_time_source copy_source;   /**< and of its copies */
    int64_t calls;
    double stretch_seconds; /**< predicted: all calls and the work between them, less copies timed
                               separately */
    double call_seconds;    /**< predicted: the same for one call */
    double share; /**< of the calls: what the thread makes that makes most of them; 1 where threads
                     share none */
    double kernel_seconds;             /**< measured: the kernel alone, all calls of that thread */
    double kernel_gflops;              /**< the speed that this means */
    double smallest_call_seconds;      /**< measured: one call with all extents 1 */
    double part_seconds[TCPLAN_PARTS]; /**< none is below 0; they sum to prediction.seconds */
    int copy_count;
    struct tcplan_explained_copy copy[TCPLAN_MAX_EXPLAINED_COPIES];
    struct tcplan_explained_operand operand[TCPLAN_OPERANDS];
    int class_count;
    struct tcplan_explained_class call_class[TCPLAN_MAX_CLASSES];
};

/** Comparison of a winner with a loser. */
enum tcplan_reason_kind {
    TCPLAN_REASON_FASTER, /**< the predicted times and their ratio */
    TCPLAN_REASON_TIE,    /**< instead: their intervals overlap */
    TCPLAN_REASON_CALLS,  /**< numbers of calls and times per call */
    TCPLAN_REASON_PART,   /**< the loser spends more on `part` */
    TCPLAN_REASON_LINES, /**< the loser's `operand` wastes cache lines that the winner's does not */
    TCPLAN_REASON_AHEAD  /**< against the result: the loser spends less on `part` */
};

struct tcplan_reason {
    enum tcplan_reason_kind kind;
    enum tcplan_part part;       /**< PART, AHEAD */
    enum tcplan_operand operand; /**< LINES; PART of waiting: the loser's operand that moves most
                                    from the farthest level */
    double seconds;              /**< loser less winner: in all, or in `part` */
};

enum { TCPLAN_WINNER, TCPLAN_LOSER, TCPLAN_EXPLAINED_SIDES, TCPLAN_MAX_REASONS = 6 };

struct tcplan_explanation {
    struct tcplan_problem problem;
    struct tcplan_machine machine; /**< whose cache sizes were taken */
    int64_t page_bytes;
    struct tcplan_load load; /**< while the samples and parts were timed */
    bool unreliable; /**< that disturbed them, or parts took longer by themselves than in the whole
                      */
    int side_count;  /**< 1: there is no other algorithm to compare with */
    struct tcplan_explained side[TCPLAN_EXPLAINED_SIDES];
    int reason_count;
    struct tcplan_reason reason[TCPLAN_MAX_REASONS]; /**< the largest difference first; none where
                                                        side_count is 1 */
};

/**
 * Explains why the fastest algorithm of a ranking is faster than another. Times kernels and
 * stretches of both, on the ranking's memory.
 *
 * @param out        receives the explanation, to be freed with tcplan_explanation_free()
 * @param ranking    made by tcplan_rank() with the predictor TCPLAN_PREDICT_WINDOW; its entries
 *                   stay as they are
 * @param algorithm  the loser; NULL, or the fastest itself: the fastest that is not tied with it,
 *                   or else the second
 * @param options    as given to tcplan_rank(); NULL: the defaults
 * @return TCPLAN_OK; TCPLAN_NOT_APPLICABLE if the algorithm, or any, cannot run at these sizes;
 *         TCPLAN_INVALID if the algorithm is not of this contraction; TCPLAN_NO_MEMORY;
 *         TCPLAN_ENVIRONMENT
 */
TCPLAN_API enum tcplan_status tcplan_explain(struct tcplan_explanation **out,
                                             struct tcplan_ranking *ranking,
                                             const struct tcplan_algorithm *algorithm,
                                             const struct tcplan_rank_options *options,
                                             struct tcplan_error *error);

/** Frees an explanation; NULL is fine. */
TCPLAN_API void tcplan_explanation_free(struct tcplan_explanation *explanation);

#ifdef __cplusplus
}
#endif

#endif
