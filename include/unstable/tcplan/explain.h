/**
 * Explains a ranking: how two algorithms spend their time, and which differences make one faster.
 *
 * Numbers are of three kinds. Measured ones are timed for the explanation. Predicted ones come
 * from the ranking's timed windows. Analytic ones are computed from the loop nest, the sizes and
 * the machine's cache sizes.
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
    TCPLAN_PART_OVERHEAD, /**< measured: the time of a call with all extents 1, times the number of
                             calls; at most the time of the kernel alone */
    TCPLAN_PART_KERNEL,   /**< measured: the kernel alone, repeated on the same operands, minus the
                             overhead */
    TCPLAN_PART_COPIES,   /**< measured: copies and scalings, see struct tcplan_explained_copy */
    TCPLAN_PART_WAITING,  /**< not measured: the rest of the predicted time, spent on loops and on
                             waiting for operands; 0 if the measured parts fill the whole time */
    TCPLAN_PARTS
};

enum { TCPLAN_MAX_EXPLAINED_COPIES = 5 };

/** A copy or scaling in the nest. */
struct tcplan_explained_copy {
    enum tcplan_node_kind kind;
    struct tcplan_slice to;   /**< destination of a copy, or the scaled slice */
    struct tcplan_slice from; /**< source; for copies only */
    uint64_t summed;          /**< set of indices that the copy sums over; only for copies */
    double times;             /**< number of executions */
    double seconds;           /**< measured seconds of all executions of the copy or scaling */
    bool apart; /**< whether it was timed once per execution, in its actual cache state; otherwise
                   it is a short copy, timed repeatedly on cached data */
    bool accumulates; /**< whether it adds to existing values; the first execution may assign */
    bool streamed;    /**< whether it uses non-temporal stores */
};

/** One operand of the kernel in the steady calls; analytic. */
struct tcplan_explained_operand {
    struct tcplan_slice slice;
    int64_t bytes;         /**< number of bytes of the operand that a call needs */
    bool never;            /**< whether the operand was never accessed before: caches are cold */
    double distance_bytes; /**< number of bytes accessed since the operand's last access; INFINITY
                              if `never` */
    int level;             /**< the level that holds the operand: position in machine.cache, or
                              machine.cache_count for memory */
    bool prefetched;       /**< whether the hardware is assumed to prefetch the operand */
    int prefetch_level; /**< the level that holds the prefetched line; `level` if the operand is not
                           prefetched */
    double lines;       /**< cache lines that a call touches */
    double pages;       /**< pages that a call touches */
    double used_share;  /**< bytes that the call needs, as a share of the bytes of the lines that it
                           touches */
    double total_traffic_bytes; /**< bytes of the lines touched by all calls */
};

/** A class of calls that find the same cache state, see struct tcplan_call_class. Its numbers are
 * analytic. */
struct tcplan_explained_class {
    enum tcplan_class_kind kind;
    int loop;
    int64_t calls;
};

