/**
 * A block-sparse product: a contraction, the sections of its indices, the blocks of its tensors.
 */
#ifndef BLOCKS_STRUCTURE_H
#define BLOCKS_STRUCTURE_H

#include <stdatomic.h>

#include "tcplan/blocksparse.h"
#include "tcplan/problem.h"

/** The sections of an index. */
struct block_sections {
    int count;
    int64_t *extent;
    int64_t total; /**< extent of the index: the sum of the sections' extents */
};

/** The blocks of a tensor. Their dimensions are those of the contraction's tensor. */
struct block_list {
    int64_t count;
    int32_t *at;     /**< `rank` section numbers for each block */
    int64_t *stride; /**< `rank` strides for each block, in elements; NULL: blocks are dense */
};

struct block_pairs;

struct tcplan_block_product {
    atomic_int owners; /**< number of owners: the caller, and each plan */
    struct tcplan_contraction *contraction;
    enum tcplan_dtype dtype;
    struct block_sections index[TCPLAN_MAX_INDICES]; /**< sections of each index of the contraction
                                                      */
    struct block_list tensor[TCPLAN_OPERANDS];
    struct block_pairs *pairs;
};

/**
 * Makes a product from its parts.
 *
 * @param contraction the contraction; structure_make() takes ownership, even on failure
 * @param index sections of each index of the contraction, copied
 * @param list blocks of A, B and the result, copied; a count may be TCPLAN_BLOCKS_ALL or, for the
 *     result, TCPLAN_BLOCKS_REACHED
 */
enum tcplan_status structure_make(struct tcplan_block_product **out,
                                  struct tcplan_contraction *contraction,
                                  const struct block_sections index[],
                                  const struct block_list list[TCPLAN_OPERANDS],
                                  enum tcplan_dtype dtype, struct tcplan_error *error);

/** Adds an owner to a product and returns it. Each owner calls tcplan_block_product_free(). */
struct tcplan_block_product *structure_share(const struct tcplan_block_product *product);

/** Plans an expression as tcplan_block_expression_new() does, with the scalar factors and the
 * storage order of a formula. */
enum tcplan_status block_expression_make(struct tcplan_block_expression **out,
                                         struct tcplan_planner *planner,
                                         const struct tcplan_block_tensor tensor[], int count,
                                         const struct tcplan_block_tensor *D,
                                         const struct tcplan_block_formula *formula,
                                         enum tcplan_dtype dtype, struct tcplan_error *error);

/** Returns the section numbers of a block. */
static inline const int32_t *structure_at(const struct tcplan_block_product *product,
                                          enum tcplan_operand operand, int64_t block) {
    return product->tensor[operand].at + block * product->contraction->tensor[operand].rank;
}

/** Returns the product of a block's extents along the indices of a set. */
double structure_volume(const struct tcplan_block_product *product, enum tcplan_operand operand,
                        int64_t block, uint64_t indices);

/** The name of a block in messages, such as `A(0,2,1)`: the tensor and the section numbers. */
struct block_name {
    char text[96];
};
struct block_name structure_name(const struct tcplan_block_product *product,
                                 enum tcplan_operand operand, const int32_t at[]);

#endif
