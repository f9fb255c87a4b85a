/**
 * Performance models: the time of a call as piecewise polynomials in its sizes, fitted to measured
 * samples (Peise 2017, chapter 3).
 *
 * A *model* belongs to one *case* (a routine and its arguments other than sizes), one *setup*
 * (library, threads, location of the operands) and one *domain* (a box of sizes). The domain is
 * cut into *pieces*, boxes of their own, each with a polynomial for each of five *statistics* of
 * the time. Polynomials of neighbouring pieces need not agree on the common boundary. Models do
 * not depend on the data or on leading dimensions.
 *
 * Nothing here is timed. The measuring code gets points from a refinement (models/refinement.h),
 * adds samples there, and takes the finished model.
 *
 * Times are nanoseconds, sizes the signature's dimensions in the order of the arguments. Structs
 * are plain values unless a comment names an owner.
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
        4, /**< maximum number of sizes of a routine: three in BLAS and LAPACK, four for copies */
    TCPLAN_MODEL_TEXT = 128,    /**< size of the buffer for a case or a library's version, in bytes,
                                   with the terminator */
    TCPLAN_MODEL_NAME = 32,     /**< bytes for the name of a routine or provider */
    TCPLAN_MODEL_SIZE_NAME = 8, /**< bytes for the name of a size */
    TCPLAN_MODEL_DEGREE = 8,    /**< maximum degree of a polynomial in one size */
    TCPLAN_MODEL_COEFFICIENTS = 256, /**< maximum number of coefficients of a polynomial */
    TCPLAN_MODEL_POINTS = 1 << 16,   /**< maximum number of grid points of a piece */
    TCPLAN_MODEL_PIECES = 1 << 14    /**< maximum number of pieces of a model */
};

/** The largest size in a domain of a model. */
#define TCPLAN_MODEL_LARGEST ((int64_t)1 << 31)

/** Range of times in nanoseconds: from a thousandth to 30 years. */
#define TCPLAN_MODEL_LEAST_NS 1e-3
#define TCPLAN_MODEL_MOST_NS 1e18

/* Words. For each enumeration, one function returns the words, NULL after the last one; another
 * finds a word, and returns false if it is unknown. */

/** Statistics of the repetitions of one call. */
enum tcplan_model_statistic {
    TCPLAN_MODEL_MINIMUM,   /**< `minimum` */
    TCPLAN_MODEL_MEDIAN,    /**< `median`: of an even number, the mean of the middle two */
    TCPLAN_MODEL_MAXIMUM,   /**< `maximum` */
    TCPLAN_MODEL_MEAN,      /**< `mean` */
    TCPLAN_MODEL_DEVIATION, /**< `deviation`: standard deviation of the population, sqrt(mean (t -
                               mean)^2) */
    TCPLAN_MODEL_STATISTICS
};

/** Location of the operands at the start of a call. */
enum tcplan_model_placement {
    TCPLAN_MODEL_WARM,      /**< `warm`: the same call on the same operands ran just before */
    TCPLAN_MODEL_COLD,      /**< `cold`: in memory, not in a cache */
    TCPLAN_MODEL_STREAMING, /**< `streaming`: operands adjacent to those of the previous call, as in
                               a loop over slices */
    TCPLAN_MODEL_PLACEMENTS
};

/** How points of a dimension are chosen (models/grid.h). */
enum tcplan_model_grid {
    TCPLAN_MODEL_CARTESIAN, /**< `cartesian`: equidistant; all points are reused when a piece is
                               halved */
    TCPLAN_MODEL_CHEBYSHEV, /**< `chebyshev`: denser towards both ends, ends included */
    TCPLAN_MODEL_GRIDS
};

