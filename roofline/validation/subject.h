/**
 * The kernels that the self-test times: a BLAS kernel and its bound, on replicas of the same data.
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
    const struct stream_kernel *stream; /**< the bound, a stream kernel that moves the same data;
                                           NULL: `fma` is the bound */
    const struct compute_kernel *fma;
    struct kernel call;
    char *memory; /**< memory of the replicas, borrowed */
    size_t replica_bytes;
    int64_t replicas; /**< number of replicas; 1: warm runs */
    int64_t next; /**< number of the next replica. It does not change between windows, so that the
                     next replica is always the one used longest ago */
    int64_t step; /**< distance in numbers between consecutively used replicas, set by
                     subject_scatter(); 0 stands for 1 */
    int64_t runs; /**< runs of the kernel in a window */
    int parts;    /**< number of parts of an array that the bound loads side by side */
    int64_t bound_runs; /**< repetitions of the bound's work in a window: passes over a replica, or
                           rounds of `fma` */
};

/** Returns the operations of one run: products and sums, including the scaling of the addend. */
double subject_flops(const struct subject *subject);

/** Returns the minimum number of bytes that one run reads and writes. */
double subject_bytes(const struct subject *subject);

/** Returns the bytes of one replica of a kernel's operands. */
size_t subject_replica_bytes(enum tcplan_kernel kernel, int64_t n);

/** Sets `call` and `replica_bytes` from kernel and n. */
void subject_bind(struct subject *subject);

/** Sets `step` so that all replicas are used in turn and, if there are enough, no replica is used
 * right after its neighbour in memory. A prefetcher that runs ahead then does not fetch the next
 * operands. */
void subject_scatter(struct subject *subject);

/** Returns the memory of the next replica. */
char *subject_next_memory(struct subject *subject);

/** Team functions; the context is a struct subject. subject_run_nothing() does the same as
 * subject_run() without the kernel. */
bool subject_run(void *context, int thread, int64_t window);
bool subject_run_nothing(void *context, int thread, int64_t window);
bool subject_run_bound(void *context, int thread, int64_t window);

#endif
