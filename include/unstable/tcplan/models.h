/**
 * Performance models: how long a routine's call takes, as piecewise polynomials in its sizes that
 * were fitted to measured samples (Peise 2017, chapter 3).
 *
 * A *model* belongs to one *case* (a routine and its arguments other than sizes), one *setup*
 * (library, threads, location of the operands) and one *domain* (a box of sizes). The domain is cut
 * into *pieces*, boxes of their own, each with a polynomial for each of five *statistics* of the
 * time. Neighbouring pieces are two polynomials: they need not agree on common boundaries. Data and
 * leading dimensions are not in a model.
 *
 * Nothing here is timed. The measuring code gets points from a refinement (models/refinement.h),
 * adds their samples, and takes the model.
 *
 * Times are nanoseconds, sizes the signature's dimensions in the order of the arguments. Structs
 * are values, but where an owner is named.
 */
#ifndef TCPLAN_MODELS_H
#define TCPLAN_MODELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tcplan/export.h"
#include "tcplan/status.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    TCPLAN_MODEL_SIZES =
        4, /**< sizes of a routine at most: three of BLAS and LAPACK, four of copies */
    TCPLAN_MODEL_TEXT =
        128,                /**< bytes of a case, and of a library's version, with the terminator */
    TCPLAN_MODEL_NAME = 32, /**< bytes of a routine, a provider */
    TCPLAN_MODEL_SIZE_NAME = 8,      /**< bytes of a size's name */
    TCPLAN_MODEL_DEGREE = 8,         /**< of a polynomial in one size, at most */
    TCPLAN_MODEL_COEFFICIENTS = 256, /**< of a polynomial, at most */
    TCPLAN_MODEL_POINTS = 1 << 16,   /**< of the grid of one piece, at most */
    TCPLAN_MODEL_PIECES = 1 << 14    /**< of a model, at most */
};

/** Sizes are at most this. */
#define TCPLAN_MODEL_LARGEST ((int64_t)1 << 31)

/** Times of calls, in nanoseconds, are between these: a thousandth, and 30 years. */
#define TCPLAN_MODEL_LEAST_NS 1e-3
#define TCPLAN_MODEL_MOST_NS 1e18

/* Words. Each kind has a function for its words, NULL behind the last one, and one that finds a
 * word; false if there is none such. */

/** Statistics of the repetitions of one call. */
enum tcplan_model_statistic {
    TCPLAN_MODEL_MINIMUM,   /**< `minimum` */
    TCPLAN_MODEL_MEDIAN,    /**< `median`: the mean of the middle two if their number is even */
    TCPLAN_MODEL_MAXIMUM,   /**< `maximum` */
    TCPLAN_MODEL_MEAN,      /**< `mean` */
    TCPLAN_MODEL_DEVIATION, /**< `deviation`: standard deviation of the population, sqrt(mean (t -
                               mean)^2) */
    TCPLAN_MODEL_STATISTICS
};

/** Where the operands are as a call begins. */
enum tcplan_model_placement {
    TCPLAN_MODEL_WARM,      /**< `warm`: the same call ran just before on the same operands */
    TCPLAN_MODEL_COLD,      /**< `cold`: in memory, not in a cache */
    TCPLAN_MODEL_STREAMING, /**< `streaming`: operands that continue from those of the call before,
                               as in a loop over slices */
    TCPLAN_MODEL_PLACEMENTS
};

/** How points of a dimension are chosen (models/grid.h). */
enum tcplan_model_grid {
    TCPLAN_MODEL_CARTESIAN, /**< `cartesian`: equal distances; all points are used again where a
                               piece is halved */
    TCPLAN_MODEL_CHEBYSHEV, /**< `chebyshev`: denser towards both ends, the ends with them */
    TCPLAN_MODEL_GRIDS
};

/** The statistic of the errors at a piece's points that is compared with the bound. */
enum tcplan_model_measure {
    TCPLAN_MODEL_OF_MEAN, /**< `mean` */
    TCPLAN_MODEL_OF_MOST, /**< `p90`: the 90th percentile by nearest rank, the one at place ceil(0.9
                             n) of n */
    TCPLAN_MODEL_OF_MAXIMUM, /**< `maximum` */
    TCPLAN_MODEL_MEASURES
};

