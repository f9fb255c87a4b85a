/** Resolves a binding (tcplan/binding.h) to cores and NUMA nodes of a machine, and applies it to
 * this process. */
#ifndef CACHESIM_BINDING_H
#define CACHESIM_BINDING_H

#include <stdbool.h>
#include <stddef.h>

#include "cachesim/places.h"
#include "tcplan/binding.h"

/** The cores and NUMA nodes that a binding selects. */
struct selection {
    int core_count;            /**< number of cores; 0: threads are not bound */
    int core[PLACES_MAX];      /**< positions in the list of places */
    int processor[PLACES_MAX]; /**< the same cores, with the system's numbers */
    int node_count;            /**< number of nodes; 0: memory is not bound */
    int node[PLACES_MAX];      /**< NUMA nodes, counted from 0 */
    bool interleaved;          /**< whether pages come from all these nodes in turn */
};

/**
 * Selects cores and nodes.
 *
 * @param places  cores of the machine
 * @param nodes   number of NUMA nodes of the machine
 * @return TCPLAN_OK; TCPLAN_INVALID if the machine lacks a core or node, or if fewer cores than
 *         threads are selected
 */
enum tcplan_status binding_select(struct selection *out, const struct tcplan_binding *binding,
                                  int threads, const struct places *places, int nodes,
                                  struct tcplan_error *error);

/** Returns whether the binding is `unbound`: then even a single measuring thread is not pinned
 * to its core. */
bool binding_is_unbound(const struct tcplan_binding *binding);

/** The state of this process before it was bound. */
struct bound;

/**
 * Binds all threads of this process, and the future memory of the calling thread. If the binding
 * has no text for threads or for memory, these are not changed.
 * @param out receives the previous state, for binding_release(); NULL if nothing is bound
 * @return TCPLAN_OK; TCPLAN_INVALID as binding_select(); TCPLAN_ENVIRONMENT if the system refuses;
 *     TCPLAN_NO_MEMORY
 */
enum tcplan_status binding_apply(struct bound **out, const struct tcplan_binding *binding,
                                 int threads, struct tcplan_error *error);

/** Moves existing memory to the nodes of the binding. Returns a status of binding_apply(). */
enum tcplan_status binding_move(const struct bound *bound, void *memory, size_t bytes,
                                struct tcplan_error *error);

/** Restores the previous state and frees it; NULL is fine. */
void binding_release(struct bound *bound);

#endif
