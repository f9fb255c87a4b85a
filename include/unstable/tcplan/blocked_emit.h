/**
 * Emitting C for blocked algorithms (tcplan/blocked.h): one self-contained file, a function for any
 * sizes and any block size.
 */
#ifndef TCPLAN_BLOCKED_EMIT_H
#define TCPLAN_BLOCKED_EMIT_H

#include "tcplan/blocked.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A size and the block size that is taken up to it. */
struct tcplan_blocked_choice {
    int64_t size;
    int64_t block;
};

struct tcplan_blocked_emit_options {
    const char *function; /**< name of the emitted function; NULL: the algorithm's name */
    const struct tcplan_blocked_choice *choice; /**< `choice_count` pairs by rising sizes: the
                                                   function has no argument b, but looks it up by
                                                   the largest size: it takes the block size of the
                                                   first pair whose size is not smaller, beyond the
                                                   last one the last */
    int choice_count;                           /**< 0: b is an argument */
    bool with_main; /**< add a driver that checks the function beside LAPACK's routine for the whole
                       and prints GFLOP/s; not with `choice` */
};

/**
 * Writes C11 for an algorithm: `int NAME(int n, T *A, int ldA, int b)`, with m in front if it has
 * two sizes, an argument for each matrix that is no temporary, in their order, and a leading
 * dimension behind each that is no vector. T is float, double, float _Complex or double _Complex;
 * matrices are column-major, inputs are const, pivots int.
 *
 * The function is the nest: a loop over blocks whose bodies are calls of the CBLAS and of LAPACK's
 * unblocked routines. It returns 0; what LAPACK's routine for the whole returns as info where the
 * matrix is singular or indefinite; -i where argument number i is none; -1010 (as LAPACKE does)
 * where temporaries cannot be had. The text compiles with `cc -std=c11 -O2 -Wall -Wextra -Wpedantic
 * -Werror` and needs a CBLAS and LAPACK with integers of 32 bits.
 *
 * @param out      receives the text, to be freed with free()
 * @param options  NULL: the defaults
 * @return TCPLAN_OK; TCPLAN_INVALID if the function's name is no C identifier, or the choices do
 *         not rise; TCPLAN_NOT_APPLICABLE if a call is none that can be written; TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_blocked_emit(char **out, const struct tcplan_blocked *blocked,
                                                  const struct tcplan_blocked_emit_options *options,
                                                  struct tcplan_error *error);

#ifdef __cplusplus
}
#endif

#endif
