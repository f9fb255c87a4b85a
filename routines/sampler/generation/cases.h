/**
 * Cases of models: all arguments of a routine that are not sizes, with a domain of sizes.
 *
 * A routine without arguments stands for the cases that are used: those of a table, which contains
 * the kernels of contractions and the calls of blocked algorithms (dissertation, chapter 4), with a
 * domain for each. Models of other cases would be wasted.
 *
 *     words = { routine { argument "=" value | size "=" number [ ":" number ] } }
 *     separated by blanks, ":" or ","
 *
 * Arguments are flags, scalars (`-1`, `0`, `1`, `any`) and increments (`1`, `large`), named as in
 * the signature. Given arguments select among the routine's used cases; if all are given, they
 * define the case, used or not. Given sizes set the domain of these cases only, so that one
 * generation can make models on different domains. Pure functions.
 */
#ifndef SAMPLER_GENERATION_CASES_H
#define SAMPLER_GENERATION_CASES_H

#include "routines/sampler/signatures/signature.h"
#include "tcplan/models.h"

/** Values for scalars that are `any`: close to 1, so that operands keep their magnitude however
 * often a call is repeated in place. */
#define CASES_ANY_SCALAR (1 + 0x1p-20)

/** The domain of a case that is not in the table, for each size. */
enum { CASES_LOW = 24, CASES_HIGH = 536 };

struct generation_case {
    char text[TCPLAN_MODEL_TEXT]; /**< see tcplan_model_case_read() */
    const struct signature *signature;
    int64_t value[SIGNATURE_MAX_ARGUMENTS]; /**< values of flags; for increments 1, or 0: large */
    double scalar[SIGNATURE_MAX_ARGUMENTS];
    int size_argument[TCPLAN_MODEL_SIZES]; /**< the arguments that are its sizes, one for each size
                                              of the domain */
    int degree[TCPLAN_MODEL_SIZES]; /**< degrees of the operations, see signature_degrees() */
    struct tcplan_model_domain domain;
};

/** Zero-initialise before use. */
struct generation_cases {
    int count;
    struct generation_case *of; /**< owned */
};

/**
 * Reads a choice of cases.
 *
 * @param out       receives them, each with each domain once; free with cases_free() whatever is
 * returned
 * @param word      `count` words as on a command line
 * @param domain    such as `m=24:536,n=24:4152` or `n=1000`, for all cases whose words have no
 * domain; sizes that are not named keep the table's. NULL: the table's domains
 * @param multiple  of which ends of domains must be multiples
 * @return TCPLAN_OK; TCPLAN_INVALID: no word; an unknown routine, argument or value, or one without
 * models; no used case; a domain with names that no case has, or with ends that are no multiples,
 * out of order or above TCPLAN_MODEL_LARGEST; TCPLAN_NO_MEMORY
 */
enum tcplan_status cases_read(struct generation_cases *out, const char *const word[], int count,
                              const char *domain, int64_t multiple, struct tcplan_error *error);

void cases_free(struct generation_cases *cases);

/** The case of a call, and the arguments that are its sizes. */
struct called_case {
    char text[TCPLAN_MODEL_TEXT];
    int sizes;
    int size_argument[TCPLAN_MODEL_SIZES]; /**< the arguments that are the sizes */
};

/**
 * Makes the case of a call: flags as they are, scalars -1, 0 or 1, increments 1; all other values
 * are `any` and `large`.
 *
 * @param value        of each argument, see routines/sampler/signatures/signature.h; flags and
 * increments are read
 * @param scalar       of each argument: real parts of scalars
 * @param any_scalars  scalars of 1 and -1 also count as any
 * @return false if the routine has no models: more sizes than models allow, or too long a case
 */
bool case_of_call(struct called_case *out, const struct signature *signature, const int64_t value[],
                  const double scalar[], bool any_scalars);

/** Sets all values of a call at some sizes, with leading dimensions and large increments of
 * `leading`; 0: the smallest leading dimensions. */
void case_values(int64_t value[SIGNATURE_MAX_ARGUMENTS], const struct generation_case *of,
                 const int64_t size[], int64_t leading);

/** Returns the smallest value that all leading dimensions of a case may have, anywhere in its
 * domain; 1 if it has none. */
int64_t case_least_leading(const struct generation_case *of);

/** Returns the operations of a call in double-precision equivalents: in single precision half of
 * its operations. 0: it only moves data. */
double case_flops(const struct generation_case *of, const int64_t size[]);

/** Returns an estimate proportional to a call's time, above 0: its operations and the bytes that it
 * moves. */
double case_work(const struct generation_case *of, const int64_t size[]);

#endif