/** The statistic of the errors at a piece's points that is compared with the bound. */
enum tcplan_model_measure {
    TCPLAN_MODEL_OF_MEAN, /**< `mean` */
    TCPLAN_MODEL_OF_MOST, /**< `p90`: the 90th percentile by nearest rank, number ceil(0.9 n) of n
                           */
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
 * Converts the text of a case to the form used as a key: `dtrsm side=L uplo=L transA=N diag=N
 * alpha=1`.
 *
 *   case  = routine { blank argument "=" value }
 *   routine, argument = letter { letter | digit | "_" }
 *   value = { letter | digit | one of + - . , > _ }     at least one
 *
 * The value of a flag is the routine's letter, of a scalar `-1`, `0`, `1` or `any`, of an
 * increment `1` or `large`. The arguments of a routine are not checked here: write each once, in
 * the order of the signature.
 *
 * @param out  receives the text with single blanks
 * @return TCPLAN_OK; TCPLAN_INVALID with the column of the error, or if it is longer than
 *         TCPLAN_MODEL_TEXT - 1
 */
TCPLAN_API enum tcplan_status tcplan_model_case_read(char out[TCPLAN_MODEL_TEXT], const char *text,
                                                     struct tcplan_error *error);

/** Writes the routine of a case: the text before the first blank. */
TCPLAN_API void tcplan_model_case_routine(char out[TCPLAN_MODEL_NAME], const char *case_text);

enum { TCPLAN_MODEL_BINDING = 160 };

/** Properties that distinguish models of one case. */
struct tcplan_model_setup {
    char provider[TCPLAN_MODEL_NAME];   /**< provider of the routine, such as `openblas`; `own` for
                                           tcplan's own routines; letters, digits and _.- */
    char version[TCPLAN_MODEL_TEXT];    /**< version of the library, as in a fingerprint
                                             (tcplan/store.h): `OpenBLAS 0.3.21 (SkylakeX)`; may be
                                             empty */
    int threads;                        /**< number of threads, at least 1 */
    char binding[TCPLAN_MODEL_BINDING]; /**< cores and memory, see tcplan_binding_print(); may be
                                           empty */
    enum tcplan_model_placement placement;
    char counter[TCPLAN_MODEL_NAME]; /**< the event that was counted instead of time, such as
                                        `instructions`; all members named `ns` are counts then.
                                        Empty: time */
};

/** Returns whether two setups are the same; an empty version matches any other. */
TCPLAN_API bool tcplan_model_setup_matches(const struct tcplan_model_setup *a,
                                           const struct tcplan_model_setup *b);

/** A box of sizes, including both ends. */
struct tcplan_model_domain {
    int count; /**< number of sizes, 1 to TCPLAN_MODEL_SIZES */
    int64_t low[TCPLAN_MODEL_SIZES];
    int64_t high[TCPLAN_MODEL_SIZES];
};

enum { TCPLAN_MODEL_DOMAIN_TEXT = 128 };

/** Writes a domain as `[24,536]x[24,4152]`. */
TCPLAN_API void tcplan_model_domain_print(char out[TCPLAN_MODEL_DOMAIN_TEXT],
                                          const struct tcplan_model_domain *domain);

/**
 * Reads the text of a domain; blanks may separate its parts.
 *
 * @return TCPLAN_OK; TCPLAN_INVALID with the column: malformed, no size or more than
 *     TCPLAN_MODEL_SIZES, a size of 0 or above TCPLAN_MODEL_LARGEST, an upper end below the lower
 *     one
 */
TCPLAN_API enum tcplan_status tcplan_model_domain_read(struct tcplan_model_domain *out,
                                                       const char *text,
                                                       struct tcplan_error *error);

/** Returns whether all sizes are in a domain; `size` has as many as the domain. */
TCPLAN_API bool tcplan_model_domain_contains(const struct tcplan_model_domain *domain,
                                             const int64_t size[]);

/* Configuration of a generation. */

/** The parameters of a generation (Peise 2017, table 3.1); the last two are tcplan's own. */
struct tcplan_model_config {
    int overfitting;  /**< added to each size's degree in the number of operations: 0 to 4 */
    int oversampling; /**< extra points per size, in addition to those that the degree needs: 1 to
                         20 */
    enum tcplan_model_grid grid;
    int repetitions;                       /**< repetitions per point: 1 to 1000 */
    enum tcplan_model_statistic reference; /**< statistic whose error is compared with the bound:
                                              minimum or median */
    enum tcplan_model_measure measure;
    double bound; /**< bound on the relative error: pieces whose error does not exceed it are not
                     halved */
    int64_t min_width; /**< pieces narrower than this in all sizes are not halved */
    int64_t multiple;  /**< sizes of points and ends of domains are multiples of this number, at
                          least 1, except in a domain of a single size */
    int most_pieces;   /**< maximum number of pieces: halving ends there */
};

/**
 * Returns the configuration chosen in the dissertation (3.3.3), which depends on sizes and
 * threads: overfitting 2, oversampling 4, Chebyshev, 10 repetitions, minimum, maximum, 1 %, width
 * 32; with three sizes or more overfitting 0 and width 64; with several threads width 64, and 256
 * with three sizes or more. Multiples of 8, at most 256 pieces.
 */
TCPLAN_API struct tcplan_model_config tcplan_model_config_default(int sizes, int threads);

/** Returns TCPLAN_OK, or TCPLAN_INVALID with the parameter that is out of range. */
TCPLAN_API enum tcplan_status tcplan_model_config_check(const struct tcplan_model_config *config,
                                                        struct tcplan_error *error);

/* Samples. */

/** Measurement at one point. */
struct tcplan_model_sample {
    int64_t size[TCPLAN_MODEL_SIZES]; /**< sizes; entries beyond those of the routine are 0 */
    int repetitions;
    double ns[TCPLAN_MODEL_STATISTICS];
};

/**
 * Computes a sample, the statistics of repeated calls at one point.
 *
 * @param size   `count` sizes
 * @param ns     `repetitions` times, at least 1; sorted in place
 * @return TCPLAN_OK; TCPLAN_INVALID if a time is below TCPLAN_MODEL_LEAST_NS or above
 *         TCPLAN_MODEL_MOST_NS
 */
TCPLAN_API enum tcplan_status tcplan_model_sample_make(struct tcplan_model_sample *out,
                                                       const int64_t size[], int count, double ns[],
                                                       int repetitions, struct tcplan_error *error);

/** Samples of one case in one setup, at most one per point. Zero-initialise before use. */
struct tcplan_model_samples {
    size_t count;
    size_t capacity;
    struct tcplan_model_sample *sample; /**< owned, in the order of their addition */
    size_t slots;                       /**< private: a hash table by points */
    uint32_t *slot;
};

/**
 * Adds a sample, replacing one of the same point.
 *
 * @return TCPLAN_OK; TCPLAN_INVALID if a time is below TCPLAN_MODEL_LEAST_NS (for the deviation:
 *         below 0) or above TCPLAN_MODEL_MOST_NS; TCPLAN_NO_MEMORY, with the samples unchanged
 */
TCPLAN_API enum tcplan_status tcplan_model_samples_add(struct tcplan_model_samples *samples,
                                                       const struct tcplan_model_sample *sample,
                                                       struct tcplan_error *error);

/** Returns the sample of a point, valid until one is added; NULL if there is none. `size` has
 * TCPLAN_MODEL_SIZES entries, zeros after the routine's. */
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
    int degree[TCPLAN_MODEL_SIZES]; /**< degree in each size as fitted: lower than requested if the
                                       box is too narrow for enough points */
    int points;                     /**< number of points fitted */
    double error; /**< relative error of the reference statistic at these points, by the
                     configuration's measure */
    double (*coefficient)[TCPLAN_MODEL_STATISTICS]; /**< coefficients by product of powers, owned by
                                                       the model; their number is the product of all
                                                       (degree + 1) */
};

