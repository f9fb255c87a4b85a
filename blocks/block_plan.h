/**
 * A plan of a block-sparse product: for each part, the way that computes it.
 *
 * Three ways compute one part: pair by pair, or in sums of pairs of equal shapes (both
 * blocks/pairwise.c), or as one matrix product of packed blocks (blocks/fused.c). Two compute the
 * whole product: all blocks in one matrix product, or by a plan of copies of the blocks
 * (blocks/packed.c). A candidate
 * (blocks/decide.c) gives each part a way, and with several threads a schedule
 * (blocks/schedule.c). Dense products are plans of `api`, one for each class of pairs and one for
 * each fused part.
 */
#ifndef BLOCKS_BLOCK_PLAN_H
#define BLOCKS_BLOCK_PLAN_H

#include "blocks/dense.h"
#include "blocks/pairs.h"
#include "microbench/copy/strided.h"
#include "microbench/providers/address_sum.h"
#include "tcplan/costs.h"

/** A block, and its copy between the caller's memory and a packed matrix. */
struct packed_block {
    int32_t block;
    int32_t shape;  /**< number of its copy in `packed_tensor.copy` */
    int64_t offset; /**< of its first element in the matrix, in elements */
};

/** A tensor of a fused part, as a matrix. */
struct packed_tensor {
    bool in_place; /**< the part has one block of this tensor, which is used where it lies */
    int64_t elements;
    bool is_full; /**< the blocks fill the matrix, so that it need not be cleared first */
    int64_t count;
    struct packed_block *block;
    int copy_count;
    struct strided *copy; /**< one for each shape of blocks: to the matrix for A and B, from the
                             matrix for the result */
};

/** A part that is computed as one product of packed matrices. */
struct fused_part {
    struct tcplan_plan *plan; /**< NULL: not made */
    int threads;
    struct packed_tensor tensor[TCPLAN_OPERANDS];
    double seconds, packing_seconds, flops;
    int64_t workspace_elements;
};

/** The way `packed` (blocks/packed.c). */
struct packed_plan {
    struct tcplan_block_plan *inner;              /**< of the copies; NULL: not made */
    struct packed_tensor tensor[TCPLAN_OPERANDS]; /**< the blocks that take part in pairs;
                                                     `in_place`: they are not copied */
    void **pointer[TCPLAN_OPERANDS]; /**< of an execution, to blocks or copies of `tensor` */
    int64_t workspace_elements;
    double packing_seconds; /**< predicted */
};

/** A class as a gemm. */
struct pair_gemm {
    struct tcplan_algorithm algorithm;
    struct blas_call call;
    struct kernel kernel[2]; /**< of a block's first pair and of later ones */
};

/** How the pairs of a class are multiplied. */
struct pair_class {
    struct tcplan_plan *plan;      /**< by one thread; NULL: not made yet */
    struct tcplan_plan *wide;      /**< by all threads, for large blocks; NULL: there are none */
    double seconds;                /**< of one pair */
    double sum_seconds;            /**< of one pair within a sum */
    bool has_gemm;                 /**< it can be one gemm, */
    bool is_gemm;                  /**< and is executed as one, not by the plan */
    struct pair_gemm *gemm;        /**< that gemm */
    enum tcplan_provider provider; /**< the library that executes it */
    bool is_probed;                /**< the times are measured */
    bool is_bound;                 /**< to the factors of the plan's last execution */
    bool has_sums;
};

/** The code of a class, for a block's first pair and for later ones, without what is rarely read.
 */
struct pair_code {
    product_fn *product[2]; /**< code generated for the class; NULL: there is none */
    address_sum_fn *sum[2];
    bool exchanged; /**< the first factor is B */
};

/** What a thread needs to multiply pairs. */
struct pair_thread {
    struct instance **instance;   /**< two for each class that is no gemm; NULL: not taken yet */
    const void **first, **second; /**< addresses of the factors of a sum */
};

enum { MOST_PROBED = 24 };

enum part_way { PART_PAIRS, PART_SUMS, PART_FUSED, PART_WAYS };

enum { WAY_BLOCKS, WAY_GROUPED, WAY_FUSED, WAY_MIXED, WAY_DENSE, WAY_PACKED, BLOCK_CANDIDATES };

