/**
 * Loop nests: the abstract syntax tree of one algorithm.
 *
 * Nothing here depends on sizes. Nodes are immutable once made and live in the nest's own memory.
 * A body is a list of nodes linked through `next`. Nests of contractions consist of loops over
 * indices, copies, scalings and kernels; those of blocked algorithms (tcplan/blocked.h) of loops
 * over blocks and calls of routines.
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
 * Part of a tensor or temporary: indices in `span` cover their whole extent (`:`); surrounding
 * loops fix all others. Indices have the numbers of the nest's algorithm: those of the
 * contraction, then one for the steps of each split.
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

/** A loop over the whole extent of an index. */
struct tcplan_loop {
    int index;
    bool parallel; /**< whether threads share the iterations of the loop */
    const struct tcplan_node *body;
};

/**
 * The way in which a node writes its value v to a slice `to`. In the first iteration of all loops
 * over the indices `first_of` (always if it is empty): to := alpha * v + beta * to, where `to` is
 * not read if beta = 0. In other iterations: to := alpha * v + to.
 */
struct tcplan_update {
    struct tcplan_scalar alpha;
    struct tcplan_scalar beta;
    uint64_t first_of;
};

/**
 * Copies between tensors and temporaries: `update` writes the value v = sum of `from` over
 * `summed` to `to`. One of `to` and `from` is a temporary, or `from` is the addend. alpha is 1,
 * except for the addend: the contraction's beta, and `to` is not read. from.span has the indices
 * of to.span and those of `summed`, which is empty unless `from` is a factor with indices of its
 * own. `streamed`: uses non-temporal stores.
 */
struct tcplan_copy {
    struct tcplan_slice to;
    struct tcplan_slice from;
    uint64_t summed;
    struct tcplan_update update;
    bool streamed;
    bool conjugated; /**< whether the copy conjugates its source */
};

/** Scales a slice: slice := beta * slice, or slice := beta * conj(slice). If beta is 0, the slice
 * is zeroed without being read. */
struct tcplan_scale {
    struct tcplan_slice slice;
    struct tcplan_scalar beta;
    bool conjugated;
};

/** Fused indices: in every operand of the kernel, their dimensions are contiguous with each other,
 * in this order. */
struct tcplan_group {
    int count;
    uint8_t index[TCPLAN_MAX_INDICES]; /**< indices, the innermost first */
};

/** Adds the product of the slices of A and B to the slice of C, as `update` describes. This is a
 * single BLAS call (dot: a call and an assignment). */
struct tcplan_kernel_call {
    enum tcplan_kernel kernel;
    enum tcplan_provider provider;
    struct tcplan_group group[TCPLAN_ROLES];
    struct tcplan_slice slice[TCPLAN_OPERANDS];
    bool conjugated[TCPLAN_OPERANDS]; /**< for A and B: whether the kernel uses the conjugate of the
                                         slice */
    struct tcplan_update update;
    struct tcplan_register_tile tile;
    bool streamed; /**< whether the kernel writes whole lines of the result with non-temporal stores
                      if the update assigns */
};

enum { TCPLAN_MAX_CUTS = 2, TCPLAN_MAX_FACTORS = 2, TCPLAN_MAX_CALL_BLOCKS = 6 };

/** A range cut by a loop over blocks. */
struct tcplan_cut {
    int8_t range; /**< number of the range */
    int8_t first; /**< number of the first of the five ranges that the cut adds, which are in the
                     order of enum tcplan_range_part */
    bool upward;  /**< whether the block moves from the last rows to the first */
};

/**
 * A loop over blocks of b rows each, or of `step` rows; the last block has the remaining rows.
 * Upward loops place blocks at multiples of b from the beginning, as LAPACK does, so the smaller
 * block comes first.
 *
 * Several cuts move together. Each has its own remainder, and steps continue until all cuts have
 * ended; blocks may then be empty. With `coupled`, blocks have the same size, and steps end with
 * the first cut.
 *
 * With a `base`, the node is a recursion. The base computes a range of at most b rows. The body
 * cuts a longer one into the parts CURRENT and LAST (FIRST is empty). CURRENT has half of the rows,
 * from 16 on rounded to a multiple of 8 (blocks_half()). With two cuts, the shorter range is
 * halved, and CURRENT is as long in the other. A node of kind AGAIN in the body recurses into a
 * half.
 */
struct tcplan_steps {
    int cut_count;
    struct tcplan_cut cut[TCPLAN_MAX_CUTS];
    int32_t step; /**< rows of a block; 0: b; INT32_MAX: all rows of the shorter of two ranges */
    bool coupled;
    const struct tcplan_node *body;
    const struct tcplan_node *base; /**< body for at most b rows; NULL: the node is a loop */
};

/** A recursive call on one half of the range that the surrounding recursion cuts. The blocks named
 * here replace the matrices of the recursion, in the same order. */
struct tcplan_again {
    int8_t half; /**< number of the range passed for the first cut; a half of it, or all of it */
    struct tcplan_block result;
    int block_count;
    struct tcplan_block block[TCPLAN_MAX_CALL_BLOCKS];
};

/**
 * The call of a routine on blocks. If there are factors, it computes
 *
 *   result := alpha * (factor 0 * factor 1) + beta * result
 *
 * with beta 0 or 1. In trmm and trsm, the overwritten block is one of the factors. With `mirrored`
 * (syr2k), two products are added, F0 F1^T + F1 F0^T. A single factor is copied (copy, lacpy,
 * tcplan's own sum with a transposed block). If there are no factors, it computes
 *
 *   result := routine(block 0, block 1, ...)
 *
 * in place: the result is one of the blocks.
 */
