/** A blocked algorithm inside: its nest, and the arguments of each call. */
#ifndef BLOCKED_ALGORITHM_H
#define BLOCKED_ALGORITHM_H

#include "base/arena.h"
#include "routines/sampler/signatures/signature.h"
#include "tcplan/blocked.h"

/** Where a size of a call is from. */
struct statement_size {
    int8_t argument; /**< of the signature */
    int8_t range;    /**< whose length it is */
};

/**
 * Data of a call in the text of an algorithm other than its node: the routine, and all arguments
 * but those that depend on sizes. The data of an argument depends on its class: data of a block, or
 * of none (work, scale, info: memory that who calls has to find, of signature_extent() elements).
 */
struct blocked_statement {
    const struct tcplan_node *node; /**< a call */
    const struct signature *signature;
    int64_t value[SIGNATURE_MAX_ARGUMENTS]; /**< of flags, and numbers that the text gives (laswp's
                                               k1); increments 1 */
    double scalar[SIGNATURE_MAX_ARGUMENTS]; /**< of alpha, beta: real */
    int needs;                              /**< a range without which nothing is to do; -1: none */
    int size_count;
    struct statement_size size[SIGNATURE_MAX_ARGUMENTS];
    bool has_block[SIGNATURE_MAX_ARGUMENTS];
    struct tcplan_block block[SIGNATURE_MAX_ARGUMENTS]; /**< of data with has_block */
    bool is_row[SIGNATURE_MAX_ARGUMENTS]; /**< vectors: a row of its matrix, with the leading
                                             dimension as increment */
};

struct tcplan_blocked {
    char name[TCPLAN_BLOCKED_NAME];
    const char *note;
    enum tcplan_dtype dtype;
    struct tcplan_blocks blocks;
    int32_t step[TCPLAN_MAX_RANGES]; /**< of the block of a loop: what tcplan_steps.step is; of a
                                        half no bound, INT32_MAX; of other ranges 0 */
    bool is_recursive;               /**< it has a recursion: sizes of calls are halves of halves */
    const struct tcplan_node *body;
    int statement_count;
    struct blocked_statement *statement; /**< by tcplan_call.number */
    const struct signature *whole; /**< the operation as one routine, `dpotrf`; NULL: none is named
                                    */
    int64_t whole_value[SIGNATURE_MAX_ARGUMENTS]; /**< its flags */
    int8_t whole_size[SIGNATURE_MAX_ARGUMENTS];   /**< which size of the problem an argument is; -1:
                                                     none */
    int8_t whole_matrix[SIGNATURE_MAX_ARGUMENTS]; /**< which matrix an argument is; -1: none */
    int operation;                                /**< number of the operation; -1: a user's */
    struct arena arena;
};

#endif
