/**
 * Predicting blocked algorithms from models of their routines (Peise 2017, chapter 4): nothing is
 * executed.
 *
 * Algorithm, sizes and block size say which calls are made (tcplan/blocked.h); models say how long
 * each takes (tcplan/models.h); a prediction adds up:
 *
 *   t^s   = sum of the calls' t^s,   s in {minimum, median, maximum, mean}             (4.1, 4.2)
 *   t^dev = sqrt(sum of the squares of the calls' t^dev): calls are taken for uncorrelated  (4.3)
 *   p^min = flops / t^max, p^median = flops / t^median, p^max = flops / t^min               (4.4)
 *   p^mean = flops / t^mean * (1 + (t^dev / t^mean)^2), p^dev = flops * t^dev / (t^mean)^2  (4.5)
 *   e^s   = p^s / peak                                                                      (4.6)
 *
 * where flops are the operation's, the least that any algorithm needs, not the algorithm's own. (In
 * the source's (4.5) the square is missing; with it the units are right, and its example comes
 * out.) Models are of warm operands and of the core's good state, and so are predictions.
 *
 * A call is of a model where routine, flags, scalars and increments are its case, provider and
 * threads its setup, and its sizes are on its domain. Where some are below it, but the domain
 * begins at TCPLAN_BLOCKED_LEAST or lower, as for the rests of blocks, or the routine bounds that
 * size by others, as larft's rows are its columns at least, the nearest sizes within count
 * (`below`). Calls with a size of 0 take no time (table 4.1). Any other call lacks its model: then
 * there is no prediction, and tcplan_blocked_needs_add() says what is missing.
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
    TCPLAN_BLOCKED_LEAST =
        24, /**< where domains of models begin (table 3.1): smaller sizes are taken for it */
    TCPLAN_BLOCKED_KERNELS = 48, /**< that the calls of an algorithm may be divided into, at most */
    TCPLAN_BLOCKED_KERNEL_NAME = 32, /**< bytes of a kernel's name */
    TCPLAN_BLOCKED_WORD = 256        /**< bytes of what `tcplan model generate` takes */
};

/** Two predicted times within this share of each other are tied, where nothing else is said: what
 * the source could not tell apart (4.5.2), rounded. */
#define TCPLAN_BLOCKED_TIE 0.015

/* One prediction. */

/** What an algorithm takes at some sizes. */
struct tcplan_blocked_prediction {
    double seconds[TCPLAN_MODEL_STATISTICS]; /**< by enum tcplan_model_statistic */
    double flops;                            /**< of the operation */
    double error;  /**< by how much the models err, as a share of the median: each call's by its
                      model's check (90th percentile) or by the  error at its points, whichever is
                      more */
    int64_t calls; /**< that are made */
    int64_t empty; /**< that have a size of 0 */
    int64_t below; /**< of those made: with sizes that were taken for the nearest ones of a domain
                    */
};

/** What of it is one kernel's: a routine with its flags. */
struct tcplan_blocked_kernel {
    char name[TCPLAN_BLOCKED_KERNEL_NAME]; /**< `dtrsm_RLTN` */
    int64_t calls;
    double seconds[TCPLAN_MODEL_STATISTICS];
    double flops; /**< its calls' own: over the seconds its mean performance */
};

/** Performance in operations per second by (4.4) and (4.5), by enum tcplan_model_statistic; all 0
 * if no time passes. */
TCPLAN_API void tcplan_blocked_performance(double out[TCPLAN_MODEL_STATISTICS],
                                           const double seconds[TCPLAN_MODEL_STATISTICS],
                                           double flops);

/** An algorithm with the models of its calls. */
struct tcplan_blocked_predictor;

/**
 * Looks up the models of an algorithm's calls.
 *
 * @param out      receives the predictor, to be freed with tcplan_blocked_predictor_free() before
 *                 algorithm and models, which it borrows
 * @param setup    of the models; an empty version is any. Calls of tcplan's own routines are of the
 *                 provider `own`, one thread, whatever it says
 * @return TCPLAN_OK, also if models are missing; TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_blocked_predictor_new(struct tcplan_blocked_predictor **out,
                                                           const struct tcplan_blocked *blocked,
                                                           const struct tcplan_models *models,
                                                           const struct tcplan_model_setup *setup,
                                                           struct tcplan_error *error);

/** Frees a predictor; NULL is fine. */
TCPLAN_API void tcplan_blocked_predictor_free(struct tcplan_blocked_predictor *predictor);

/**
 * Predicts.
 *
 * @param kernel  receives the kernels, the one that takes longest first; may be NULL
 * @param count   receives how many there are, TCPLAN_BLOCKED_KERNELS at most: the last one has the
 *                rest of them then. NULL with `kernel`
 * @return TCPLAN_OK; TCPLAN_INVALID if a call lacks its model, which the message names; as
 *         tcplan_blocked_check()
 */
TCPLAN_API enum tcplan_status tcplan_blocked_predict(
    struct tcplan_blocked_prediction *out, struct tcplan_blocked_kernel kernel[], int *count,
    const struct tcplan_blocked_predictor *predictor, const struct tcplan_blocked_sizes *sizes,
    struct tcplan_error *error);

