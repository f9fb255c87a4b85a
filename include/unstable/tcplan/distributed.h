/**
 * Contractions distributed over processes: algorithms, predicted seconds and exact bytes.
 *
 *   struct tcplan_distributed_options options = {.processes = 16};
 *   tcplan_distributed_rank(&ranking, &problem, &options, &error);
 *   ranking.entry[0].name        4x4:a,b, the fastest: axis 0 of a 4 x 4 grid splits a, axis 1 b
 *
 * Planning needs no MPI. `libtcplan-mpi` (tcplan/mpi.h) executes, as do emitted programs. Tensors
 * are dense. Each rank holds a block of each tensor, dense in the same order.
 */
#ifndef TCPLAN_DISTRIBUTED_H
#define TCPLAN_DISTRIBUTED_H

#include <stdbool.h>
#include <stdint.h>

#include "tcplan/communication.h"
#include "tcplan/planner.h"
#include "tcplan/problem.h"
#include "tcplan/product.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    TCPLAN_DISTRIBUTED_NAME = 256,
    TCPLAN_DISTRIBUTED_EXACT_PROCESSES = 1024 /**< up to this many ranks, total_bytes is exact */
};

/** Options of planning. Zero-initialise before you set members. */
struct tcplan_distributed_options {
    int processes; /**< number of processes, 1 to 16777216; 0: the number that `grid` or `algorithm`
                      implies */
    int ranks_per_node;     /**< number of consecutive ranks that share a node; 0: all ranks */
    const char *grid;       /**< the process grid, such as `4x2`; NULL: any grid */
    const char *distribute; /**< prescribed layouts on `grid`, such as `A=a:0,i:1/64 C=a:0`; tensors
                               without one may have any layout. NULL: no layout is prescribed */
    const char *algorithm;  /**< name of the algorithm; NULL: any algorithm */
    int64_t max_memory_bytes; /**< memory limit in bytes for the tensors and buffers of each rank;
                                 0: no limit */
    struct tcplan_planner *planner; /**< planner for estimates of local products; NULL: the default
                                       planner with its default options */
    struct tcplan_planner *timing; /**< planner that times local products of the fastest algorithms;
                                      its time limit is changed. NULL: nothing is timed */
    int timed_count; /**< number of fastest algorithms whose local products are timed, at most 24;
                        fewer than 4: 4 */
    double time_limit_seconds; /**< time limit in seconds of these timings; 0: no limit */
    const struct tcplan_communication *communication; /**< model of the network; NULL: assumed
                                                         latencies and bandwidths */
};

/** An algorithm with its prediction. */
struct tcplan_distributed_entry {
    char name[TCPLAN_DISTRIBUTED_NAME];
    double seconds;       /**< predicted seconds of one execution */
    double local_seconds; /**< seconds of the local product on the rank with the largest local
                             product */
    double communication_seconds; /**< seconds of all collectives, including packing */
    double moved_bytes;   /**< bytes that rank 0, which holds the largest blocks, must receive from
                             other ranks */
    double total_bytes;   /**< bytes that all ranks must receive from others; with more than
                             TCPLAN_DISTRIBUTED_EXACT_PROCESSES ranks an estimate: moved_bytes times
                             the number of ranks */
    int64_t memory_bytes; /**< bytes of the tensors and buffers of the rank that needs most */
    bool timed;           /**< whether local_seconds was timed; otherwise it is estimated */
    bool tied;            /**< whether the time is within 2 % of the fastest */
    bool scalapack;       /**< whether it is ScaLAPACK's pdgemm, whose bytes are estimates */
};

/** Algorithms, fastest first. */
struct tcplan_distributed_ranking {
    int count;
    struct tcplan_distributed_entry *entry;
    int64_t enumerated, over_memory; /**< number of algorithms enumerated, and how many of them need
                                        too much memory */
    int tied_count; /**< number of algorithms tied with the fastest one, including the fastest one
                     */
    double serial_seconds; /**< seconds of the whole product on one process */
    bool serial_timed;     /**< whether serial_seconds was timed; otherwise it is estimated */
};

