/** Runs experiments. The executor of calls is a parameter, so that tests can script times. */
#ifndef SAMPLER_RUN_H
#define SAMPLER_RUN_H

#include "routines/sampler/timing/queue.h"
#include "tcplan/experiment.h"

/** Executes the queued calls of a unit: runs the queue like queue_run() and returns samples like
 * queue_samples(). `unit` is the number of the unit. */
struct experiment_executor {
    void *context;
    enum tcplan_status (*run)(void *context, int64_t unit, struct queue *queue,
                              const struct queue_options *options, const struct sample **samples,
                              int *count, struct tcplan_error *error);
    double ticks_per_second; /**< rate of the executor's clock; 0: the rate of the processor's
                                counter */
};

/** Implements tcplan_experiment_run() with any executor. */
enum tcplan_status experiment_run_by(struct tcplan_experiment_outcome *out,
                                     const struct tcplan_experiment *experiment,
                                     const struct tcplan_experiment_run_options *options,
                                     const struct experiment_executor *executor,
                                     struct tcplan_error *error);

#endif
