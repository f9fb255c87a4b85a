/**
 * The table of routines as it is written: see signature.h.
 */
#ifndef SAMPLER_ROUTINES_H
#define SAMPLER_ROUTINES_H

#include "routines/sampler/signatures/signature.h"

/** A line. */
struct routine_line {
    const char *name;  /**< `?` stands for the letters of the type */
    const char *types; /**< in words: `s d c z`; `sc` and `cs` are single complex, `dz` and `zd`
                          double complex */
    const char *text;  /**< the arguments */
    const char *flops; /**< the operations */
    const char *purpose;
    enum signature_returns {
        RETURNS_NOTHING,
        RETURNS_OWN,  /**< an element */
        RETURNS_REAL, /**< a real number of the type's precision */
        RETURNS_INDEX /**< an integer */
    } returns;
    bool is_own;         /**< a function of tcplan, see routines/sampler/kernels/ */
    const char *degrees; /**< one digit for each size, where those of the operations are not meant;
                            NULL: those */
};

extern const struct routine_line routine_lines[];
extern const int routine_line_count;

#endif
