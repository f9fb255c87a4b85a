/**
 * Generating performance models on this machine, and checking them (docs/models.md).
 *
 * A generation measures the cases of routines, refines their models (tcplan/models.h) and ends
 * where their errors are within the bound, or time is over. Samples are kept in a file as they are
 * taken: an interrupted generation resumes and makes the same models.
 *
 * Times of models are those in the core's good state (a shared core has two speeds); predictions of
 * a run scale them to the machine's expected speed, as planning does.
 */
#ifndef TCPLAN_GENERATION_H
#define TCPLAN_GENERATION_H

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
    TCPLAN_CHECKED_POINTS = 1000 /**< of a model, at most */
};

/** Deviations of a configuration from the default (tcplan_model_config_default()). */
struct tcplan_generation_config {
    int overfitting;  /**< negative: as usual */
    int oversampling; /**< 0: as usual, and so on */
    int repetitions;
    double bound;
    int64_t min_width;
    int grid;      /**< enum tcplan_model_grid; negative: as usual, and so on */
    int reference; /**< enum tcplan_model_statistic */
    int measure;   /**< enum tcplan_model_measure */
};

/** All as usual. */
TCPLAN_API struct tcplan_generation_config tcplan_generation_config_usual(void);

/** What to measure, and how: of generations and checks. Zero-initialise, then set the members you
 * need; threads at least. */
struct tcplan_generation_options {
    const struct tcplan_machine *machine; /**< a live one */
    enum tcplan_provider provider;
    int threads;
    enum tcplan_model_placement placement;
    int64_t max_memory_bytes;  /**< of operands; 0: four fifths of the available memory */
    double time_limit_seconds; /**< 0: none */
    double settling_seconds;   /**< for so long a call is repeated before one counts; 0: as usual (3
                                  ms); negative: it is made twice */
    uint64_t seed;             /**< of the order of measurements, and of random points */
    const char *samples;       /**< the file of samples; NULL: the usual one of the store */
    const struct tcplan_store *store; /**< NULL: none. If there is no store, or it has no folder,
                                         and no file is named, samples are kept nowhere */
    tcplan_progress_fn *progress;     /**< NULL: none */
    void *progress_context;

    /* Of generations only. */
    const char *const *word; /**< routines and arguments: `dtrsm`, `dgemm:transA=N,beta=0`, see
                                docs/models.md */
    int word_count;
    const char *domain; /**< as `m=24:536,n=24:4152`; NULL: the usual of each case */
    struct tcplan_generation_config config;
    bool fresh; /**< what the file of samples has is dropped */

    /* Of checks only. */
    int points;      /**< of each model; 0: TCPLAN_GENERATION_POINTS */
    int repetitions; /**< of each point in each session; 0: TCPLAN_GENERATION_REPETITIONS */
};

/** State of a case. */
struct tcplan_generated {
    char case_text[TCPLAN_MODEL_TEXT];
    struct tcplan_model_domain domain;
    struct tcplan_model *model; /**< owned; NULL: time was over before its first round was */
    struct tcplan_model_samples samples; /**< owned: of its points */
    int rounds;
    double seconds;       /**< that its samples took */
    double again_seconds; /**< of them those of repetitions beyond the configuration's, of points
                             that hardly met the good state */
    double whole_error;   /**< of the domain as one piece, before it was halved; 0: not known */
    double spread; /**< how well its points are known, relative, on average: half of the difference
                      between both halves of their repetitions */
    size_t explained; /**< pieces above the bound that are not halved, as the spread of their points
                         explains their errors */
};

/** How fast a core was. */
struct tcplan_core_speed {
    double good_seconds; /**< of a short piece of work that is always the same, at the core's best
                            speed; 0: not known */
    double share;        /**< the mean speed over the best */
    double other_cores;  /**< processing units that others kept busy meanwhile; negative: not known
                          */
};

