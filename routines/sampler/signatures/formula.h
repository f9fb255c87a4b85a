/**
 * Formulas of the table of routines: sizes and operations as functions of a call's arguments.
 *
 *   formula   = sum [ condition "?" formula ":" formula ]
 *   condition = "=" value | ">=" sum            "=" behind a flag only; the value is one of its
 *                                               letters or integers
 *   sum       = product { ( "+" | "-" ) product }
 *   product   = factor { ( "*" | "/" ) factor }
 *   factor    = number | name | ( "min" | "max" ) "(" formula "," formula ")" | "(" formula ")"
 *
 * Names are those of arguments, or `mul`, `rmul`, `add` and `fma`: what a multiplication, one with
 * a real number, an addition and a fused pair count. There are no blanks.
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
 * @param text  advanced behind the formula; as much is read as belongs to it
 * @return NULL if it is malformed (*text is where) or memory runs out, which `arena_failed` tells
 */
const struct formula *formula_read(struct arena *arena, const struct signature *signature,
                                   const char **text, bool *arena_failed);

/** Its value: exact where all of its parts are integers below 2^53. */
double formula_value(const struct formula *formula, const struct signature *signature,
                     const int64_t value[]);

/**
 * Its degree in a size, `argument`, or in all together where that is negative, as a polynomial.
 * Conditions on flags are decided by `value`, of others the larger degree counts; divisors are
 * constants.
 */
int formula_degree(const struct formula *formula, const struct signature *signature,
                   const int64_t value[], int argument);

#endif
