/**
 * Kernels generated as C for one contraction: a product of matrices with given extents, strides and
 * factors, in the vector extensions of gcc and clang.
 *
 * A kernel has one function for each instruction set, and one that calls the best of them that the
 * machine supports. Each keeps a tile of the result in registers (some vectors of rows times some
 * columns) and adds one column of A times one row of B after the other. Remaining rows use masks
 * or, without AVX-512, shorter vectors: nothing outside the matrices is read or written. Alignment
 * is not assumed.
 */
#ifndef GEN_EMITTED_H
#define GEN_EMITTED_H

#include <stdint.h>

#include "base/strbuf.h"
#include "gen/lower/blas_call.h"

/** C := alpha A B + beta C. */
struct emitted_gemm {
    enum tcplan_dtype dtype;
    int m, n, k;           /**< C is m x n, A m x k, B k x n; all at least 1 */
    int64_t strides[3][2]; /**< strides of A, B and C in elements: of rows, and of columns */
    struct blas_call_split split[3]; /**< the fused indices of m (in A and C), n (in B and C) and k
                                        (in A and B), if not contiguous with each other; `strides`
                                        are then those of the innermost index */
    bool conjugated[2];              /**< whether A and B are conjugated; false for real types */
    struct tcplan_scalar alpha;
    struct tcplan_scalar beta;        /**< factor of C; if it is 0, C is not read */
    struct tcplan_register_tile tile; /**< register tile; 0: chosen automatically */
    bool streamed; /**< whether to use non-temporal stores for whole lines of C, if beta is 0 and
                      the machine has them; KERNEL_FENCE() orders them */
};

/** Instruction sets that kernels are generated for. */
enum emitted_set {
    EMITTED_PLAIN, /**< vectors of 16 bytes: available on all x86-64 and 64-bit Arm, elsewhere
                      emulated by the compiler */
    EMITTED_AVX2,
    EMITTED_AVX512,
    EMITTED_SETS
};

/** A tile of the result, and how the loop over k is unrolled. Every choice gives the same result.
 */
struct emitted_tile {
    int vectors; /**< number of vectors in a column of the tile */
    int columns;
    int unroll; /**< products per iteration of the loop over k, at least 1 */
};

/* Assumed bytes of a cache line. */
enum { EMITTED_LINE_BYTES = 64 };

enum {
    EMITTED_MAX_K = 64
}; /* maximum k of kernels that pack at most one factor and do not write line by line; if k is
      larger, both factors are packed */

/** Returns the product that a call computes, whatever its provider. */
struct emitted_gemm emitted_gemm_of(const struct blas_call *call, enum tcplan_dtype dtype);

/** Returns whether a kernel can be generated: all extents are at least 1. */
bool emitted_takes(const struct emitted_gemm *gemm);

/** Returns whether non-temporal stores write C: `streamed` is set, C is not read, and the kernel
 * packs at most one factor, in rows. */
bool emitted_streams(const struct emitted_gemm *gemm);

/** Returns the given tile or, if none is given, the tile with the fewest cycles, by instruction
 * count, whose sums fit in registers. */
struct emitted_tile emitted_choose_tile(const struct emitted_gemm *gemm, enum emitted_set set);

/** Appends the definitions that all kernels need: vector types, `#include`s. */
void emitted_add_common(struct strbuf *out);

/** Appends kernels after the other definitions that they use, each within `#ifndef`, because a file
 * may contain them twice. Frees the kernels' text. */
void emitted_add_kernels(struct strbuf *out, struct strbuf *kernels);

/**
 * Appends the functions of a kernel: `static void NAME(const T *A, const T *B, T *C)` and its
 * helpers, whose names begin with NAME. T is float or double; complex numbers are pairs of T.
 * @param sets  bit s: emits the function for instruction set s. The first of these functions is
 *   used if the machine has none of the other instruction sets
 */
void emitted_add_gemm(struct strbuf *out, const char *name, const struct emitted_gemm *gemm,
                      unsigned sets);

#endif
