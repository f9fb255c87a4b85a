/**
 * Random loops for kernels with loops. The elements are integers, whose sums are exact in every
 * order: results must equal those of plain loops bit for bit, and other memory must not change.
 */
#ifndef SUPPORT_RANDOM_LOOPS_H
#define SUPPORT_RANDOM_LOOPS_H

#include "gen/emitted/loops.h"

/** Draws at most five loops, none of extent 1. */
struct emitted_loops random_loops(uint64_t *random);

/** Computes the loops on tensors by the kernel under test. */
typedef void random_loops_call(const void *context, const void *a, const void *b, void *c);

/** Fails the test unless a kernel computes the same as plain loops on random tensors, at any
 * addresses.
 * @param number  identifies the kernel in messages */
void random_loops_check(const struct emitted_loops *loops, random_loops_call *call,
                        const void *context, int number, uint64_t *random);

#endif
