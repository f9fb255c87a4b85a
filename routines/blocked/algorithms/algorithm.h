/** The internals of a blocked algorithm: its nest, and the arguments of each call. */
#ifndef BLOCKED_ALGORITHM_H
#define BLOCKED_ALGORITHM_H

#include "base/arena.h"
#include "routines/sampler/signatures/signature.h"
#include "tcplan/blocked.h"

/** Connects a size argument of a call to the range whose length is the value of the argument. */
struct statement_size {
    int8_t argument; /**< number of the argument in the signature */
    int8_t range;    /**< number of the range whose length is the size */
};

/**
 * Data of a call other than its node: the routine, and all arguments except those that depend on
 * sizes. Arguments with data have a block, except work, scale and info, for which the caller
 * provides signature_extent() elements.
 */
struct blocked_statement {
    const struct tcplan_node *node; /**< the node of the call in the nest */
    const struct signature *signature;
    int64_t value[SIGNATURE_MAX_ARGUMENTS]; /**< values of flags and of integers that the text
                                               gives, such as k1 of laswp; 1 for increments */
    double scalar[SIGNATURE_MAX_ARGUMENTS]; /**< values of alpha and beta, which are real */
    int needs; /**< number of a range; if that range is empty, the call has nothing to do; -1: none
                */
    int size_count;
    struct statement_size size[SIGNATURE_MAX_ARGUMENTS];
    bool has_block[SIGNATURE_MAX_ARGUMENTS];
    struct tcplan_block block[SIGNATURE_MAX_ARGUMENTS]; /**< blocks of the arguments with has_block
                                                         */
    bool is_row[SIGNATURE_MAX_ARGUMENTS]; /**< for vectors: whether it is a row of the block's
                                             matrix, so that the leading dimension is the increment
                                           */
};

/** In tcplan_blocked.whole_size: the argument is the block size. */
enum { WHOLE_BLOCK = TCPLAN_BLOCK_SIZES };

struct tcplan_blocked {
    char name[TCPLAN_BLOCKED_NAME];
    const char *note;
    enum tcplan_dtype dtype;
    struct tcplan_blocks blocks;
    bool is_real[TCPLAN_MAX_MATRICES]; /**< for each matrix, whether its elements are real even if
                                          the type is complex */
    int32_t step[TCPLAN_MAX_RANGES];   /**< for ranges that are the block of a loop: the step as in
                                          tcplan_steps.step; for halves INT32_MAX, which means no
                                          bound; for other ranges 0 */
    bool is_recursive; /**< whether the algorithm contains a recursion, so sizes of calls may be
                          halves of halves */
    const struct tcplan_node *body;
    int statement_count;
    struct blocked_statement *statement; /**< the statements; a call's statement is number
                                            tcplan_call.number */
    const struct signature *whole; /**< the routine that does the whole operation, `dpotrf`; NULL:
                                      unknown */
    int64_t whole_value[SIGNATURE_MAX_ARGUMENTS]; /**< the flags of `whole` */
    int8_t whole_size[SIGNATURE_MAX_ARGUMENTS]; /**< for each argument of `whole`, the number of the
                                                   size that it is, or WHOLE_BLOCK; -1: it is no
                                                   size
                                                 */
    int8_t whole_matrix[SIGNATURE_MAX_ARGUMENTS]; /**< for each argument of `whole`, the matrix that
                                                     it is; -1: none */
    int operation; /**< number of the operation; -1: the algorithm is a user's */
    struct arena arena;
};

#endif
