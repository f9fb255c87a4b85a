/**
 * The table of routines in its written form: see signature.h.
 */
#ifndef SAMPLER_ROUTINES_H
#define SAMPLER_ROUTINES_H

#include "routines/sampler/signatures/signature.h"

/** A line of the table. */
struct routine_line {
    const char *name;  /**< `?` stands for the letters of the type */
    const char *types; /**< separated by blanks: `s d c z`; `sc` and `cs` are single complex, `dz`
                          and `zd` double complex */
    const char *text;  /**< arguments */
    const char *flops; /**< operations */
    const char *purpose;
    enum signature_returns {
        RETURNS_NOTHING,
        RETURNS_OWN,  /**< size of an element */
        RETURNS_REAL, /**< size of a real number of the type's precision */
        RETURNS_INDEX /**< size of an integer */
    } returns;
    bool is_own;         /**< a function of tcplan, see routines/sampler/kernels/ */
    const char *degrees; /**< one digit for each size, if these are not the degrees of the
                            operations; NULL: they are */
};

extern const struct routine_line routine_lines[];
extern const int routine_line_count;

#endif
