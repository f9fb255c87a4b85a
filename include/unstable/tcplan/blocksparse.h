/**
 * Block-sparse products: two tensors of which only some blocks are nonzero, as in simulations with
 * symmetries (DMRG, PEPS, coupled cluster).
 *
 *   D := alpha * A * B + beta * D, for each declared block of D
 *
 * Each index is divided into sections; a block of a tensor has one section of each of its indices.
 * The interface follows cuTENSOR's: sections per dimension, coordinates of the nonzero blocks,
 * optional strides, then arrays of block pointers.
 *
 *   struct tcplan_block_product *product;
 *   struct tcplan_block_plan *plan;
 *   tcplan_block_product_make(&product, &A, &B, &D, TCPLAN_DOUBLE, TCPLAN_ROW_MAJOR, &error);
 *   tcplan_block_plan_new(&plan, NULL, product, &error);
 *   tcplan_block_plan_execute(plan, blocks_A, blocks_B, blocks_D, &error);
 *
 * Planning predicts the time of several ways to compute the product, compares executions of the
 * best few, and keeps the fastest. The ways are: one multiplication per pair of blocks; one per
 * group of pairs of equal shape that add to the same block; one per symmetry sector; the fastest
 * of these for each sector; a single multiplication of whole dense tensors; or multiplications of
 * pairs of copied blocks, where each block is copied once. Signs of fermions and non-abelian
 * symmetries are left to the caller.
 *
 * tcplan_block_expression_new() multiplies several tensors in the fastest order, and
 * tcplan_block_sum_new() adds several products.
 *
 * Like all headers of this tier, it may change with any version.
 */
#ifndef TCPLAN_BLOCKSPARSE_H
#define TCPLAN_BLOCKSPARSE_H

#include <stdbool.h>
#include <stdint.h>

#include "tcplan/contraction.h"
#include "tcplan/planner.h"
#include "tcplan/status.h"
#include "tcplan/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A block-sparse product. Immutable: several threads may read it at once. */
struct tcplan_block_product;

enum { TCPLAN_BLOCK_TENSORS = 8 /**< maximum number of factors of an expression */ };

/** Special values for the number of blocks of a tensor. */
enum {
    TCPLAN_BLOCKS_ALL = -1, /**< every combination of sections is a nonzero block */
    /** for the result only: every block to which a pair of blocks of A and B contributes */
    TCPLAN_BLOCKS_REACHED = -2
};

/** A block-sparse tensor. Zero-initialise it before you set members. */
struct tcplan_block_tensor {
    int rank;              /**< number of dimensions, at least 1 */
    const int64_t *label;  /**< labels of the dimensions: any numbers; equal numbers denote the same
                              index */
    const int *sections;   /**< number of sections of each dimension; equal for all dimensions with
                              the same index */
    const int64_t *extent; /**< extents of the sections: those of the first dimension, then those of
                              the second, and so on */
    int64_t blocks; /**< number of nonzero blocks, or TCPLAN_BLOCKS_ALL or TCPLAN_BLOCKS_REACHED */
    const int32_t *coordinate; /**< `rank` section numbers, counted from 0, for each block */
    const int64_t *stride;     /**< `rank` strides in elements for each block; NULL: each block is
                                  dense, in the product's storage order */
    bool conjugated;           /**< whether the product uses the conjugate; only for A and B */
};

/**
 * Makes a product from lists of blocks, which it copies.
 *
 * @param out    receives the product, to be freed with tcplan_block_product_free(); untouched on
 *               failure
 * @param D      the result; only its blocks are computed
 * @param order  storage order of the blocks without strides
 * @return TCPLAN_OK; TCPLAN_INVALID (the message names the tensor and the block: a coordinate out
 *         of range, a block given twice, sections that differ between tensors, an index that occurs
 *         twice in a tensor or in D only); TCPLAN_OVERFLOW; TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_block_product_make(
    struct tcplan_block_product **out, const struct tcplan_block_tensor *A,
    const struct tcplan_block_tensor *B, const struct tcplan_block_tensor *D,
    enum tcplan_dtype dtype, enum tcplan_order order, struct tcplan_error *error);

/** The structure of a product as text. */
struct tcplan_block_text {
    /** The sections of every index: `a=3+5+2 b=8x4`, eight sections of 4; with charges
     * `a=3@0+5@1+2@-1`, with several `a=3@(0,1)+5@(1,0)`. */
    const char *sections;
    /** Conservation rules, separated by `;`: `A:a+b-i=0; B:i-c=1 mod 2`. They name the blocks of a
     * tensor that may be nonzero. Rule n of a tensor concerns charge n; a single rule concerns
     * every charge. NULL: none. */
    const char *charge;
    /** Lists of the blocks of each factor, then of the result (A, B and the result if there are two
     * factors): one line of section numbers, counted from 0, for each block. NULL: the blocks that
     * the rules allow; without rules, all blocks of the factors, and the blocks of the result that
     * are reached. */
    const char *blocks[TCPLAN_BLOCK_TENSORS + 1];
    /** Lists of the blocks of several tensors as one text, `A:0 0|0 1; B:1 1`, for tensors without
     * a list in `blocks`; NULL: none. */
    const char *lists;
    const int64_t *extent; /**< extent of each index, which must be the sum of its sections; NULL:
                              unknown */
};

