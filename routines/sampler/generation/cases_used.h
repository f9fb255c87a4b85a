/**
 * Table of the calls of BLAS and LAPACK routines for which models are useful: those in
 * contractions, and those that blocked algorithms make for their blocks.
 */
#ifndef SAMPLER_GENERATION_CASES_USED_H
#define SAMPLER_GENERATION_CASES_USED_H

/** A line of the table: a routine with all combinations of the values, which are separated by `|`.
 */
struct cases_used_line {
    const char *routine;   /**< name of the routine without the letter of the type */
    const char *arguments; /**< values for all arguments of the routine, as in a case */
    const char *domain;    /**< domains of all sizes of the routine, separated by blanks */
};

/** The table; a line without a routine ends it. */
extern const struct cases_used_line cases_used[];

#endif