/**
 * Ranks the distributed algorithms of a problem. All are compared by their communication and the
 * rate of the whole product on one process; the local products of the best 24 are estimated, and
 * those of the fastest timed if the options have a planner for it. The fastest algorithm of
 * ScaLAPACK is among them, if this build has ScaLAPACK and it applies. A local product that finds
 * no memory here keeps its estimate.
 *
 * @param out  receives the ranking, to be freed with tcplan_distributed_ranking_free()
 * @return TCPLAN_OK; TCPLAN_INVALID with the marked text: a malformed grid or distribution
 *         (`*wrong` receives the text), a grid of another number of processes;
 *         TCPLAN_NOT_APPLICABLE: a separate addend or strides, or no algorithm fits into memory;
 *         TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_distributed_rank(
    struct tcplan_distributed_ranking *out, const struct tcplan_problem *problem,
    const struct tcplan_distributed_options *options, const char **wrong,
    struct tcplan_error *error);

TCPLAN_API void tcplan_distributed_ranking_free(struct tcplan_distributed_ranking *ranking);

/** One algorithm of one problem, ready to be executed or emitted. */
struct tcplan_distributed;

/** Plans the algorithm of the options or, if they name none, the fastest. `out` receives the plan,
 * to be freed with tcplan_distributed_free(). Returns a status of tcplan_distributed_rank(). */
TCPLAN_API enum tcplan_status tcplan_distributed_new(
    struct tcplan_distributed **out, const struct tcplan_problem *problem,
    const struct tcplan_distributed_options *options, const char **wrong,
    struct tcplan_error *error);

TCPLAN_API void tcplan_distributed_free(struct tcplan_distributed *distributed);

TCPLAN_API struct tcplan_distributed_entry tcplan_distributed_entry(
    const struct tcplan_distributed *distributed);

TCPLAN_API int tcplan_distributed_processes(const struct tcplan_distributed *distributed);

struct dist_plan;

/** Returns the layouts and steps, for programs that execute them (distributed/runtime/shape.h). */
TCPLAN_API const struct dist_plan *tcplan_distributed_plan(
    const struct tcplan_distributed *distributed);

/**
 * Describes where a tensor lies, as in a distribution: `4x2 a:0,i:1`. The caller frees the text;
 * NULL if memory runs out.
 *
 * @param operand  TCPLAN_A, TCPLAN_B or TCPLAN_RESULT
 * @param at_work  the layout during the local product; false: the layout in which the caller
 *                 holds the tensor
 */
TCPLAN_API char *tcplan_distributed_layout(const struct tcplan_distributed *distributed,
                                           enum tcplan_operand operand, bool at_work);

/** Gets the block of a tensor that a rank holds: the first element and the number of elements of
 * each dimension, in the order of the notation. Returns the number of elements of the block. In a
 * block-cyclic layout (tcplan_distributed_cycle()) they are not contiguous in the tensor. */
TCPLAN_API int64_t tcplan_distributed_block(const struct tcplan_distributed *distributed,
                                            enum tcplan_operand operand, int rank, int64_t first[],
                                            int64_t extent[]);

/** Gets, for each dimension of a tensor, the length of its block-cyclic blocks, and the distance in
 * elements between the beginnings of two successive blocks of a rank; both are 0 if the rank's
 * elements are contiguous along the dimension. */
TCPLAN_API void tcplan_distributed_cycle(const struct tcplan_distributed *distributed,
                                         enum tcplan_operand operand, int64_t block[],
                                         int64_t period[]);

/** Calls of one collective made by one rank. */
struct tcplan_distributed_call {
    const char *collective; /**< `MPI_Allgatherv` */
    const char *tensor; /**< name of the tensor; `status` for the calls by which the ranks agree on
                           errors */
    int ranks;          /**< number of ranks that take part */
    int64_t calls;      /**< number of calls, provided that no count exceeds 2147483647 */
    int64_t sent, received; /**< size of the rank's buffers in bytes */
    int64_t moved;          /**< bytes that the rank must receive from other ranks */
    double seconds;         /**< predicted seconds for the rank with the most bytes */
};