/**
 * Makes a product from text.
 *
 * @param contraction  copied; with its alpha, beta and storage order
 * @param wrong        receives the text that `error` marks, or NULL; may be NULL
 * @return a status of tcplan_block_product_make(); TCPLAN_INVALID also if a text is malformed,
 *         sections do not add up to the index's extent, or a rule forbids a listed block
 */
TCPLAN_API enum tcplan_status tcplan_block_product_parse(
    struct tcplan_block_product **out, const struct tcplan_contraction *contraction,
    const struct tcplan_block_text *text, enum tcplan_dtype dtype, const char **wrong,
    struct tcplan_error *error);

/** Returns the number of blocks of TCPLAN_A, TCPLAN_B or TCPLAN_RESULT. */
TCPLAN_API int64_t tcplan_block_product_blocks(const struct tcplan_block_product *product,
                                               enum tcplan_operand operand);

/** Returns the number of dimensions of a tensor. */
TCPLAN_API int tcplan_block_product_rank(const struct tcplan_block_product *product,
                                         enum tcplan_operand operand);

/** Returns the section numbers of a block, one for each dimension; valid until the product is
 * freed. */
TCPLAN_API const int32_t *tcplan_block_product_coordinate(
    const struct tcplan_block_product *product, enum tcplan_operand operand, int64_t block);

/** Gets the extents and strides of a block, one for each dimension; either pointer may be NULL. */
TCPLAN_API void tcplan_block_product_shape(const struct tcplan_block_product *product,
                                           enum tcplan_operand operand, int64_t block,
                                           int64_t extent[], int64_t stride[]);

/** Returns the number of pairs of a block of A and a block of B that contribute to a block of the
 * result. */
TCPLAN_API int64_t tcplan_block_product_pairs(const struct tcplan_block_product *product);

/** Returns the number of blocks of the result to which no pair contributes: they become beta times
 * themselves. */
TCPLAN_API int64_t tcplan_block_product_unreached(const struct tcplan_block_product *product);

/** Returns the floating-point operations of all pairs. */
TCPLAN_API double tcplan_block_product_flops(const struct tcplan_block_product *product);

/** Returns the contraction, `C_ab=A_ai*B_ib`. The caller frees it with free(); NULL if memory runs
 * out. */
TCPLAN_API char *tcplan_block_product_text(const struct tcplan_block_product *product);

/**
 * Computes the pointers of a tensor's blocks in one buffer.
 *
 * @param pointer   receives one for each block of the tensor
 * @param buffer    address of offset 0
 * @param elements  length of the buffer in elements
 * @param offset    offset, in elements, of each block's element whose indices are all 0; NULL: the
 *                  blocks are dense and follow each other
 * @return TCPLAN_OK; TCPLAN_INVALID if a block exceeds the buffer, or two blocks of the result
 *         share an element: the message names them; TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_block_pointers(void *pointer[],
                                                    const struct tcplan_block_product *product,
                                                    enum tcplan_operand operand, void *buffer,
                                                    int64_t elements, const int64_t offset[],
                                                    struct tcplan_error *error);

/** Frees a product; does nothing if it is NULL. Plans made from it stay valid. */
TCPLAN_API void tcplan_block_product_free(struct tcplan_block_product *product);

/** A plan of a product. One thread at a time may execute it. */
struct tcplan_block_plan;