/** Returns the number of coefficients of a polynomial of these degrees. */
TCPLAN_API int tcplan_model_coefficients(const int degree[], int count);

/** Relative errors of the reference statistic at random points that were not used to fit a model.
 * Zeros: not checked. */
struct tcplan_model_check {
    int points;
    double mean, median, p90, maximum;
    int64_t made; /**< time of creation in seconds since 1970 */
};

/** Private: finds the piece of a point. */
struct tcplan_model_tree;

struct tcplan_model {
    char case_text[TCPLAN_MODEL_TEXT]; /**< the case, in the form of tcplan_model_case_read() */
    struct tcplan_model_setup setup;
    struct tcplan_model_domain domain;
    char size_name[TCPLAN_MODEL_SIZES][TCPLAN_MODEL_SIZE_NAME]; /**< names of the sizes, such as
                                                                   `m`, `n`, `k` */
    int degree[TCPLAN_MODEL_SIZES]; /**< degree of each size in the number of operations */
    struct tcplan_model_config config;
    int64_t made;   /**< time at which the model was made, in seconds since 1970; 0: unknown */
    double seconds; /**< time spent on the samples; 0: unknown */
    /**
     * time of the core's reference call (routines/sampler/timing/reference_calls.h) in the clock
     * regime in which the samples were taken; the speed of a core changes over time. 0: unknown
     */
    double good_reference_seconds;
    int points;    /**< number of distinct points used for fits, including those of pieces that were
                      halved later */
    bool complete; /**< whether no piece is still to be halved; false: the generation stopped early
                      or at config.most_pieces */
    struct tcplan_model_check check;
    size_t piece_count;
    struct tcplan_model_piece *piece; /**< pieces, owned, in the order of halving, from which the
                                         tree can be rebuilt */
    struct tcplan_model_tree *tree;   /**< private, owned */
};