struct tcplan_call {
    int number; /**< position of the call in the algorithm's text, which is also the number of its
                   other data in struct tcplan_blocked */
    const char *routine; /**< name of the routine without the type letter, such as `trsm` */
    const char *letters; /**< the routine's flags, such as `RLTN`; may be empty */
    struct tcplan_block result;
    double alpha, beta;
    int factor_count;
    struct tcplan_factor factor[TCPLAN_MAX_FACTORS];
    bool mirrored;
    int block_count;
    struct tcplan_block block[TCPLAN_MAX_CALL_BLOCKS];
    int8_t needs; /**< number of a range: the call is omitted if this range is empty; -1: none */
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
    const struct tcplan_contraction *contraction; /**< the contraction as written, borrowed */
    const struct tcplan_refinement *refinement; /**< private: the indices of the nest and the layout
                                                   of its temporaries */
    struct tcplan_algorithm algorithm;
    const struct tcplan_node *body;
    uint64_t temporary_span[TCPLAN_OPERANDS]; /**< indices of each operand's temporary; 0: the
                                                 temporary is a single element, or there is none
                                                 (see algorithm.copy) */
};

/**
 * Builds the loop nest of an algorithm.
 *
 * The algorithm determines the places of copies. beta is applied when the result or its temporary
 * is written. A kernel with a beta (all but axpy and ger) applies it, unless the added value is
 * conjugated or an addend: in every call if no contracted loop revisits the same slice, or in the
 * first iteration of these loops if the algorithm `starts` so. Otherwise, unless beta is 1, a node
 * scales the slice before these loops, or before the kernel if there are none. A temporary that is
 * not filled from the result is assigned to (beta = 0); its copy back applies beta. The copy of an
 * addend includes beta and conjugation. It replaces the node that scales, or the copy that fills
 * the result's temporary unless contracted loops revisit that temporary.
 *
 * @param out  receives the nest, to be freed with tcplan_nest_free() before the contraction, which
 *     it borrows
 * @return TCPLAN_OK or TCPLAN_NO_MEMORY; TCPLAN_INVALID if this is not an algorithm of the
 *     contraction, for example because an index is missing or occurs twice, or the kernel does not
 *     support an operand: `error` gives what was found and expected
 */
TCPLAN_API enum tcplan_status tcplan_nest_build(struct tcplan_nest **out,
                                                const struct tcplan_contraction *contraction,
                                                const struct tcplan_algorithm *algorithm,
                                                struct tcplan_error *error);

/** Frees a nest; NULL is fine. */
TCPLAN_API void tcplan_nest_free(struct tcplan_nest *nest);

/**
 * Returns the bytes of all temporaries of a nest at the sizes of `problem`; 0 if it has none,
 * INT64_MAX on overflow. Those inside a parallel loop are counted once per thread, in whole pages.
 */
TCPLAN_API int64_t tcplan_nest_workspace_bytes(const struct tcplan_nest *nest,
                                               const struct tcplan_problem *problem, int threads);

/**
 * Returns the nest in the papers' slice notation, one node per line, two spaces per level:
 *
 *   for c = 1:c
 *     for a = 1:a
 *       dgemv_N: C[a,:,c] += A[a,:] B[:,:,c]
 *
 * Temporaries carry a tilde (`A~[:,:] := A[i,:,:]`), transposed matrices `^T`; the letters after
 * gemv and gemm give the transposition of each factor, in the order of the formula.
 *
 * A loop in steps runs over the first points of tiles, and an inner loop over the points of a
 * tile. Temporaries whose dimensions are not in their tensor's order name them:
 *
 *   for a = 1:8:a
 *     for a' = a:a+7
 *       dgemm_NN: C~[:b,:c,a'] := A[:,:,a'] B[:,:]
 *     C[a:a+7,:,:] := C~[:b,:c,:a'] (streamed)
 *
 * Within a tile, `a'` is a point or the first point of shorter steps, and `a''` a point of these:
 * `for a' = a:8:a+63`, `for a'' = a':a'+7`. A padded temporary shows its padding: `(padded by 8)`.
 *
 * A copy that sums over indices names them: `A~[:] := sum(i,j) A[i,:,j]`; so does a brgemm, with
 * the range of steps: `sum(k = 1:256:k)`.
 *
 * If one iteration differs from accumulation, the text shows it: `C[:,:] += A[:,i] B[i,:] (:=
 * where i = 1)`, `(to 3 C[:,:] where i = 1)`.
 *
 * Properties that depend on sizes and the machine (struct tcplan_heuristics) are shown if a
 * problem is given: `(streamed)` after copies of factors, `(fetching ahead)` after kernels.
 *
 * @param problem  NULL: without sizes
 * @return a string to be freed with free(), or NULL if memory runs out
 */
TCPLAN_API char *tcplan_nest_text(const struct tcplan_nest *nest,
                                  const struct tcplan_problem *problem, enum tcplan_dtype dtype);

/** Returns a slice of a nest as tcplan_nest_text() prints it, `A[a,:]`, to be freed with free();
 * NULL if memory runs out. */
TCPLAN_API char *tcplan_slice_text(const struct tcplan_nest *nest, struct tcplan_slice slice);

/** Returns the source of a copy as tcplan_nest_text() prints it, `sum(i) A[:,i]` if it sums over
 * indices. The caller frees it with free(); NULL if memory runs out. */
TCPLAN_API char *tcplan_source_text(const struct tcplan_nest *nest, struct tcplan_slice from,
                                    uint64_t summed);

/** Returns the name of the loop over an index of a nest: the index, or `a:8` for a loop over steps.
 * It is valid as long as the nest. */
TCPLAN_API const char *tcplan_nest_index_name(const struct tcplan_nest *nest, int index);

#ifdef __cplusplus
}
#endif

#endif
