/**
 * Predicts blocked algorithms from models of their routines (Peise 2017, chapter 4); nothing is
 * executed.
 *
 * Algorithm, sizes and block size determine the calls (tcplan/blocked.h); models give the time of
 * each (tcplan/models.h); a prediction is the sum:
 *
 *   t^s   = sum of the calls' t^s,   s in {minimum, maximum, mean}                     (4.1, 4.2)
 *   t^dev = sqrt(sum of the squares of the calls' t^dev): assumes uncorrelated calls  (4.3)
 *   t^median = t^mean - average of the calls' (t^mean - t^median), weighted by the squares of t^dev
 *   p^min = flops / t^max, p^median = flops / t^median, p^max = flops / t^min               (4.4)
 *   p^mean = flops / t^mean * (1 + (t^dev / t^mean)^2), p^dev = flops * t^dev / (t^mean)^2  (4.5)
 *   e^s   = p^s / peak                                                                      (4.6)
 *
 * where flops are those of the operation, the minimum over its algorithms, not those of this
 * algorithm. The source adds medians; but rare long times make means larger than medians, and the
 * median of a sum of many such times is near its mean. (The source omits the square in equation
 * (4.5). With the square, the units are right and the source's example is reproduced.) Models, and
 * therefore predictions, assume warm operands and the core's good clock regime.
 *
 * A model applies to a call if routine, flags, scalars and increments match its case, provider and
 * threads match its setup, and the sizes are in its domain. Sizes below the domain (counted in
 * `below`) are replaced by the nearest sizes in it, if the domain begins at TCPLAN_BLOCKED_LEAST or
 * lower. If other sizes bound that size (larft has at least as many rows as columns), the model is
 * continued along a line. Calls with a size of 0 take no time (table 4.1). If any other call has no
 * model, there is no prediction without extrapolation, and tcplan_blocked_needs_add() lists the
 * missing models.
 */
#ifndef TCPLAN_BLOCKED_PREDICT_H
#define TCPLAN_BLOCKED_PREDICT_H

#include "tcplan/blocked.h"
#include "tcplan/models.h"
#include "tcplan/progress.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    TCPLAN_BLOCKED_LEAST = 24,   /**< smallest size in domains of models (table 3.1); smaller sizes
                                    are treated as equal to it */
    TCPLAN_BLOCKED_KERNELS = 48, /**< maximum number of kernels of a prediction */
    TCPLAN_BLOCKED_KERNEL_NAME = 32, /**< size of the buffer for a kernel's name, in bytes */
    /** size of the buffer for an argument of `tcplan model generate`, in bytes */
    TCPLAN_BLOCKED_WORD = 256
};

/** Two predicted times within this share of each other are tied by default: the source could not
 * distinguish them (4.5.2, rounded). */
#define TCPLAN_BLOCKED_TIE 0.015

/* Prediction for a single algorithm and size. */

/** Predicted time of an algorithm at given sizes. */
struct tcplan_blocked_prediction {
    double seconds[TCPLAN_MODEL_STATISTICS]; /**< seconds by enum tcplan_model_statistic */
    double flops;  /**< flops of the operation, the minimum over its algorithms */
    double error;  /**< error of the models, as a share of the median. For each call, the larger of
                      two errors counts: that of its model's check (90th percentile) and that at the
                      model's points */
    int64_t calls; /**< number of executed calls */
    int64_t empty; /**< number of calls with a size of 0 */
    int64_t below; /**< number of calls whose sizes were replaced by the nearest sizes in a domain
                    */
    int64_t extrapolated;             /**< number of calls whose sizes no model contains, see
                                         tcplan_blocked_predictor_extrapolate() */
    double extrapolated_share;        /**< part of the median that these calls take, from 0 to 1 */
    double low_seconds, high_seconds; /**< interval of the median due to extrapolation; both are the
                                         median if no call is extrapolated */
};

/** The part of a prediction due to one kernel, a routine with its flags. */
struct tcplan_blocked_kernel {
    char name[TCPLAN_BLOCKED_KERNEL_NAME]; /**< `dtrsm_RLTN` */
    int64_t calls;
    double seconds[TCPLAN_MODEL_STATISTICS];
    double flops; /**< floating-point operations of the kernel's calls */
};

