/**
 * A plan of a block-sparse product: for each part, the way that computes it.
 *
 * A part can be computed in three ways: pair by pair or in sums of pairs of equal shapes (both
 * blocks/pairwise.c), or as one matrix product of packed blocks (blocks/fused.c). The whole
 * product can be computed in two more ways: all blocks in one matrix product, or by a plan for
 * copies of the blocks (blocks/packed.c). A candidate
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

/** A block, and how it is copied between the caller's memory and a packed matrix. */
struct packed_block {
    int32_t block;
    int32_t shape;  /**< number of the block's copy operation in `packed_tensor.copy` */
    int64_t offset; /**< offset of the block's first element in the matrix, in elements */
};

/** A tensor of a fused part, as a matrix. */
struct packed_tensor {
    bool in_place; /**< whether the part has only one block of this tensor, which is used in place
                    */
    int64_t elements;
    bool is_full; /**< whether the blocks fill the matrix, so that no elements must be zeroed first
                   */
    int64_t count;
    struct packed_block *block;
    int copy_count;
    struct strided *copy; /**< copy operations, one for each shape of blocks: into the matrix for A
                             and B, out of the matrix for the result */
};

/** A part that is computed as one product of packed matrices. */
struct fused_part {
    struct tcplan_plan *plan; /**< plan of the product of matrices; NULL if not made yet */
    int threads;
    struct packed_tensor tensor[TCPLAN_OPERANDS];
    double seconds, packing_seconds, flops;
    int64_t workspace_elements;
};

/** Data of the way `packed` (blocks/packed.c): blocks are copied into matrices once. */
struct packed_plan {
    struct tcplan_block_plan *inner; /**< plan of the product of the copies; NULL if not made yet */
    struct packed_tensor tensor[TCPLAN_OPERANDS]; /**< for each tensor, the blocks that take part in
                                                     pairs; with `in_place`, they are not copied */
    void **pointer[TCPLAN_OPERANDS]; /**< during an execution, for each tensor: addresses of the
                                        blocks or of their copies */
    int64_t workspace_elements;
    double packing_seconds; /**< predicted time of copying, in seconds */
};

/** A class of pairs that is computed as one gemm of a library. */
struct pair_gemm {
    struct tcplan_algorithm algorithm;
    struct blas_call call;
    struct kernel kernel[2]; /**< kernels for the first pair of a block of the result, and for later
                                pairs; not bound if the class has no such pairs */
};

/** A class of pairs with equal block shapes, and how these pairs are multiplied. */
struct pair_class {
    struct tcplan_plan *plan; /**< plan for one thread; NULL if not made yet */
    struct tcplan_plan *wide; /**< plan for all threads, used for large blocks; NULL if there are no
                                 large blocks */
    double seconds;           /**< seconds of one pair */
    double sum_seconds;       /**< seconds of one pair that is part of a sum */
    bool has_gemm;            /**< whether one gemm can compute a pair of this class */
    bool is_gemm;             /**< whether the gemm executes the pairs; otherwise the plan does */
    struct pair_gemm *gemm;   /**< the gemm, valid only if `has_gemm` */
    enum tcplan_provider provider; /**< library that executes the gemm */
    bool is_first, is_later; /**< whether pairs of this class are the first ones of their blocks of
                                the result, and whether some are not */
    bool is_repeated;        /**< whether two successive pairs of a block are of this class */
    bool is_probed;          /**< whether the times were measured */
    bool is_bound; /**< whether the kernels are bound to the factors alpha and beta of the plan's
                      last execution */
    bool has_sums; /**< whether pairs of this class are computed as sums in the way `grouped` */
};

/** The members of a class that executions read: its code for the first pair of a block, and for
 * later pairs. */
struct pair_code {
    product_fn *product[2]; /**< generated code of the class; NULL: none */
    address_sum_fn *sum[2];
    bool exchanged; /**< whether the code takes B as its first factor */
};

/** The memory of a thread for multiplying pairs. */
struct pair_thread {
    struct instance **instance;   /**< two instances for each class that is not a gemm; NULL until
                                     first used */
    const void **first, **second; /**< arrays with the addresses of the factors of a sum */
};

enum { MOST_PROBED = 24 };

enum part_way { PART_PAIRS, PART_SUMS, PART_FUSED, PART_WAYS };

enum { WAY_BLOCKS, WAY_GROUPED, WAY_FUSED, WAY_MIXED, WAY_DENSE, WAY_PACKED, BLOCK_CANDIDATES };

/** A block of the result, or a fused part, that one thread computes. */
struct block_task {
    double seconds;
    int32_t number;
    unsigned char way; /**< enum part_way; PART_FUSED: the task is a fused part, otherwise a block
                          of the result */
};