/** A block of the result, or a fused part, that one thread computes. */
struct block_task {
    double seconds;
    int32_t number;
    unsigned char way; /**< enum part_way; PART_FUSED: it is a part */
};

/** Tasks by thread, and what all threads compute together before them. */
struct block_schedule {
    int64_t count;
    struct block_task *task;
    int64_t *first; /**< of each thread, and of the end */
    int64_t together_count;
    struct block_task *together;
};

enum { BLOCK_WHY_NOT = 128, BLOCK_ROUNDS = 31 };

struct block_candidate {
    struct tcplan_block_candidate figures;
    char why_not[BLOCK_WHY_NOT]; /**< memory for `figures.why_not` */
    unsigned char *way;          /**< of each part: enum part_way; NULL: not considered */
    bool has_pairs;              /**< some part is not fused */
    bool is_alone;               /**< one thread computes all: the work is too short for several */
    double sample[BLOCK_ROUNDS]; /**< measured seconds of each round (blocks/measure.c) */
    struct block_schedule schedule;
};

struct tcplan_block_plan {
    struct tcplan_block_product *product;
    struct planning planning; /**< used while the plan is made */
    int threads;
    struct tcplan_costs costs;
    struct dense_plans dense;    /**< used while the plan is made */
    struct pair_class **classes; /**< of each class of pairs; NULL: not prepared */
    struct pair_code *code;      /**< of each class */
    int probed[MOST_PROBED];     /**< classes whose times are measured */
    int probed_count;
    struct pair_thread *thread;
    bool is_bound;                    /**< all classes are prepared and bound */
    struct tcplan_scalar alpha, beta; /**< that classes are bound to */
    struct fused_part *fused;         /**< of each part, and last of the whole product */
    struct packed_plan packed;
    double (*part_seconds)[PART_WAYS]; /**< one for each part */
    int *by_flops;                     /**< parts, those with most operations first */
    struct block_candidate candidate[BLOCK_CANDIDATES];
    int chosen;
    enum tcplan_effort effort; /**< that the caller wants */
    bool is_stored;            /**< it was found among stored plans */
    bool is_of_copies;         /**< of another plan; its blocks are not copied again */
    bool is_draft;             /**< of copies: only its estimate is wanted so far */
    int rounds;                /**< rounds in which ways were measured; 0: they were not */
    double planning_seconds;
    char *workspace;
    int64_t workspace_bytes; /**< of all threads */
};

/** The factors of an execution, and its pointers to blocks. */
struct block_run {
    struct tcplan_block_plan *plan;
    const void *alpha, *beta;
    const void *const *A, *const *B;
    void *const *D;
};

/* Shorter work is left to one thread: to wake another one takes some microseconds. */
#define LEAST_SHARED_SECONDS 20e-6

/** Returns whether so many operations, at an assumed speed, are worth several threads. */
static inline bool block_is_shared(double flops) {
    return flops / DENSE_ASSUMED_FLOPS > LEAST_SHARED_SECONDS;
}

/** Returns the part of all blocks. */
static inline struct block_part block_whole(const struct block_pairs *pairs) {
    struct block_part whole = {.pairs = pairs->count, .flops = pairs->flops};
    for (int p = 0; p < pairs->part_count; p++) whole.count += pairs->part[p].count;
    return whole;
}

/* Pairs. */

/** Estimates the classes of pairs, and prepares those that matter most. */
enum tcplan_status pairwise_prepare(struct tcplan_block_plan *plan, struct tcplan_error *error);

/** Makes the dense product of a class of pairs, with a factor of the block of the result. Its plan
 * has beta = 1; executions pass another beta for the first pair of a block. */
enum tcplan_status pairwise_product(struct tcplan_product **out,
                                    const struct tcplan_block_plan *plan, int class,
                                    struct tcplan_scalar beta, struct tcplan_error *error);

/** Makes the plans of all classes. */
enum tcplan_status pairwise_prepare_all(struct tcplan_block_plan *plan, struct tcplan_error *error);

/** Executes a class as one gemm of a library; false if it has no such routine. */
bool pairwise_use(struct pair_class *class, enum tcplan_provider provider, enum tcplan_dtype dtype);

