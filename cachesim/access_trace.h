/**
 * The memory accesses of a loop nest, element by element in program order, for simulators. Every
 * node touches each of its operands once per execution, one operand after the other, in order of
 * address: kernels A, B, then C, which is written; copies the source, then the destination;
 * scalings their slice. The blocking and packing inside a BLAS kernel are not modelled: outside the
 * kernel only the set of elements matters.
 */
#ifndef CACHESIM_ACCESS_TRACE_H
#define CACHESIM_ACCESS_TRACE_H

#include "cachesim/collection.h"

/** Addresses of tensors and temporaries, in the slots of a struct collection. */
struct access_layout {
    uint64_t address[COLLECTION_SLOTS];
};

/** Elements of one slice, `stride_bytes` apart. */
struct access_run {
    const struct tcplan_node *node; /**< that touches them */
    struct tcplan_slice slice;
    uint64_t address;
    int64_t stride_bytes;
    int64_t count;
    bool write;
};

/** Told every run of accesses. */
typedef void access_run_fn(void *context, const struct access_run *run);

/** Told every kernel, copy and scaling before its accesses; `at` has the iterations of the loops
 * around it, by index, and otherwise 0. */
typedef void access_node_fn(void *context, const struct tcplan_node *node, const int64_t at[]);

struct access_visitor {
    void *context;
    access_run_fn *run;
    access_node_fn *node; /**< may be NULL */
};

/** The nest's tensors and temporaries one after the other, each at the start of a page. */
struct access_layout access_layout_of(const struct refined_problem *problem);

/** One execution of a nest. */
void access_trace(const struct tcplan_nest *nest, const struct refined_problem *problem,
                  const struct access_layout *layout, const struct access_visitor *visitor);

/** Part of an execution: one copy, scaling or kernel call, or some iterations of a loop. */
struct access_stretch {
    const struct tcplan_node *node;
    uint64_t around;   /**< indices of the loops around the node */
    const int64_t *at; /**< their iterations, by index */
    int64_t first;     /**< a loop's iterations [first, first + count) */
    int64_t count;
};

/** The accesses of a stretch. */
void access_trace_stretch(const struct refined_problem *problem, const struct access_layout *layout,
                          const struct access_stretch *stretch,
                          const struct access_visitor *visitor);

#endif