/** An algorithm with its time split into parts. */
struct tcplan_explained {
    struct tcplan_algorithm algorithm;
    size_t place; /**< position of the algorithm in the ranking, counted from 0 */
    bool pruned;  /**< whether the ranking did not predict the algorithm */
    bool tied;    /**< whether it is tied with the choice, in the comparison of the ranking or
                     otherwise of the explanation */
    /** the ranking's prediction; if the ranking did not compare the loser with the winner, derived
     * from the ratio of samples that were taken alternately for the explanation */
    struct tcplan_estimate prediction;
    double estimate_seconds; /**< seconds that the ranking estimated before the algorithm was
                                evaluated; INFINITY: not estimated */
    enum tcplan_time_source kernel_source; /**< source of the kernels' time in estimate_seconds */
    enum tcplan_time_source copy_source;   /**< source of the copies' time in estimate_seconds */
    int64_t calls;
    double stretch_seconds; /**< predicted seconds of all calls and the work between them, without
                               the copies that were timed separately */
    double call_seconds;    /**< stretch_seconds per call */
    double share; /**< share of the calls made by the thread with the most calls; 1 without parallel
                     loops */
    double kernel_seconds; /**< measured seconds of all calls of the thread with the most calls,
                              with the kernel alone */
    double kernel_gflops;  /**< speed of the kernel at kernel_seconds */
    double smallest_call_seconds; /**< measured seconds of one call with all extents 1 */
    double sampled_seconds; /**< measured seconds of the whole algorithm, from the stretches of
                               calls sampled for this explanation */
    double scale; /**< factor that converts measured times to parts: predicted time over the time of
                     the samples taken with them, or less if the parts would exceed the whole */
    double part_seconds[TCPLAN_PARTS]; /**< seconds of each part: nonnegative, with the sum
                                          prediction.seconds */
    int copy_count;
    struct tcplan_explained_copy copy[TCPLAN_MAX_EXPLAINED_COPIES];
    struct tcplan_explained_operand operand[TCPLAN_OPERANDS];
    int class_count;
    struct tcplan_explained_class call_class[TCPLAN_MAX_CLASSES];
};

/** What a reason states about a winner and a loser. */
enum tcplan_reason_kind {
    TCPLAN_REASON_FASTER, /**< states both predicted times and their ratio */
    TCPLAN_REASON_TIE,    /**< replaces TCPLAN_REASON_FASTER if the intervals overlap */
    TCPLAN_REASON_CALLS,  /**< states numbers of calls and times per call */
    TCPLAN_REASON_PART,   /**< the loser spends more on `part` */
    TCPLAN_REASON_LINES,  /**< the loser uses a smaller share of the cache lines of `operand` */
    TCPLAN_REASON_AHEAD /**< the opposite of TCPLAN_REASON_PART: the loser spends less on `part` */
};

struct tcplan_reason {
    enum tcplan_reason_kind kind;
    enum tcplan_part part;       /**< the part of the time; only for PART and AHEAD */
    enum tcplan_operand operand; /**< for LINES: the operand; for PART with waiting: the operand of
                                    the loser with the most traffic from the farthest level */
    double seconds; /**< seconds of the loser minus seconds of the winner, in total or in `part` */
};

enum { TCPLAN_WINNER, TCPLAN_LOSER, TCPLAN_EXPLAINED_SIDES, TCPLAN_MAX_REASONS = 6 };

struct tcplan_explanation {
    struct tcplan_problem problem;
    struct tcplan_machine machine; /**< the machine whose cache sizes were used */
    int64_t page_bytes;
    struct tcplan_load load; /**< other load while samples and parts were timed */
    bool unreliable; /**< whether the timings are unreliable: other load disturbed them, or the
                        parts alone took longer than the whole */
    int side_count;  /**< number of algorithms explained; 1: there is no other algorithm to compare
                        with */
    struct tcplan_explained side[TCPLAN_EXPLAINED_SIDES];
    int reason_count;
    struct tcplan_reason reason[TCPLAN_MAX_REASONS]; /**< reasons, sorted by decreasing difference;
                                                        none if side_count is 1 */
};

/**
 * Explains why the fastest algorithm of a ranking is faster than another. Times kernels and windows
 * of both on the ranking's memory.
 *
 * @param out        receives the explanation, to be freed with tcplan_explanation_free()
 * @param ranking    made by tcplan_rank() with the predictor TCPLAN_PREDICT_WINDOW; its entries do
 *                   not change
 * @param algorithm  the loser; NULL, or the fastest algorithm itself: the fastest that is not tied
 *                   with it, or else the second
 * @param options    the options given to tcplan_rank(); NULL: the defaults
 * @return TCPLAN_OK; TCPLAN_NOT_APPLICABLE if the algorithm cannot run at these sizes, or none can;
 *         TCPLAN_INVALID if it is not an algorithm of this contraction; TCPLAN_NO_MEMORY;
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
