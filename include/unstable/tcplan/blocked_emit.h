/**
 * Emits C for blocked algorithms (tcplan/blocked.h): one self-contained file with a function for
 * any sizes and block size.
 */
#ifndef TCPLAN_BLOCKED_EMIT_H
#define TCPLAN_BLOCKED_EMIT_H

#include "tcplan/blocked.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A size, and the block size to use up to this size. */
struct tcplan_blocked_choice {
    int64_t size;
    int64_t block;
};

struct tcplan_blocked_emit_options {
    const char *function; /**< name of the emitted function; NULL: the algorithm's name */
    const struct tcplan_blocked_choice *choice; /**< `choice_count` pairs by increasing size. The
                                                   emitted function then has no argument b; it uses
                                                   the block size of the first pair whose size is at
                                                   least the largest size, or the last pair */
    int choice_count; /**< number of pairs in `choice`; 0: the block size b is an argument of the
                         function */
    bool with_main;   /**< whether to add a driver that compares the function with LAPACK's routine
                         for the whole operation and prints GFLOP/s; not with `choice` */
};

/**
 * Writes C11 for an algorithm: `int NAME(int n, T *A, int ldA, int b)`. If the algorithm has two
 * sizes, m comes first. Each matrix that is not a temporary has an argument, in the order of
 * tcplan_blocks.matrix, followed by a leading dimension unless it is a vector. T is float, double,
 * float _Complex or double _Complex; matrices are column-major, inputs are const, pivots int.
 *
 * The function is the nest: a loop over blocks whose bodies are calls of the CBLAS and of LAPACK's
 * unblocked routines. It returns 0; the info of LAPACK's routine for the whole operation if the
 * matrix is singular or indefinite; -i if argument i is invalid; -1010 (as in LAPACKE) if
 * temporaries cannot be allocated. The text compiles with `cc -std=c11 -O2 -Wall -Wextra -Wpedantic
 * -Werror` and needs a CBLAS and LAPACK with integers of 32 bits.
 *
 * @param out      receives the text, to be freed with free()
 * @param options  NULL: the defaults
 * @return TCPLAN_OK; TCPLAN_INVALID if the function's name is no C identifier, or the choices do
 *         not increase; TCPLAN_NOT_APPLICABLE if a call cannot be written in C; TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_blocked_emit(char **out, const struct tcplan_blocked *blocked,
                                                  const struct tcplan_blocked_emit_options *options,
                                                  struct tcplan_error *error);

#ifdef __cplusplus
}
#endif

#endif
