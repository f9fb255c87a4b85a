/**
 * Contracts tensors that are distributed over the ranks of an MPI communicator.
 *
 *   tcplan_mpi_plan_new(&plan, comm, "C_ab=A_ai*B_ib", "a=b=i=2000", TCPLAN_DOUBLE,
 *                       TCPLAN_COLUMN_MAJOR, NULL, &error);
 *   elements = tcplan_mpi_plan_block(plan, TCPLAN_A, first, extent);    this rank's block of A
 *   tcplan_mpi_plan_execute(plan, A, B, C, &error);
 *
 * tcplan_mpi_network_plan_new() and its siblings do the same for expressions of several tensors.
 *
 * The functions that make, execute and free a plan are collective: all ranks of the communicator
 * must call them, and all return the same status. The functions call MPI from the
 * calling thread only (MPI_THREAD_FUNNELED). If a rank is killed, MPI decides how the program ends.
 */
#ifndef TCPLAN_MPI_H
#define TCPLAN_MPI_H

#include <mpi.h>
#include <stdint.h>

#include "tcplan/network_order.h"
#include "tcplan/planner.h"
#include "tcplan/types.h"

#ifdef __cplusplus
extern "C" {
#endif

struct tcplan_mpi_plan;

/** Options of a plan. Zero-initialise it and set `size`. All members but `store` and `plans` must
 * be the same on all ranks. */
struct tcplan_mpi_options {
    size_t size;            /**< sizeof(struct tcplan_mpi_options) */
    const char *grid;       /**< grid of processes, such as `4x2`; NULL: any grid */
    const char *distribute; /**< layouts of tensors, such as `A=a:0,i:1 C=a:0`; NULL: the planner
                               chooses all of them */
    const char *algorithm;  /**< name of the algorithm, such as `4x2:a,i`; NULL: the one that rank 0
                               predicts to be the fastest */
    int64_t max_memory_bytes; /**< memory limit of each rank; 0: none */
    int ranks_per_node; /**< number of consecutive ranks on a node; 0: all ranks are on one node */
    int64_t most_elements;     /**< maximum number of elements in an MPI call; 0: 2147483647 */
    enum tcplan_effort effort; /**< TCPLAN_EFFORT_ESTIMATE, which is 0: nothing is timed. With more,
                                  rank 0 times local products while the other ranks sleep */
    double time_limit_seconds; /**< time limit of the timings by rank 0; 0: none */
    const char *store; /**< folder of the store, as in tcplan_planner_set_store(); rank 0 also reads
                          the times of MPI's calls from it, which `tcplan-mpi-sample` measures.
                          NULL: none, and assumed latency and bandwidth. May differ among ranks */
    const char *plans; /**< stored plans of local products, as in tcplan_planner_set_plans(); NULL:
                          none. Not used by estimates. May differ among ranks */
};

/**
 * Plans a contraction. Rank 0 chooses the algorithm.
 *
 * @param out  receives the plan, to be freed with tcplan_mpi_plan_free(); unchanged if planning
 *     fails
 * @param comm  the communicator, of which the plan uses a duplicate
 * @param notation  the contraction in tcplan's notation
 * @param sizes  extent of each index, such as `a=100 b=200`
 * @param options  NULL: the defaults
 * @return TCPLAN_OK; TCPLAN_INVALID: an invalid argument, a grid whose size is not the number of
 *     ranks, or texts that differ among ranks; TCPLAN_NOT_APPLICABLE; TCPLAN_NO_MEMORY if any rank
 *     is out of memory. The message is that of the first rank that failed
 */
TCPLAN_API enum tcplan_status tcplan_mpi_plan_new(struct tcplan_mpi_plan **out, MPI_Comm comm,
                                                  const char *notation, const char *sizes,
                                                  enum tcplan_dtype dtype, enum tcplan_order order,
                                                  const struct tcplan_mpi_options *options,
                                                  struct tcplan_error *error);

/**
 * Describes this rank's block of a tensor. The block is dense, in the storage order of the
 * contraction.
 *
 * @param first   receives the first element of each dimension; may be NULL
 * @param extent  receives the length of each dimension; may be NULL
 * @return the number of elements in the block
 */
TCPLAN_API int64_t tcplan_mpi_plan_block(const struct tcplan_mpi_plan *plan,
                                         enum tcplan_operand operand, int64_t first[],
                                         int64_t extent[]);

/**
 * Describes block-cyclic layouts, as in `A=a:0/64`. Along such a dimension, element l of this
 * rank's block is element first + l / block * period + l % block of the tensor.
 *
 * @param block   receives the length of the cyclic blocks of each dimension; 0: the elements are
 *                the range that tcplan_mpi_plan_block() describes
 * @param period  receives the distance between the first elements of two blocks
 */
TCPLAN_API void tcplan_mpi_plan_cycle(const struct tcplan_mpi_plan *plan,
                                      enum tcplan_operand operand, int64_t block[],
                                      int64_t period[]);

/** Returns the name of the algorithm, valid until the plan is freed. */
TCPLAN_API const char *tcplan_mpi_plan_algorithm(const struct tcplan_mpi_plan *plan);

/** Returns the seconds of one execution as rank 0 predicts them. */
TCPLAN_API double tcplan_mpi_plan_seconds(const struct tcplan_mpi_plan *plan);

/**
 * Multiplies the blocks of all ranks.
 * @return TCPLAN_OK; TCPLAN_NO_MEMORY: the result is unchanged, unless local products overwrite it
 *     in place
 */
TCPLAN_API enum tcplan_status tcplan_mpi_plan_execute(struct tcplan_mpi_plan *plan, const void *A,
                                                      const void *B, void *C,
                                                      struct tcplan_error *error);

/** Frees a plan; NULL is fine. */
TCPLAN_API void tcplan_mpi_plan_free(struct tcplan_mpi_plan *plan);

/* Expressions of several tensors. */

/** A plan of an expression: an order whose steps are distributed contractions. An intermediate
 * stays in the layout in which its step computes it; the step that reads it moves it if necessary.
 */
struct tcplan_mpi_network_plan;

/**
 * Plans an expression of two or more tensors, without sums. Rank 0 chooses the order and the
 * algorithms.
 *
 * @param out      receives the plan, to be freed with tcplan_mpi_network_plan_free(); unchanged if
 *                 planning fails
 * @param texts    the same on all ranks; `path` selects the order; `frees_result` and `coarse` are
 *                 false
 * @param options  the options of tcplan_mpi_plan_new(); `algorithm` has a name for each step of the
 *                 path's order, separated by `;`, or the name of slices; `distribute` has layouts
 *                 of inputs and of the result. NULL: the defaults
 * @return a status of tcplan_mpi_plan_new(); TCPLAN_NOT_APPLICABLE also for sums of terms
 */
TCPLAN_API enum tcplan_status tcplan_mpi_network_plan_new(
    struct tcplan_mpi_network_plan **out, MPI_Comm comm, const struct tcplan_network_texts *texts,
    enum tcplan_dtype dtype, const struct tcplan_mpi_options *options, struct tcplan_error *error);

/** Returns the number of distinct input tensors. */
TCPLAN_API int tcplan_mpi_network_plan_inputs(const struct tcplan_mpi_network_plan *plan);

/**
 * Gets this rank's block of a tensor: the first element and the number of elements of each
 * dimension. Returns the number of elements of the block, like tcplan_mpi_plan_block().
 *
 * @param tensor  number of a distinct input tensor, counted from 0 in the order in which the
 *                notation first names them; the number of inputs: the result
 */
TCPLAN_API int64_t tcplan_mpi_network_plan_block(const struct tcplan_mpi_network_plan *plan,
                                                 int tensor, int64_t first[], int64_t extent[]);

/** Gets the block-cyclic layout of a tensor, numbered as for tcplan_mpi_network_plan_block(), in
 * the form of tcplan_mpi_plan_cycle(). */
TCPLAN_API void tcplan_mpi_network_plan_cycle(const struct tcplan_mpi_network_plan *plan,
                                              int tensor, int64_t block[], int64_t period[]);

/** Returns the names of the steps' algorithms, separated by `;`; valid until the plan is freed. */
TCPLAN_API const char *tcplan_mpi_network_plan_algorithm(
    const struct tcplan_mpi_network_plan *plan);

/** Returns the order as tcplan_tree_text() writes it; valid until the plan is freed. */
TCPLAN_API const char *tcplan_mpi_network_plan_order(const struct tcplan_mpi_network_plan *plan);

/** Returns the seconds of one execution as rank 0 predicts them. */
TCPLAN_API double tcplan_mpi_network_plan_seconds(const struct tcplan_mpi_network_plan *plan);

/**
 * Computes the expression from the blocks of all ranks.
 *
 * @param tensor  this rank's block of each distinct input tensor
 * @return TCPLAN_OK; TCPLAN_NO_MEMORY: the result is unchanged, unless the last step's local
 *     products overwrite it in place
 */
TCPLAN_API enum tcplan_status tcplan_mpi_network_plan_execute(struct tcplan_mpi_network_plan *plan,
                                                              const void *const tensor[],
                                                              void *result,
                                                              struct tcplan_error *error);

/** Frees a plan; NULL is fine. */
TCPLAN_API void tcplan_mpi_network_plan_free(struct tcplan_mpi_network_plan *plan);

#ifdef __cplusplus
}
#endif

#endif
