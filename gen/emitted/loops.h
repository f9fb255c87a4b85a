/**
 * Kernels generated as C for general loops: C := alpha A B + beta C over up to EMITTED_LOOPS
 * indices with given extents and strides, each in any of the three tensors. They cover element-wise
 * and outer products, sums and scalings, dots of matrices, and small contractions as a whole.
 *
 * A tile of the result stays in registers: some vectors along one index times some columns along
 * another. If no index of the result allows vector loads, vectors run along a summed index and are
 * reduced at the end. Operands contiguous along the columns are transposed in registers, in square
 * blocks; others are read element by element.
 */
#ifndef GEN_EMITTED_LOOPS_H
#define GEN_EMITTED_LOOPS_H

#include "gen/emitted/emitted.h"

enum { EMITTED_LOOPS = BLAS_CALL_LOOPS };

/** C := alpha A B + beta C. */
struct emitted_loops {
    enum tcplan_dtype dtype;
    int count;
    struct blas_call_loop loop[EMITTED_LOOPS];
    int64_t offset[3];  /**< for A, B and C: the offset of the element at which all loops begin */
    bool conjugated[2]; /**< A and B; of complex types only */
    struct tcplan_scalar alpha;
    struct tcplan_scalar beta;        /**< 0: C is not read */
    struct tcplan_register_tile tile; /**< 0: chosen automatically */
    bool streamed; /**< C goes past the caches, where the machine can and beta is 0 */
};

/** How a kernel is cut: a choice, each gives the same result. */
struct emitted_cut {
    int vector;  /**< the loop along which vectors lie; -1: none */
    int column;  /**< a loop of the result, -1: none */
    int vectors; /**< in a tile; of summed vectors, sums side by side */
    int columns;
    int unroll; /**< products in one round of the innermost loop; 0: as many as its statements leave
                   room for */
};

/** The loops of a call, whatever its provider, simplified. */
struct emitted_loops emitted_loops_of(const struct blas_call *call, enum tcplan_dtype dtype);

/**
 * Brings loops into their simplest form: none of extent 1, those that continue each other in all
 * tensors as one, the result's strides upwards.
 */
void emitted_simplify(struct emitted_loops *loops);

/** Of that, only: those that continue each other in all tensors as one, and none of extent 1. */
void emitted_fuse(struct emitted_loops *loops);

/** The cut that takes fewest cycles by a count of its instructions: of those with the tile that is
 * given, or all whose sums stay in registers. */
struct emitted_cut emitted_choose_cut(const struct emitted_loops *loops, enum emitted_set set);

/** What emitted_choose_cut() counts. */
double emitted_cut_cycles(const struct emitted_loops *loops, enum emitted_set set,
                          const struct emitted_cut *cut);

/**
 * Appends the functions of a kernel, `static void NAME(const T *A, const T *B, T *C)` and its
 * helpers; emitted_add_common() must precede.
 * @param loops  simplified
 * @param sets   as for emitted_add_gemm()
 * @param cut    for every set; NULL: emitted_choose_cut() for each
 */
void emitted_add_loops(struct strbuf *out, const char *name, const struct emitted_loops *loops,
                       unsigned sets, const struct emitted_cut *cut);

#endif
