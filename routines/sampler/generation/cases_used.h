/**
 * The table of the cases that are used: what planning calls for contractions, and blocked
 * algorithms for their blocks.
 */
#ifndef SAMPLER_GENERATION_CASES_USED_H
#define SAMPLER_GENERATION_CASES_USED_H

/** A line: all combinations of the values between `|`. */
struct cases_used_line {
    const char *routine;   /**< without the letter of the type */
    const char *arguments; /**< as in a case; all that the routine has */
    const char *domain;    /**< of all its sizes, divided by blanks */
};

/** Ended by a line without a routine. */
extern const struct cases_used_line cases_used[];

#endif
