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
    int32_t shape;  /**< number of the block's copy in `packed_tensor.copy` */
    int64_t offset; /**< offset of the block's first element in the matrix, in elements */
};

/** A tensor of a fused part, as a matrix. */
struct packed_tensor {
    bool in_place; /**< the part has one block of this tensor, which is used in place */
    int64_t elements;
    bool is_full; /**< the blocks fill the matrix, so that it need not be cleared first */
    int64_t count;
    struct packed_block *block;
    int copy_count;
    struct strided *copy; /**< copies, one for each shape of blocks: to the matrix for A and B, from
                             the matrix for the result */
};

/** A part that is computed as one product of packed matrices. */
struct fused_part {
    struct tcplan_plan *plan; /**< plan of the product of matrices; NULL: not made */
    int threads;
    struct packed_tensor tensor[TCPLAN_OPERANDS];
    double seconds, packing_seconds, flops;
    int64_t workspace_elements;
};

/** The way `packed` (blocks/packed.c). */
struct packed_plan {
    struct tcplan_block_plan *inner;              /**< plan for the copies; NULL: not made */
    struct packed_tensor tensor[TCPLAN_OPERANDS]; /**< the blocks that take part in pairs;
                                                     `in_place`: the blocks are not copied */
    void **pointer[TCPLAN_OPERANDS]; /**< for one execution: addresses of blocks or their copies */
    int64_t workspace_elements;
    double packing_seconds; /**< predicted time of copying, in seconds */
};

/** A class of pairs as one gemm of a library. */
struct pair_gemm {
    struct tcplan_algorithm algorithm;
    struct blas_call call;
    struct kernel kernel[2]; /**< kernels for the first pair of a block and for later ones */
};

/** A class of pairs, and how its pairs are multiplied. */
struct pair_class {
    struct tcplan_plan *plan; /**< plan for one thread; NULL: not made yet */
    struct tcplan_plan *wide; /**< plan for all threads, used for large blocks; NULL: there are none
                               */
    double seconds;           /**< time of one pair */
    double sum_seconds;       /**< time of one pair that is part of a sum */
    bool has_gemm;            /**< a pair of this class can be computed as one gemm */
    bool is_gemm;             /**< pairs are executed as this gemm, not by the plan */
    struct pair_gemm *gemm;   /**< the gemm; only with `has_gemm` */
    enum tcplan_provider provider; /**< library that executes the gemm */
    bool is_probed;                /**< the times are measured */
    bool is_bound; /**< the kernels are bound to the factors alpha and beta of the plan's last
                      execution */
    bool has_sums;
};

/** The members of a class that executions read: its code for the first pair of a block and for
 * later ones. */
struct pair_code {
    product_fn *product[2]; /**< generated code of the class; NULL: there is none */
    address_sum_fn *sum[2];
    bool exchanged; /**< the code takes B as its first factor */
};

/** The memory of a thread for multiplying pairs. */
struct pair_thread {
    struct instance **instance;   /**< two instances for each class that is not a gemm; NULL: not
                                     taken yet */
    const void **first, **second; /**< arrays of addresses of the factors of a sum */
};

enum { MOST_PROBED = 24 };

enum part_way { PART_PAIRS, PART_SUMS, PART_FUSED, PART_WAYS };

enum { WAY_BLOCKS, WAY_GROUPED, WAY_FUSED, WAY_MIXED, WAY_DENSE, WAY_PACKED, BLOCK_CANDIDATES };

/** A block of the result, or a fused part, that one thread computes. */
struct block_task {
    double seconds;
    int32_t number;
    unsigned char way; /**< enum part_way; with PART_FUSED the task is a fused part, otherwise a
                          block */
};

/** The tasks of each thread, and the large tasks that all threads compute together before them. */
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
    bool has_pairs;     /**< some part is not fused */
    bool is_alone; /**< one thread computes everything, because the work is too short for several */
    double sample[BLOCK_ROUNDS]; /**< measured seconds of each round (blocks/measure.c) */
    struct block_schedule schedule;
};

