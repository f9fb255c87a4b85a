/**
 * Formulas of the table of routines: sizes and operations as functions of a call's arguments.
 *
 *   formula   = sum [ condition "?" formula ":" formula ]
 *   condition = "=" value | ">=" sum
 *   sum       = product { ( "+" | "-" ) product }
 *   product   = factor { ( "*" | "/" ) factor }
 *   factor    = number | name | ( "min" | "max" ) "(" formula "," formula ")" | "(" formula ")"
 *
 * The condition "=" may follow only a flag, and its value is one of the flag's letters or integers.
 *
 * Names are those of arguments, or the operations of a multiplication (`mul`), of a multiplication
 * by a real number (`rmul`), of an addition (`add`) and of a multiplication with an addition
 * (`fma`). There are no blanks.
 */
#ifndef SAMPLER_FORMULA_H
#define SAMPLER_FORMULA_H

#include "base/arena.h"
#include "routines/sampler/signatures/signature.h"

enum formula_kind {
    FORMULA_NUMBER,
    FORMULA_ARGUMENT,
    FORMULA_MULTIPLICATION, /* `mul` */
    FORMULA_REAL_MULTIPLICATION,
    FORMULA_ADDITION,
    FORMULA_FUSED,
    FORMULA_PLUS,
    FORMULA_MINUS,
    FORMULA_TIMES,
    FORMULA_OVER,
    FORMULA_MIN,
    FORMULA_MAX,
    FORMULA_IF_EQUAL, /* argument = number ? first : second */
    FORMULA_IF_LEAST  /* condition[0] >= condition[1] ? first : second */
};

struct formula {
    enum formula_kind kind;
    int argument;
    double number;
    const struct formula *first, *second;
    const struct formula *condition[2];
};

/**
 * Reads a formula whose names are arguments of a signature.
 *
 * @param text  advanced past the formula, which extends as far as possible
 * @return NULL if the formula is malformed (*text then points to the fault) or memory runs out
 *     (check with arena_failed())
 */
const struct formula *formula_read(struct arena *arena, const struct signature *signature,
                                   const char **text, bool *arena_failed);

/** Returns the value of a formula: exact if all intermediate values are integers below 2^53. */
double formula_value(const struct formula *formula, const struct signature *signature,
                     const int64_t value[]);

/**
 * Returns the degree of a formula as a polynomial in one size, `argument`, or in all sizes
 * together if `argument` is negative. `value` decides conditions on flags; for other conditions
 * the larger degree is taken. Divisors are constants.
 */
int formula_degree(const struct formula *formula, const struct signature *signature,
                   const int64_t value[], int argument);

#endif