/** Gives a class that was not probed the library and the speed of the most similar one that was. */
void pairwise_adopt(struct tcplan_block_plan *plan, struct pair_class *class);

/** Executes a class by its plan. */
void pairwise_use_plan(struct pair_class *class);

/** Prepares a class for the factors of the last execution. */
enum tcplan_status pairwise_bind_class(struct tcplan_block_plan *plan, int class,
                                       struct tcplan_error *error);

/** Gives a class the library and times that were measured for an earlier plan; `provider` < 0: its
 * pairs are executed by the plan of the class. */
enum tcplan_status pairwise_restore(struct tcplan_block_plan *plan, int class, int provider,
                                    double seconds, double sum_seconds, struct tcplan_error *error);

/** Sets the factors of an execution. */
void pairwise_set_factors(const struct block_run *run);

/** Prepares all classes for the factors of an execution. */
enum tcplan_status pairwise_bind(const struct block_run *run, struct tcplan_error *error);

/** Multiplies the pairs of a block of the result by a thread; `sums`: in sums. */
void pairwise_run(const struct block_run *run, int thread, int32_t block, bool sums);

/** Multiplies some pairs of one class, `later`: adding to the block. */
void pairwise_run_some(const struct block_run *run, int thread, int64_t pair, int64_t count,
                       int32_t block, bool later, bool sums);

/** Multiplies the pairs of a large block by all threads. */
enum tcplan_status pairwise_run_wide(const struct block_run *run, int32_t block,
                                     struct tcplan_error *error);

/** Returns whether a block of the result is worth all threads. */
bool pairwise_is_wide(const struct tcplan_block_plan *plan, int32_t block);

void pairwise_free(struct tcplan_block_plan *plan);

/* Fused parts. */

/** Plans a part as one product; the number of parts: all blocks together. */
enum tcplan_status fused_prepare(struct tcplan_block_plan *plan, int part,
                                 struct tcplan_error *error);

/** Returns the operations of all blocks together as one product. */
double fused_whole_flops(const struct tcplan_block_product *product);

/** Returns the elements of its matrices. */
double fused_whole_elements(const struct tcplan_block_product *product);

/** Computes a part as one product, in a workspace. */
enum tcplan_status fused_run(const struct block_run *run, const struct fused_part *part,
                             char *workspace, struct tcplan_error *error);

/** Copies the blocks of a tensor by several threads: into the matrix, or of the result to := from +
 * beta * to. */
void fused_copy(const struct block_run *run, const struct packed_tensor *packed,
                enum tcplan_operand t, int threads, char *matrix);

/** Predicts the seconds of a copy from the machine's costs, if all copies take `resident_bytes`. */
double fused_copy_seconds(const struct tcplan_block_plan *plan, const struct strided *copy,
                          double resident_bytes);

void fused_free(struct fused_part *part);

/* Packed once. */

/**
 * Plans the product of copies of the blocks.
 *
 * @param text  its decision as it was stored; NULL: it is estimated
 * @return TCPLAN_OK; TCPLAN_NOT_APPLICABLE if no tensor needs a copy: the candidate has the reason;
 *         as tcplan_block_plan_new()
 */
enum tcplan_status packed_prepare(struct tcplan_block_plan *plan, const char *text,
                                  struct tcplan_error *error);

/** Replaces the estimated plan of copies by one with the effort of the planning. */
enum tcplan_status packed_plan_again(struct tcplan_block_plan *plan, struct tcplan_error *error);

/** Computes the whole product by copies in a workspace. */
enum tcplan_status packed_run(const struct block_run *run, char *workspace,
                              struct tcplan_error *error);

void packed_free(struct packed_plan *packed);

/** Makes the plan of copies as a part of another planning: by a decision as text, unless `text` is
 * NULL. It is not stored by itself. `draft`: by an estimate, without plans for all shapes. */
enum tcplan_status block_plan_of_copies(struct tcplan_block_plan **out,
                                        const struct tcplan_block_plan *outer,
                                        const struct tcplan_block_product *product,
                                        const char *text, bool draft, struct tcplan_error *error);