/** Computes the performance in flop/s by equations (4.4) and (4.5), by enum tcplan_model_statistic;
 * all 0 if the time is 0. */
TCPLAN_API void tcplan_blocked_performance(double out[TCPLAN_MODEL_STATISTICS],
                                           const double seconds[TCPLAN_MODEL_STATISTICS],
                                           double flops);

/** An algorithm, and the models of its calls. */
struct tcplan_blocked_predictor;

/**
 * Looks up the models of an algorithm's calls.
 *
 * @param out      receives the predictor, to be freed with tcplan_blocked_predictor_free() before
 *                 algorithm and models, which it borrows
 * @param setup    setup of the models; an empty version matches any. tcplan's own routines always
 *                 have the provider `own` and one thread
 * @return TCPLAN_OK, also if models are missing; TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_blocked_predictor_new(struct tcplan_blocked_predictor **out,
                                                           const struct tcplan_blocked *blocked,
                                                           const struct tcplan_models *models,
                                                           const struct tcplan_model_setup *setup,
                                                           struct tcplan_error *error);

/**
 * Permits calls whose sizes no model contains. The time of such a call is the time at the nearest
 * sizes of a model, multiplied by the ratio of the operation counts (for routines that only move
 * data: of the bytes of the operands). The interval of its median reaches from the minimum to the
 * maximum of these times, with and without the ratio.
 */
TCPLAN_API void tcplan_blocked_predictor_extrapolate(struct tcplan_blocked_predictor *predictor);

/** Frees a predictor; does nothing if it is NULL. */
TCPLAN_API void tcplan_blocked_predictor_free(struct tcplan_blocked_predictor *predictor);

/**
 * Predicts an algorithm at some sizes.
 *
 * @param kernel  receives the kernels, the slowest first; may be NULL
 * @param count   receives their number, at most TCPLAN_BLOCKED_KERNELS; if there are more, the last
 *                one combines the rest. NULL with `kernel`
 * @return TCPLAN_OK; TCPLAN_INVALID if a call lacks its model, which the message names;
 *         TCPLAN_INVALID or TCPLAN_OVERFLOW if the algorithm cannot be computed at these sizes
 */
TCPLAN_API enum tcplan_status tcplan_blocked_predict(
    struct tcplan_blocked_prediction *out, struct tcplan_blocked_kernel kernel[], int *count,
    const struct tcplan_blocked_predictor *predictor, const struct tcplan_blocked_sizes *sizes,
    struct tcplan_error *error);

/* Required models. */

/** A model that some calls of an algorithm need. */
struct tcplan_blocked_need {
    char case_text[TCPLAN_MODEL_TEXT];
    bool is_own; /**< whether the routine is tcplan's own, with provider `own` */
    struct tcplan_model_domain domain; /**< box that contains the sizes of all these calls; its ends
                                          are multiples of 8, or equal to each other */
    char word
        [TCPLAN_BLOCKED_WORD]; /**< argument of `tcplan model generate` that makes the model,
                                  as
                                  `dtrsm:side=R,uplo=L,transA=T,diag=N,alpha=1,m=24:4000,n=24:536`
                                */
    bool missing;              /**< whether some of these calls have no model */
};

/** Zero-initialise before use. */
struct tcplan_blocked_needs {
    size_t count;
    size_t missing;
    struct tcplan_blocked_need *of; /**< owned */
};

/**
 * Adds the models that an algorithm needs at these sizes: one for each kernel of its text, on the
 * bounding box of its calls' sizes. Needs that an earlier one covers are not added. If a kernel of
 * the text has several calls of different sizes, as in the panels of Sylvester's equation, one box
 * contains them all.
 *
 * @param size  `count` sizes and block sizes; the two ends of a range are enough
 * @return TCPLAN_OK; TCPLAN_INVALID or TCPLAN_OVERFLOW if the algorithm cannot be computed at one
 *         of the sizes; TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_blocked_needs_add(
    struct tcplan_blocked_needs *needs, const struct tcplan_blocked_predictor *predictor,
    const struct tcplan_blocked_sizes size[], int count, struct tcplan_error *error);

TCPLAN_API void tcplan_blocked_needs_free(struct tcplan_blocked_needs *needs);

/* Predictions for many algorithms, sizes and block sizes. */

/** Algorithms, sizes, block sizes, and a prediction for each combination. Zero-initialise, then set
 * the first members. */