TCPLAN_API const char *tcplan_model_statistic_name(enum tcplan_model_statistic statistic);
TCPLAN_API const char *tcplan_model_placement_name(enum tcplan_model_placement placement);
TCPLAN_API const char *tcplan_model_grid_name(enum tcplan_model_grid grid);
TCPLAN_API const char *tcplan_model_measure_name(enum tcplan_model_measure measure);
TCPLAN_API bool tcplan_model_statistic_find(enum tcplan_model_statistic *out, const char *name);
TCPLAN_API bool tcplan_model_placement_find(enum tcplan_model_placement *out, const char *name);
TCPLAN_API bool tcplan_model_grid_find(enum tcplan_model_grid *out, const char *name);
TCPLAN_API bool tcplan_model_measure_find(enum tcplan_model_measure *out, const char *name);

/* The case of a model. */

/**
 * Brings the text of a case into the form that is a key: `dtrsm side=L uplo=L transA=N diag=N
 * alpha=1`.
 *
 *   case  = routine { blank argument "=" value }
 *   routine, argument = letter { letter | digit | "_" }
 *   value = { letter | digit | one of + - . , > _ }     at least one
 *
 * Flags have the letter that the routine takes, scalars `-1`, `0`, `1` or `any`, increments `1` or
 * `large`. Which arguments a routine has, and in which order, is unknown here: who makes cases
 * writes them in the order of the signature, each once.
 *
 * @param out  receives the text with single blanks
 * @return TCPLAN_OK; TCPLAN_INVALID with the column of the error, or if it is longer than
 *         TCPLAN_MODEL_TEXT - 1
 */
TCPLAN_API enum tcplan_status tcplan_model_case_read(char out[TCPLAN_MODEL_TEXT], const char *text,
                                                     struct tcplan_error *error);

/** The routine of a case: the text before the first blank. */
TCPLAN_API void tcplan_model_case_routine(char out[TCPLAN_MODEL_NAME], const char *case_text);

/** Properties that distinguish models of one case. */
struct tcplan_model_setup {
    char provider[TCPLAN_MODEL_NAME]; /**< whose routine, as `openblas`; `own` for copies of
                                         tcplan's own; letters, digits and _.- */
    char version[TCPLAN_MODEL_TEXT];  /**< of the library, as a fingerprint has it (tcplan/store.h):
                                         `OpenBLAS 0.3.21 (SkylakeX)`; may be empty */
    int threads;                      /**< from 1 on */
    enum tcplan_model_placement placement;
};

/** Whether two setups are the same; an empty version is any. */
TCPLAN_API bool tcplan_model_setup_matches(const struct tcplan_model_setup *a,
                                           const struct tcplan_model_setup *b);

/** A box of sizes, both ends with it. */
struct tcplan_model_domain {
    int count; /**< of sizes: 1 to TCPLAN_MODEL_SIZES */
    int64_t low[TCPLAN_MODEL_SIZES];
    int64_t high[TCPLAN_MODEL_SIZES];
};

enum { TCPLAN_MODEL_DOMAIN_TEXT = 128 };

/** `[24,536]x[24,4152]`. */
TCPLAN_API void tcplan_model_domain_print(char out[TCPLAN_MODEL_DOMAIN_TEXT],
                                          const struct tcplan_model_domain *domain);

/**
 * Reads such a text; blanks may stand between its parts.
 *
 * @return TCPLAN_OK; TCPLAN_INVALID with the column: another text, no size or more than
 *         TCPLAN_MODEL_SIZES, 0 or TCPLAN_MODEL_LARGEST exceeded, an end below its beginning
 */
TCPLAN_API enum tcplan_status tcplan_model_domain_read(struct tcplan_model_domain *out,
                                                       const char *text,
                                                       struct tcplan_error *error);

/** Whether all sizes are within; `size` has as many as the domain. */
TCPLAN_API bool tcplan_model_domain_contains(const struct tcplan_model_domain *domain,
                                             const int64_t size[]);

/* How a model is made. */

/** The parameters of a generation (Peise 2017, table 3.1); the last two are tcplan's own. */
struct tcplan_model_config {
    int overfitting; /**< what each size's degree is raised by, above that of the operations: 0 to 4
                      */
    int oversampling; /**< points of each size beyond what the degree needs: 1 to 20 */
    enum tcplan_model_grid grid;
    int repetitions;                       /**< of each point: 1 to 1000 */
    enum tcplan_model_statistic reference; /**< whose error is held against the bound: minimum or
                                              median */
    enum tcplan_model_measure measure;
    double bound;      /**< of the relative error: a piece within it is not halved */
    int64_t min_width; /**< a piece that is narrower than this in all sizes is not halved */
    int64_t multiple;  /**< points are multiples of it, as the ends of domains are, but for a single
                          size: from 1 on */
    int most_pieces;   /**< no piece is halved once there are so many */
};

