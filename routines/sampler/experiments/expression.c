#include "routines/sampler/experiments/expression.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/checked.h"
#include "base/decimal.h"
#include "base/error.h"

enum { DEPTH_MAX = 64, NAME_MAX_LENGTH = 64 };

enum node_kind {
    NODE_NUMBER,
    NODE_VARIABLE,
    NODE_ADD,
    NODE_SUBTRACT,
    NODE_MULTIPLY,
    NODE_DIVIDE,
    NODE_MIN,
    NODE_MAX,
    NODE_FLOOR,
    NODE_CEIL
};

/** An integer or a real number. */
struct number {
    bool whole;
    int64_t integer;
    double real; /* the number as a real, also set for an integer */
};

struct expression_node {
    enum node_kind kind;
    struct number number;                     /* value of a NODE_NUMBER */
    enum expression_variable variable;        /* variable of a NODE_VARIABLE */
    const struct expression_node *operand[2]; /* operands; the second is NULL for NODE_FLOOR and
                                                 NODE_CEIL */
};

static struct number whole(int64_t value) {
    return (struct number){.whole = true, .integer = value, .real = (double)value};
}

struct parser {
    struct arena *arena;
    const char *text;
    size_t length;
    size_t at;
    int depth;
    unsigned variables;
    const struct expression_scope *scope;
    struct tcplan_error *error;
    enum tcplan_status status; /* status of the first error */
};

static const struct expression_node *parse_sum(struct parser *parser);

static void refuse(struct parser *parser, enum tcplan_status status, size_t at, size_t length,
                   const char *message) {
    if (parser->status == TCPLAN_OK)
        parser->status = error_at(parser->error, status, at, length, "%s", message);
}

static void skip_blanks(struct parser *parser) {
    while (parser->at < parser->length && isspace((unsigned char)parser->text[parser->at]))
        parser->at++;
}

/** Returns the next character after blanks; 0 at the end. */
static char peek(struct parser *parser) {
    skip_blanks(parser);
    return parser->at < parser->length ? parser->text[parser->at] : '\0';
}

static bool take(struct parser *parser, char c) {
    if (peek(parser) != c) return false;
    parser->at++;
    return true;
}

static void expect(struct parser *parser, char c) {
    char message[64];
    if (take(parser, c)) return;
    snprintf(message, sizeof message, "expected '%c' in an expression", c);
    refuse(parser, TCPLAN_INVALID, parser->at, 1, message);
}

/** Makes a node of the parsed expression; returns NULL if memory runs out or after an error. */
static const struct expression_node *make(struct parser *parser, struct expression_node node) {
    if (parser->status != TCPLAN_OK) return NULL;
    struct expression_node *out = arena_alloc(parser->arena, sizeof *out);
    if (out) {
        *out = node;
    } else {
        parser->status = error_no_memory(parser->error);
    }
    return out;
}

static const struct expression_node *make_two(struct parser *parser, enum node_kind kind,
                                              const struct expression_node *left,
                                              const struct expression_node *right) {
    return make(parser, (struct expression_node){.kind = kind, .operand = {left, right}});
}

/* Reads digits; returns false if the number does not fit. */
static bool read_integer(int64_t *out, const char *text, size_t length) {
    *out = 0;
    for (size_t i = 0; i < length; i++) {
        if (!checked_mul_i64(*out, 10, out) || !checked_add_i64(*out, text[i] - '0', out))
            return false;
    }
    return true;
}

/* number = digits [ "." digits ] [ ( "e" | "E" ) [ sign ] digits ] */
static const struct expression_node *parse_number(struct parser *parser) {
    const char *text = parser->text + parser->at;
    const size_t left = parser->length - parser->at, start = parser->at;
    size_t digits = 0, length;
    while (digits < left && isdigit((unsigned char)text[digits])) digits++;
    length = digits;
    if (length < left && text[length] == '.') length++;
    while (length < left && isdigit((unsigned char)text[length])) length++;
    if (length < left && (text[length] == 'e' || text[length] == 'E')) {
        length++;
        if (length < left && (text[length] == '+' || text[length] == '-')) length++;
        while (length < left && isdigit((unsigned char)text[length])) length++;
    }
    parser->at += length;
    struct number number = {.whole = length == digits};
    if (number.whole && !read_integer(&number.integer, text, length)) {
        refuse(parser, TCPLAN_OVERFLOW, start, length, "a number beyond 9223372036854775807");
    } else if (number.whole) {
        number.real = (double)number.integer;
    } else if (!decimal_read(&number.real, text, length) || !isfinite(number.real)) {
        refuse(parser, TCPLAN_INVALID, start, length, "expected a number such as 0.5 or 1e-3");
    }
    return make(parser, (struct expression_node){.kind = NODE_NUMBER, .number = number});
}

