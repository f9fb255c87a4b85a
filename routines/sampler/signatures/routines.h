/**
 * The table of routines in its written form: see signature.h.
 */
#ifndef SAMPLER_ROUTINES_H
#define SAMPLER_ROUTINES_H

#include "routines/sampler/signatures/signature.h"

/** A line of the table. */
struct routine_line {
    const char *name;  /**< name of the routine, with `?` for the letters of the type */
    const char *types; /**< letters of the types, separated by blanks: `s d c z`; `sc` and `cs` are
                          single complex, `dz` and `zd` double complex */
    const char *text;  /**< the arguments, see signature.h */
    const char *flops; /**< the number of operations, a formula (formula.h) */
    const char *purpose;
    enum signature_returns {
        RETURNS_NOTHING,
        RETURNS_OWN,  /**< the routine returns an element */
        RETURNS_REAL, /**< the routine returns a real number of the type's precision */
        RETURNS_INDEX /**< the routine returns an integer */
    } returns;
    bool is_own; /**< whether the routine is a function of tcplan, see routines/sampler/kernels/ */
    const char *degrees; /**< one digit for each size: degree in that size. NULL: the degrees of the
                            operations */
};

extern const struct routine_line routine_lines[];
extern const int routine_line_count;

#endif