/**
 * Plans a product. With TCPLAN_EFFORT_ESTIMATE nothing is timed. TCPLAN_EFFORT_QUICK executes each
 * sector once in each promising way. TCPLAN_EFFORT_NORMAL also times the most important shapes of
 * pairs with each library, and compares executions of the best ways. TCPLAN_EFFORT_THOROUGH also
 * plans dense products by timing, and repeats more often.
 *
 * @param out      receives the plan, to be freed with tcplan_block_plan_free(); untouched on
 *                 failure
 * @param planner  gives effort, threads, time limit and workspace bound; NULL: the defaults of
 *                 tcplan_planner_new()
 * @return TCPLAN_OK; TCPLAN_INVALID if a pointer is NULL; TCPLAN_CANCELLED; TCPLAN_NOT_APPLICABLE
 *         if no way can be executed within the planner's limits; TCPLAN_NO_MEMORY;
 *         TCPLAN_ENVIRONMENT if the machine is not recognised
 */
TCPLAN_API enum tcplan_status tcplan_block_plan_new(struct tcplan_block_plan **out,
                                                    struct tcplan_planner *planner,
                                                    const struct tcplan_block_product *product,
                                                    struct tcplan_error *error);

/** Makes a plan that computes the product in a named way, such as `fused`
 * (tcplan_block_plan_candidate()). TCPLAN_INVALID if there is no such way; TCPLAN_NOT_APPLICABLE if
 * it cannot compute this product. */
TCPLAN_API enum tcplan_status tcplan_block_plan_named(struct tcplan_block_plan **out,
                                                      struct tcplan_planner *planner,
                                                      const struct tcplan_block_product *product,
                                                      const char *way, struct tcplan_error *error);

/**
 * Plans a product, and measures ways to compute it: executes each in turns, on memory of its own.
 * The medians are the candidates' `seconds`; the fastest way is chosen.
 *
 * @param way  `count` names of ways; none: every way that can compute the product
 * @return a status of tcplan_block_plan_named(); TCPLAN_NOT_APPLICABLE also if there is no memory
 *         for blocks
 */
TCPLAN_API enum tcplan_status tcplan_block_plan_measure(struct tcplan_block_plan **out,
                                                        struct tcplan_planner *planner,
                                                        const struct tcplan_block_product *product,
                                                        const char *const way[], int count,
                                                        struct tcplan_error *error);

/** Gets the time of a way divided by the time of `other`, both measured in the same rounds: the
 * median, and the bounds of its 95 % interval. If `other` is NULL, gets the seconds of the way
 * itself. Returns false if one of the ways was not measured. */
TCPLAN_API bool tcplan_block_plan_ratio(const struct tcplan_block_plan *plan, const char *way,
                                        const char *other, double *ratio, double *low,
                                        double *high);

/**
 * Computes the product with its own alpha and beta. Each pointer addresses the element of its block
 * whose indices are all 0. Blocks of D must not overlap each other, A or B.
 *
 * @return TCPLAN_OK; TCPLAN_INVALID if a list is NULL; TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_block_plan_execute(struct tcplan_block_plan *plan,
                                                        const void *const A[],
                                                        const void *const B[], void *const D[],
                                                        struct tcplan_error *error);

/** Computes the product like tcplan_block_plan_execute(), but with other factors: pointers to
 * numbers of the product's type; NULL: the product's own factor. */
TCPLAN_API enum tcplan_status tcplan_block_plan_run(struct tcplan_block_plan *plan,
                                                    const void *alpha, const void *beta,
                                                    const void *const A[], const void *const B[],
                                                    void *const D[], struct tcplan_error *error);

/** Options of emitted C. Zero-initialise it before you set members. */
struct tcplan_block_emit_options {
    const char *function; /**< name of the function, a C identifier; NULL: `contract` */
    const char *header; /**< name of a header, to be included, that declares the function; NULL: no
                           header */
    bool with_main; /**< whether to add a driver that compares blocks of the result with the sums
                       that define them, and prints GFLOP/s */
};

/**
 * Writes C11 for a plan. It needs no tcplan, only the libraries that its comment names. It uses as
 * many threads as the plan. NAME and NAME_buffers compute the product with its own alpha and beta:
 *
 *   int NAME(const T *const A[], const T *const B[], T *const C[])   pointers to blocks
 *   int NAME_buffers(const T *A, const T *B, T *C)                   the blocks of a tensor follow
 *                                                                    each other, in list order
 *
 * The result comes last, as C. They return 0, or ENOMEM when memory cannot be had: some blocks of C
 * may then be computed.
 *
 * @param out      receives the text, to be freed with free(); untouched on failure
 * @param options  NULL: the defaults
 * @return TCPLAN_OK; TCPLAN_INVALID if the name cannot be used for a function;
 *         TCPLAN_NOT_APPLICABLE if the blocks have thousands of shapes that need a function each;
 *         TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_block_plan_emit(
    char **out, const struct tcplan_block_plan *plan,
    const struct tcplan_block_emit_options *options, struct tcplan_error *error);

/** Writes a header for C and C++ that declares both functions of tcplan_block_plan_emit(). The type
 * of complex elements is called `NAME_element`. The caller frees the text with free(). */
