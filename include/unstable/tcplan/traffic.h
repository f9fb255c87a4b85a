/**
 * Computes the bytes that an algorithm moves through the caches: the compulsory ones, and those
 * predicted by a model of the caches.
 */
#ifndef TCPLAN_TRAFFIC_H
#define TCPLAN_TRAFFIC_H

#include "tcplan/machine.h"
#include "tcplan/nest.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Source of the model's number. */
enum tcplan_traffic_method {
    TCPLAN_TRAFFIC_COUNTED,   /**< everything fits the first cache: the elements that kernels and
                                 copies ask it for */
    TCPLAN_TRAFFIC_SIMULATED, /**< every access of one execution, in caches that the execution
                                 before has left */
    TCPLAN_TRAFFIC_SAMPLED /**< stretches at random places, in caches that hold what precedes these
                              places */
};

/** `counted`, `simulated` or `sampled`. */
TCPLAN_API const char *tcplan_traffic_method_name(enum tcplan_traffic_method method);

/**
 * Bytes that cross the boundary between the innermost cache that holds all tensors and temporaries
 * (memory if none does) and the levels nearer to the core, in one of many executions.
 */
struct tcplan_traffic {
    int cache; /**< place of that cache in machine.cache, or machine.cache_count for memory */
    double working_set_bytes; /**< tensors and temporaries */
    double compulsory_bytes;  /**< each tensor once: A and B read, C written, and read where beta is
                                 not 0; of C alone if there is nothing to multiply */
    double write_share;       /**< of the compulsory bytes, those written */
    bool updates;             /**< C is read before it is written */
    double model_bytes; /**< lines fetched, also before they are written, and lines written back; at
                           least the compulsory ones */
    double model_write_share; /**< of the model's bytes, those written */
    enum tcplan_traffic_method method;
};

/** The compulsory bytes of a problem, whatever computes it: see struct tcplan_traffic. */
TCPLAN_API double tcplan_compulsory_bytes(const struct tcplan_problem *problem);

/**
 * Models the traffic of an algorithm. Caches are those of one core, least recently used lines leave
 * first, and a kernel touches each of its operands once a call: what BLAS does inside a call, and
 * prefetching, is not modelled. Non-temporal stores cross the boundary once and leave nothing in
 * the caches. Where traffic is counted or sampled, tiles are taken for full ones, though the last
 * may be smaller.
 *
 * @param machine  whose caches; with none everything comes from memory and the model is the
 *                 compulsory traffic
 * @param seed     of the random places
 * @return TCPLAN_OK; TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_traffic_model(struct tcplan_traffic *out,
                                                   const struct tcplan_nest *nest,
                                                   const struct tcplan_problem *problem,
                                                   const struct tcplan_machine *machine,
                                                   uint64_t seed, struct tcplan_error *error);

#ifdef __cplusplus
}
#endif

#endif
