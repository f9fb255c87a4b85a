/**
 * The micro-benchmarks of a prediction by the dissertation's method, and how each time was
 * obtained.
 */
#ifndef TCPLAN_BENCHMARK_H
#define TCPLAN_BENCHMARK_H

#include "tcplan/analysis.h"

struct tcplan_benchmark {
    enum tcplan_node_kind part;  /**< kind of the part: the kernel, a copy or a scaling */
    enum tcplan_class_kind kind; /**< for the kernel: the class of its calls; otherwise
                                    TCPLAN_CLASS_STEADY */
    int loop; /**< for TCPLAN_CLASS_FIRST, the loop as in struct tcplan_call_class; otherwise -1 */
    double calls;   /**< number of calls that this time represents */
    double seconds; /**< seconds of one call: the median of the repetitions */
    int64_t batch;  /**< number of calls that were timed together; 1: each call was timed by itself
                     */
    bool shared; /**< whether the time was measured for another algorithm that makes the same calls
                    in the same cache state */
};

#endif
