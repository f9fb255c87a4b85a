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
    bool is_part;      /**< whether the text becomes a part of a larger file (block_emit_part()) */
    const char *guard; /**< macro without which the driver is not compiled; NULL: none */
    struct tcplan_scalar alpha, beta; /**< scalar factors, rounded to the element type */
    struct tcplan_scalar tables_beta; /**< factor beta of the calls in the tables of `tables` */
    struct emit_joined products; /**< dense products for the shapes of pairs and for the sectors */
    int product_count;
    int *shape_of; /**< for each class of pairs, two numbers among the shapes of the file: of pairs
                      that one thread multiplies, and of pairs that all threads multiply; -1: no
                      number yet */
    int shape_count;
    bool has_gemms, has_sums, has_sectors;
    int64_t run_count, scaled_count, sector_count;
    int threads;      /**< number of threads of the emitted code; 1: it has no code for threads */
    bool is_shared;   /**< whether the plan's schedule gives each thread a share of the work */
    bool is_together; /**< whether all threads together compute the rows of share 0 */
    struct block_share {
        int64_t sectors, runs, pairs;
    } * share; /**< for each share (blocks/emit_shares.c), its number of rows in the tables */
    int64_t workspace_elements;
    int64_t thread_elements; /**< elements of the workspace that each thread's share has */
    struct template_values values;
};

/* Shares of the work (blocks/emit_shares.c). */

/** Determines how threads share the work. */
enum tcplan_status block_shares_begin(struct block_writing *writing, struct tcplan_error *error);

/** Callback that receives a task and the number of its share; returns false to stop. A task with
 * PART_FUSED is a fused part, otherwise a block of the result. */
typedef bool block_task_fn(struct block_writing *writing, const struct block_task *task, int share,
                           void *context);

/** Calls `use` for all tasks, share by share. Returns false if a callback did. */
bool block_each_task(struct block_writing *writing, block_task_fn *use, void *context);

/** Sets the values of the template for the copies of blocks, which all threads divide if the code
 * has threads. */
void block_write_divided(struct block_writing *writing);

/** Adds the table of shares, after those of sectors and pairs. */
void block_write_shares(struct block_writing *writing);

/** Adds the statements that multiply the blocks `tensors`, such as `A, B, C`. */
void block_add_run(struct strbuf *out, const struct block_writing *writing, const char *tensors,
                   const char *workspace);

/** Returns whether the emitted code calls CBLAS functions. */
bool block_calls_cblas(const struct block_writing *writing);

/** Returns whether the emitted code sets OpenBLAS to one thread while it calls it. */
bool block_limits_blas(const struct block_writing *writing);

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

/** Writes C as tcplan_block_plan_emit() does, with a driver that is compiled only if the macro
 * `guard` is defined; NULL: always. */
enum tcplan_status block_emit_guarded(char **out, const struct tcplan_block_plan *plan,
                                      const struct tcplan_block_emit_options *options,
                                      const char *guard, struct tcplan_error *error);

/** Adds lines that describe a plan: the product, its sections, the way, and the blocks that are the
 * arguments of the function. */
void block_add_facts(struct strbuf *out, const struct tcplan_block_plan *plan,
                     const char *function);

/** Adds the declarations of NAME and NAME_buffers for the element type of that name. */
void block_add_prototypes(struct strbuf *out, const char *function, const char *type);

/** Adds a tensor's blocks to a line of a comment, such as `: 2 blocks, 40 elements: (0,0) (0,1)`.
 */
void block_add_list(struct strbuf *out, const struct tcplan_block_product *product,
                    enum tcplan_operand operand);

/** Adds the #include lines of the C library. A driver (`with_main`) needs more headers. */
void block_add_includes(struct strbuf *out, enum tcplan_dtype dtype, bool with_main);

/**
 * Adds a dense product with an algorithm as a static function for a number of threads. The
 * function's name is appended to `name`.
 *
 * @return TCPLAN_OK; TCPLAN_NOT_APPLICABLE if the algorithm has no code, or there are too many
 *         functions
 */
enum tcplan_status block_write_product(struct block_writing *writing, struct strbuf *name,
                                       const struct tcplan_product *product,
                                       const struct tcplan_algorithm *algorithm, int threads,
                                       struct tcplan_error *error);

/** Returns the number of elements of a buffer that holds all blocks of a tensor. `offset` receives
 * the position at which each block begins; may be NULL. */
int64_t block_buffer_elements(const struct tcplan_block_product *product,
                              enum tcplan_operand operand, int64_t offset[]);

#endif