static bool is_called(const char *name, const char *text, size_t length) {
    return name && strlen(name) == length && memcmp(name, text, length) == 0;
}

/* arguments = "(" expression { "," expression } ")" ; the "(" has been read */
static const struct expression_node *parse_extreme(struct parser *parser, enum node_kind kind) {
    const struct expression_node *out = parse_sum(parser);
    while (parser->status == TCPLAN_OK && take(parser, ','))
        out = make_two(parser, kind, out, parse_sum(parser));
    expect(parser, ')');
    return out;
}

static const struct expression_node *parse_rounding(struct parser *parser, enum node_kind kind) {
    const struct expression_node *operand = parse_sum(parser);
    expect(parser, ')');
    return make_two(parser, kind, operand, NULL);
}

static const struct expression_node *parse_function(struct parser *parser, size_t start,
                                                    size_t length) {
    static const struct {
        const char *name;
        enum node_kind kind;
    } functions[] = {
        {"min", NODE_MIN}, {"max", NODE_MAX}, {"floor", NODE_FLOOR}, {"ceil", NODE_CEIL}};
    parser->at++;
    for (size_t f = 0; f < sizeof functions / sizeof *functions; f++) {
        if (!is_called(functions[f].name, parser->text + start, length)) continue;
        const enum node_kind kind = functions[f].kind;
        return kind == NODE_MIN || kind == NODE_MAX ? parse_extreme(parser, kind)
                                                    : parse_rounding(parser, kind);
    }
    refuse(parser, TCPLAN_INVALID, start, length, "expected the function min, max, floor or ceil");
    return NULL;
}

static void refuse_variable(struct parser *parser, size_t start, size_t length) {
    const char *const *name = parser->scope->name;
    char message[200];
    const char *range = name[EXPRESSION_RANGE], *sum = name[EXPRESSION_SUM];
    if (!range && !sum) {
        snprintf(message, sizeof message, "unknown variable '%.*s': there are no variables here",
                 (int)length, parser->text + start);
    } else {
        snprintf(message, sizeof message, "unknown variable '%.*s': expected %s%s%s", (int)length,
                 parser->text + start, range ? range : "", range && sum ? " and " : "",
                 sum ? sum : "");
    }
    refuse(parser, TCPLAN_INVALID, start, length, message);
}

/* name = letter { letter | digit | "_" } */
static const struct expression_node *parse_name(struct parser *parser) {
    const size_t start = parser->at;
    while (parser->at < parser->length &&
           (isalnum((unsigned char)parser->text[parser->at]) || parser->text[parser->at] == '_'))
        parser->at++;
    const size_t length = parser->at - start;
    if (peek(parser) == '(') return parse_function(parser, start, length);
    for (int v = 0; v < EXPRESSION_VARIABLES; v++) {
        if (!is_called(parser->scope->name[v], parser->text + start, length)) continue;
        parser->variables |= 1U << v;
        return make(parser, (struct expression_node){.kind = NODE_VARIABLE,
                                                     .variable = (enum expression_variable)v});
    }
    refuse_variable(parser, start, length < NAME_MAX_LENGTH ? length : NAME_MAX_LENGTH);
    return NULL;
}

static const struct expression_node *parse_atom(struct parser *parser) {
    const char c = peek(parser);
    if (c == '(') {
        parser->at++;
        const struct expression_node *out = parse_sum(parser);
        expect(parser, ')');
        return out;
    }
    if (isdigit((unsigned char)c) || c == '.') return parse_number(parser);
    if (isalpha((unsigned char)c)) return parse_name(parser);
    refuse(parser, TCPLAN_INVALID, parser->at, parser->at < parser->length,
           "expected a number, a variable or '('");
    return NULL;
}