/** Returns the name of the way of a part in the chosen candidate. */
const char *decide_way_of(const struct tcplan_block_plan *plan, int part);

/* Candidates. */

/** Ranks the ways, and compares executions of the best few unless the effort is an estimate, or
 * `measures`: block_measure() follows.
 * @param way  NULL: any */
enum tcplan_status decide(struct tcplan_block_plan *plan, const char *way, bool measures,
                          struct tcplan_error *error);

/** Returns the ways that can compute the product, a bit for each; of `count` names, only these.
 * TCPLAN_INVALID, TCPLAN_NOT_APPLICABLE as tcplan_block_plan_measure(). */
enum tcplan_status decide_ways(unsigned *out, const struct tcplan_block_plan *plan,
                               const char *const name[], int count, struct tcplan_error *error);

/** Executes ways, a bit for each, in turns, and chooses the fastest. */
enum tcplan_status block_measure(struct tcplan_block_plan *plan, unsigned ways,
                                 struct tcplan_error *error);

/** Describes the candidates, without figures. */
void decide_describe(struct tcplan_block_plan *plan);

/** Prepares the chosen candidate, whose figures and ways of parts are those of a stored plan.
 * TCPLAN_NOT_APPLICABLE if a way cannot compute its part.
 * @param inner  of `packed`: the decision of the plan of copies */
enum tcplan_status decide_as_stored(struct tcplan_block_plan *plan, const char *inner,
                                    struct tcplan_error *error);

/** Distributes the blocks and parts of a candidate over the threads, the longest first (R. L.
 * Graham, Bounds on multiprocessing timing anomalies, 1969). */
enum tcplan_status block_schedule_make(struct tcplan_block_plan *plan,
                                       struct block_candidate *candidate,
                                       struct tcplan_error *error);

/** Returns the seconds that a schedule is predicted to take. */
double block_schedule_seconds(const struct tcplan_block_plan *plan,
                              const struct block_schedule *schedule);

/** Computes the parts of a candidate by all threads. */
enum tcplan_status block_schedule_run(const struct block_run *run,
                                      const struct block_candidate *candidate,
                                      struct tcplan_error *error);

void block_schedule_free(struct block_schedule *schedule);

/** Computes one part by the calling thread. */
enum tcplan_status block_run_part(const struct block_run *run, int part, enum part_way way,
                                  struct tcplan_error *error);

/** Executes a candidate. */
enum tcplan_status block_plan_run(const struct block_run *run,
                                  const struct block_candidate *candidate,
                                  struct tcplan_error *error);

/* Trials: executions on memory of their own, to measure what was only predicted. */

struct block_trial {
    struct block_run run;
    struct trial_blocks {
        char *memory;
        void **block;
    } tensor[TCPLAN_OPERANDS];
    struct block_factor {
        double number[2];
    } alpha, beta;
};

/** Allocates and fills blocks; TCPLAN_NOT_APPLICABLE if they are too large for a trial. */
enum tcplan_status block_trial_begin(struct block_trial *out, struct tcplan_block_plan *plan,
                                     struct tcplan_error *error);

/** Times a few pairs of each class that matters in every library, and keeps the fastest. */
void block_trial_classes(struct block_trial *trial, double budget_seconds);

/** Executes each part once in a way, and records its time; `again`: if that is shorter. */
enum tcplan_status block_trial_parts(struct block_trial *trial, enum part_way way, bool again,
                                     struct tcplan_error *error);

void block_trial_end(struct block_trial *trial);

/** A factor in the product's element type. */
struct block_factor block_factor_of(struct tcplan_scalar scalar, enum tcplan_dtype dtype);

/** Returns whether a factor of an element type is 0. */
bool block_factor_is_zero(const void *factor, enum tcplan_dtype dtype);

/** Scales a block of the result by beta. */
void block_scale(const struct block_run *run, int64_t block);

/** Returns the copy of a block between two layouts, its dimensions ordered for the copy kernels.
 * `extent`, `to` and `from` (strides in elements) have `rank` numbers. */
struct strided block_copy(int rank, const int64_t extent[], const int64_t to[],
                          const int64_t from[], enum tcplan_dtype dtype);

#endif