/**
 * The configuration that the dissertation arrived at, with its deviations (3.3.3): overfitting 2,
 * oversampling 4, Chebyshev, 10 repetitions, minimum, maximum, 1 %, width 32; with three sizes or
 * more overfitting 0 and width 64; with several threads width 64, and 256 with three sizes or more.
 * Multiples of 8, at most 256 pieces.
 */
TCPLAN_API struct tcplan_model_config tcplan_model_config_default(int sizes, int threads);

/** TCPLAN_OK, or TCPLAN_INVALID with the parameter that is out of its range. */
TCPLAN_API enum tcplan_status tcplan_model_config_check(const struct tcplan_model_config *config,
                                                        struct tcplan_error *error);

/* Samples. */

/** Measurement at one point. */
struct tcplan_model_sample {
    int64_t size[TCPLAN_MODEL_SIZES]; /**< those beyond the routine's are 0 */
    int repetitions;
    double ns[TCPLAN_MODEL_STATISTICS];
};

/**
 * Makes a sample of repetitions.
 *
 * @param size   `count` sizes
 * @param ns     `repetitions` times, from 1 on; are sorted
 * @return TCPLAN_OK; TCPLAN_INVALID if a time is below TCPLAN_MODEL_LEAST_NS or above
 *         TCPLAN_MODEL_MOST_NS
 */
TCPLAN_API enum tcplan_status tcplan_model_sample_make(struct tcplan_model_sample *out,
                                                       const int64_t size[], int count, double ns[],
                                                       int repetitions, struct tcplan_error *error);

/** Samples of one case in one setup, one for each point. Zero-initialise before use. */
struct tcplan_model_samples {
    size_t count;
    size_t capacity;
    struct tcplan_model_sample *sample; /**< owned, in the order in which they were added */
    size_t slots;                       /**< private: a table by points */
    uint32_t *slot;
};

/**
 * Adds a sample, in the place of one of the same point.
 *
 * @return TCPLAN_OK; TCPLAN_INVALID if a time is below TCPLAN_MODEL_LEAST_NS (deviation: below 0)
 *         or above TCPLAN_MODEL_MOST_NS; TCPLAN_NO_MEMORY, which leaves all as it was
 */
TCPLAN_API enum tcplan_status tcplan_model_samples_add(struct tcplan_model_samples *samples,
                                                       const struct tcplan_model_sample *sample,
                                                       struct tcplan_error *error);

/** The sample of a point, valid until one is added; NULL if there is none. `size` has
 * TCPLAN_MODEL_SIZES, zeros behind the routine's. */
TCPLAN_API const struct tcplan_model_sample *tcplan_model_samples_find(
    const struct tcplan_model_samples *samples, const int64_t size[]);

TCPLAN_API void tcplan_model_samples_free(struct tcplan_model_samples *samples);

/* Models. */

/**
 * A polynomial for each statistic on a box. With t_i = (2 x_i - low_i - high_i) / (high_i - low_i),
 * from -1 to 1 (0 where both are equal), it is
 *
 *   sum over e of coefficient[place(e)][statistic] * product over i of t_i^e_i,
 *         0 <= e_i <= degree_i
 *   place(e) = (...(e_0 (degree_1 + 1) + e_1) (degree_2 + 1) + ...)
 *
 * which is the space of all products of powers of the x_i up to these degrees (3.2.4): powers of t
 * are better conditioned.
 */
struct tcplan_model_piece {
    struct tcplan_model_domain domain;
    int degree[TCPLAN_MODEL_SIZES]; /**< as fitted: lower than wanted where the box is too narrow
                                       for as many points */
    int points;                     /**< that it was fitted to */
    double error; /**< of the reference statistic at these, by the configuration's measure; relative
                   */
    double (*coefficient)[TCPLAN_MODEL_STATISTICS]; /**< owned by the model: product of degree + 1
                                                     */
};

/** How many coefficients a polynomial of these degrees has. */
TCPLAN_API int tcplan_model_coefficients(const int degree[], int count);

/** Errors at random points that were not used to fit a model: relative errors of the reference
 * statistic. Zeros: not checked. */
struct tcplan_model_check {
    int points;
    double mean, median, p90, maximum;
    int64_t made; /**< seconds since 1970 */
};

/** Private: what finds a piece. */
struct tcplan_model_tree;

