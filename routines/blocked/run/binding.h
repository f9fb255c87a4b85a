/**
 * From a call in the sequence (routines/blocked/calls/calls.h) to one that can be made: routines,
 * memory, what calls work in.
 *
 *   struct binding binding;
 *   binding_open(&binding, blocked, sizes, provider, matrix, error)
 *         routines found, temporaries and work reserved
 *   blocked_walk(...): binding_prepare(&call[i], &binding, visited, error)
 *         a call of routines/sampler/timing/routine.h: for call_make() or queue_add()
 *   binding_close(&binding)
 */
#ifndef BLOCKED_BINDING_H
#define BLOCKED_BINDING_H

#include "routines/blocked/calls/calls.h"
#include "routines/sampler/timing/routine.h"

struct binding {
    const struct tcplan_blocked *blocked;
    struct tcplan_blocked_sizes sizes;
    struct routine *routine;           /**< by number of the statement */
    char *matrix[TCPLAN_MAX_MATRICES]; /**< where each begins */
    bool is_ours[TCPLAN_MAX_MATRICES]; /**< temporaries, reserved here */
    size_t element_bytes[TCPLAN_MAX_MATRICES];
    char *work; /**< memory that all calls work in */
    int64_t work_bytes;
};

/**
 * Binds an algorithm to memory.
 *
 * @param out     to be given to binding_close() whatever is returned
 * @param matrix  as of tcplan_blocked_run(), borrowed
 * @return TCPLAN_OK; TCPLAN_INVALID if the sizes are refused, a matrix that has elements is NULL,
 *         or the provider lacks a routine; TCPLAN_OVERFLOW, TCPLAN_NO_MEMORY
 */
enum tcplan_status binding_open(struct binding *out, const struct tcplan_blocked *blocked,
                                const struct tcplan_blocked_sizes *sizes,
                                enum tcplan_provider provider, void *const matrix[],
                                struct tcplan_error *error);

void binding_close(struct binding *binding);

/**
 * Prepares a call that is not empty. It points into itself and must not be moved. Its info, and its
 * scale if it has one (ending_scale()), are in it.
 *
 * @return as call_prepare()
 */
enum tcplan_status binding_prepare(struct call *out, const struct binding *binding,
                                   const struct blocked_call *call, struct tcplan_error *error);

/** Bytes of an element of a matrix. */
size_t binding_element_bytes(const struct tcplan_blocked *blocked, int matrix);

/** The row of the whole matrix, from 0 on, in which the first block of a call begins. */
int64_t binding_first_row(const struct blocked_call *call);

#endif
