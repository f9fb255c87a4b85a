/**
 * Kernels whose extents and strides are arguments, for calls without a compiler. They are written
 * once for each type and instruction set when tcplan is built.
 */
#ifndef GEN_EMITTED_GENERAL_H
#define GEN_EMITTED_GENERAL_H

#include "gen/emitted/emitted.h"
#include "gen/emitted/loops.h"
#include "gen/runtime/general.h"

/** Appends what the kernels of a file share; emitted_add_common() must precede. */
void general_add_common(struct strbuf *out);

/**
 * Appends the kernel of a type, `void NAME(const struct kernel_gemm *, const T *a, const T *b,
 * T *c)`, and its helpers, whose names begin with NAME.
 */
void general_add_gemm(struct strbuf *out, const char *name, enum tcplan_dtype dtype,
                      enum emitted_set set);

/** Returns whether such a kernel can make a call. */
bool general_takes(const struct emitted_gemm *gemm);

/** Returns whether a call needs no compiled kernel: packing and choosing tiles at run time take a
 * small part of it. */
bool general_suffices(const struct emitted_gemm *gemm, enum emitted_set set);

/**
 * Chooses the tile and the blocks of a product.
 * @param turned  receives whether rows and columns are exchanged: pass the factors in reverse order
 * then
 */
void general_gemm_of(struct kernel_gemm *out, bool *turned, const struct emitted_gemm *gemm,
                     enum emitted_set set);

/** Appends the kernel of general loops for a type, `void NAME(const struct kernel_loops *, const T
 * *a, const T *b, T *c)`, and its helpers. */
void general_add_loops(struct strbuf *out, const char *name, enum tcplan_dtype dtype,
                       enum emitted_set set);

/** Returns whether such a kernel can run the loops, which are simplified: the result is contiguous
 * along one of them. */
bool general_takes_loops(const struct emitted_loops *loops);

/** Returns whether the loops need no compiled kernel, since it would be about as fast: rows are
 * long, both factors are read in place, nothing is summed, and at least one factor varies with all
 * loops. */
bool general_suffices_for_loops(const struct emitted_loops *loops);

/** Chooses the order of loops.
 * @param exchanged  receives whether the factors are to be passed in the other order */
void general_loops_of(struct kernel_loops *out, bool *exchanged, const struct emitted_loops *loops);

#endif
