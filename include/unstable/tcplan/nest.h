/**
 * Loop nests: the abstract syntax tree of one algorithm.
 *
 * Nothing here depends on sizes. Nodes are immutable once made and live in the nest's own memory. A
 * body is a list of nodes linked through `next`. Nests of contractions have loops over indices,
 * copies, scalings and kernels; those of blocked algorithms (tcplan/blocked.h) loops in steps and
 * calls of routines.
 */
#ifndef TCPLAN_NEST_H
#define TCPLAN_NEST_H

#include "tcplan/algorithm.h"
#include "tcplan/blocks.h"
#include "tcplan/provider.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Part of a tensor or of a temporary: the indices in `span` run over their whole extent (`:`), all
 * others are fixed by the surrounding loops. An index is a number of the nest's algorithm: one of
 * the contraction's indices, or one for the steps of a split.
 */
struct tcplan_slice {
    enum tcplan_operand operand;
    bool temporary;
    uint64_t span;
};

enum tcplan_node_kind {
    TCPLAN_NODE_LOOP,
    TCPLAN_NODE_COPY,
    TCPLAN_NODE_SCALE,
    TCPLAN_NODE_KERNEL,
    TCPLAN_NODE_STEPS,
    TCPLAN_NODE_CALL,
    TCPLAN_NODE_AGAIN
};

/** `for` over the whole extent of an index. */
struct tcplan_loop {
    int index;
    bool parallel; /**< its iterations are shared among threads */
    const struct tcplan_node *body;
};

/**
 * How a node writes: to := alpha * (what it computes) + beta * to, the latter in the first
 * iteration of all loops over `first_of`, and always if that is empty; elsewhere to := alpha *
 * (...) + to. beta = 0: `to` is not read then.
 */
struct tcplan_update {
    struct tcplan_scalar alpha;
    struct tcplan_scalar beta;
    uint64_t first_of;
};

/**
 * to := the sum of from over `summed`; one of them is a temporary, or from is the addend, whose
 * alpha is the contraction's beta: that of all others is 1, and if it is not 1 `to` is not read.
 * from.span is that of to and what is summed over, which is empty unless from is a factor with
 * indices of its own. `streamed`: with non-temporal stores.
 */
struct tcplan_copy {
    struct tcplan_slice to;
    struct tcplan_slice from;
    uint64_t summed;
    struct tcplan_update update;
    bool streamed;
    bool conjugated; /**< the copy conjugates its source */
};

/** slice := beta * slice, or beta * its conjugate; where beta is 0 the slice is zeroed without
 * being read. */
struct tcplan_scale {
    struct tcplan_slice slice;
    struct tcplan_scalar beta;
    bool conjugated;
};

/** Indices that act as one: each continues the one before it in every operand of the kernel. */
struct tcplan_group {
    int count;
    uint8_t index[TCPLAN_MAX_INDICES]; /**< the innermost first */
};

/** The update of C's slice with the product of A's and B's: a single BLAS call (for dot: a call and
 * an assignment). */
struct tcplan_kernel_call {
    enum tcplan_kernel kernel;
    enum tcplan_provider provider;
    struct tcplan_group group[TCPLAN_ROLES];
    struct tcplan_slice slice[TCPLAN_OPERANDS];
    bool conjugated[TCPLAN_OPERANDS]; /**< of A and B: the kernel takes the conjugate of the slice
                                       */
    struct tcplan_update update;
    struct tcplan_register_tile tile;
    bool streamed; /**< where the update assigns, whole lines of the result go past the caches */
};

enum { TCPLAN_MAX_CUTS = 2, TCPLAN_MAX_FACTORS = 2, TCPLAN_MAX_CALL_BLOCKS = 6 };

/** A range that a loop in steps cuts. */
struct tcplan_cut {
    int8_t range; /**< which one */
    int8_t first; /**< of the five ranges that it becomes, by enum tcplan_range_part */
    bool upward; /**< from its end to its beginning: the block moves from the last rows to the first
                  */
};