struct tcplan_block_plan {
    struct tcplan_block_product *product;
    struct planning planning; /**< used while the plan is made */
    int threads;
    struct tcplan_costs costs;
    struct dense_plans dense;    /**< choices of dense products, used while the plan is made */
    struct pair_class **classes; /**< the classes of pairs; NULL: not prepared */
    struct pair_code *code;      /**< the code of each class */
    int probed[MOST_PROBED];     /**< numbers of the classes whose times are measured */
    int probed_count;
    struct pair_thread *thread;
    bool is_bound;                    /**< all classes are prepared and bound */
    struct tcplan_scalar alpha, beta; /**< factors to which the classes are bound */
    struct fused_part *fused; /**< a fused part for each part, and last one for the whole product */
    struct packed_plan packed;
    double (*part_seconds)[PART_WAYS]; /**< for each part, its seconds in each way */
    int *by_flops;                     /**< numbers of the parts, sorted by decreasing operations */
    struct block_candidate candidate[BLOCK_CANDIDATES];
    int chosen;
    enum tcplan_effort effort; /**< effort that the caller requested */
    bool is_stored;            /**< the plan was found among stored plans */
    bool is_of_copies; /**< the plan belongs to the way `packed` of another plan, whose blocks are
                          not copied again */
    bool is_draft;     /**< the plan is for copies, and only its estimate is needed so far */
    int rounds;        /**< number of rounds in which ways were measured; 0: no way was measured */
    double planning_seconds;
    char *workspace;
    int64_t workspace_bytes; /**< bytes of the workspaces of all threads */
};

/** An execution: its factors, and pointers to the blocks. */
struct block_run {
    struct tcplan_block_plan *plan;
    const void *alpha, *beta;
    const void *const *A, *const *B;
    void *const *D;
};

/* Predicted seconds below which one thread does all the work: waking another thread takes some
 * microseconds. */
#define LEAST_SHARED_SECONDS 20e-6

/** Returns whether a number of operations, at an assumed speed, takes long enough for several
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

/** Estimates the times of all classes of pairs, and prepares the classes with the largest share of
 * the work. */
enum tcplan_status pairwise_prepare(struct tcplan_block_plan *plan, struct tcplan_error *error);

/** Makes the dense product of a class of pairs, with beta = 1. Executions pass another beta for the
 * first pair of a block. */
enum tcplan_status pairwise_product(struct tcplan_product **out,
                                    const struct tcplan_block_plan *plan, int class,
                                    struct tcplan_scalar beta, struct tcplan_error *error);

/** Makes the plans of all classes. */
enum tcplan_status pairwise_prepare_all(struct tcplan_block_plan *plan, struct tcplan_error *error);

/** Makes a class execute its pairs as one gemm of a library; returns false if the library has no
 * such routine. */
bool pairwise_use(struct pair_class *class, enum tcplan_provider provider, enum tcplan_dtype dtype);

/** Copies library and speed from the most similar class that was probed to a class that was not. */
void pairwise_adopt(struct tcplan_block_plan *plan, struct pair_class *class);

/** Makes a class execute its pairs by its plan. */
void pairwise_use_plan(struct pair_class *class);

/** Binds a class to the factors of the last execution. */
enum tcplan_status pairwise_bind_class(struct tcplan_block_plan *plan, int class,
                                       struct tcplan_error *error);

/** Sets the library and times of a class that were measured for an earlier plan; `provider` < 0:
 * the pairs are executed by the plan of the class. */
enum tcplan_status pairwise_restore(struct tcplan_block_plan *plan, int class, int provider,
                                    double seconds, double sum_seconds, struct tcplan_error *error);

/** Sets the factors of an execution. */
void pairwise_set_factors(const struct block_run *run);

/** Binds all classes to the factors of an execution. */
enum tcplan_status pairwise_bind(const struct block_run *run, struct tcplan_error *error);

/** Multiplies, in the given thread, the pairs that contribute to a block of the result; with
 * `sums`, pairs of equal shapes as sums. */
void pairwise_run(const struct block_run *run, int thread, int32_t block, bool sums);

