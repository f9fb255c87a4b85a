/**
 * Models of MPI's collectives: seconds by ranks and bytes, within a node and between nodes.
 *
 * The text of a model is lines such as
 *
 *   within MPI_Allgatherv 4 65536 2.1e-05
 *
 * with the number of ranks, the bytes of a rank's larger buffer, and the median seconds of a call.
 */
#ifndef TCPLAN_COMMUNICATION_H
#define TCPLAN_COMMUNICATION_H

#include <stdbool.h>

#include "tcplan/status.h"

#ifdef __cplusplus
extern "C" {
#endif

enum tcplan_collective {
    TCPLAN_ALLGATHERV,
    TCPLAN_ALLTOALLV,
    TCPLAN_REDUCE_SCATTER,
    TCPLAN_ALLREDUCE,
    TCPLAN_BCAST,
    TCPLAN_COLLECTIVES
};

/** `MPI_Allgatherv` and so on. */
TCPLAN_API const char *tcplan_collective_name(enum tcplan_collective collective);

struct tcplan_communication;

/**
 * Reads a model. Lines that begin with # are ignored.
 *
 * @param out  receives the model, to be freed with tcplan_communication_free(); untouched on
 * failure
 * @return TCPLAN_OK; TCPLAN_INVALID with the line; TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_communication_parse(struct tcplan_communication **out,
                                                         const char *text,
                                                         struct tcplan_error *error);

TCPLAN_API void tcplan_communication_free(struct tcplan_communication *communication);

/** Returns whether a model has samples of a collective. */
TCPLAN_API bool tcplan_communication_has(const struct tcplan_communication *communication,
                                         enum tcplan_collective collective);

/**
 * Predicts the seconds of one call. Between samples, time is linear in bytes and in the logarithm
 * of the ranks. A model without samples between nodes uses those within a node. Without samples of
 * the collective, or without a model (NULL), it assumes a latency of 2 microseconds within a node
 * and 20 between nodes, and 4 GB/s or 1.1 GB/s. The latency applies to each of log2(ranks) steps,
 * in an Alltoallv to each other rank.
 *
 * @param bytes  of the larger buffer
 */
TCPLAN_API double tcplan_communication_seconds(const struct tcplan_communication *communication,
                                               enum tcplan_collective collective, bool between,
                                               int ranks, double bytes);

#ifdef __cplusplus
}
#endif

#endif
