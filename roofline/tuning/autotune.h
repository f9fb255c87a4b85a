/**
 * Search for the best of a table of configurations by measuring each, no longer than it takes to
 * know that it is not the best one (Autotuning Benchmarking Techniques: A Roofline Model Case
 * Study).
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

/** One iteration. */
struct autotune_sample {
    double value;   /**< a speed or a time, depending on the rules' aim */
    bool disturbed; /**< something else had the processor: it counts as time spent, and nothing else
                     */
};

/** Outcome of an invocation. */
struct autotune_invocation {
    struct running_mean values; /**< of its iterations */
    int64_t disturbed;          /**< iterations that do not count */
    enum stop_reason reason;    /**< what ended it */
    bool lost;                  /**< its process died or was ended: there is nothing else */
};

/** What is searched: configurations 0 to count - 1. */
struct autotune_space {
    int64_t count;
    void *context;
    /**
     * Invokes a configuration in a fresh state: until the rules end it.
     *
     * @param best  the mean to beat, or stop_worst()
     * @return TCPLAN_OK; TCPLAN_NOT_APPLICABLE if this configuration cannot run: it is left out;
     *         any other status ends the search
     */
    enum tcplan_status (*invoke)(void *context, int64_t configuration,
                                 const struct stop_rules *rules, double best,
                                 struct autotune_invocation *out, struct tcplan_error *error);
    uint64_t (*now_ns)(void *context);
};

/** A benchmark that is invoked in this process. */
struct autotune_benchmark {
    void *context;
    /** Makes a fresh state, and runs the untimed warm-up once. Status as of invoke(). */
    enum tcplan_status (*begin)(void *context, struct tcplan_error *error);
    struct autotune_sample (*iterate)(void *context);
    void (*end)(void *context); /**< after each begin() that returned TCPLAN_OK */
    uint64_t (*now_ns)(void *context);
};

/** Invokes a benchmark here. Status as of begin(). */
enum tcplan_status autotune_invoke(struct autotune_invocation *out,
                                   const struct autotune_benchmark *benchmark,
                                   const struct stop_rules *rules, double best,
                                   struct tcplan_error *error);

/** The order in which configurations are tried: a good configuration found early ends the others
 * sooner. */
enum autotune_order { AUTOTUNE_FORWARD, AUTOTUNE_REVERSED, AUTOTUNE_RANDOM };

struct autotune_options {
    struct stop_rules iteration;  /**< within one invocation */
    struct stop_rules invocation; /**< of one configuration: the samples are the means of its
                                     invocations, the time is that of all of them */
    enum autotune_order order;
    uint64_t seed;                /**< AUTOTUNE_RANDOM */
    struct deadline deadline;     /**< no configuration is begun after that */
    tcplan_progress_fn *progress; /**< NULL: none; counts configurations */
    void *progress_context;
};

/** Outcome of one configuration. */
struct autotune_record {
    bool applicable;           /**< it can be chosen */
    struct running_mean means; /**< over its invocations */
    int64_t iterations;        /**< that count, of all invocations */
    int64_t disturbed;         /**< iterations that do not */
    int64_t lost; /**< invocations that died or hung; after the second the configuration is left out
                   */
    double seconds;              /**< spent on it, preparation included */
    int64_t ended[STOP_REASONS]; /**< invocations, by the reason for their end */
    enum stop_reason reason;     /**< what ended the configuration; STOP_NOT: not applicable */
};

/** To be freed with autotune_free(). */
struct autotune_result {
    int64_t best;   /**< -1: none is applicable */
    bool cut;       /**< the deadline came before all configurations were tried */
    double value;   /**< the mean of its invocations' means */
    double seconds; /**< of the whole search */
    int64_t count;
    struct autotune_record *record;
};

/** The paper's C+I+O: all conditions in both loops, at most 200 iterations, 10 invocations, 10 s an
 * invocation; forward. */
struct autotune_options autotune_defaults(void);

/**
 * Searches. The best configuration is the one with the best mean over its invocations.
 *
 * @return TCPLAN_OK; TCPLAN_INVALID if rules do not end or the aims of both loops differ;
 *         TCPLAN_NO_MEMORY; what begin() returned
 */
enum tcplan_status autotune_search(struct autotune_result *out, const struct autotune_space *space,
                                   const struct autotune_options *options,
                                   struct tcplan_error *error);

void autotune_free(struct autotune_result *result);

#endif