/** Multiplies some consecutive pairs of one class. With `later` they add to the block; otherwise
 * the first one applies beta. */
void pairwise_run_some(const struct block_run *run, int thread, int64_t pair, int64_t count,
                       int32_t block, bool later, bool sums);

/** Multiplies the pairs that contribute to a large block, with all threads. */
enum tcplan_status pairwise_run_wide(const struct block_run *run, int32_t block,
                                     struct tcplan_error *error);

/** Returns whether a block of the result is large enough to be computed by all threads. */
bool pairwise_is_wide(const struct tcplan_block_plan *plan, int32_t block);

void pairwise_free(struct tcplan_block_plan *plan);

/* Fused parts. */

/** Plans a part as one product of packed matrices. The number of parts instead of a part's number
 * means all blocks together. */
enum tcplan_status fused_prepare(struct tcplan_block_plan *plan, int part,
                                 struct tcplan_error *error);

/** Returns the operations of one product of all blocks together, zeros included. */
double fused_whole_flops(const struct tcplan_block_product *product);

/** Returns the elements of the matrices of that product. */
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

/** Ranks the ways. Unless the effort is an estimate, compares executions of the best few; with
 * `measures` it does not, because block_measure() follows. @param way name of the only way to
 * consider; NULL: any */
enum tcplan_status decide(struct tcplan_block_plan *plan, const char *way, bool measures,
                          struct tcplan_error *error);

/** Returns the ways that can compute the product, as a bit for each. If `count` is above 0, only
 * the named ways are considered. TCPLAN_INVALID, TCPLAN_NOT_APPLICABLE as
 * tcplan_block_plan_measure(). */
enum tcplan_status decide_ways(unsigned *out, const struct tcplan_block_plan *plan,
                               const char *const name[], int count, struct tcplan_error *error);

/** Executes several ways (bits of a set) alternately, and chooses the fastest. */
enum tcplan_status block_measure(struct tcplan_block_plan *plan, unsigned ways,
                                 struct tcplan_error *error);

/** Sets the names and descriptions of the candidates, without times. */
void decide_describe(struct tcplan_block_plan *plan);

/** Prepares the chosen candidate, whose times and ways of parts come from a stored plan.
 * TCPLAN_NOT_APPLICABLE if a way cannot compute its part.
 * @param inner  for the way `packed`: the stored decision of the plan for copies */
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

/** Computes the parts of a candidate with all threads, by its schedule. */
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

/* Trials: executions on memory of their own, which measure times that were only predicted. */

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
enum tcplan_status block_trial_allocate(struct block_trial *out, struct tcplan_block_plan *plan,
                                        struct tcplan_error *error);

/** As block_trial_allocate(), and sets the factors of the pairs that the trial executes. */
enum tcplan_status block_trial_begin(struct block_trial *out, struct tcplan_block_plan *plan,
                                     struct tcplan_error *error);

/** Times a few pairs of each important class with every library, and selects the fastest library.
 */
void block_trial_classes(struct block_trial *trial, double budget_seconds);

/** Executes each part once in one way, and records its time; with `again`, only if it is shorter
 * than the recorded one. */
enum tcplan_status block_trial_parts(struct block_trial *trial, enum part_way way, bool again,
                                     struct tcplan_error *error);

void block_trial_end(struct block_trial *trial);

/** Converts a factor to the product's element type. */
struct block_factor block_factor_of(struct tcplan_scalar scalar, enum tcplan_dtype dtype);

/** Returns whether a factor of an element type is 0. */
bool block_factor_is_zero(const void *factor, enum tcplan_dtype dtype);

/** Scales a block of the result by beta. */
void block_scale(const struct block_run *run, int64_t block);

/** Returns the copy of a block between two layouts, with its dimensions in the order that the copy
 * kernels need. `extent`, `to` and `from` (strides in elements) have `rank` numbers. */
struct strided block_copy(int rank, const int64_t extent[], const int64_t to[],
                          const int64_t from[], enum tcplan_dtype dtype);

#endif