enum { TCPLAN_DISTRIBUTED_MOST_CALLS = 5 };

/** Lists the calls of a rank in the order in which it makes them; returns their number. */
TCPLAN_API int tcplan_distributed_calls(
    struct tcplan_distributed_call call[TCPLAN_DISTRIBUTED_MOST_CALLS],
    const struct tcplan_distributed *distributed, int rank);

/** Lower bounds on the bytes that some rank sends or receives; 0: no bound. */
struct tcplan_distributed_bounds {
    double independent; /**< bound for unlimited memory (Al Daas and others, 2022) */
    double dependent;   /**< bound for the memory that the algorithm uses (Irony, Toledo, Tiskin,
                           2004) */
};

TCPLAN_API struct tcplan_distributed_bounds tcplan_distributed_bounds(
    const struct tcplan_distributed *distributed);

/** The beta with which a local product updates its result. */
enum tcplan_distributed_start {
    TCPLAN_DISTRIBUTED_SETS,     /**< beta is 0 */
    TCPLAN_DISTRIBUTED_ADDS,     /**< beta is 1 */
    TCPLAN_DISTRIBUTED_CONTINUES /**< the beta of the problem */
};

/** Makes the local product of blocks whose indices have the extents `length`. `out` receives the
 * product, to be freed with tcplan_product_free(). Returns a status of tcplan_product_parse(). */
TCPLAN_API enum tcplan_status tcplan_distributed_product(
    struct tcplan_product **out, const struct tcplan_distributed *distributed,
    const int64_t length[], enum tcplan_distributed_start start, struct tcplan_error *error);

/**
 * Writes `int NAME(MPI_Comm comm, const T *A, const T *B, T *C)`, C with calls of MPI that needs no
 * tcplan. It returns 0, ENOMEM, or EINVAL if the communicator has another number of processes; the
 * same on all ranks. After ENOMEM the result is unchanged if it was the communication's buffers
 * that found no memory, or if the result is reduced or moved. A local product that writes the
 * result in place may have overwritten it on some ranks.
 *
 * @param out        receives the text, to be freed with free(); untouched on failure
 * @param planner    plans the local products; NULL: the defaults of tcplan_planner_new()
 * @param function   name of the function, a C identifier; NULL: `contract`
 * @param with_main  adds a program that compares the result with naive loops
 * @return a status of tcplan_plan_emit()
 */
TCPLAN_API enum tcplan_status tcplan_distributed_emit(char **out,
                                                      const struct tcplan_distributed *distributed,
                                                      struct tcplan_planner *planner,
                                                      const char *function, bool with_main,
                                                      struct tcplan_error *error);

enum { TCPLAN_DISTRIBUTED_MOST_COMPARED = 24 };

/**
 * Writes a program that checks several algorithms of one problem and runs them in rounds. Its
 * first line names the libraries to link. Rank 0 prints lines, with the place of the algorithm:
 *
 *   result 0 passed                           or `wrong`, or `memory`: a rank had not enough
 *   bytes 0 MPI_Allgatherv 2000000 4000000    sent and received by rank 0 in one execution
 *   seconds 0 0.0123                          of the slowest rank in one round
 *
 * @param out          receives the text, to be freed with free(); untouched on failure
 * @param distributed  `count` algorithms, 1 to TCPLAN_DISTRIBUTED_MOST_COMPARED
 * @param seconds      approximate time in seconds after which no round starts; at least three run
 * @return a status of tcplan_distributed_emit()
 */
TCPLAN_API enum tcplan_status tcplan_distributed_emit_comparison(
    char **out, const struct tcplan_distributed *const distributed[], int count,
    struct tcplan_planner *planner, double seconds, struct tcplan_error *error);

#ifdef __cplusplus
}
#endif

#endif
