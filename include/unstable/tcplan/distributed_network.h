/**
 * Expressions of several tensors over processes: orders whose steps are distributed algorithms, and
 * slices.
 *
 *   const struct tcplan_network_texts texts = {.notation = "Z_ad=A_ab*B_bc*C_cd",
 *                                              .sizes = "a=b=c=d=1000"};
 *   const struct tcplan_distributed_options options = {.processes = 4};
 *   tcplan_distributed_network_new(&network, &texts, TCPLAN_DOUBLE, &options, &wrong, &error);
 *   tcplan_distributed_network_name(network, 0)     `4:a;4:a`: the algorithms of the two steps
 *
 * Each step of an order is a contraction with an algorithm of tcplan/distributed.h. An intermediate
 * lies as the step that computes it leaves it, and the next step moves it if necessary. In slices,
 * such as `slices:2x2:b,c`, each process computes all steps for its share of the values of some
 * indices, and the last step adds the partial sums. The expression has one term of two or more
 * tensors.
 */
#ifndef TCPLAN_DISTRIBUTED_NETWORK_H
#define TCPLAN_DISTRIBUTED_NETWORK_H

#include "tcplan/distributed.h"
#include "tcplan/network_tree.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Distributed algorithms of an expression, fastest first. */
struct tcplan_distributed_network;

/**
 * Finds the distributed algorithms with the shortest predicted times. It compares every order of up
 * to four tensors, otherwise the order that is the fastest on one process and some that exchange
 * two of its subtrees.
 *
 * @param out      receives the algorithms, to be freed with tcplan_distributed_network_free();
 *                 untouched on failure
 * @param texts    the notation, sizes and storage order; with `path`, only this order is
 *                 considered; it may also have the form of tcplan_tree_text()
 * @param options  `algorithm` has the names of the steps' algorithms, such as `4:a;2x2:a,d`, for
 *                 the order of the path, or the name of slices; `distribute` has layouts of input
 * tensors and of the result. With `timing`, local products of the fastest algorithm are timed
 * @param wrong    receives the text to which the column of an error refers; may be NULL
 * @return TCPLAN_OK; TCPLAN_INVALID with the marked text; TCPLAN_NOT_APPLICABLE: an expression of
 *         several terms or of one tensor, a step that no algorithm can distribute, or no algorithm
 *         fits into memory; otherwise a status of tcplan_network_order_new()
 */
TCPLAN_API enum tcplan_status tcplan_distributed_network_new(
    struct tcplan_distributed_network **out, const struct tcplan_network_texts *texts,
    enum tcplan_dtype dtype, const struct tcplan_distributed_options *options, const char **wrong,
    struct tcplan_error *error);

TCPLAN_API void tcplan_distributed_network_free(struct tcplan_distributed_network *network);

/** Returns the number of algorithms, at least 1. Algorithms are numbered from 0. */
TCPLAN_API int tcplan_distributed_network_count(const struct tcplan_distributed_network *network);

/** Returns the number of algorithms that were compared, and how many need too much memory. */
TCPLAN_API int64_t tcplan_distributed_network_enumerated(
    const struct tcplan_distributed_network *network, int64_t *over_memory);

/** Returns the predicted seconds of the expression on one process, by estimates; 0: unknown,
 * because `path` was the text of a tree. */
TCPLAN_API double tcplan_distributed_network_serial_seconds(
    const struct tcplan_distributed_network *network);

TCPLAN_API int tcplan_distributed_network_processes(
    const struct tcplan_distributed_network *network);

/** Returns the name of an algorithm: the names of its steps' algorithms, separated by `;`, or the
 * name of slices. */
TCPLAN_API const char *tcplan_distributed_network_name(
    const struct tcplan_distributed_network *network, int algorithm);

/** Returns the prediction for all steps together. Its `name` is empty. */
TCPLAN_API struct tcplan_distributed_entry tcplan_distributed_network_entry(
    const struct tcplan_distributed_network *network, int algorithm);

/** Returns the order of an algorithm. */
TCPLAN_API const struct tcplan_tree *tcplan_distributed_network_tree(
    const struct tcplan_distributed_network *network, int algorithm);

TCPLAN_API int tcplan_distributed_network_step_count(
    const struct tcplan_distributed_network *network, int algorithm);

/**
 * Returns a step as a distributed contraction.
 *
 * @param operand  receives the tensors that are its operands: distinct input tensors by their
 *                 numbers in struct tcplan_network, from 0, then the results of steps; may be NULL
 */
TCPLAN_API const struct tcplan_distributed *tcplan_distributed_network_step(
    const struct tcplan_distributed_network *network, int algorithm, int step, int operand[2]);

/**
 * Describes where a tensor of a step lies: the grid and the splits, as `2x2 a:0,i:1`, or `copies`.
 * The caller frees the text; NULL if memory runs out.
 *
 * @param at_work  the layout during the local product; false: the layout before the step, for the
 *                 result after it
 */
TCPLAN_API char *tcplan_distributed_network_layout(const struct tcplan_distributed_network *network,
                                                   int algorithm, int step,
                                                   enum tcplan_operand operand, bool at_work);

/** Returns the number of distinct input tensors. */
TCPLAN_API int tcplan_distributed_network_inputs(const struct tcplan_distributed_network *network);

/** Writes the range that a rank holds of each dimension of a tensor, as tcplan_distributed_block().
 * @param tensor  number of an input tensor; the number of input tensors: the result */
TCPLAN_API int64_t
tcplan_distributed_network_block(const struct tcplan_distributed_network *network, int algorithm,
                                 int tensor, int rank, int64_t first[], int64_t extent[]);

/** Writes the block-cyclic blocks of a tensor, as tcplan_distributed_cycle(). */
TCPLAN_API void tcplan_distributed_network_cycle(const struct tcplan_distributed_network *network,
                                                 int algorithm, int tensor, int64_t block[],
                                                 int64_t period[]);

/**
 * Lists the calls of a rank in the order in which it makes them; those of all steps by which the
 * ranks agree on errors come last, as one entry. Returns their number.
 *
 * @param call  receives up to TCPLAN_DISTRIBUTED_MOST_CALLS calls for each step
 */
TCPLAN_API int tcplan_distributed_network_calls(struct tcplan_distributed_call call[],
                                                const struct tcplan_distributed_network *network,
                                                int algorithm, int rank);

/**
 * Writes `int NAME(MPI_Comm comm, const T *A, const T *B, ..., T *Z)`: C with calls of MPI that
 * needs no tcplan. It executes all steps. The tensors are the distinct input tensors and the
 * result. Returns are those of tcplan_distributed_emit().
 *
 * @param out        receives the text, to be freed with free(); untouched on failure
 * @param function   NULL: `contract`
 * @param with_main  adds a program that compares the result with naive loops
 * @return a status of tcplan_distributed_emit()
 */
TCPLAN_API enum tcplan_status tcplan_distributed_network_emit(
    char **out, const struct tcplan_distributed_network *network, int algorithm,
    struct tcplan_planner *planner, const char *function, bool with_main,
    struct tcplan_error *error);

/**
 * Writes a program that checks the fastest algorithms and runs them in rounds, as
 * tcplan_distributed_emit_comparison() does for a contraction.
 *
 * @param count  1 to the number of algorithms, at most TCPLAN_DISTRIBUTED_MOST_COMPARED
 */
TCPLAN_API enum tcplan_status tcplan_distributed_network_emit_comparison(
    char **out, const struct tcplan_distributed_network *network, int count,
    struct tcplan_planner *planner, double seconds, struct tcplan_error *error);

#ifdef __cplusplus
}
#endif

#endif
