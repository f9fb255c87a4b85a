/**
 * Random loops for kernels that run them. Their elements are integers, which are exact in every
 * order of the sums: results are those of plain loops bit for bit, and nothing else is touched.
 */
#ifndef SUPPORT_RANDOM_LOOPS_H
#define SUPPORT_RANDOM_LOOPS_H

#include "gen/emitted/loops.h"

/** Draws at most five loops, none of extent 1. */
struct emitted_loops random_loops(uint64_t *random);

/** Runs the loops on tensors. */
typedef void random_loops_call(const void *context, const void *a, const void *b, void *c);

/** Fails the test unless a kernel computes what plain loops do on random tensors, anywhere in
 * memory.
 * @param number  identifies the kernel in messages */
void random_loops_check(const struct emitted_loops *loops, random_loops_call *call,
                        const void *context, int number, uint64_t *random);

#endif