/**
 * `for` over blocks: of b rows each, the last one as many as are left; or of as many as `step`
 * says. Upward loops have their blocks at multiples of b from the beginning, as LAPACK's, so that
 * the smaller one comes first.
 *
 * Several cuts move together. Each has its own rest, and steps continue until all have ended (a
 * block may be empty then); `coupled`: blocks have the same size, and steps end with the first one.
 *
 * With a `base` it is a recursion instead, of one cut. A range of no more rows than a block is
 * computed by the base. Of a larger one the body computes two halves, the parts CURRENT and LAST
 * (FIRST is empty): half of the rows, from 16 on the nearest multiple of 8 (blocks_half()), and the
 * rest; nodes of kind AGAIN in it are all of this once more, for a half.
 */
struct tcplan_steps {
    int cut_count;
    struct tcplan_cut cut[TCPLAN_MAX_CUTS];
    int32_t step; /**< 0: the block size */
    bool coupled;
    const struct tcplan_node *body;
    const struct tcplan_node *base; /**< NULL: a loop */
};

/** The recursion around once more, with a half in the place of the range that it halves. Blocks are
 * those of its matrices, in their order. */
struct tcplan_again {
    int8_t half; /**< a range */
    struct tcplan_block result;
    int block_count;
    struct tcplan_block block[TCPLAN_MAX_CALL_BLOCKS];
};

/**
 * The call of a routine on blocks, in place. With factors
 *
 *   result := alpha * (factor 0 * factor 1) + beta * result
 *
 * beta being 0 or 1: of trmm and trsm the block that is overwritten is one of the factors,
 * `mirrored` ones (syr2k) add both products, F0 F1^T + F1 F0^T, and a single factor is moved as it
 * is (copy, lacpy, and our own sum with a transposed block). Without factors result :=
 * routine(block 0, block 1, ...), where the result is one of the blocks.
 */
struct tcplan_call {
    int number; /**< in the algorithm, in the order of its text: number of further data that the
                   algorithm has about it */
    const char *routine; /**< without the letter of the type: `trsm` */
    const char *letters; /**< its flags: `RLTN`; may be empty */
    struct tcplan_block result;
    double alpha, beta;
    int factor_count;
    struct tcplan_factor factor[TCPLAN_MAX_FACTORS];
    bool mirrored;
    int block_count;
    struct tcplan_block block[TCPLAN_MAX_CALL_BLOCKS];
    int8_t needs; /**< a range: where that is empty nothing is to do; -1: none */
};

struct tcplan_node {
    const struct tcplan_node *next;
    enum tcplan_node_kind kind;
    union {
        struct tcplan_loop loop;
        struct tcplan_copy copy;
        struct tcplan_scale scale;
        struct tcplan_kernel_call kernel;
        struct tcplan_steps steps;
        struct tcplan_call call;
        struct tcplan_again again;
    };
};

struct tcplan_refinement;

struct tcplan_nest {
    const struct tcplan_contraction *contraction; /**< borrowed: as it was written */
    const struct tcplan_refinement *refinement;   /**< private: the indices of the nest and how its
                                                     temporaries are laid out */
    struct tcplan_algorithm algorithm;
    const struct tcplan_node *body;
    uint64_t temporary_span[TCPLAN_OPERANDS]; /**< what the temporary of each operand holds; 0: one
                                                 element, or it has none (see algorithm.copy) */
};

/**
 * Builds the loop nest of an algorithm.
 *
 * The algorithm determines the places of copies. beta is applied where the result, or its
 * temporary, is written: by the kernel if it has one (dot, gemv, gemm), always if no contracted
 * loop revisits the same slice, in the first iteration of such loops where the algorithm `starts`
 * so. Otherwise, unless beta is 1, a node scales what contracted loops add to, directly before
 * them. A temporary that is not read first is assigned to (beta = 0), and applies beta as it is
 * written out. A copy of an addend includes beta and conjugation: in the place of such a node, or
 * in that of the copy that fills the result's temporary, unless contracted loops revisit it.
 *
 * @param out  receives the nest, to be freed with tcplan_nest_free() before the contraction, which
 *             it borrows
 * @return TCPLAN_OK or TCPLAN_NO_MEMORY; TCPLAN_INVALID if this is no algorithm of the contraction,
 *         for example because an index is missing or there twice, or an operand is none that the
 *         kernel takes: `error` says what was found and expected
 */
