/**
 * Binds the calls of a sequence (routines/blocked/calls/calls.h) to routines and memory, so that
 * they can be made.
 *
 *     struct binding binding;
 *     binding_open(&binding, blocked, sizes, provider, matrix, error)
 *     finds routines, allocates temporaries and work memory
 *     blocked_walk(...): binding_prepare(&call[i], &binding, visited, error)
 *     a call of routines/sampler/timing/routine.h: for call_make() or queue_add()
 *     binding_close(&binding)
 */
#ifndef BLOCKED_BINDING_H
#define BLOCKED_BINDING_H

#include "routines/blocked/calls/calls.h"
#include "routines/sampler/timing/routine.h"

struct binding {
    const struct tcplan_blocked *blocked;
    struct tcplan_blocked_sizes sizes;
    struct routine *routine;           /**< the routine of each statement */
    char *matrix[TCPLAN_MAX_MATRICES]; /**< pointer to the first element of each matrix */
    bool is_ours[TCPLAN_MAX_MATRICES]; /**< for each matrix, whether it is a temporary, allocated by
                                          binding_open() */
    size_t element_bytes[TCPLAN_MAX_MATRICES];
    char *work; /**< work memory, shared by all calls */
    int64_t work_bytes;
};

/**
 * Binds an algorithm to memory.
 *
 * @param out     pass it to binding_close() whatever is returned
 * @param matrix  pointers to the matrices, as for tcplan_blocked_run(), borrowed
 * @return TCPLAN_OK; TCPLAN_INVALID if the sizes are invalid, a matrix with elements is NULL, or
 *         the provider lacks a routine; TCPLAN_OVERFLOW, TCPLAN_NO_MEMORY
 */
enum tcplan_status binding_open(struct binding *out, const struct tcplan_blocked *blocked,
                                const struct tcplan_blocked_sizes *sizes,
                                enum tcplan_provider provider, void *const matrix[],
                                struct tcplan_error *error);

void binding_close(struct binding *binding);

/**
 * Prepares a call that is not empty. The result contains pointers into itself, so it must not be
 * moved. It also contains the call's info, and its scale if it has one (ending_scale()).
 *
 * @return a status of call_prepare()
 */
enum tcplan_status binding_prepare(struct call *out, const struct binding *binding,
                                   const struct blocked_call *call, struct tcplan_error *error);

/** Returns the bytes of an element of a matrix. */
size_t binding_element_bytes(const struct tcplan_blocked *blocked, int matrix);

/** Returns the row of the whole matrix, from 0, in which the first block of a call begins. */
int64_t binding_first_row(const struct blocked_call *call);

#endif
