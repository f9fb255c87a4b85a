/**
 * Cases of models: what of a routine's arguments is no size, and on which sizes.
 *
 * A routine alone means the cases that are used: those of a table, which has what planning calls
 * for contractions and what blocked algorithms call (dissertation, chapter 4; models of unused
 * cases would be a waste). The table also has the domain of each.
 *
 *   words = { routine { argument "=" value | size "=" number [ ":" number ] } }
 *         divided by blanks, ":" or ","
 *
 * Arguments are flags, scalars (`-1`, `0`, `1`, `any`) and increments (`1`, `large`), by the names
 * of the signature. The given names choose among the routine's used cases; where all of its
 * arguments are named, that is the case, used or not. Sizes have their domain, of these cases only:
 * so one generation makes models on different domains. Pure functions.
 */
#ifndef SAMPLER_GENERATION_CASES_H
#define SAMPLER_GENERATION_CASES_H

#include "routines/sampler/signatures/signature.h"
#include "tcplan/models.h"

/** Values of scalars that are `any`: next to 1, so that operands keep their size however often a
 * call is repeated in place. */
#define CASES_ANY_SCALAR (1 + 0x1p-20)

/** The domain of a case that is in no table: of each size. */
enum { CASES_LOW = 24, CASES_HIGH = 536 };

struct generation_case {
    char text[TCPLAN_MODEL_TEXT]; /**< see tcplan_model_case_read() */
    const struct signature *signature;
    int64_t value[SIGNATURE_MAX_ARGUMENTS]; /**< of flags; of increments 1, or 0: large */
    double scalar[SIGNATURE_MAX_ARGUMENTS];
    int size_argument[TCPLAN_MODEL_SIZES]; /**< which arguments are the sizes; as many as the domain
                                              has */
    int degree[TCPLAN_MODEL_SIZES];        /**< of the operations, see signature_degrees() */
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
 * @param out       receives them, each with each domain once, to be freed with cases_free()
 *                  whatever is returned
 * @param word      `count` words as a command line has them
 * @param domain    as `m=24:536,n=24:4152` or `n=1000`, of all cases but those whose words have
 *                  their own: sizes that are not named keep the table's. NULL: all do
 * @param multiple  that ends of domains have to be of
 * @return TCPLAN_OK; TCPLAN_INVALID: no word, an unknown routine, argument or value, one without
 *         models, no used case, a domain with names that no case has, ends that are no multiples,
 *         out of order or beyond TCPLAN_MODEL_LARGEST; TCPLAN_NO_MEMORY
 */
enum tcplan_status cases_read(struct generation_cases *out, const char *const word[], int count,
                              const char *domain, int64_t multiple, struct tcplan_error *error);

void cases_free(struct generation_cases *cases);

/** Finds the case of a call and its sizes. */
struct called_case {
    char text[TCPLAN_MODEL_TEXT];
    int sizes;
    int size_argument[TCPLAN_MODEL_SIZES]; /**< which arguments they are */
};

/**
 * The case of a call of a routine: flags as they are, scalars that are -1, 0 or 1, increments of 1,
 * all others `any` and `large`.
 *
 * @param value        of each argument, see routines/sampler/signatures/signature.h: flags and
 * increments are read
 * @param scalar       of each argument: real parts of scalars
 * @param any_scalars  scalars of 1 and -1 count as any too
 * @return false where the routine has no models: more sizes than a model has, a case that is too
 *         long
 */
bool case_of_call(struct called_case *out, const struct signature *signature, const int64_t value[],
                  const double scalar[], bool any_scalars);

/** All values of a call at some sizes, whose leading dimensions and large increments are `leading`;
 * 0: leading dimensions are the least. */
void case_values(int64_t value[SIGNATURE_MAX_ARGUMENTS], const struct generation_case *of,
                 const int64_t size[], int64_t leading);

/** Returns the largest minimum of its leading dimensions within the domain; 1 without any. */
int64_t case_least_leading(const struct generation_case *of);

/** Operations of a call, as times of double precision: those of single precision take half. 0: it
 * only moves data. */
double case_flops(const struct generation_case *of, const int64_t size[]);

/** Returns an estimate proportional to a call's time: its operations and the bytes that it moves.
 * Above 0. */
double case_work(const struct generation_case *of, const int64_t size[]);

#endif