TCPLAN_API enum tcplan_status tcplan_nest_build(struct tcplan_nest **out,
                                                const struct tcplan_contraction *contraction,
                                                const struct tcplan_algorithm *algorithm,
                                                struct tcplan_error *error);

/** Frees a nest; NULL is fine. */
TCPLAN_API void tcplan_nest_free(struct tcplan_nest *nest);

/**
 * Bytes of all temporaries of a nest at the sizes of `problem`, 0 if it has none; INT64_MAX where
 * that overflows. Those inside a parallel loop count for each of `threads` threads, in whole pages.
 */
TCPLAN_API int64_t tcplan_nest_workspace_bytes(const struct tcplan_nest *nest,
                                               const struct tcplan_problem *problem, int threads);

/**
 * The nest in the papers' slice notation, one node a line, two spaces a level:
 *
 *   for c = 1:c
 *     for a = 1:a
 *       dgemv_N: C[a,:,c] += A[a,:] B[:,:,c]
 *
 * Temporaries carry a tilde (`A~[:,:] := A[i,:,:]`), transposed matrices `^T`; the letters behind
 * gemv and gemm say which factors of the formula, in its order, are transposed.
 *
 * A loop in steps runs over the first points of tiles, a loop inside of it over the points of one,
 * and temporaries whose dimensions are in another order than their tensor's name them:
 *
 *   for a = 1:8:a
 *     for a' = a:a+7
 *       dgemm_NN: C~[:b,:c,a'] := A[:,:,a'] B[:,:]
 *     C[a:a+7,:,:] := C~[:b,:c,:a'] (streamed)
 *
 * Within a tile `a'` is a point or the first one of shorter steps, `a''` is within those: `for a' =
 * a:8:a+63`, `for a'' = a':a'+7`. A padded temporary shows its padding: `(padded by 8)`.
 *
 * A copy that sums over indices of its factor names them: `A~[:] := sum(i,j) A[i,:,j]`; so does a
 * brgemm, with the range of steps: `sum(k = 1:256:k)`.
 *
 * Accumulation with an exception for one iteration is shown: `C[:,:] += A[:,i] B[i,:] (:= where i =
 * 1)`, `(to 3 C[:,:] where i = 1)`.
 *
 * Properties that depend on sizes and the machine are shown if a problem is given (see struct
 * tcplan_heuristics): copies of factors that are `(streamed)`, kernels that are `(fetching ahead)`.
 *
 * @param problem  NULL: without sizes
 * @return a string to be freed with free(), or NULL if memory runs out
 */
TCPLAN_API char *tcplan_nest_text(const struct tcplan_nest *nest,
                                  const struct tcplan_problem *problem, enum tcplan_dtype dtype);

/** A slice of a nest as tcplan_nest_text() prints it, `A[a,:]`: a string to be freed with free(),
 * or NULL if memory runs out. */
TCPLAN_API char *tcplan_slice_text(const struct tcplan_nest *nest, struct tcplan_slice slice);

/** Returns the source of a copy as tcplan_nest_text() prints it, `sum(i) A[:,i]` where it sums over
 * indices: as tcplan_slice_text(). */
TCPLAN_API char *tcplan_source_text(const struct tcplan_nest *nest, struct tcplan_slice from,
                                    uint64_t summed);

/** Returns the name of the loop over an index of a nest: the index, `a:8` where it runs over steps.
 * It lives as long as the nest. */
TCPLAN_API const char *tcplan_nest_index_name(const struct tcplan_nest *nest, int index);

#ifdef __cplusplus
}
#endif

#endif
