/**
 * Generates and checks performance models on this machine (docs/models.md).
 *
 * A generation measures the cases of routines, refines their models (tcplan/models.h) and ends
 * when the errors of the models are within the bound, or at the time limit. Samples are written to
 * a file as they are taken: an interrupted generation resumes and makes the same models.
 *
 * Models hold times at the core's best speed; a core that other programs share may alternate
 * between two speeds. Predictions, like planning, scale them to the machine's expected speed.
 */
#ifndef TCPLAN_GENERATION_H
#define TCPLAN_GENERATION_H

#include "tcplan/binding.h"
#include "tcplan/machine.h"
#include "tcplan/models.h"
#include "tcplan/progress.h"
#include "tcplan/provider.h"
#include "tcplan/store.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    TCPLAN_GENERATION_REPETITIONS = 10,
    TCPLAN_GENERATION_POINTS = 30,
    TCPLAN_CHECKED_POINTS = 1000 /**< maximum number of points in the check of a model */
};

/** Deviations of a configuration from the default (tcplan_model_config_default()). */
struct tcplan_generation_config {
    int overfitting;  /**< overfitting; negative: the default */
    int oversampling; /**< oversampling; 0: the default, also for the members below */
    int repetitions;
    double bound;
    int64_t min_width;
    int grid;      /**< enum tcplan_model_grid; negative: the default, also for the members below */
    int reference; /**< enum tcplan_model_statistic */
    int measure;   /**< enum tcplan_model_measure */
};

/** Returns a configuration with all defaults. */
TCPLAN_API struct tcplan_generation_config tcplan_generation_config_usual(void);

/** Options of generations and checks. Zero-initialise, then set the members you need; threads at
 * least. */
struct tcplan_generation_options {
    const struct tcplan_machine *machine; /**< the machine that runs this program */
    enum tcplan_provider provider;
    int threads;
    struct tcplan_binding binding; /**< cores of threads and NUMA nodes of memory; empty: not bound
                                    */
    enum tcplan_model_placement placement;
    int64_t max_memory_bytes;  /**< memory limit for the operands; 0: four fifths of the available
                                  memory */
    double time_limit_seconds; /**< time limit; 0: none */
    double settling_seconds;   /**< duration of warm-up calls before the first timed call; 0: the
                                  default (3 ms); negative: two calls */
    uint64_t seed;             /**< seed of the order of measurements and of the random points */
    const char *samples;       /**< file of samples; NULL: the default file in the store */
    const struct tcplan_store *store; /**< where models and samples are stored; NULL: nowhere.
                                         Without a folder and without `samples`, samples are not
                                         saved */
    tcplan_progress_fn *progress;     /**< progress callback; NULL: none */
    void *progress_context;

    /* For generations and studies only. */
    const char *const *word; /**< routines and arguments: `dtrsm`, `dgemm:transA=N,beta=0`, see
                                docs/models.md */
    int word_count;
    const char *domain; /**< ranges of the sizes, such as `m=24:536,n=24:4152`; NULL: the default of
                           each case */
    struct tcplan_generation_config config;
    bool fresh;           /**< whether samples that the file already contains are discarded */
    const char *counter;  /**< event to be counted instead of time, such as `instructions`: models
                             and samples then hold counts; counts of 0 count as 0.001. NULL: time */
    const char *counters; /**< source of the counts: NULL or `perf`, or a file of recorded counts */

    /* For checks only. */
    int points;      /**< number of points per model; 0: TCPLAN_GENERATION_POINTS */
    int repetitions; /**< number of repetitions per point and session; 0:
                        TCPLAN_GENERATION_REPETITIONS */
};

/** Result of a generation for one case. */
struct tcplan_generated {
    char case_text[TCPLAN_MODEL_TEXT];
    struct tcplan_model_domain domain;
    struct tcplan_model *model; /**< the model, owned; NULL: the time limit came before the first
                                   round was complete */
    struct tcplan_model_samples samples; /**< samples at the points of the model, owned */
    int rounds;
    double seconds;       /**< time spent on the samples of this case */
    double again_seconds; /**< part of `seconds` spent on additional repetitions, at points whose
                             repetitions rarely ran at the core's best speed */
    double whole_error;   /**< error of one piece for the whole domain, before it was halved; 0:
                             unknown */
    double spread;    /**< mean relative uncertainty of the times at the model's points: half the
                         difference between the two halves of the repetitions */
    size_t explained; /**< number of pieces whose error exceeds the bound but that were not halved,
                         because the spread at their points explains the error */
};