/** Copies a model, to be freed with tcplan_model_free(); NULL if memory runs out. */
TCPLAN_API struct tcplan_model *tcplan_model_copy(const struct tcplan_model *model);

/** Frees a model; NULL is fine. */
TCPLAN_API void tcplan_model_free(struct tcplan_model *model);

/** Returns the largest error of a model's pieces. */
TCPLAN_API double tcplan_model_error(const struct tcplan_model *model);

/** A model's estimate for a call. */
struct tcplan_model_estimate {
    double ns[TCPLAN_MODEL_STATISTICS]; /**< estimated nanoseconds by enum tcplan_model_statistic; 0
                                           <= minimum <= median <= maximum, mean in [minimum,
                                           maximum] */
    double error;                       /**< relative error of the evaluated piece at its points */
    bool outside; /**< whether a size is outside the domain; the estimate then uses the nearest
                     sizes inside, without extrapolation */
};

/**
 * Evaluates a model in less than 100 ns.
 *
 * If a size is 0 or less, all statistics are 0, because the call does nothing (table 4.1). On a
 * common boundary the lower piece is used. Negative values of a polynomial become 0, and each of
 * minimum, median and maximum is raised to the previous one if it is smaller.
 *
 * @param size  one per size of the domain
 */
TCPLAN_API void tcplan_model_evaluate(struct tcplan_model_estimate *out,
                                      const struct tcplan_model *model, const int64_t size[]);

/** Returns the position in `piece` of the piece that tcplan_model_evaluate() uses. */
TCPLAN_API size_t tcplan_model_piece_at(const struct tcplan_model *model, const int64_t size[]);

/* Sets of models. */

struct tcplan_models;

/** Makes an empty set of models, to be freed with tcplan_models_free(); NULL if memory runs out. */
TCPLAN_API struct tcplan_models *tcplan_models_new(void);

/** Returns the smallest good_reference_seconds of a set: the reference at the best speed that the
 * core had while models were made; 0: unknown. */
TCPLAN_API double tcplan_models_good_reference_seconds(const struct tcplan_models *models);

/** Frees a set and its models; NULL is fine. */
TCPLAN_API void tcplan_models_free(struct tcplan_models *models);

/**
 * Adds a model, which the set then owns. It replaces and frees a model of the same case, setup and
 * domain.
 *
 * @return TCPLAN_OK; TCPLAN_NO_MEMORY, with the model still owned by the caller
 */
TCPLAN_API enum tcplan_status tcplan_models_add(struct tcplan_models *models,
                                                struct tcplan_model *model,
                                                struct tcplan_error *error);

TCPLAN_API size_t tcplan_models_count(const struct tcplan_models *models);

/** Returns model number `place`, from 0, in the order of tcplan_models_sort() or of addition; valid
 * until it is replaced. */
TCPLAN_API const struct tcplan_model *tcplan_models_at(const struct tcplan_models *models,
                                                       size_t place);

/** Sorts a set of models by case, provider, version, threads, placement and domain. */
TCPLAN_API void tcplan_models_sort(struct tcplan_models *models);

/**
 * Finds the model of a case and a setup.
 *
 * @param case_text  text of the case, in the form of tcplan_model_case_read()
 * @param setup      an empty version matches any
 * @param size       sizes of the call: among several models, selects the one with the smallest
 *                   domain that contains them, else the nearest one; NULL: any
 * @return the model, valid until the set is changed; NULL if there is none
 */
TCPLAN_API const struct tcplan_model *tcplan_models_find(const struct tcplan_models *models,
                                                         const char *case_text,
                                                         const struct tcplan_model_setup *setup,
                                                         const int64_t size[]);

#ifdef __cplusplus
}
#endif

#endif
