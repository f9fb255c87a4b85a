/**
 * Cases of models. A case is a routine with values for all arguments that are not sizes, and a
 * domain of sizes.
 *
 * A routine given without arguments stands for all its cases in a table (cases_used.h), which has
 * a domain for each. The table has the cases that predictions use: kernels of contractions, and
 * calls of blocked algorithms (dissertation, chapter 4).
 *
 *     words = { routine { argument "=" value | size "=" number [ ":" number ] } }
 *     separated by blanks, ":" or ","
 *
 * Arguments are flags, scalars (`-1`, `0`, `1`, `any`) and increments (`1`, `large`), named as in
 * the signature. Given arguments select among the routine's cases in the table; if all are given,
 * they define the case, in the table or not. Given sizes set the domain of these cases only, so
 * that one generation can make models on different domains. Pure functions.
 */
#ifndef SAMPLER_GENERATION_CASES_H
#define SAMPLER_GENERATION_CASES_H

#include "routines/sampler/signatures/signature.h"
#include "tcplan/models.h"

/** Value of scalars that are `any`. It is close to 1, so that operands keep their magnitude however
 * often a call is repeated in place. */
#define CASES_ANY_SCALAR (1 + 0x1p-20)

/** Ends of the domain of each size, for a case that is not in the table. */
enum { CASES_LOW = 24, CASES_HIGH = 536 };

struct generation_case {
    char text[TCPLAN_MODEL_TEXT]; /**< the case as text, see tcplan_model_case_read() */
    const struct signature *signature;
    int64_t value[SIGNATURE_MAX_ARGUMENTS]; /**< values of flags; for increments 1, or 0 for `large`
                                             */
    double scalar[SIGNATURE_MAX_ARGUMENTS];
    int size_argument[TCPLAN_MODEL_SIZES]; /**< numbers of the arguments that are sizes, one for
                                              each size of the domain */
    int degree[TCPLAN_MODEL_SIZES]; /**< for each size, the degree of the number of operations in
                                       it, see signature_degrees() */
    struct tcplan_model_domain domain;
};

/** Zero-initialise before use. */
struct generation_cases {
    int count;
    struct generation_case *of; /**< cases, owned */
};

/**
 * Reads a choice of cases.
 *
 * @param out       receives the cases; a case with a domain occurs once; free with cases_free()
 *                  whatever is returned
 * @param word      `count` words as on a command line
 * @param domain    such as `m=24:536,n=24:4152` or `n=1000`, for all cases whose words have no
 *                  domain; sizes that are not named keep the table's. NULL: the table's domains
 * @param multiple  number of which the ends of domains must be multiples
 * @return TCPLAN_OK; TCPLAN_INVALID: there is no word; a routine, argument or value is unknown or
 *         can have no models; the table has no such case; a domain with names that no case has, or
 *         with ends that are no multiples, out of order or above TCPLAN_MODEL_LARGEST;
 *         TCPLAN_NO_MEMORY
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
 * Makes the case of a call. Flags, scalars of -1, 0 and 1, and increments of 1 keep their values;
 * other scalars become `any`, other increments `large`.
 *
 * @param value        value of each argument, see routines/sampler/signatures/signature.h; flags
 *                     and increments are read
 * @param scalar       scalar of each argument: real parts of scalars
 * @param any_scalars  scalars of 1 and -1 also count as any
 * @return false if the routine has no models: more sizes than models allow, or too long a case
 */
bool case_of_call(struct called_case *out, const struct signature *signature, const int64_t value[],
                  const double scalar[], bool any_scalars);

/** Sets the values of all arguments of a call at some sizes. Leading dimensions and large
 * increments are `leading`; if that is 0, leading dimensions are as small as possible. */
void case_values(int64_t value[SIGNATURE_MAX_ARGUMENTS], const struct generation_case *of,
                 const int64_t size[], int64_t leading);

/** Returns the largest of the minimum leading dimensions that calls of a case have anywhere in its
 * domain; 1 if the case has no leading dimension. */
int64_t case_least_leading(const struct generation_case *of);

/** Returns the operations of a call in double-precision equivalents: an operation in single
 * precision counts as half an operation. 0: the call only moves data. */
double case_flops(const struct generation_case *of, const int64_t size[]);

/** Returns an estimate proportional to a call's time, above 0: its operations and the bytes that it
 * moves. */
double case_work(const struct generation_case *of, const int64_t size[]);

#endif
