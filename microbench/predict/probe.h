/**
 * The speed of a kernel by itself: a call of the same shape, shortened where it is long, on memory
 * that stays in the second cache.
 */
#ifndef MICROBENCH_PROBE_H
#define MICROBENCH_PROBE_H

#include "microbench/kernels/kernels.h"
#include "microbench/program/scratch.h"

/** A call cut down to what is timed, and the work of the whole over that of the part. */
struct probe_call {
    struct blas_call call; /**< operands densely packed; where it is one of a sum, timed within one,
                              of the same operands, if a shorter one */
    double scale;
};

/** What is timed for a call. */
struct probe_call probe_call_of(const struct blas_call *call);

/** Repetitions: those of a call that takes long are fewer. */
enum { PROBE_REPETITIONS = 3, PROBE_FEWEST = 2 };

/**
 * Times a cut-down call, each repetition some microseconds or one call. What takes several times
 * `most_ns` at its first call is not called again. It computes on memory for temporaries, whose
 * pages are there mostly: fresh ones would take longer than most calls.
 *
 * @return how many repetitions; 0 where its provider cannot make it or memory is out
 */
int probe_time(struct scratch *scratch, const struct probe_call *probe, enum tcplan_dtype dtype,
               double most_ns, double ns[PROBE_REPETITIONS]);

#endif