/** Speed of a core. */
struct tcplan_core_speed {
    double good_seconds; /**< time of a short fixed piece of work at the core's best speed; 0:
                            unknown */
    double share;        /**< mean speed as a share of the best */
    double other_cores;  /**< number of processing units kept busy by other load; negative: unknown
                          */
};

/** Zero-initialise before use. */
struct tcplan_generation {
    size_t count;
    struct tcplan_generated *of; /**< results, one per case; owned */
    int64_t measured;            /**< number of samples taken in this call */
    int64_t known;               /**< number of requested samples that were already in the file */
    int64_t disturbed;           /**< samples repeated because other load used the core */
    int64_t leading; /**< leading dimension and large increment of the first case, in elements */
    double seconds;
    bool time_over;
    bool given_up; /**< whether a call did not return and is still running; the program should then
                      end with _exit() */
    struct tcplan_core_speed core;
};

/**
 * Generates models.
 *
 * @param out  receives them, to be freed with tcplan_generation_free() whatever is returned
 * @return TCPLAN_OK, also after the time limit: cases whose first round was complete have models,
 *     and `complete` is false if further rounds were due; TCPLAN_INVALID: unknown routines or
 *     cases, invalid domains or ones that exceed memory, a provider that lacks a routine, a machine
 *     other than this one, a damaged file of samples; TCPLAN_MISMATCH if that file belongs to
 *     another machine or setup; TCPLAN_BUSY if another process adds to it; TCPLAN_ENVIRONMENT: a
 *     call does not end or reports an error, a point was disturbed in every repetition, or samples
 *     cannot be written; TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_models_generate(
    struct tcplan_generation *out, const struct tcplan_generation_options *options,
    struct tcplan_error *error);

TCPLAN_API void tcplan_generation_free(struct tcplan_generation *generation);

/**
 * Returns the setup of models generated with these options. tcplan's own routines have a setup
 * with another provider and no version.
 *
 * @param own  returns the setup of tcplan's own routines
 */
TCPLAN_API struct tcplan_model_setup tcplan_generation_setup(
    const struct tcplan_generation_options *options, bool own);

/** Returns the name of the file of samples for these options, to be freed with free(); NULL if
 * there is none, or memory runs out. */
TCPLAN_API char *tcplan_generation_samples_name(const struct tcplan_generation_options *options);

/* Checking. */

/** A random point that was not used to fit the model, with its times (the model's reference
 * statistic) in nanoseconds. */
struct tcplan_checked_point {
    int64_t size[TCPLAN_MODEL_SIZES];
    double model_ns;
    double ns[2];     /**< times of the two sessions, in the clock regime of the model */
    double raw_ns[2]; /**< the times as measured */
};

/** Result of checking a model. Errors are relative. */
struct tcplan_model_checked {
    const struct tcplan_model *model; /**< the checked model, borrowed */
    int count;
    struct tcplan_checked_point *point; /**< the measured points, owned */
    struct tcplan_model_check error; /**< errors of the model, relative to the mean of both sessions
                                      */
    struct tcplan_model_check raw;   /**< the same errors, computed from raw times */
    double spread; /**< noise of the machine: median difference between the sessions, relative to
                      their mean */
    double raw_spread;
    double target; /**< bound for the mean error: 1.5 times the spread, or 0.7 % if the spread is
                      below 0.5 % */
    bool met;      /**< whether the mean error of the model does not exceed `target` */
};

/** Zero-initialise before use. */
struct tcplan_models_check {
    size_t count;
    struct tcplan_model_checked *of; /**< results, one per model; owned */
    double seconds;
    bool time_over;  /**< whether the time limit left some models with fewer points than requested,
                        or with none */
    bool given_up;   /**< whether a call did not return, as in struct tcplan_generation */
    bool same_state; /**< whether the clock regimes of the models are known */
    struct tcplan_core_speed core;
};