TCPLAN_API enum tcplan_status tcplan_block_plan_emit_header(char **out,
                                                            const struct tcplan_block_plan *plan,
                                                            const char *function,
                                                            struct tcplan_error *error);

/** A way to compute the product. */
struct tcplan_block_candidate {
    const char *way;     /**< `blocks`, `grouped`, `fused`, `mixed`, `dense` or `packed` */
    const char *says;    /**< short description of how the product is computed */
    const char *why_not; /**< why this way cannot compute the product or was not considered; NULL:
                            it can compute it */
    double predicted_seconds; /**< seconds predicted by the model; 0: not predicted */
    double packing_seconds;   /**< part of `predicted_seconds` spent on packing and unpacking */
    double seconds;           /**< measured seconds of whole executions; 0: not compared */
    double flops;             /**< number of floating-point operations, including those on zeros */
    int64_t calls;            /**< number of dense multiplications in one execution */
    int64_t workspace_bytes;
    bool chosen;
};

/** Returns the number of candidates. */
TCPLAN_API int tcplan_block_plan_candidates(const struct tcplan_block_plan *plan);

/** Gets candidate `number`, from 0 in order of increasing time; returns false if there is no such
 * candidate. */
TCPLAN_API bool tcplan_block_plan_candidate(const struct tcplan_block_plan *plan, int number,
                                            struct tcplan_block_candidate *out);

/** A sector: a part of the product. It shares no block with other sectors. */
struct tcplan_block_sector {
    int64_t blocks; /**< number of blocks of the result in the sector */
    int64_t pairs;
    double flops;       /**< floating-point operations of the pairs */
    double fused_flops; /**< number of operations if the sector is computed as one product,
                           including operations on zeros; 0: unknown */
    double seconds;  /**< seconds, measured or estimated; 0: unknown, because the sector is computed
                        together with all others */
    const char *way; /**< `blocks`, `grouped` or `fused`; `dense` or `packed`: computed together
                        with all other sectors */
};

/** Gets sector `number`; sectors are numbered from 0 by decreasing operations. Returns false if
 * there is no such sector. */
TCPLAN_API bool tcplan_block_plan_sector(const struct tcplan_block_plan *plan, int number,
                                         struct tcplan_block_sector *out);

/** Place of a block, in elements, if each tensor is drawn as a matrix. The rows of A are its free
 * indices and its columns the contracted ones; B has rows of contracted indices and columns of
 * free ones; the result has the rows of A and the columns of B. Sections of one sector are next to
 * each other. Blocks that differ only in an index that is summed over in one factor have the same
 * place. */
struct tcplan_block_place {
    double row, rows, column, columns; /**< first row and number of rows; the same for columns */
    const char *way; /**< way of the block's sector, as in tcplan_block_sector; NULL: the block
                        takes part in no pair */
};

/** Gets the places of the blocks of A, B and the result, as many as each tensor has. TCPLAN_OK, or
 * TCPLAN_NO_MEMORY. */
TCPLAN_API enum tcplan_status tcplan_block_plan_places(struct tcplan_block_place *const out[3],
                                                       const struct tcplan_block_plan *plan,
                                                       struct tcplan_error *error);

/** Returns the name of the chosen way. */
TCPLAN_API const char *tcplan_block_plan_way(const struct tcplan_block_plan *plan);

/** Returns the expected seconds of one execution. */
TCPLAN_API double tcplan_block_plan_seconds(const struct tcplan_block_plan *plan);

/** Returns whether a stored plan was used, see tcplan_planner_set_plans(): the same product with
 * the same lists of blocks was planned before, on this machine, with at least this effort. If so,
 * nothing was timed. Plans are stored if the effort is above TCPLAN_EFFORT_ESTIMATE and the place
 * of stored plans is a folder. */
TCPLAN_API bool tcplan_block_plan_is_stored(const struct tcplan_block_plan *plan);

/** Returns the seconds that planning took. */
TCPLAN_API double tcplan_block_plan_planning_seconds(const struct tcplan_block_plan *plan);