/* factor = [ "-" | "+" ] ( number | variable | "(" expression ")" | function ) */
static const struct expression_node *parse_factor(struct parser *parser) {
    const bool minus = take(parser, '-');
    if (!minus) take(parser, '+');
    const struct expression_node *atom = parse_atom(parser);
    if (!minus) return atom;
    const struct expression_node *zero =
        make(parser, (struct expression_node){.kind = NODE_NUMBER, .number = whole(0)});
    return make_two(parser, NODE_SUBTRACT, zero, atom);
}

/* term = factor { ( "*" | "/" ) factor } */
static const struct expression_node *parse_product(struct parser *parser) {
    const struct expression_node *out = parse_factor(parser);
    while (parser->status == TCPLAN_OK) {
        const char c = peek(parser);
        if (c != '*' && c != '/') break;
        parser->at++;
        out = make_two(parser, c == '*' ? NODE_MULTIPLY : NODE_DIVIDE, out, parse_factor(parser));
    }
    return out;
}

/* expression = term { ( "+" | "-" ) term } */
static const struct expression_node *parse_sum(struct parser *parser) {
    if (parser->status != TCPLAN_OK) return NULL;
    if (++parser->depth > DEPTH_MAX)
        refuse(parser, TCPLAN_INVALID, parser->at, 1, "parentheses nested too deeply");
    const struct expression_node *out = parse_product(parser);
    while (parser->status == TCPLAN_OK) {
        const char c = peek(parser);
        if (c != '+' && c != '-') break;
        parser->at++;
        out = make_two(parser, c == '+' ? NODE_ADD : NODE_SUBTRACT, out, parse_product(parser));
    }
    parser->depth--;
    return out;
}

/** Copies the text without blanks; NULL if memory runs out. */
static const char *keep_text(struct arena *arena, const char *text, size_t length) {
    char *copy = arena_strndup(arena, text, length);
    size_t kept = 0;
    for (size_t i = 0; copy && i < length; i++) {
        if (!isspace((unsigned char)copy[i])) copy[kept++] = copy[i];
    }
    if (copy) copy[kept] = '\0';
    return copy;
}

enum tcplan_status expression_parse(struct expression *out, struct arena *arena, const char *text,
                                    size_t length, const struct expression_scope *scope,
                                    struct tcplan_error *error) {
    struct parser parser = {
        .arena = arena, .text = text, .length = length, .scope = scope, .error = error};
    *out = (struct expression){0};
    if (length > EXPRESSION_LENGTH_MAX)
        return error_set(error, TCPLAN_INVALID, "an expression has more than %d characters",
                         EXPRESSION_LENGTH_MAX);
    const struct expression_node *root = parse_sum(&parser);
    if (peek(&parser) != '\0' || parser.at < parser.length) {
        refuse(&parser, TCPLAN_INVALID, parser.at, 1,
               "expected +, -, * or / or the end of the expression");
    }
    if (parser.status != TCPLAN_OK) return parser.status;
    *out = (struct expression){
        .text = keep_text(arena, text, length), .root = root, .variables = parser.variables};
    return out->text ? TCPLAN_OK : error_no_memory(error);
}

enum tcplan_status expression_constant(struct expression *out, struct arena *arena, int64_t value,
                                       struct tcplan_error *error) {
    static const struct expression_scope none = {0};
    char text[32];
    snprintf(text, sizeof text, "%" PRId64, value);
    return expression_parse(out, arena, text, strlen(text), &none, error);
}

struct evaluation {
    const struct expression *expression;
    const struct expression_values *values;
    struct tcplan_error *error;
    enum tcplan_status status;
};

static struct number fail(struct evaluation *evaluation, enum tcplan_status status,
                          const char *what) {
    if (evaluation->status == TCPLAN_OK) {
        evaluation->status =
            error_set(evaluation->error, status, "'%.120s' %s", evaluation->expression->text, what);
    }
    return whole(0);
}

/** Returns a real number; records an error if it is not finite. */
static struct number real(struct evaluation *evaluation, double value) {
    if (!isfinite(value)) return fail(evaluation, TCPLAN_OVERFLOW, "is beyond the largest number");
    return (struct number){.real = value};
}