/** The tasks of each thread, and the large tasks that all threads compute together first. */
struct block_schedule {
    int64_t count;
    struct block_task *task;
    int64_t *first; /**< for each thread, the number of its first task; the last entry is the number
                       of tasks */
    int64_t together_count;
    struct block_task *together;
};

enum { BLOCK_WHY_NOT = 128, BLOCK_ROUNDS = 31 };

struct block_candidate {
    struct tcplan_block_candidate figures;
    char why_not[BLOCK_WHY_NOT]; /**< memory for `figures.why_not` */
    unsigned char *way; /**< for each part, enum part_way; NULL: the candidate was not considered */
    bool has_pairs;     /**< whether some part is not fused */
    bool is_alone; /**< whether one thread computes everything, because the work is too short to
                      share */
    double sample[BLOCK_ROUNDS]; /**< measured seconds of each round (blocks/measure.c) */
    struct block_schedule schedule;
};

struct tcplan_block_plan {
    struct tcplan_block_product *product;
    struct planning planning; /**< settings and deadline of the planning; used while the plan is
                                 made */
    int threads;
    struct tcplan_costs costs;
    struct dense_plans dense;    /**< choices of dense products, used while the plan is made */
    struct pair_class **classes; /**< the classes of pairs; NULL for a class that is not prepared */
    struct pair_code *code;      /**< the code of each class */
    int probed[MOST_PROBED];     /**< numbers of the classes whose times are measured */
    int probed_count;
    struct pair_thread *thread;
    bool is_bound;                    /**< whether all classes are prepared and bound */
    bool is_mixed_bound;              /**< whether this holds for the classes of the way `mixed` */
    struct tcplan_scalar alpha, beta; /**< scalar factors to which the classes are bound */
    struct fused_part *fused; /**< one fused part for each part; the last element is for the whole
                                 product */
    struct packed_plan packed;
    double (*part_seconds)[PART_WAYS]; /**< for each part, its seconds in each way of computing it
                                        */
    unsigned timed_ways; /**< ways in which the parts were timed, one bit for each enum part_way */
    int *by_flops;       /**< numbers of the parts, sorted by decreasing operations */
    struct block_candidate candidate[BLOCK_CANDIDATES];
    int chosen;
    enum tcplan_effort effort; /**< effort that the caller requested */
    bool is_stored;            /**< whether the plan was found among stored plans */
    bool is_of_copies; /**< whether the plan is the inner plan of the way `packed`: its blocks are
                          copies, which are not copied again */
    bool is_draft;     /**< whether the plan is for copies and so far only has an estimate */
    int rounds;        /**< number of rounds in which ways were measured; 0: no way was measured */
    double start_seconds;  /**< clock when planning began */
    double timing_seconds; /**< clock when planning began to time parts, or to compare ways */
    double planning_seconds;
    char *workspace;
    int64_t workspace_bytes; /**< bytes of the workspaces of all threads */
};

/** State of an execution: its scalar factors, and pointers to the blocks. */
struct block_run {
    struct tcplan_block_plan *plan;
    const void *alpha, *beta;
    const void *const *A, *const *B;
    void *const *D;
};

/* If the predicted time in seconds is below this value, one thread does all the work: waking
 * another thread takes some microseconds. */
#define LEAST_SHARED_SECONDS 20e-6

/** Returns whether this number of operations, at an assumed speed, takes long enough to share among
 * threads. */
static inline bool block_is_shared(double flops) {
    return flops / DENSE_ASSUMED_FLOPS > LEAST_SHARED_SECONDS;
}

/** Returns a part that consists of all blocks. */
static inline struct block_part block_whole(const struct block_pairs *pairs) {
    struct block_part whole = {.pairs = pairs->count, .flops = pairs->flops};
    for (int p = 0; p < pairs->part_count; p++) whole.count += pairs->part[p].count;
    return whole;
}

/* Pairs. */

/** Estimates the times of all classes of pairs, and plans the classes that have the largest share
 * of the work. */
enum tcplan_status pairwise_prepare(struct tcplan_block_plan *plan, struct tcplan_error *error);

/** Makes the dense product of a class of pairs with this beta. Plans have beta = 1; their
 * executions pass another beta for the first pair of a block. */
enum tcplan_status pairwise_product(struct tcplan_product **out,
                                    const struct tcplan_block_plan *plan, int class,
                                    struct tcplan_scalar beta, struct tcplan_error *error);

/** Makes the plans of the classes that a candidate multiplies pair by pair or in sums; NULL: of all
 * classes. */
enum tcplan_status pairwise_prepare_for(struct tcplan_block_plan *plan,
                                        const struct block_candidate *candidate,
                                        struct tcplan_error *error);

