#include "routines/sampler/signatures/formula.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "base/decimal.h"

struct reader {
    struct arena *arena;
    const struct signature *signature;
    const char *at;
    bool failed;
};

static const struct formula *read_formula(struct reader *reader);

static const struct formula *make(struct reader *reader, struct formula formula) {
    struct formula *out = arena_alloc(reader->arena, sizeof *out);
    if (out) {
        *out = formula;
    } else {
        reader->failed = true;
    }
    return out;
}

static const struct formula *make_pair(struct reader *reader, enum formula_kind kind,
                                       const struct formula *first, const struct formula *second) {
    return first && second
               ? make(reader, (struct formula){.kind = kind, .first = first, .second = second})
               : NULL;
}

static bool take(struct reader *reader, const char *text) {
    const size_t length = strlen(text);
    if (strncmp(reader->at, text, length) != 0) return false;
    reader->at += length;
    return true;
}

static size_t word_length(const char *text) {
    size_t length = 0;
    while (isalnum((unsigned char)text[length])) length++;
    return length;
}

/* extreme = ( "min" | "max" ) "(" formula "," formula ")" */
static const struct formula *read_extreme(struct reader *reader, enum formula_kind kind) {
    const struct formula *first = read_formula(reader);
    if (!first || !take(reader, ",")) return NULL;
    const struct formula *second = read_formula(reader);
    return take(reader, ")") ? make_pair(reader, kind, first, second) : NULL;
}

static const struct formula *read_number(struct reader *reader) {
    struct formula formula = {.kind = FORMULA_NUMBER};
    size_t length = 0;
    while (isdigit((unsigned char)reader->at[length])) length++;
    if (!decimal_read(&formula.number, reader->at, length)) return NULL;
    reader->at += length;
    return make(reader, formula);
}

static const struct formula *read_name(struct reader *reader) {
    static const char *const constants[] = {"mul", "rmul", "add", "fma"};
    char name[SIGNATURE_NAME];
    const size_t length = word_length(reader->at);
    if (length == 0 || length >= sizeof name) return NULL;
    memcpy(name, reader->at, length);
    name[length] = '\0';
    reader->at += length;
    for (int c = 0; c < 4; c++) {
        if (strcmp(name, constants[c]) == 0)
            return make(reader,
                        (struct formula){.kind = (enum formula_kind)(FORMULA_MULTIPLICATION + c)});
    }
    const int argument = signature_argument(reader->signature, name);
    return argument >= 0
               ? make(reader, (struct formula){.kind = FORMULA_ARGUMENT, .argument = argument})
               : NULL;
}

/* factor = number | name | ( "min" | "max" ) "(" formula "," formula ")" | "(" formula ")" */
static const struct formula *read_factor(struct reader *reader) {
    if (take(reader, "min(")) return read_extreme(reader, FORMULA_MIN);
    if (take(reader, "max(")) return read_extreme(reader, FORMULA_MAX);
    if (isdigit((unsigned char)*reader->at)) return read_number(reader);
    if (!take(reader, "(")) return read_name(reader);
    const struct formula *inner = read_formula(reader);
    return take(reader, ")") ? inner : NULL;
}

/* product = factor { ( "*" | "/" ) factor } */
static const struct formula *read_product(struct reader *reader) {
    const struct formula *out = read_factor(reader);
    while (out && (*reader->at == '*' || *reader->at == '/')) {
        const enum formula_kind kind = *reader->at++ == '*' ? FORMULA_TIMES : FORMULA_OVER;
        out = make_pair(reader, kind, out, read_factor(reader));
    }
    return out;
}

/* sum = product { ( "+" | "-" ) product } */
static const struct formula *read_sum(struct reader *reader) {
    const struct formula *out = read_product(reader);
    while (out && (*reader->at == '+' || *reader->at == '-')) {
        const enum formula_kind kind = *reader->at++ == '+' ? FORMULA_PLUS : FORMULA_MINUS;
        out = make_pair(reader, kind, out, read_product(reader));
    }
    return out;
}

/* value = letter | [ "-" ] number */
static bool read_value(struct reader *reader, double *out) {
    const bool is_negative = take(reader, "-");
    if (isalpha((unsigned char)*reader->at)) {
        *out = *reader->at++;
        return !is_negative;
    }
    const struct formula *number = read_number(reader);
    if (number) *out = is_negative ? -number->number : number->number;
    return number != NULL;
}