/** Zero-initialise before use. */
struct tcplan_generation {
    size_t count;
    struct tcplan_generated *of; /**< owned */
    int64_t measured;            /**< samples that were taken now */
    int64_t known;               /**< that were in the file already, of those that were asked for */
    int64_t disturbed;           /**< that were taken again, as other load had the core */
    int64_t leading; /**< leading dimension and large increment, in elements of the first case */
    double seconds;
    bool time_over;
    bool given_up; /**< a call did not end: it still runs, and the program should end by _exit() */
    struct tcplan_core_speed core;
};

/**
 * Generates models.
 *
 * @param out  receives them, to be freed with tcplan_generation_free() whatever is returned
 * @return TCPLAN_OK, also if time is over: models are there of cases whose first round was over by
 *         then, `complete` is false of those that others would follow; TCPLAN_INVALID: unknown
 *         routines and cases, domains that are refused or beyond memory, a provider that lacks a
 *         routine, a machine that is not this one, a damaged file of samples; TCPLAN_MISMATCH if
 *         that belongs to another machine or setup, TCPLAN_BUSY if another process adds to it;
 *         TCPLAN_ENVIRONMENT: a call that does not end, or reports an error, a point that other
 *         work disturbed each time, samples that cannot be written; TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_models_generate(
    struct tcplan_generation *out, const struct tcplan_generation_options *options,
    struct tcplan_error *error);

TCPLAN_API void tcplan_generation_free(struct tcplan_generation *generation);

/**
 * The setup of models that are generated with these options; that of tcplan's own copies has
 * another provider and no version.
 *
 * @param own  of these
 */
TCPLAN_API struct tcplan_model_setup tcplan_generation_setup(
    const struct tcplan_generation_options *options, bool own);

/** The file of samples of these options, to be freed with free(); NULL if there is none, or memory
 * runs out. */
TCPLAN_API char *tcplan_generation_samples_name(const struct tcplan_generation_options *options);

/* Checking. */

/** A point that a model was not fitted to: nanoseconds of the reference statistic. */
struct tcplan_checked_point {
    int64_t size[TCPLAN_MODEL_SIZES];
    double model_ns;
    double ns[2];     /**< by the two sessions, in the clock regime of the model */
    double raw_ns[2]; /**< as they were measured */
};

/** Result of checking a model. Errors are relative. */
struct tcplan_model_checked {
    const struct tcplan_model *model; /**< borrowed */
    int count;
    struct tcplan_checked_point *point; /**< owned */
    struct tcplan_model_check error;    /**< of the model, against the mean of both sessions */
    struct tcplan_model_check raw;      /**< the same of raw times */
    double spread; /**< the machine's own: median difference between the sessions, relative to their
                      mean */
    double raw_spread;
    double target; /**< 1.5 times the spread; 0.7 % where that is below 0.5 % */
    bool met;      /**< the mean error is within it */
};

/** Zero-initialise before use. */
struct tcplan_models_check {
    size_t count;
    struct tcplan_model_checked *of; /**< owned */
    double seconds;
    bool time_over;  /**< some models have fewer points, or none */
    bool given_up;   /**< see struct tcplan_generation */
    bool same_state; /**< the clock regimes of the models are known */
    struct tcplan_core_speed core;
};

/**
 * Measures random points of models' domains twice, and computes the models' errors.
 *
 * @param out    receives the results, to be freed with tcplan_models_check_free() whatever is
 *               returned
 * @param model  `count` models of the options' setup, borrowed as long as the results are used
 * @return as tcplan_models_generate()
 */
TCPLAN_API enum tcplan_status tcplan_models_check(struct tcplan_models_check *out,
                                                  const struct tcplan_model *const model[],
                                                  size_t count,
                                                  const struct tcplan_generation_options *options,
                                                  struct tcplan_error *error);

TCPLAN_API void tcplan_models_check_free(struct tcplan_models_check *check);

#ifdef __cplusplus
}
#endif

#endif
