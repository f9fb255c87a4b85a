/**
 * The memory accesses of a loop nest, element by element in program order, for simulators. Every
 * node touches each of its operands once per execution, one after the other, in order of address:
 * a kernel touches A, B, and then C, which it writes; a copy its source, then its destination; a
 * scaling its slice. Blocking and packing inside a BLAS kernel are not modelled, because outside
 * the kernel only the set of touched elements matters.
 */
#ifndef CACHESIM_ACCESS_TRACE_H
#define CACHESIM_ACCESS_TRACE_H

#include "cachesim/collection.h"

/** Addresses of tensors and temporaries, in the slots of a struct collection. */
struct access_layout {
    uint64_t address[COLLECTION_SLOTS];
};

/** Consecutive accesses to elements of one slice, `stride_bytes` apart. */
struct access_run {
    const struct tcplan_node *node; /**< the node that touches the elements */
    struct tcplan_slice slice;
    uint64_t address;
    int64_t stride_bytes;
    int64_t count;
    bool write;
};

/** Receives every run of accesses. */
typedef void access_run_fn(void *context, const struct access_run *run);

/** Receives every kernel, copy and scaling before its accesses. `at` has the iteration of each
 * surrounding loop, by index, and 0 for other indices. */
typedef void access_node_fn(void *context, const struct tcplan_node *node, const int64_t at[]);

struct access_visitor {
    void *context;
    access_run_fn *run;
    access_node_fn *node; /**< receives nodes before their accesses; may be NULL */
};

/** Places the nest's tensors and temporaries one after the other, each at the start of a page. */
struct access_layout access_layout_of(const struct refined_problem *problem);

/** Traces one execution of a nest. */
void access_trace(const struct tcplan_nest *nest, const struct refined_problem *problem,
                  const struct access_layout *layout, const struct access_visitor *visitor);

/** A stretch of an execution: one copy, scaling or kernel call, or consecutive iterations of a
 * loop. */
struct access_stretch {
    const struct tcplan_node *node;
    uint64_t around;   /**< indices of the loops around the node */
    const int64_t *at; /**< for each of these indices, the iteration of its loop */
    int64_t first;     /**< for a loop: its iterations [first, first + count) */
    int64_t count;
};

/** Traces the accesses of a stretch. */
void access_trace_stretch(const struct refined_problem *problem, const struct access_layout *layout,
                          const struct access_stretch *stretch,
                          const struct access_visitor *visitor);

#endif