/** Makes a class execute its pairs as one gemm of the given library; returns false if the library
 * has no such gemm. */
bool pairwise_use(struct pair_class *class, enum tcplan_provider provider, enum tcplan_dtype dtype);

/** Copies the library and speed to `class`, which was not probed, from the most similar probed
 * class. */
void pairwise_adopt(struct tcplan_block_plan *plan, struct pair_class *class);

/** Makes a class execute its pairs by its plan. */
void pairwise_use_plan(struct pair_class *class);

/** Binds a class to the scalar factors of the last execution. */
enum tcplan_status pairwise_bind_class(struct tcplan_block_plan *plan, int class,
                                       struct tcplan_error *error);

/** Sets the library and times that were measured for a class of an earlier plan. If `provider` < 0,
 * the plan of the class executes the pairs. */
enum tcplan_status pairwise_restore(struct tcplan_block_plan *plan, int class, int provider,
                                    double seconds, double sum_seconds, struct tcplan_error *error);

/** Sets the scalar factors of an execution. If they differ from the previous ones, all classes must
 * be bound again. */
void pairwise_set_factors(const struct block_run *run);

/** Binds the classes of a candidate to the scalar factors of an execution; NULL: all classes. */
enum tcplan_status pairwise_bind(const struct block_run *run,
                                 const struct block_candidate *candidate,
                                 struct tcplan_error *error);

/** Multiplies, in the given thread, the pairs that contribute to a block of the result. `sums`:
 * pairs of equal shapes are computed as one sum. */
void pairwise_run(const struct block_run *run, int thread, int32_t block, bool sums);

/** Multiplies some consecutive pairs of one class. If `later`, they add to the block; otherwise the
 * first pair applies beta. */
void pairwise_run_some(const struct block_run *run, int thread, int64_t pair, int64_t count,
                       int32_t block, bool later, bool sums);

/** Multiplies the pairs that contribute to a large block, with all threads. */
enum tcplan_status pairwise_run_wide(const struct block_run *run, int32_t block,
                                     struct tcplan_error *error);

/** Returns whether a block of the result is large enough to be computed by all threads. */
bool pairwise_is_wide(const struct tcplan_block_plan *plan, int32_t block);

void pairwise_free(struct tcplan_block_plan *plan);

/* Fused parts. */

/** Plans a part as one product of packed matrices. If `part` equals the number of parts, plans one
 * product of all blocks. */
enum tcplan_status fused_prepare(struct tcplan_block_plan *plan, int part,
                                 struct tcplan_error *error);

/** Returns the operations of computing all blocks as one matrix product, including the
 * multiplications by zeros. */
double fused_whole_flops(const struct tcplan_block_product *product);

/** Returns the number of elements of the matrices that hold all blocks, zeros included. */
double fused_whole_elements(const struct tcplan_block_product *product);

/** Computes a part as one matrix product, with packed matrices in a workspace. */
enum tcplan_status fused_run(const struct block_run *run, const struct fused_part *part,
                             char *workspace, struct tcplan_error *error);

/** Copies the blocks of a tensor by several threads. Blocks of A and B are copied into the matrix;
 * for the result, to := from + beta * to. */
void fused_copy(const struct block_run *run, const struct packed_tensor *packed,
                enum tcplan_operand t, int threads, char *matrix);

/** Predicts the seconds of a copy from the machine's costs. `resident_bytes` is the size of all
 * copies together. */
double fused_copy_seconds(const struct tcplan_block_plan *plan, const struct strided *copy,
                          double resident_bytes);

void fused_free(struct fused_part *part);

/* Packed once. */

/**
 * Plans the product of copies of the blocks.
 *
 * @param text  the stored decision of the inner plan; NULL: the plan is estimated
 * @return TCPLAN_OK; TCPLAN_NOT_APPLICABLE if no tensor needs a copy: the candidate states the
 *         reason; a status of tcplan_block_plan_new()
 */
enum tcplan_status packed_prepare(struct tcplan_block_plan *plan, const char *text,
                                  struct tcplan_error *error);

/** Replaces the estimated inner plan of the way `packed` by a plan made with the requested
 * effort. */
enum tcplan_status packed_plan_again(struct tcplan_block_plan *plan, struct tcplan_error *error);

/** Computes the whole product by the way `packed`, with the copies in a workspace. */
enum tcplan_status packed_run(const struct block_run *run, char *workspace,
                              struct tcplan_error *error);

void packed_free(struct packed_plan *packed);

/** Makes the inner plan of the way `packed` from a decision as text; if `text` is NULL, from a new
 * search. The plan is not stored by itself. `draft`: makes only an estimate, without plans for all
 * shapes. */