static struct number divide(struct evaluation *evaluation, struct number a, struct number b) {
    if (b.real == 0) return fail(evaluation, TCPLAN_INVALID, "divides by 0");
    if (a.whole && b.whole && b.integer != -1 && b.integer != 0 && a.integer % b.integer == 0)
        return whole(a.integer / b.integer);
    if (a.whole && b.whole && b.integer == -1 && a.integer != INT64_MIN) return whole(-a.integer);
    return real(evaluation, a.real / b.real);
}

/** Adds, subtracts or multiplies integers; records an error on overflow. */
static struct number whole_result(struct evaluation *evaluation, enum node_kind kind, int64_t a,
                                  int64_t b) {
    int64_t out = 0;
    const bool overflows = kind == NODE_ADD        ? __builtin_add_overflow(a, b, &out)
                           : kind == NODE_SUBTRACT ? __builtin_sub_overflow(a, b, &out)
                                                   : __builtin_mul_overflow(a, b, &out);
    return overflows ? fail(evaluation, TCPLAN_OVERFLOW, "is beyond 9223372036854775807")
                     : whole(out);
}

static struct number rounded(struct evaluation *evaluation, struct number a, bool up) {
    if (a.whole) return a;
    const double value = up ? ceil(a.real) : floor(a.real);
    if (!(fabs(value) < 0x1p63))
        return fail(evaluation, TCPLAN_OVERFLOW, "is beyond 9223372036854775807");
    return whole((int64_t)value);
}

static bool is_less(struct number a, struct number b) {
    return a.whole && b.whole ? a.integer < b.integer : a.real < b.real;
}

static struct number evaluate(struct evaluation *evaluation, const struct expression_node *node) {
    if (evaluation->status != TCPLAN_OK) return whole(0);
    if (node->kind == NODE_NUMBER) return node->number;
    if (node->kind == NODE_VARIABLE) return whole(evaluation->values->value[node->variable]);
    const struct number a = evaluate(evaluation, node->operand[0]);
    const struct number b = node->operand[1] ? evaluate(evaluation, node->operand[1]) : whole(0);
    if (evaluation->status != TCPLAN_OK) return whole(0);
    const bool both_whole = a.whole && b.whole;
    switch (node->kind) {
    case NODE_NUMBER:
    case NODE_VARIABLE: break; /* handled before the switch */
    case NODE_ADD:
        return both_whole ? whole_result(evaluation, node->kind, a.integer, b.integer)
                          : real(evaluation, a.real + b.real);
    case NODE_SUBTRACT:
        return both_whole ? whole_result(evaluation, node->kind, a.integer, b.integer)
                          : real(evaluation, a.real - b.real);
    case NODE_MULTIPLY:
        return both_whole ? whole_result(evaluation, node->kind, a.integer, b.integer)
                          : real(evaluation, a.real * b.real);
    case NODE_DIVIDE: return divide(evaluation, a, b);
    case NODE_MIN: return is_less(b, a) ? b : a;
    case NODE_MAX: return is_less(a, b) ? b : a;
    case NODE_FLOOR: return rounded(evaluation, a, false);
    case NODE_CEIL: return rounded(evaluation, a, true);
    }
    return whole(0);
}

enum tcplan_status expression_integer(const struct expression *expression,
                                      const struct expression_values *values, int64_t *out,
                                      struct tcplan_error *error) {
    struct evaluation evaluation = {.expression = expression, .values = values, .error = error};
    const struct number number = evaluate(&evaluation, expression->root);
    if (evaluation.status != TCPLAN_OK) return evaluation.status;
    if (!number.whole) {
        return error_set(error, TCPLAN_INVALID,
                         "'%.120s' is %.6g; expected a whole number (use floor() or ceil())",
                         expression->text, number.real);
    }
    *out = number.integer;
    return TCPLAN_OK;
}

enum tcplan_status expression_real(const struct expression *expression,
                                   const struct expression_values *values, double *out,
                                   struct tcplan_error *error) {
    struct evaluation evaluation = {.expression = expression, .values = values, .error = error};
    const struct number number = evaluate(&evaluation, expression->root);
    if (evaluation.status == TCPLAN_OK) *out = number.real;
    return evaluation.status;
}

bool expression_same(const struct expression *a, const struct expression *b) {
    return a->text && b->text && strcmp(a->text, b->text) == 0;
}
