/**
 * Measures the speed of a kernel by itself: a call of the same shape, shortened if it is long, on
 * memory that stays in the second cache.
 */
#ifndef MICROBENCH_PROBE_H
#define MICROBENCH_PROBE_H

#include "microbench/kernels/kernels.h"
#include "microbench/program/scratch.h"

/** A shortened call, and the work of the original call divided by its work. */
struct probe_call {
    struct blas_call call; /**< the call, with packed operands. A sum of products is timed as a
                              shorter sum over the same operands */
    double scale;
};

/** Returns the call to time for a call. */
struct probe_call probe_call_of(const struct blas_call *call);

/** Maximum and minimum number of repetitions; long calls have the fewest. */
enum { PROBE_REPETITIONS = 3, PROBE_FEWEST = 2 };

/**
 * Times a shortened call; each repetition takes some microseconds or is one call. A call whose
 * first run takes several times `most_ns` is not repeated. Operands are in the memory of
 * temporaries, most of whose pages are backed, because backing new pages would take longer than
 * most calls.
 * @return the number of repetitions; 0 if the provider cannot make the call or memory runs out
 */
int probe_time(struct scratch *scratch, const struct probe_call *probe, enum tcplan_dtype dtype,
               double most_ns, double ns[PROBE_REPETITIONS]);

#endif
