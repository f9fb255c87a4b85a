/** Builds and prints ranges, views and blocks. */
#ifndef AST_NEST_BLOCKS_H
#define AST_NEST_BLOCKS_H

#include "base/strbuf.h"
#include "tcplan/blocks.h"
#include "tcplan/nest.h"

/**
 * Splits a range into five parts.
 *
 * @param loop   number of the loop that splits the range, from 0
 * @param depth  number of loops around that loop
 * @return the first of its five parts; -1: too many ranges
 */
int blocks_cut(struct tcplan_blocks *blocks, int range, int loop, int depth);

/** Returns the range of the single column of vectors, which always exists. */
int blocks_single_column(const struct tcplan_blocks *blocks);

/** Returns the range that contains `range` and is a direct part of a whole size; `range` itself if
 * it is a whole size. */
int blocks_outermost_part(const struct tcplan_blocks *blocks, int range);

bool blocks_is_vector(const struct tcplan_blocks *blocks, int matrix);

bool block_equal(struct tcplan_block a, struct tcplan_block b);

/** Sets the parts of a split: `first` and `current` are lengths, and the last part is the rest
 * of the range. */
void blocks_set_cut(struct tcplan_range_values *values, int range, int first_part, int64_t first,
                    int64_t current);

/** Returns the length of the first half when a recursion halves a range: half of it, from 16 on
 * rounded to the nearest multiple of 8, ties upward. */
int64_t blocks_half(int64_t length);

/** Returns the range that a recursive call passes for a range that the surrounding recursion cuts:
 * a half or, if two ranges are cut, both halves of one of them. -1 if no block has such a range. */
int blocks_passed_range(const struct tcplan_again *again, const struct tcplan_cut *cut);

/** Appends the name of a range: `n`, a part of it `n1`, a part cut by an inner loop `n1'`. */
void blocks_print_range(struct strbuf *out, const struct tcplan_blocks *blocks, int range);

/** Appends a block: `A21`, `[A11;A21]`, `C1'`. */
void blocks_print_block(struct strbuf *out, const struct tcplan_blocks *blocks,
                        struct tcplan_block block);

/** Appends the position of a block, counted from 1: `A[129:256,1:128]`. */
void blocks_print_slice(struct strbuf *out, const struct tcplan_blocks *blocks,
                        const struct tcplan_range_values *values, struct tcplan_block block);

#endif
