/**
 * The pairs of blocks of A and B that contribute to each block of the result.
 *
 * Blocks are matched by ids of parts of their coordinates, found by hashing: *meet* ids of the
 * contracted and batch indices (in A and B), *row* ids of the free indices of A with the batch
 * indices (in A and the result), *column* ids of those of B. A block of A and a block of B with
 * equal meet ids form a pair; it contributes to the block of the result with the row id of A and
 * the column id of B. Cost: O(blocks + pairs).
 *
 * Pairs whose blocks have equal extents (and strides, where given) form a class, which is planned
 * once. *Parts* are the connected components of rows, meets and columns: for tensors with abelian
 * symmetries these are the symmetry sectors, found without knowing the charges.
 */
#ifndef BLOCKS_PAIRS_H
#define BLOCKS_PAIRS_H

#include "blocks/structure.h"

/** The kinds of ids by which blocks are matched. */
enum block_part_of { PAIRS_MEET, PAIRS_ROW, PAIRS_COLUMN, PAIRS_IDS };

/** Ids of one kind, for the blocks of the two tensors that have ids of this kind. */
struct block_ids {
    uint64_t indices;
    int32_t count;
    int32_t *of[TCPLAN_OPERANDS]; /**< for each tensor, the id of each block; NULL: the tensor has
                                     no ids of this kind */
};

struct block_pair {
    int32_t a, b;
    int32_t class;
};

struct block_class {
    int32_t a, b, c; /**< blocks of A, B and the result in the first pair of the class */
    int64_t pairs;
    double flops; /**< operations of one pair */
};

/** A part of the product. It shares no block with other parts. */
struct block_part {
    int64_t first, count; /**< blocks of the result in this part: a range of `block_pairs.order` */
    int64_t pairs;
    double flops;
};

struct block_pairs {
    int64_t count;
    struct block_pair *pair; /**< pairs, sorted by block of the result, and for each block by class
                              */
    int64_t *first; /**< for each block of the result, its first pair; the last entry is the end */
    int64_t unreached;
    double flops;
    int class_count;
    struct block_class *class;
    struct block_ids ids[PAIRS_IDS];
    int32_t *shape[TCPLAN_OPERANDS]; /**< for each tensor, an id of the extents and strides of each
                                        block */
    int32_t shape_count[TCPLAN_OPERANDS];
    int part_count;
    struct block_part *part;
    int32_t *order; /**< the blocks of the result to which pairs contribute, sorted by part */
};

/** Finds the pairs of a product. `reached`: first makes the list of the result's blocks to which
 * pairs contribute. */
enum tcplan_status pairs_find(struct tcplan_block_product *product, bool reached,
                              struct tcplan_error *error);

void pairs_free(struct block_pairs *pairs);

#endif
