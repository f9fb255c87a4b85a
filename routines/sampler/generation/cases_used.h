/**
 * Table of the calls of BLAS and LAPACK routines for which models are useful: those in
 * contractions, and those that blocked algorithms make for their blocks.
 */
#ifndef SAMPLER_GENERATION_CASES_USED_H
#define SAMPLER_GENERATION_CASES_USED_H

/** A line of the table: all combinations of the values between `|`. */
struct cases_used_line {
    const char *routine;   /**< without the letter of the type */
    const char *arguments; /**< values as in a case, for all of the routine's arguments */
    const char *domain;    /**< domains of all its sizes, separated by blanks */
};

/** The table; a line without a routine ends it. */
extern const struct cases_used_line cases_used[];

#endif
