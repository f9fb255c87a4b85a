/**
 * Models of MPI's calls: seconds by ranks and bytes, within a node and between nodes.
 *
 * The text of a model is lines such as
 *
 *   within MPI_Allgatherv 4 65536 2.1e-05 2.2e-05 2.4e-05
 *   check within MPI_Allgatherv 4 131072 4.0e-05
 *
 * where `within` (or `between`) is followed by the call, the number of ranks, the bytes of the
 * larger buffer of a rank, and samples of the seconds of one call. Predictions use their median.
 * Lines that start with `check` are not used for predictions, but show their errors.
 * `tcplan-mpi-sample` measures models.
 */
#ifndef TCPLAN_COMMUNICATION_H
#define TCPLAN_COMMUNICATION_H

#include <stdbool.h>

#include "tcplan/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Calls that have a model. Those after TCPLAN_COLLECTIVES are not collectives of MPI. */
enum tcplan_collective {
    TCPLAN_ALLGATHERV,
    TCPLAN_ALLTOALLV,
    TCPLAN_REDUCE_SCATTER,
    TCPLAN_ALLREDUCE,
    TCPLAN_BCAST,
    TCPLAN_COLLECTIVES,
    TCPLAN_SEND = TCPLAN_COLLECTIVES, /**< a message from one rank to another */
    TCPLAN_COPY,                      /**< a copy in memory by several ranks of a node at once */
    TCPLAN_DGEMM,                     /**< a dgemm of square matrices by each of several ranks */
    TCPLAN_PDGEMR2D,                  /**< a matrix that ScaLAPACK moves to another layout */
    TCPLAN_PDGEMM, /**< the communication of ScaLAPACK's pdgemm for one panel: the bytes that a
                      rank receives of both operands */
    TCPLAN_COMMUNICATION_CALLS
};

/** Returns the name of a call: `MPI_Allgatherv`, ..., `MPI_Send`, `copy`, `dgemm`, `pdgemr2d` or
 * `pdgemm`. */
TCPLAN_API const char *tcplan_collective_name(enum tcplan_collective collective);

struct tcplan_communication;

/**
 * Reads a model. Lines that begin with # are ignored.
 *
 * @param out  receives the model, to be freed with tcplan_communication_free(); untouched on
 *             failure
 * @return TCPLAN_OK; TCPLAN_INVALID with the line; TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_communication_parse(struct tcplan_communication **out,
                                                         const char *text,
                                                         struct tcplan_error *error);

TCPLAN_API void tcplan_communication_free(struct tcplan_communication *communication);

/** Returns the text that was parsed. */
TCPLAN_API const char *tcplan_communication_text(const struct tcplan_communication *communication);

/** Differences between predictions and the samples of `check` lines, relative to the samples. */
struct tcplan_communication_error {
    int count; /**< number of `check` lines; if 0, the other members are 0 as well */
    double median, largest;
};

/** Compares a model with its `check` lines.
 *
 * @param collective  TCPLAN_COMMUNICATION_CALLS: all
 */
TCPLAN_API struct tcplan_communication_error tcplan_communication_check(
    const struct tcplan_communication *communication, enum tcplan_collective collective);

/**
 * Returns the bytes from which MPI_Send changes its protocol, from eager to rendezvous: the size
 * after which its time rises most, compared with that of the sizes before; 0: no such step.
 */
TCPLAN_API double tcplan_communication_eager_bytes(const struct tcplan_communication *communication,
                                                   bool between);

/**
 * Predicts the seconds of one call. Between samples, time is linear in bytes and in the logarithm
 * of the ranks. A model without samples between nodes uses those within a node. Without samples of
 * a collective, it assumes the latency and bandwidth of MPI_Send: the latency applies to each of
 * log2(ranks) steps, in an Alltoallv or a pdgemr2d to each other rank. Without samples of MPI_Send,
 * or without a model (NULL), these are 2 microseconds and 4 GB/s within a node, 20 microseconds and
 * 1.1 GB/s between nodes. Copies without samples run at 4 GB/s; a dgemm without samples takes no
 * time.
 *
 * @param bytes  bytes of the larger buffer; for a copy, the bytes read or written; for a dgemm, the
 *               bytes of one matrix
 */
TCPLAN_API double tcplan_communication_seconds(const struct tcplan_communication *communication,
                                               enum tcplan_collective collective, bool between,
                                               int ranks, double bytes);

#ifdef __cplusplus
}
#endif

#endif
