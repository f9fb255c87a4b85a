/**
 * Binding: the cores on which threads run, and the NUMA nodes in which their memory lies (Peise,
 * dissertation, sections 2.1.3 and 2.1.4).
 *
 *   cores  = "close" | "spread" | "unbound" | list
 *   memory = "local" | "interleave" | list
 *   list   = numbers { "," numbers } ;  numbers = number [ "-" number ]
 *
 * Cores and nodes are numbered from 0 in the order of hwloc's topology. Cores that the process may
 * not use have no number. With `close` and `spread`, as many cores are chosen as there are threads.
 * All threads of a library may run on all chosen cores. `local` memory is in the node of the core
 * that writes it first; `interleave` takes pages from all nodes in turn.
 */
#ifndef TCPLAN_BINDING_H
#define TCPLAN_BINDING_H

#include "tcplan/export.h"
#include "tcplan/status.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { TCPLAN_BINDING_TEXT = 64, TCPLAN_BINDING_LINE = 160 };

struct tcplan_binding {
    char cores[TCPLAN_BINDING_TEXT];  /**< cores; empty: a single thread stays on its core, and
                                         several threads are not bound */
    char memory[TCPLAN_BINDING_TEXT]; /**< NUMA nodes of the memory; empty: the system chooses */
};

/**
 * Makes a binding from two texts.
 *
 * @param cores   text of the cores; NULL counts as empty, also for `memory`
 * @return TCPLAN_OK; TCPLAN_INVALID if a text has another form or more than 63 characters
 */
TCPLAN_API enum tcplan_status tcplan_binding_make(struct tcplan_binding *out, const char *cores,
                                                  const char *memory, struct tcplan_error *error);

/** Writes a binding as `cores=close memory=0`; omits empty parts. */
TCPLAN_API void tcplan_binding_print(char out[TCPLAN_BINDING_LINE],
                                     const struct tcplan_binding *binding);

/**
 * Writes which cores and nodes a binding selects on a machine, such as `cores 0-7, memory of node
 * 0`; an empty text for an empty binding.
 *
 * @param machine  `live`, a synthetic description of hwloc, such as `pack:2 numa:1 core:8 pu:2`, or
 *                 the name of an XML file of hwloc
 * @return TCPLAN_OK; TCPLAN_INVALID if the machine lacks a core or node, or has too few cores for
 *         the threads; TCPLAN_ENVIRONMENT, TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_binding_describe(char out[TCPLAN_BINDING_LINE],
                                                      const struct tcplan_binding *binding,
                                                      int threads, const char *machine,
                                                      struct tcplan_error *error);

#ifdef __cplusplus
}
#endif

#endif
