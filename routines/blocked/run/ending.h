/**
 * Numerical outcomes of LAPACK's routines, through `info` and `scale`: the same for runs and for
 * emitted C.
 */
#ifndef BLOCKED_ENDING_H
#define BLOCKED_ENDING_H

#include "routines/sampler/signatures/signature.h"
#include "tcplan/blocked_run.h"

/** The meaning of a call's positive info for its algorithm. */
struct ending {
    enum tcplan_blocked_end end;
    bool goes_on; /**< the result is computed to its end; the first info counts */
    bool is_row;  /**< info counts rows of the call's first block, from 1 on; otherwise it is passed
                     on */
    bool is_silent; /**< info is 0 unless an argument is none */
};

/** The ending of a routine; `info` of routines that are not in the table is passed on as it is. */
struct ending ending_of(const struct signature *signature);

/** The number of the argument that receives by which factor a solution was scaled, 1 if all went
 * well: trsyl's `scale`; -1: there is none. */
int ending_scale(const struct signature *signature);

/** The whole operation's argument whose diagonal must have no 0: trtri's A unless its diagonal is
 * 1, the factor B of sygst; -1: none. */
int ending_diagonal(const struct signature *whole, const int64_t value[]);

#endif
