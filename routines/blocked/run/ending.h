/**
 * Numerical outcomes of LAPACK's routines, reported by `info` and `scale`. Runs and emitted C
 * handle them alike.
 */
#ifndef BLOCKED_ENDING_H
#define BLOCKED_ENDING_H

#include "routines/sampler/signatures/signature.h"
#include "tcplan/blocked_run.h"

/** The meaning of a call's positive info for its algorithm. */
struct ending {
    enum tcplan_blocked_end end;
    bool goes_on; /**< whether the algorithm continues to its end; the first positive info is the
                     result */
    bool is_row; /**< whether info is a row of the call's first block, from 1, and is converted to a
                    row of the matrix; otherwise it is passed on */
    bool is_silent; /**< whether the routine sets info to nonzero values only if an argument is
                       invalid */
};

/** Returns the ending of a routine; the info of routines not in the table is passed on unchanged.
 */
struct ending ending_of(const struct signature *signature);

/** Returns the argument that receives the factor by which a solution was scaled, usually 1: trsyl's
 * `scale`; -1: there is none. */
int ending_scale(const struct signature *signature);

/** Returns the argument of the whole operation whose diagonal must not contain 0: trtri's A unless
 * it is unit-triangular, the factor B of sygst; -1: none. */
int ending_diagonal(const struct signature *whole, const int64_t value[]);

#endif