/** Returns a description of a plan, a few lines of text, which the caller frees with free(); NULL
 * if memory runs out. */
TCPLAN_API char *tcplan_block_plan_describe(const struct tcplan_block_plan *plan);

/** Frees a plan; does nothing if it is NULL. */
TCPLAN_API void tcplan_block_plan_free(struct tcplan_block_plan *plan);

/* Expressions of several tensors. */

/** A planned expression of several block-sparse tensors, such as `D_ad=A_ab*B_bc*C_cd`: products of
 * two tensors, in the order of the least predicted time. One thread at a time may execute it. */
struct tcplan_block_expression;

/** A product of an expression. The tensors of the expression are numbered from 0; intermediate
 * results follow. */
struct tcplan_block_step {
    int factor[2];        /**< numbers of the factors */
    int result;           /**< number of the result */
    int rank;             /**< number of dimensions of the result */
    const int64_t *label; /**< label of each dimension of the result */
    const struct tcplan_block_product *product;
    const struct tcplan_block_plan *plan;
};

/**
 * Plans an expression. All orders are compared by estimates, except those with avoidable outer
 * products; the products of the best order are planned by the planner. Intermediate results have
 * the blocks that are reached.
 *
 * @param out      receives the expression, to be freed with tcplan_block_expression_free();
 *                 untouched on failure
 * @param planner  gives effort, threads, time limit and workspace bound; NULL: the defaults of
 *                 tcplan_planner_new()
 * @param count    number of tensors, 2 to TCPLAN_BLOCK_TENSORS
 * @param D        the result, which has each index that is not summed over
 * @return a status of tcplan_block_product_make() or tcplan_block_plan_new(); messages call the
 *         factors of a product A and B
 */
TCPLAN_API enum tcplan_status tcplan_block_expression_new(
    struct tcplan_block_expression **out, struct tcplan_planner *planner,
    const struct tcplan_block_tensor tensor[], int count, const struct tcplan_block_tensor *D,
    enum tcplan_dtype dtype, enum tcplan_order order, struct tcplan_error *error);

/** A tensor of a formula. */
struct tcplan_block_operand {
    const char *name;
    int rank;
    const int *dims; /**< index of each dimension, a number of the formula's indices */
    bool conjugated;
};

/** An expression of several tensors: a product of named tensors. Zero-initialise it before you set
 * members. */
struct tcplan_block_formula {
    const char *const *index; /**< names of the indices, which are the labels of the expression */
    int index_count;          /**< number of indices, at most TCPLAN_MAX_INDICES */
    const struct tcplan_block_operand *operand; /**< the factors, then the result */
    int count; /**< number of operands: the factors and the result */
    struct tcplan_scalar alpha, beta;
    enum tcplan_order order;
    const int (*path)[2]; /**< the factors of each product, numbered as in struct tcplan_block_step;
                             there is one product less than factors. NULL: the fastest order */
};

/**
 * Plans an expression whose structure is text, as tcplan_block_product_parse() reads it. Each
 * tensor has a name of its own.
 *
 * @param wrong  receives the text that `error` marks, or NULL; may be NULL
 * @return a status of tcplan_block_product_parse() or tcplan_block_expression_new()
 */
TCPLAN_API enum tcplan_status tcplan_block_expression_parse(
    struct tcplan_block_expression **out, struct tcplan_planner *planner,
    const struct tcplan_block_formula *formula, const struct tcplan_block_text *text,
    enum tcplan_dtype dtype, const char **wrong, struct tcplan_error *error);

/** Gets a product in the order of execution, counted from 0; false if there is no such product. The
 * last one has the blocks of the result. */
TCPLAN_API bool tcplan_block_expression_step(const struct tcplan_block_expression *expression,
                                             int number, struct tcplan_block_step *out);

/** Returns the expected seconds of one execution. */
TCPLAN_API double tcplan_block_expression_seconds(const struct tcplan_block_expression *expression);

/** Returns the estimated seconds of the chosen order. With `written`, those of multiplying the
 * tensors from left to right; 0: not known, because that order has an avoidable outer product. */
TCPLAN_API double tcplan_block_expression_estimate(const struct tcplan_block_expression *expression,
                                                   bool written);

/**
 * Executes an expression repeatedly on memory of its own.
 *
 * @param seconds  receives the median time of each product, then of all together
 * @return TCPLAN_OK; TCPLAN_NOT_APPLICABLE if there is no memory for the blocks
 */