/* Which models are needed. */

/** A model that calls need. */
struct tcplan_blocked_need {
    char case_text[TCPLAN_MODEL_TEXT];
    bool is_own;                       /**< of a routine of tcplan's: provider `own` */
    struct tcplan_model_domain domain; /**< with the sizes of all calls; ends are multiples of 8, or
                                          equal */
    char word
        [TCPLAN_BLOCKED_WORD]; /**< as `tcplan model generate` takes it:
                                  `dtrsm:side=R,uplo=L,transA=T,diag=N,alpha=1,m=24:4000,n=24:536`
                                */
    bool missing;              /**< some call has no model */
};

/** Zero-initialise before use. */
struct tcplan_blocked_needs {
    size_t count;
    size_t missing;
    struct tcplan_blocked_need *of; /**< owned */
};

/**
 * Adds the models that an algorithm needs at these sizes: one for each kernel of its text, on the
 * box of its calls' sizes; what a need that is there has already is not added. Where a kernel of
 * the text has several calls whose sizes are different, as in panels of Sylvester's equation, they
 * share the box.
 *
 * @param size   `count` sizes and block sizes; those at the ends of a range are enough
 * @return TCPLAN_OK; as tcplan_blocked_check(); TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_blocked_needs_add(
    struct tcplan_blocked_needs *needs, const struct tcplan_blocked_predictor *predictor,
    const struct tcplan_blocked_sizes size[], int count, struct tcplan_error *error);

TCPLAN_API void tcplan_blocked_needs_free(struct tcplan_blocked_needs *needs);

/* Many predictions. */

/** Algorithms, sizes, block sizes, and a prediction for each three. Zero-initialise, then set the
 * first members. */
struct tcplan_blocked_map {
    int algorithms;
    const struct tcplan_blocked *const *blocked; /**< borrowed; of one operation */
    int points;
    const struct tcplan_blocked_sizes *point; /**< borrowed; the block of each is not looked at */
    int blocks;
    const int64_t *block;                         /**< borrowed, rising */
    struct tcplan_blocked_prediction *prediction; /**< receives them, owned; see
                                                     tcplan_blocked_map_at() */
    double spent_seconds;                         /**< receives what it took */
};

/**
 * Fills in a map.
 *
 * @return as tcplan_blocked_predict(); TCPLAN_OVERFLOW if it has too many places
 */
TCPLAN_API enum tcplan_status tcplan_blocked_map_make(struct tcplan_blocked_map *map,
                                                      const struct tcplan_models *models,
                                                      const struct tcplan_model_setup *setup,
                                                      tcplan_progress_fn *progress,
                                                      void *progress_context,
                                                      struct tcplan_error *error);

TCPLAN_API void tcplan_blocked_map_free(struct tcplan_blocked_map *map);

/** The prediction of algorithm, point and block number such. */
TCPLAN_API const struct tcplan_blocked_prediction *tcplan_blocked_map_at(
    const struct tcplan_blocked_map *map, int algorithm, int point, int block);

/** An algorithm of a ranking. */
struct tcplan_blocked_rank {
    int algorithm; /**< its number in the map */
    int block;     /**< number of its best block size: by the median, of equal ones the smallest */
    int alike_first, alike_last; /**< block sizes around it that are within the tie of it */
    bool tied;                   /**< its median is within the tie of the first one's */
    int same; /**< place of the first algorithm that makes the same calls; its own if none does */
};

/**
 * Ranks the algorithms of a map at one of its points, each with its best block size, by the median;
 * of equal ones the one with the lower number comes first. A pure function.
 *
 * @param out  receives as many as there are algorithms
 * @param tie  a share, see TCPLAN_BLOCKED_TIE
 */
TCPLAN_API void tcplan_blocked_rank(struct tcplan_blocked_rank out[],
                                    const struct tcplan_blocked_map *map, int point, double tie);

/* Block sizes for programs. */

/** The block size for a size. */
struct tcplan_block_size {
    int64_t n;
    int64_t block;
    double seconds; /**< that are predicted */
    double gain;    /**< the time with LAPACK's block size over it, less 1; negative: not known */
};

/** What emitted block sizes are of. Texts are borrowed. */
struct tcplan_block_sizes {
    const char *algorithm; /**< `potrf_L3` */
    enum tcplan_dtype dtype;
    int threads;
    const char *library;                  /**< whose models: `OpenBLAS 0.3.21 (SkylakeX)` */
    int64_t default_block;                /**< LAPACK's; 0: none */
    size_t count;                         /**< at least 1 */
    const struct tcplan_block_size *size; /**< n rising */
};

/**
 * Writes C11 for a table of block sizes: `int NAME(ptrdiff_t n)`, which returns the block size of
 * the nearest n of the table, of two that are equally near that of the smaller. It compiles with
 * `cc -std=c11 -O2 -Wall -Wextra -Wpedantic -Werror` and needs nothing.
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
