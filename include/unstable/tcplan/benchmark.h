/**
 * The micro-benchmarks of a prediction by the dissertation's method, and how each time was
 * obtained.
 */
#ifndef TCPLAN_BENCHMARK_H
#define TCPLAN_BENCHMARK_H

#include "tcplan/analysis.h"

struct tcplan_benchmark {
    enum tcplan_node_kind part;  /**< the kernel, a copy or a scaling */
    enum tcplan_class_kind kind; /**< for the kernel: the class of its calls; otherwise
                                    TCPLAN_CLASS_STEADY */
    int loop;       /**< TCPLAN_CLASS_FIRST: as in struct tcplan_call_class; -1 otherwise */
    double calls;   /**< number of calls that this time represents */
    double seconds; /**< time of one call: the median of the repetitions */
    int64_t batch;  /**< number of calls that were timed together; 1: each call was timed by itself
                     */
    bool shared;    /**< measured for another algorithm that makes the same calls in the same cache
                       state */
};

#endif
