/** The internals of a blocked algorithm: its nest, and the arguments of each call. */
#ifndef BLOCKED_ALGORITHM_H
#define BLOCKED_ALGORITHM_H

#include "base/arena.h"
#include "routines/sampler/signatures/signature.h"
#include "tcplan/blocked.h"

/** Where a size of a call comes from. */
struct statement_size {
    int8_t argument; /**< an argument of the signature */
    int8_t range;    /**< the range whose length it is */
};

/**
 * Data of a call other than its node: the routine, and all arguments except those that depend on
 * sizes. An argument with data has a block or, for work, scale and info, none: the caller then
 * provides signature_extent() elements.
 */
struct blocked_statement {
    const struct tcplan_node *node; /**< the call */
    const struct signature *signature;
    int64_t value[SIGNATURE_MAX_ARGUMENTS]; /**< values of flags, and of numbers in the text
                                               (laswp's k1); increments are 1 */
    double scalar[SIGNATURE_MAX_ARGUMENTS]; /**< values of alpha and beta, which are real */
    int needs; /**< if this range is empty, there is nothing to do; -1: none */
    int size_count;
    struct statement_size size[SIGNATURE_MAX_ARGUMENTS];
    bool has_block[SIGNATURE_MAX_ARGUMENTS];
    struct tcplan_block block[SIGNATURE_MAX_ARGUMENTS]; /**< of arguments with has_block */
    bool is_row[SIGNATURE_MAX_ARGUMENTS]; /**< vectors: a row of the block's matrix, so the leading
                                             dimension is the increment */
};

struct tcplan_blocked {
    char name[TCPLAN_BLOCKED_NAME];
    const char *note;
    enum tcplan_dtype dtype;
    struct tcplan_blocks blocks;
    int32_t step[TCPLAN_MAX_RANGES]; /**< for ranges that are a loop's block: the step as in
                                        tcplan_steps.step; for a half INT32_MAX, no bound; for other
                                        ranges 0 */
    bool is_recursive; /**< contains a recursion: sizes of calls are halves of halves */
    const struct tcplan_node *body;
    int statement_count;
    struct blocked_statement *statement; /**< entry number tcplan_call.number belongs to a call */
    const struct signature *whole; /**< the routine that does the whole operation, `dpotrf`; NULL:
                                      unknown */
    int64_t whole_value[SIGNATURE_MAX_ARGUMENTS]; /**< the flags of `whole` */
    int8_t whole_size[SIGNATURE_MAX_ARGUMENTS]; /**< the argument that is each size of the problem;
                                                   -1: none */
    int8_t whole_matrix[SIGNATURE_MAX_ARGUMENTS]; /**< the argument that is each matrix; -1: none */
    int operation;                                /**< number of the operation; -1: a user's */
    struct arena arena;
};

#endif