struct tcplan_model {
    char case_text[TCPLAN_MODEL_TEXT]; /**< see tcplan_model_case_read() */
    struct tcplan_model_setup setup;
    struct tcplan_model_domain domain;
    char size_name[TCPLAN_MODEL_SIZES][TCPLAN_MODEL_SIZE_NAME]; /**< as `m`, `n`, `k` */
    int degree[TCPLAN_MODEL_SIZES]; /**< of each size in the number of operations */
    struct tcplan_model_config config;
    int64_t made;   /**< seconds since 1970; 0: not known */
    double seconds; /**< that its samples took; 0: not known */
    /**
     * of the reference of the core (routines/sampler/timing/reference_calls.h) in the clock regime
     * of the times, when the samples were taken: a core's speed changes over time. 0: not
     * known
     */
    double good_reference_seconds;
    int points; /**< different ones that polynomials were fitted to, also of pieces that were halved
                 */
    bool complete; /**< false: stopped early, or at config.most_pieces, while a piece was still to
                      be halved */
    struct tcplan_model_check check;
    size_t piece_count;
    struct tcplan_model_piece *piece; /**< owned; neighbours in the order of the halving, so that a
                                         tree can be made of them */
    struct tcplan_model_tree *tree;   /**< private, owned */
};

/** A copy, to be freed with tcplan_model_free(); NULL if memory runs out. */
TCPLAN_API struct tcplan_model *tcplan_model_copy(const struct tcplan_model *model);

/** Frees a model; NULL is fine. */
TCPLAN_API void tcplan_model_free(struct tcplan_model *model);

/** The largest error of its pieces. */
TCPLAN_API double tcplan_model_error(const struct tcplan_model *model);

/** A model's estimate for a call. */
struct tcplan_model_estimate {
    double ns[TCPLAN_MODEL_STATISTICS]; /**< by enum tcplan_model_statistic; 0 <= minimum <= median
                                           <= maximum, the mean between them */
    double error; /**< relative, of the piece that was evaluated, at its points */
    bool outside; /**< a size is outside the domain: the estimate uses the nearest sizes inside,
                     without extrapolation */
};

/**
 * Evaluates a model; less than 100 ns.
 *
 * A size of 0 or less gives 0 throughout (there is nothing to do: table 4.1). Where two pieces
 * touch, the lower one counts. Negative values of a polynomial count as 0, and statistics that are
 * out of order are raised to the smaller ones.
 *
 * @param size  as many as the domain has
 */
TCPLAN_API void tcplan_model_evaluate(struct tcplan_model_estimate *out,
                                      const struct tcplan_model *model, const int64_t size[]);

/** Which piece tcplan_model_evaluate() takes: its place in `piece`. */
TCPLAN_API size_t tcplan_model_piece_at(const struct tcplan_model *model, const int64_t size[]);

/* Sets of models. */

struct tcplan_models;

/** A set without models, to be freed with tcplan_models_free(); NULL if memory runs out. */
TCPLAN_API struct tcplan_models *tcplan_models_new(void);

/** Returns the smallest good_reference_seconds of a set: the reference at the best speed that the
 * core had while models were made; 0: unknown. */
TCPLAN_API double tcplan_models_good_reference_seconds(const struct tcplan_models *models);

/** Frees a set and its models; NULL is fine. */
TCPLAN_API void tcplan_models_free(struct tcplan_models *models);

/**
 * Adds a model, which the set owns from here on. It replaces one of the same case, setup and
 * domain, which is freed.
 *
 * @return TCPLAN_OK; TCPLAN_NO_MEMORY, where the model stays the caller's
 */
TCPLAN_API enum tcplan_status tcplan_models_add(struct tcplan_models *models,
                                                struct tcplan_model *model,
                                                struct tcplan_error *error);

TCPLAN_API size_t tcplan_models_count(const struct tcplan_models *models);

/** Model number `place`, from 0 on, in the order of tcplan_models_sort() or in which they were
 * added; valid until it is replaced. */
TCPLAN_API const struct tcplan_model *tcplan_models_at(const struct tcplan_models *models,
                                                       size_t place);

/** Sorts by case, provider, version, threads, placement and domain. */
TCPLAN_API void tcplan_models_sort(struct tcplan_models *models);

/**
 * Finds the model of a case and a setup.
 *
 * @param case_text  in the form of tcplan_model_case_read()
 * @param setup      an empty version is any
 * @param size       of the call: of several models that with the smallest domain that holds them,
 *                   otherwise the one nearest to them; NULL: any
 * @return valid until the set is changed; NULL if there is none
 */
TCPLAN_API const struct tcplan_model *tcplan_models_find(const struct tcplan_models *models,
                                                         const char *case_text,
                                                         const struct tcplan_model_setup *setup,
                                                         const int64_t size[]);

#ifdef __cplusplus
}
#endif

#endif
