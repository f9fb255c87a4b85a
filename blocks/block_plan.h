/**
 * A plan of a block-sparse product: for each part, the way that computes it.
 *
 * Two ways compute one part: pair by pair (blocks/pairwise.c), or as one matrix product of packed
 * blocks (blocks/fused.c). A candidate (blocks/decide.c) gives each part a way. Dense products are
 * plans of `api`, one for each class of pairs and one for each fused part, made when they are first
 * needed and estimated once.
 */
#ifndef BLOCKS_BLOCK_PLAN_H
#define BLOCKS_BLOCK_PLAN_H

#include "api/planner.h"
#include "blocks/pairs.h"
#include "microbench/copy/strided.h"
#include "tcplan/costs.h"
#include "tcplan/plan.h"

/** A block to copy between its place and a packed matrix. */
struct packed_block {
    int32_t block;
    int64_t offset; /**< in the matrix, in elements */
    int32_t shape;  /**< of `fused_part.copy` */
};

/** A tensor of a fused part. */
struct packed_tensor {
    bool in_place; /**< it is one block, used where it lies */
    int64_t elements;
    bool is_full; /**< blocks cover the matrix: it need not be cleared */
    int64_t count;
    struct packed_block *block;
    int copy_count;
    struct strided *copy; /**< to the matrix, of the result from it; one for each shape of block */
};

/** A part as one product. */
struct fused_part {
    struct tcplan_plan *plan;
    struct packed_tensor tensor[TCPLAN_OPERANDS];
    double seconds, packing_seconds, flops;
    int64_t workspace_elements;
};

enum { BLOCK_CANDIDATES = 4 };

struct block_candidate {
    struct tcplan_block_candidate figures;
    bool *is_fused; /**< of each part; NULL: not considered */
};

struct tcplan_block_plan {
    struct tcplan_block_product *product;
    struct planning planning; /**< used while the plan is made */
    struct tcplan_costs costs;
    double cache_bytes;         /**< of the second cache */
    struct tcplan_plan **class; /**< of each class of pairs; NULL: not made */
    double *class_seconds;
    struct fused_part *fused; /**< of each part */
    double *part_seconds;     /**< of each part, pair by pair */
    struct block_candidate candidate[BLOCK_CANDIDATES];
    int chosen;
    double planning_seconds;
    char *workspace;
    int64_t workspace_bytes;
};

/** Factors and pointers of one execution. */
struct block_run {
    struct tcplan_block_plan *plan;
    const void *alpha, *beta;
    const void *const *A, *const *B;
    void *const *D;
};

/** Plans the pairs of a class with an estimate. */
enum tcplan_status pairwise_prepare(struct tcplan_block_plan *plan, int class,
                                    struct tcplan_error *error);

/** Computes a part pair by pair. */
enum tcplan_status pairwise_run(const struct block_run *run, const struct block_part *part,
                                struct tcplan_error *error);

/** Plans a part as one product. */
enum tcplan_status fused_prepare(struct tcplan_block_plan *plan, int part,
                                 struct tcplan_error *error);

/** Computes a part as one product, in the plan's workspace. */
enum tcplan_status fused_run(const struct block_run *run, const struct fused_part *part,
                             struct tcplan_error *error);

void fused_free(struct fused_part *part);

/** Ranks the ways, and compares executions of the best few unless the effort is an estimate.
 * @param way  NULL: any */
enum tcplan_status decide(struct tcplan_block_plan *plan, const char *way,
                          struct tcplan_error *error);

/** Executes a candidate. */
enum tcplan_status block_plan_run(const struct block_run *run,
                                  const struct block_candidate *candidate,
                                  struct tcplan_error *error);

/** Returns a factor as bytes of the product's type. */
struct block_factor {
    double number[2];
};
struct block_factor block_factor_of(struct tcplan_scalar scalar, enum tcplan_dtype dtype);

/** Returns whether a factor of the type is 0. */
bool block_factor_is_zero(const void *factor, enum tcplan_dtype dtype);

/** Returns a block as a copy: dimensions ordered for the copy kernels. `extent`, `to` and `from`
 * (in elements) have `rank` numbers. */
struct strided block_copy(int rank, const int64_t extent[], const int64_t to[],
                          const int64_t from[], enum tcplan_dtype dtype);

#endif