struct tcplan_blocked_map {
    int algorithms;
    const struct tcplan_blocked *const *blocked; /**< algorithms of one operation; borrowed */
    int points;
    const struct tcplan_blocked_sizes *point; /**< sizes, whose block sizes are ignored; borrowed */
    int blocks;
    const int64_t *block; /**< block sizes in increasing order; borrowed */
    bool extrapolates;    /**< whether calls are predicted whose sizes no model contains, see
                             tcplan_blocked_predictor_extrapolate() */
    struct tcplan_blocked_prediction *prediction; /**< receives the predictions, owned; see
                                                     tcplan_blocked_map_at() */
    double spent_seconds; /**< receives the seconds that making the map took */
};

/**
 * Fills in a map.
 *
 * @return TCPLAN_OK; TCPLAN_INVALID if a call lacks its model, which the message names, or sizes
 *         are invalid; TCPLAN_OVERFLOW if the map or a matrix is too large; TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_blocked_map_make(struct tcplan_blocked_map *map,
                                                      const struct tcplan_models *models,
                                                      const struct tcplan_model_setup *setup,
                                                      tcplan_progress_fn *progress,
                                                      void *progress_context,
                                                      struct tcplan_error *error);

TCPLAN_API void tcplan_blocked_map_free(struct tcplan_blocked_map *map);

/** Returns the prediction for the algorithm, point and block with these numbers. */
TCPLAN_API const struct tcplan_blocked_prediction *tcplan_blocked_map_at(
    const struct tcplan_blocked_map *map, int algorithm, int point, int block);

/** An algorithm of a ranking. */
struct tcplan_blocked_rank {
    int algorithm; /**< the algorithm's number in the map */
    int block; /**< number, in the map, of the algorithm's best block size: the smallest one with
                  the shortest median time */
    int alike_first, alike_last; /**< first and last number of the neighbouring block sizes that are
                                    tied with the best one */
    bool tied; /**< whether the algorithm is tied with the first algorithm of the ranking */
    int same;  /**< position in the ranking of the first algorithm that makes the same calls;
                  possibly its own position */
    double measured_seconds; /**< median time of its runs, see tcplan_blocked_confirm(); 0: it did
                                not run */
};

/**
 * Ranks the algorithms of a map at one of its points, each with its best block size, by the median
 * time; algorithms with equal times are in the order of their numbers. A pure function.
 *
 * @param out  receives one entry for each algorithm of the map
 * @param tie  share within which two times are tied, see TCPLAN_BLOCKED_TIE
 */
TCPLAN_API void tcplan_blocked_rank(struct tcplan_blocked_rank out[],
                                    const struct tcplan_blocked_map *map, int point, double tie);

/* Block sizes for programs. */

/** A size, and the block size to use for it. */
struct tcplan_block_size {
    int64_t n;
    int64_t block;
    double seconds; /**< predicted time */
    double gain;    /**< predicted time with LAPACK's block size divided by `seconds`, minus 1;
                       negative: unknown */
};

/** Table of block sizes to emit. Strings are borrowed. */
struct tcplan_block_sizes {
    const char *algorithm; /**< `potrf_L3` */
    enum tcplan_dtype dtype;
    int threads;
    const char *library;   /**< the library of the models, such as `OpenBLAS 0.3.21 (SkylakeX)` */
    int64_t default_block; /**< LAPACK's block size; 0: LAPACK has none */
    size_t count;          /**< number of sizes, at least 1 */
    const struct tcplan_block_size *size; /**< sizes and their block sizes, in increasing order of n
                                           */
};

/**
 * Writes C11 for a table of block sizes: `int NAME(ptrdiff_t n)`, which returns the block size of
 * the nearest n in the table, or of the smaller n if two are equally near. The text compiles with
 * `cc -std=c11 -O2 -Wall -Wextra -Wpedantic -Werror` and needs no header or library.
 *
 * @param out       receives the text, to be freed with free()
 * @param function  its name; NULL: `block_size`
 * @return TCPLAN_OK; TCPLAN_INVALID if the name is no C identifier; TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_emit_block_sizes(char **out,
                                                      const struct tcplan_block_sizes *sizes,
                                                      const char *function,
                                                      struct tcplan_error *error);

#ifdef __cplusplus
}
#endif

#endif
