/** State of the writer of C for a block-sparse product, and its parts. */
#ifndef BLOCKS_EMIT_H
#define BLOCKS_EMIT_H

#include "blocks/block_plan.h"
#include "gen/emit/joined.h"
#include "gen/emit/template.h"

enum {
    EMIT_SUM_PAIRS = 64
}; /**< maximum number of pairs of a sum whose addresses fit into an array; longer runs are split */

struct block_writing {
    const struct tcplan_block_plan *plan;
    const struct tcplan_block_plan *tables; /**< plan whose pairs and sectors are written: `plan`,
                                               or its plan of copies */
    const char *function;
    bool is_part; /**< whether the text becomes a part of a larger file (block_emit_part()) */
    struct tcplan_scalar alpha, beta; /**< scalar factors, rounded to the element type */
    struct tcplan_scalar tables_beta; /**< factor beta of the calls in the tables of `tables` */
    struct emit_joined products; /**< dense products for the shapes of pairs and for the sectors */
    int product_count;
    int *shape_of; /**< for each class of pairs, its number among the shapes of the file; -1: no
                      number yet */
    int shape_count;
    bool has_gemms, has_sums, has_sectors;
    int64_t run_count, scaled_count, sector_count;
    int64_t workspace_elements;
    struct template_values values;
};

/** Adds the tables of pairs, their dense products, and the blocks that are scaled first. */
enum tcplan_status block_write_pairs(struct block_writing *writing, struct tcplan_error *error);

/** Adds the tables of fused sectors, and their dense products. */
enum tcplan_status block_write_sectors(struct block_writing *writing, struct tcplan_error *error);

/** Adds the tables of copies of the way `packed`; they follow those of pairs and sectors. */
void block_write_packed(struct block_writing *writing);

/** Adds the driver to `out`. */
void block_write_driver(struct strbuf *out, const struct block_writing *writing);

/** Adds the functions that compare a block of the result with the sums that define it. */
void block_write_check(struct strbuf *out, const struct block_writing *writing);

/** Adds the functions that fill tensors with random numbers and read the clock. */
void block_write_values(struct strbuf *out, const struct template_values *values,
                        enum tcplan_dtype dtype);

/**
 * Writes C for a plan as a part of a larger file: as tcplan_block_plan_emit() does, but without
 * NAME_buffers().
 *
 * @param checks adds the functions of block_write_check()
 */
enum tcplan_status block_emit_part(char **out, const struct tcplan_block_plan *plan,
                                   const char *function, bool checks, struct tcplan_error *error);

/** Adds a tensor's blocks to a line of a comment, such as `: 2 blocks, 40 elements: (0,0) (0,1)`.
 */
void block_add_list(struct strbuf *out, const struct tcplan_block_product *product,
                    enum tcplan_operand operand);

/** Adds the declaration of the function with which a driver sets the threads of OpenBLAS. */
void block_add_threads(struct strbuf *out);

/** Adds the #include lines of the C library. A driver (`with_main`) needs more headers. */
void block_add_includes(struct strbuf *out, enum tcplan_dtype dtype, bool with_main);

/**
 * Adds a dense product with an algorithm as a static function, whose name is appended to `name`.
 *
 * @return TCPLAN_OK; TCPLAN_NOT_APPLICABLE if the algorithm has no code, or there are too many
 *         functions
 */
enum tcplan_status block_write_product(struct block_writing *writing, struct strbuf *name,
                                       const struct tcplan_product *product,
                                       const struct tcplan_algorithm *algorithm,
                                       struct tcplan_error *error);

/** Returns the number of elements of a buffer that holds all blocks of a tensor. `offset` receives
 * the position at which each block begins; may be NULL. */
int64_t block_buffer_elements(const struct tcplan_block_product *product,
                              enum tcplan_operand operand, int64_t offset[]);

#endif