/* formula = sum [ condition "?" formula ":" formula ] */
static const struct formula *read_formula(struct reader *reader) {
    struct formula out = {.condition = {read_sum(reader)}};
    if (!out.condition[0]) return NULL;
    if (take(reader, ">=")) {
        out.kind = FORMULA_IF_LEAST;
        out.condition[1] = read_sum(reader);
        if (!out.condition[1]) return NULL;
    } else if (out.condition[0]->kind == FORMULA_ARGUMENT && take(reader, "=")) {
        out.kind = FORMULA_IF_EQUAL;
        out.argument = out.condition[0]->argument;
        if (!read_value(reader, &out.number)) return NULL;
    } else {
        return out.condition[0];
    }
    if (!take(reader, "?")) return NULL;
    out.first = read_formula(reader);
    if (!out.first || !take(reader, ":")) return NULL;
    out.second = read_formula(reader);
    return out.second ? make(reader, out) : NULL;
}

const struct formula *formula_read(struct arena *arena, const struct signature *signature,
                                   const char **text, bool *arena_failed) {
    struct reader reader = {.arena = arena, .signature = signature, .at = *text};
    const struct formula *out = read_formula(&reader);
    *text = reader.at;
    *arena_failed = reader.failed;
    return out;
}

/** Returns the number of real operations of a multiplication or an addition in the routine's type:
 * a complex multiplication consists of four multiplications and two additions. */
static double operations(enum formula_kind kind, const struct signature *signature) {
    const bool is_complex =
        signature->dtype == TCPLAN_FLOAT_COMPLEX || signature->dtype == TCPLAN_DOUBLE_COMPLEX;
    if (kind == FORMULA_MULTIPLICATION) return is_complex ? 6 : 1;
    if (kind == FORMULA_FUSED) return is_complex ? 8 : 2;
    return is_complex ? 2 : 1;
}

static bool holds(const struct formula *formula, const struct signature *signature,
                  const int64_t value[]) {
    if (formula->kind == FORMULA_IF_EQUAL)
        return (double)value[formula->argument] == formula->number;
    return formula_value(formula->condition[0], signature, value) >=
           formula_value(formula->condition[1], signature, value);
}

double formula_value(const struct formula *formula, const struct signature *signature,
                     const int64_t value[]) {
    switch (formula->kind) {
    case FORMULA_NUMBER: return formula->number;
    case FORMULA_ARGUMENT: return (double)value[formula->argument];
    case FORMULA_MULTIPLICATION:
    case FORMULA_REAL_MULTIPLICATION:
    case FORMULA_ADDITION:
    case FORMULA_FUSED: return operations(formula->kind, signature);
    case FORMULA_IF_EQUAL:
    case FORMULA_IF_LEAST:
        return formula_value(holds(formula, signature, value) ? formula->first : formula->second,
                             signature, value);
    case FORMULA_PLUS:
    case FORMULA_MINUS:
    case FORMULA_TIMES:
    case FORMULA_OVER:
    case FORMULA_MIN:
    case FORMULA_MAX: break;
    }
    const double first = formula_value(formula->first, signature, value),
                 second = formula_value(formula->second, signature, value);
    if (formula->kind == FORMULA_PLUS) return first + second;
    if (formula->kind == FORMULA_MINUS) return first - second;
    if (formula->kind == FORMULA_TIMES) return first * second;
    if (formula->kind == FORMULA_OVER) return first / second;
    return formula->kind == FORMULA_MIN ? fmin(first, second) : fmax(first, second);
}

int formula_degree(const struct formula *formula, const struct signature *signature,
                   const int64_t value[], int argument) {
    const struct signature_argument *of = &signature->argument[formula->argument];
    switch (formula->kind) {
    case FORMULA_ARGUMENT:
        return of->class == SIGNATURE_DIM && (argument < 0 || argument == formula->argument);
    case FORMULA_NUMBER:
    case FORMULA_MULTIPLICATION:
    case FORMULA_REAL_MULTIPLICATION:
    case FORMULA_ADDITION:
    case FORMULA_FUSED: return 0;
    case FORMULA_OVER: return formula_degree(formula->first, signature, value, argument);
    case FORMULA_IF_EQUAL:
        return formula_degree(holds(formula, signature, value) ? formula->first : formula->second,
                              signature, value, argument);
    case FORMULA_IF_LEAST:
    case FORMULA_PLUS:
    case FORMULA_MINUS:
    case FORMULA_TIMES:
    case FORMULA_MIN:
    case FORMULA_MAX: break;
    }
    const int first = formula_degree(formula->first, signature, value, argument);
    const int second = formula_degree(formula->second, signature, value, argument);
    if (formula->kind == FORMULA_TIMES) return first + second;
    return first > second ? first : second;
}