/**
 * Checks models: measures random points of their domains in two sessions, and computes the errors
 * of the models there.
 *
 * @param out    receives the results, to be freed with tcplan_models_check_free() whatever is
 *               returned
 * @param model  `count` models of the options' setup, borrowed as long as the results are used
 * @return a status of tcplan_models_generate()
 */
TCPLAN_API enum tcplan_status tcplan_models_check(struct tcplan_models_check *out,
                                                  const struct tcplan_model *const model[],
                                                  size_t count,
                                                  const struct tcplan_generation_options *options,
                                                  struct tcplan_error *error);

TCPLAN_API void tcplan_models_check_free(struct tcplan_models_check *check);

/* Studies of configurations (Peise 2017, section 3.3). */

/** Sets of configurations. */
enum tcplan_configurations {
    TCPLAN_CONFIGURATIONS_PAPER, /**< the 14 of table 3.3 */
    TCPLAN_CONFIGURATIONS_ALL,   /**< all 2880 combinations of table 3.1 */
    TCPLAN_CONFIGURATIONS
};

/**
 * Lists the configurations of a set, each with the given deviations. Configurations that become
 * equal by the deviations are listed once.
 *
 * @param out  receives up to `capacity` configurations; NULL with 0: they are only counted
 * @return the number of configurations, which may exceed `capacity`
 */
TCPLAN_API size_t tcplan_configurations_list(struct tcplan_model_config out[], size_t capacity,
                                             enum tcplan_configurations set,
                                             const struct tcplan_generation_config *deviations);

/** Result of a study for one case and one configuration. */
struct tcplan_studied {
    char case_text[TCPLAN_MODEL_TEXT];
    struct tcplan_model_domain domain;
    struct tcplan_model_config config;
    int64_t pieces;
    int64_t points; /**< number of points of the grid that the model used */
    double error;   /**< model error: mean of |predicted - measured| / measured minimum over all
                       points of the grid */
    double cost_seconds; /**< model cost: total time of the samples that the model used */
    bool complete;       /**< whether no piece is still to be halved */
    bool accurate;       /**< whether the error is at most 1.5 times the smallest of the case */
    bool chosen; /**< whether it is also in the cheapest quarter of the case's configurations */
};

/** Zero-initialise before use. */
struct tcplan_study {
    size_t count;
    struct tcplan_studied *of; /**< results, the configurations of the first case first; owned */
    size_t cases;              /**< number of cases; each has equally many results */
    int64_t points;            /**< number of points of the grids of all cases */
    int64_t ready;             /**< number of these points with enough samples */
    int repetitions;           /**< number of samples at each point */
    int64_t measured;          /**< number of samples taken in this call */
    int64_t disturbed;         /**< samples repeated because other load used the core */
    double seconds;
    bool time_over; /**< whether the time limit ended the measurement; there are no results then */
    bool given_up;  /**< whether a call did not return, as in struct tcplan_generation */
    struct tcplan_core_speed core;
};

/**
 * Studies configurations: measures all points of the domains once, then fits a model for each
 * configuration to these samples. The models equal those that tcplan_models_generate() makes of
 * the same samples, except that no point has more samples than configured.
 *
 * @param out     receives the results, to be freed with tcplan_study_free() whatever is returned
 * @param config  `count` configurations; each member `multiple` is set to `step`
 * @param step    sizes of the points are the multiples of this number in the domain; the ends of
 *                domains must be multiples, too
 * @return a status of tcplan_models_generate(); TCPLAN_INVALID if the grids have more than
 *     TCPLAN_STUDY_POINTS points
 */
TCPLAN_API enum tcplan_status tcplan_models_study(struct tcplan_study *out,
                                                  const struct tcplan_model_config config[],
                                                  size_t count, int64_t step,
                                                  const struct tcplan_generation_options *options,
                                                  struct tcplan_error *error);

enum { TCPLAN_STUDY_POINTS = 1 << 20 };

TCPLAN_API void tcplan_study_free(struct tcplan_study *study);

#ifdef __cplusplus
}
#endif

#endif
