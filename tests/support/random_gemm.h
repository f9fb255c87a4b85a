/**
 * Random products of matrices for kernels with any strides. Their elements are integers, which are
 * exact in every order of the sums: results are those of plain loops bit for bit, and nothing else
 * is touched.
 */
#ifndef SUPPORT_RANDOM_GEMM_H
#define SUPPORT_RANDOM_GEMM_H

#include "gen/emitted/emitted.h"

/** Draws a product: small, large, of fused indices, streamed. */
struct emitted_gemm random_gemm(uint64_t *random);

/** Makes the product of matrices. */
typedef void random_gemm_call(const void *context, const void *a, const void *b, void *c);

/** Fails the test unless a kernel computes a product of random matrices, anywhere in memory.
 * @param number  identifies the kernel in messages */
void random_gemm_check(const struct emitted_gemm *gemm, random_gemm_call *call, const void *context,
                       int number, uint64_t *random);

#endif
