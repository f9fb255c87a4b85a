/**
 * Making ranges, views and blocks, and how they are written.
 */
#ifndef AST_NEST_BLOCKS_H
#define AST_NEST_BLOCKS_H

#include "base/strbuf.h"
#include "tcplan/blocks.h"

/**
 * Cuts a range.
 *
 * @param loop   which loop does it, from 0 on
 * @param depth  loops around that one
 * @return the first of its five parts; -1: there are too many ranges
 */
int blocks_cut(struct tcplan_blocks *blocks, int range, int loop, int depth);

/** The range that stands for the single column of vectors; there is always one. */
int blocks_single_column(const struct tcplan_blocks *blocks);

/** The part of a size, of the outermost loop that cuts it, in which a range lies; the range itself
 * where it is a size. */
int blocks_outermost_part(const struct tcplan_blocks *blocks, int range);

bool blocks_is_vector(const struct tcplan_blocks *blocks, int matrix);

bool block_equal(struct tcplan_block a, struct tcplan_block b);

/** Sets where the parts of a cut are: `first` and `current` are lengths; the rest of the range is
 * the last part. */
void blocks_set_cut(struct tcplan_range_values *values, int range, int first_part, int64_t first,
                    int64_t current);

/** The rows of the first half of a range that a recursion cuts: half of them, from 16 on the
 * nearest multiple of 8, of two the larger. */
int64_t blocks_half(int64_t length);

/** Appends a range: `n`, a part of it `n1`, of an inner loop `n1'`. */
void blocks_print_range(struct strbuf *out, const struct tcplan_blocks *blocks, int range);

/** Appends a block: `A21`, `[A11;A21]`, `C1'`. */
void blocks_print_block(struct strbuf *out, const struct tcplan_blocks *blocks,
                        struct tcplan_block block);

/** Appends where a block is, from 1 on: `A[129:256,1:128]`. */
void blocks_print_slice(struct strbuf *out, const struct tcplan_blocks *blocks,
                        const struct tcplan_range_values *values, struct tcplan_block block);

#endif
