/**
 * Random products of matrices for kernels with any strides. The elements are integers, whose sums
 * are exact in every order: results must equal those of plain loops bit for bit, and other memory
 * must not change.
 */
#ifndef SUPPORT_RANDOM_GEMM_H
#define SUPPORT_RANDOM_GEMM_H

#include "gen/emitted/emitted.h"

/** Draws a product: small or large, with fused indices, or with non-temporal stores. */
struct emitted_gemm random_gemm(uint64_t *random);

/** Computes the product of matrices by the kernel under test. */
typedef void random_gemm_call(const void *context, const void *a, const void *b, void *c);

/** Fails the test unless a kernel computes a product of random matrices, at any addresses.
 * @param number  identifies the kernel in messages */
void random_gemm_check(const struct emitted_gemm *gemm, random_gemm_call *call, const void *context,
                       int number, uint64_t *random);

#endif