enum tcplan_status block_plan_of_copies(struct tcplan_block_plan **out,
                                        const struct tcplan_block_plan *outer,
                                        const struct tcplan_block_product *product,
                                        const char *text, bool draft, struct tcplan_error *error);

/** Returns the name of the way in which the chosen candidate computes a part. */
const char *decide_way_of(const struct tcplan_block_plan *plan, int part);

/* Candidates. */

/**
 * Ranks the ways to compute the product. Compares executions of the best few, unless the effort is
 * an estimate or `measures` is true, because block_measure() then follows.
 *
 * @param way  name of the only way to consider; NULL: any
 */
enum tcplan_status decide(struct tcplan_block_plan *plan, const char *way, bool measures,
                          struct tcplan_error *error);

/** Returns the ways that can compute the product, as a set with one bit for each way. If `count` is
 * above 0, only the named ways are considered. Fails with TCPLAN_INVALID and TCPLAN_NOT_APPLICABLE
 * like tcplan_block_plan_measure(). */
enum tcplan_status decide_ways(unsigned *out, const struct tcplan_block_plan *plan,
                               const char *const name[], int count, struct tcplan_error *error);

/** Executes the ways of a set (one bit each) alternately, and chooses the fastest. */
enum tcplan_status block_measure(struct tcplan_block_plan *plan, unsigned ways,
                                 struct tcplan_error *error);

/** Sets the names and descriptions of the candidates, without times. */
void decide_describe(struct tcplan_block_plan *plan);

/**
 * Prepares the chosen candidate after its times and the way of each part were read from a stored
 * plan. TCPLAN_NOT_APPLICABLE if a way cannot compute its part.
 * @param inner  for the way `packed`: the stored decision of the plan for copies
 */
enum tcplan_status decide_as_stored(struct tcplan_block_plan *plan, const char *inner,
                                    struct tcplan_error *error);

/** Assigns the blocks and parts of a candidate to the threads, the longest first (R. L. Graham,
 * Bounds on multiprocessing timing anomalies, 1969). */
enum tcplan_status block_schedule_make(struct tcplan_block_plan *plan,
                                       struct block_candidate *candidate,
                                       struct tcplan_error *error);

/** Returns the seconds that a schedule is predicted to take. */
double block_schedule_seconds(const struct tcplan_block_plan *plan,
                              const struct block_schedule *schedule);

/** Computes the parts of a candidate with all threads, following its schedule. */
enum tcplan_status block_schedule_run(const struct block_run *run,
                                      const struct block_candidate *candidate,
                                      struct tcplan_error *error);

void block_schedule_free(struct block_schedule *schedule);

/** Computes one part in the calling thread. */
enum tcplan_status block_run_part(const struct block_run *run, int part, enum part_way way,
                                  struct tcplan_error *error);

/** Executes a candidate. */
enum tcplan_status block_plan_run(const struct block_run *run,
                                  const struct block_candidate *candidate,
                                  struct tcplan_error *error);

/* A trial: executes pairs and parts on its own memory, to replace predicted times by measured
 * ones. */

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

/** Allocates and fills the blocks of a trial; TCPLAN_NOT_APPLICABLE if they are too large for
 * it. */
enum tcplan_status block_trial_allocate(struct block_trial *out, struct tcplan_block_plan *plan,
                                        struct tcplan_error *error);

/** Does the same as block_trial_allocate(), and sets the scalar factors of the pairs that the trial
 * executes. */
enum tcplan_status block_trial_begin(struct block_trial *out, struct tcplan_block_plan *plan,
                                     struct tcplan_error *error);

/** Times a few pairs of each important class with every library, and selects the fastest library.
 */
void block_trial_classes(struct block_trial *trial, double budget_seconds);

/** Executes each part once in one way, and records its time. If `again`, records it only if it is
 * shorter than the recorded time. */
enum tcplan_status block_trial_parts(struct block_trial *trial, enum part_way way, bool again,
                                     struct tcplan_error *error);

void block_trial_end(struct block_trial *trial);

/** Converts a scalar factor to the product's element type. */
struct block_factor block_factor_of(struct tcplan_scalar scalar, enum tcplan_dtype dtype);

/** Returns whether a scalar factor of the given element type is 0. */
bool block_factor_is_zero(const void *factor, enum tcplan_dtype dtype);

/** Multiplies a block of the result by beta. */
void block_scale(const struct block_run *run, int64_t block);

/** Returns the operation that copies a block between two layouts, with the dimensions in the order
 * that the copy kernels require. `extent`, `to` and `from` (strides in elements) have `rank`
 * numbers. */
struct strided block_copy(int rank, const int64_t extent[], const int64_t to[],
                          const int64_t from[], enum tcplan_dtype dtype);

#endif
