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

/** How the model's bytes were determined. */
enum tcplan_traffic_method {
    TCPLAN_TRAFFIC_COUNTED, /**< everything fits the first cache: bytes of the elements that kernels
                               and copies access */
    TCPLAN_TRAFFIC_SIMULATED, /**< simulation of every access of one execution, after caches were
                                 filled by the previous execution */
    TCPLAN_TRAFFIC_SAMPLED    /**< simulation of stretches at random places, in caches filled by the
                                 accesses before them */
};

/** Returns `counted`, `simulated` or `sampled`. */
TCPLAN_API const char *tcplan_traffic_method_name(enum tcplan_traffic_method method);

/**
 * Bytes that one of many consecutive executions moves into and out of a *level*: the innermost
 * cache that holds all tensors and temporaries, or memory if no cache holds them. The bytes that
 * cross the boundary between this level and the caches nearer to the core are counted.
 */
struct tcplan_traffic {
    int cache; /**< the level: place in machine.cache, or machine.cache_count for memory */
    double working_set_bytes; /**< bytes of the tensors and temporaries */
    double compulsory_bytes;  /**< compulsory bytes, each tensor counted once: A and B read, C
                                 written, and also read if beta is not 0; only C if there is nothing
                                 to multiply */
    double write_share;       /**< written share of the compulsory bytes */
    bool updates;             /**< whether C is read before it is written */
    double model_bytes; /**< bytes of lines fetched, including those fetched before a write, and of
                           lines written back; at least the compulsory bytes */
    double model_write_share; /**< written share of the model's bytes */
    enum tcplan_traffic_method method;
};

/** Returns the compulsory bytes of a problem, which do not depend on the algorithm: see struct
 * tcplan_traffic. */
TCPLAN_API double tcplan_compulsory_bytes(const struct tcplan_problem *problem);

/**
 * Models the traffic of an algorithm. The caches of one core are modelled, with replacement of the
 * least recently used line. A kernel accesses each of its operands once per call: accesses inside
 * BLAS routines, and prefetching, are not modelled. Non-temporal stores cross the boundary once and
 * leave nothing in the caches. If traffic is counted or sampled, all tiles are assumed to be full,
 * although the last one may be smaller.
 *
 * @param machine  machine whose caches are modelled; if it has no caches, all data come from
 *                 memory, and the model's bytes are the compulsory ones
 * @param seed     seed of the random places
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
