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
    int64_t offset[3];  /**< for A, B and C: offset of the element for which all loops are at their
                           first value */
    bool conjugated[2]; /**< whether A and B are conjugated; false for real types */
    struct tcplan_scalar alpha;
    struct tcplan_scalar beta;        /**< factor of C; if it is 0, C is not read */
    struct tcplan_register_tile tile; /**< register tile; 0: chosen automatically */
    bool streamed; /**< whether to use non-temporal stores for C, if the machine has them and beta
                      is 0 */
};

/** How a kernel is cut into tiles. Every choice gives the same result. */
struct emitted_cut {
    int vector;  /**< number of the loop along which vectors run; -1: none */
    int column;  /**< number of the result's loop along which columns run; -1: none */
    int vectors; /**< number of vectors in a tile or, if vectors are summed, of independent sums */
    int columns;
    int unroll; /**< products per iteration of the innermost loop; 0: as many as a limit on
                   statements permits */
};

/** Returns the simplified loops of a call, whatever its provider. */
struct emitted_loops emitted_loops_of(const struct blas_call *call, enum tcplan_dtype dtype);

/**
 * Simplifies loops: removes those of extent 1, fuses those that continue each other in all tensors,
 * and makes strides of the result positive.
 */
void emitted_simplify(struct emitted_loops *loops);

/** Removes loops of extent 1, and fuses those that are contiguous with each other in all tensors.
 */
void emitted_fuse(struct emitted_loops *loops);

/** Returns the cut with the fewest cycles by instruction count: among those with the given tile, or
 * all whose sums stay in registers. */
struct emitted_cut emitted_choose_cut(const struct emitted_loops *loops, enum emitted_set set);

/** Returns the estimated cycles of the cut that emitted_choose_cut() returns. */
double emitted_cut_cycles(const struct emitted_loops *loops, enum emitted_set set,
                          const struct emitted_cut *cut);

/**
 * Appends the functions of a kernel, `static void NAME(const T *A, const T *B, T *C)` and its
 * helpers; emitted_add_common() must precede.
 * @param loops  simplified
 * @param sets   as for emitted_add_gemm()
 * @param cut used for all instruction sets; NULL: emitted_choose_cut() for each
 */
void emitted_add_loops(struct strbuf *out, const char *name, const struct emitted_loops *loops,
                       unsigned sets, const struct emitted_cut *cut);

#endif
