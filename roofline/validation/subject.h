/**
 * The kernels that the self-test times: a BLAS kernel, and what bounds it, on replicas of the same
 * data.
 */
#ifndef ROOFLINE_VALIDATION_SUBJECT_H
#define ROOFLINE_VALIDATION_SUBJECT_H

#include "microbench/kernels/kernels.h"
#include "roofline/kernels/kernels.h"
#include "roofline/timing/workspace.h"

/** daxpy, dgemv or dgemm, of n or n x n elements, with unit strides. */
struct subject {
    enum tcplan_kernel kernel;
    int64_t n;
    const struct stream_kernel *stream; /**< bound: moves the data that the kernel has to move;
                                           NULL: the next bounds it */
    const struct compute_kernel *fma;
    struct kernel call;
    char *memory; /**< of the replicas, borrowed */
    size_t replica_bytes;
    int64_t replicas; /**< 1: warm */
    int64_t next; /**< replica; continues from window to window, so that the one used longest ago is
                     next */
    int64_t step; /**< from a replica to the next one, see subject_scatter(); 0: one */
    int64_t runs; /**< of the kernel in a window */
    int parts;    /**< of a struct stream that bounds it */
    int64_t bound_runs; /**< of the bound in a window: passes over a replica, or rounds */
};

/** Operations of one run: the products and sums, with the scaling of the addend. */
double subject_flops(const struct subject *subject);

/** Bytes that one run reads and writes at least, and those of them that it writes. */
double subject_bytes(const struct subject *subject);

/** Bytes of one replica of the operands of a kernel. */
size_t subject_replica_bytes(enum tcplan_kernel kernel, int64_t n);

/** Sets `call` and `replica_bytes` from kernel and n. */
void subject_bind(struct subject *subject);

/** Sets `step` so that all replicas are used in turn, but never one behind its neighbour: a
 * prefetcher that runs ahead finds no next operand. */
void subject_scatter(struct subject *subject);

/** The memory of the next replica. */
char *subject_next_memory(struct subject *subject);

/** Team functions: the context is a struct subject. The second does all that the first does but the
 * kernel. */
bool subject_run(void *context, int thread, int64_t window);
bool subject_run_nothing(void *context, int thread, int64_t window);
bool subject_run_bound(void *context, int thread, int64_t window);

#endif