TCPLAN_API enum tcplan_status tcplan_block_expression_measure(
    double seconds[TCPLAN_BLOCK_TENSORS], struct tcplan_block_expression *expression,
    struct tcplan_error *error);

/**
 * Writes C11 for an expression, with the options and statuses of tcplan_block_plan_emit(). The
 * caller frees the text with free(). NAME takes an array of pointers to blocks for each tensor,
 * NAME_buffers a buffer for each, the result last:
 *
 *   int NAME(const T *const A[], const T *const B[], const T *const C[], T *const D[])
 *   int NAME_buffers(const T *A, const T *B, const T *C, T *D)
 */
TCPLAN_API enum tcplan_status tcplan_block_expression_emit(
    char **out, const struct tcplan_block_expression *expression,
    const struct tcplan_block_emit_options *options, struct tcplan_error *error);

/** Writes a header for C and C++ that declares both functions of tcplan_block_expression_emit().
 * The caller frees the text with free(). */
TCPLAN_API enum tcplan_status tcplan_block_expression_emit_header(
    char **out, const struct tcplan_block_expression *expression, const char *function,
    struct tcplan_error *error);

/** Describes the products in a line each. The caller frees the text with free(); NULL if memory
 * runs out. */
TCPLAN_API char *tcplan_block_expression_describe(const struct tcplan_block_expression *expression);

/** Computes D := the product of the tensors; `tensor` has an array of block pointers for each of
 * them. Returns TCPLAN_OK, TCPLAN_INVALID if a list is NULL, or TCPLAN_NO_MEMORY. */
TCPLAN_API enum tcplan_status tcplan_block_expression_execute(
    struct tcplan_block_expression *expression, const void *const *const tensor[], void *const D[],
    struct tcplan_error *error);

/** Frees an expression; does nothing if it is NULL. */
TCPLAN_API void tcplan_block_expression_free(struct tcplan_block_expression *expression);

/* Sums of expressions. */

/** A planned sum of products, such as `D_ac := 2*A_ab*B_bc - E_ab*F_bc + D_ac`. One thread at a
 * time may execute it. */
struct tcplan_block_sum;

/** A term: a factor times a product of tensors. */
struct tcplan_block_term {
    const struct tcplan_block_tensor *tensor;
    int count; /**< number of tensors, 2 to TCPLAN_BLOCK_TENSORS */
    struct tcplan_scalar factor;
};

/**
 * Plans D := the sum of the terms + beta * D. Each term is planned as by
 * tcplan_block_expression_new(), and adds to the blocks of D.
 *
 * @param out  receives the sum, to be freed with tcplan_block_sum_free(); untouched on failure
 * @param D    the result; with TCPLAN_BLOCKS_REACHED, it has the blocks that some term reaches:
 *             those of the first term, then those that only the second reaches, and so on
 * @return a status of tcplan_block_expression_new()
 */
TCPLAN_API enum tcplan_status tcplan_block_sum_new(struct tcplan_block_sum **out,
                                                   struct tcplan_planner *planner,
                                                   const struct tcplan_block_term term[], int count,
                                                   const struct tcplan_block_tensor *D,
                                                   struct tcplan_scalar beta,
                                                   enum tcplan_dtype dtype, enum tcplan_order order,
                                                   struct tcplan_error *error);

/** Returns the expression of a term, counted from 0; NULL if there is no such term. Its last
 * product has all blocks of the sum's result. */
TCPLAN_API const struct tcplan_block_expression *tcplan_block_sum_term(
    const struct tcplan_block_sum *sum, int number);

/** Returns the expected seconds of one execution. */
TCPLAN_API double tcplan_block_sum_seconds(const struct tcplan_block_sum *sum);

/** Describes the products of each term. The caller frees the text with free(); NULL if memory runs
 * out. */
TCPLAN_API char *tcplan_block_sum_describe(const struct tcplan_block_sum *sum);

/** Computes the sum; `tensor` has an array of block pointers for each tensor of the first term,
 * then of the second, and so on. Returns TCPLAN_OK, TCPLAN_INVALID if a list is NULL, or
 * TCPLAN_NO_MEMORY. After a failure, some terms may have been added. */
TCPLAN_API enum tcplan_status tcplan_block_sum_execute(struct tcplan_block_sum *sum,
                                                       const void *const *const tensor[],
                                                       void *const D[], struct tcplan_error *error);

/** Frees a sum; does nothing if it is NULL. */
TCPLAN_API void tcplan_block_sum_free(struct tcplan_block_sum *sum);

#ifdef __cplusplus
}
#endif

#endif
