/**
 * Searches for the best of several configurations by measuring each, until it is known not to be
 * the best (Autotuning Benchmarking Techniques: A Roofline Model Case Study).
 *
 * A configuration is invoked several times, each time in a fresh state (new memory, caches warmed
 * anew), and every invocation repeats its measurement in iterations. The stop rules end the
 * iterations of an invocation, and, on the means of the invocations, the invocations of a
 * configuration. The caller supplies configurations, their execution and the clock, so that tests
 * can script them.
 */
#ifndef ROOFLINE_TUNING_AUTOTUNE_H
#define ROOFLINE_TUNING_AUTOTUNE_H

#include "base/deadline.h"
#include "microbench/predict/stop.h"
#include "tcplan/roofline.h"

/** The result of an iteration. */
struct autotune_sample {
    double value;   /**< a speed or a time, depending on the rules' aim */
    bool disturbed; /**< whether other work used the processor: the time of this iteration counts,
                       but its value does not */
};

/** The result of an invocation. */
struct autotune_invocation {
    double value;            /**< mean or median of the values of the undisturbed iterations */
    int64_t iterations;      /**< number of undisturbed iterations */
    int64_t disturbed;       /**< number of disturbed iterations */
    enum stop_reason reason; /**< why the invocation ended */
    bool lost; /**< whether the process of the invocation died or was killed; the other members are
                  0 */
};

/** The configurations to search, numbered 0 to count - 1. */
struct autotune_space {
    int64_t count;
    void *context;
    /**
     * Invokes a configuration in a fresh state until the rules end it.
     *
     * @param best  the mean to beat, or stop_worst()
     * @return TCPLAN_OK; TCPLAN_NOT_APPLICABLE if this configuration cannot run and is to be
     *     skipped; any other status ends the search
     */
    enum tcplan_status (*invoke)(void *context, int64_t configuration,
                                 const struct stop_rules *rules, double best,
                                 struct autotune_invocation *out, struct tcplan_error *error);
    uint64_t (*now_ns)(void *context);
};

/** A benchmark that is invoked in this process. */
struct autotune_benchmark {
    void *context;
    /** Makes a fresh state and runs one untimed warm-up. Returns the statuses of invoke(). */
    enum tcplan_status (*begin)(void *context, struct tcplan_error *error);
    struct autotune_sample (*iterate)(void *context);
    void (*end)(void *context); /**< called after each begin() that returned TCPLAN_OK */
    uint64_t (*now_ns)(void *context);
};

/** Invokes a benchmark in this process. Returns the statuses of begin(). */
enum tcplan_status autotune_invoke(struct autotune_invocation *out,
                                   const struct autotune_benchmark *benchmark,
                                   const struct stop_rules *rules, double best,
                                   struct tcplan_error *error);

/** The order in which configurations are tried. The earlier a good one is found, the sooner the
 * others can be ended. */
enum autotune_order { AUTOTUNE_FORWARD, AUTOTUNE_REVERSED, AUTOTUNE_RANDOM };

struct autotune_options {
    struct stop_rules iteration;  /**< rules for the iterations of an invocation */
    struct stop_rules invocation; /**< rules for the invocations of a configuration. Their samples
                                     are the means of invocations; their time limit applies to all
                                     invocations together */
    enum autotune_order order;
    uint64_t seed;                /**< seed of AUTOTUNE_RANDOM */
    struct deadline deadline;     /**< time after which no configuration is begun */
    tcplan_progress_fn *progress; /**< progress callback, which receives the number of
                                     configurations; NULL: none */
    void *progress_context;
};

/** The result of a configuration. */
struct autotune_record {
    bool applicable;           /**< whether the configuration can run and may be chosen */
    struct running_mean means; /**< mean of the means of its invocations */
    int64_t iterations;        /**< number of undisturbed iterations in all invocations */
    int64_t disturbed;         /**< number of disturbed iterations in all invocations */
    int64_t lost;   /**< number of invocations that died or hung; after two the configuration is
                       skipped */
    double seconds; /**< seconds spent on the configuration, including preparation */
    int64_t ended[STOP_REASONS]; /**< number of invocations that ended for each reason */
    enum stop_reason reason;     /**< why the configuration ended; STOP_NOT: not applicable */
};

/** The result of a search, to be freed with autotune_free(). */
struct autotune_result {
    int64_t best; /**< number of the best configuration; -1: none is applicable */
    bool cut;     /**< whether the deadline passed before all configurations were tried */
    double value; /**< value of the best configuration: the mean of the means of its invocations */
    double seconds; /**< seconds of the whole search */
    int64_t count;
    struct autotune_record *record;
};

/** Returns the options that the paper calls C+I+O: all conditions in both loops, at most 200
 * iterations and 10 s for an invocation, at most 10 invocations; forward order. */
struct autotune_options autotune_defaults(void);

/**
 * Searches for the configuration with the best mean over its invocations.
 *
 * @return TCPLAN_OK; TCPLAN_INVALID if the rules have no limit or the aims of both loops differ;
 *     TCPLAN_NO_MEMORY; the status of an invocation that ended the search
 */
enum tcplan_status autotune_search(struct autotune_result *out, const struct autotune_space *space,
                                   const struct autotune_options *options,
                                   struct tcplan_error *error);

void autotune_free(struct autotune_result *result);

#endif
