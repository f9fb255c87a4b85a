#include <string.h>

#include "ast/nest/blocks.h"
#include "base/decimal.h"
#include "routines/blocked/algorithms/builder.h"

static bool belongs_to_number(char c) {
    return scan_is_digit(c) || c == '.';
}

/** Returns the next word of letters, digits and underscores without advancing. */
static struct word next_word(struct scan *scan) {
    struct word word = {(scan_peek(scan), scan->at), 0};
    while (scan_is_name(word.text[word.length])) word.length++;
    return word;
}

/* operation = [ "^" ( "T" | "H" | "-1" | "-T" | "-H" ) ] */
static bool read_op(struct tcplan_factor *out, struct scan *scan) {
    if (!scan_accept(scan, "^")) return true;
    out->inverted = scan_accept(scan, "-");
    if (out->inverted && scan_accept(scan, "1")) return true;
    if (scan_accept(scan, "T")) {
        out->transposed = true;
    } else if (scan_accept(scan, "H")) {
        out->transposed = out->conjugated = true;
    } else {
        return scan_expected(scan, "T, H, -1, -T or -H");
    }
    return true;
}

bool statement_read_factor(struct tcplan_factor *out, const struct scope *scope,
                           struct scan *scan) {
    *out = (struct tcplan_factor){.inverted = false};
    return scope_read_block(&out->block, scope, scan) && read_op(out, scan);
}

/** Returns whether another factor follows in the product. */
static bool has_factor(struct scan *scan) {
    const char next = scan_peek(scan);
    return next == '[' || (scan_is_letter(next) && !word_equal(next_word(scan), word_of("where")));
}

/* product = [ number ] factor [ factor ] */
static bool read_product(struct product *out, double sign, const struct scope *scope,
                         struct scan *scan) {
    *out = (struct product){.coefficient = sign};
    const struct word number = scan_run(scan, belongs_to_number);
    if (number.length > 0) {
        double value;
        if (!decimal_read(&value, number.text, number.length) || !(value > 0 && value < 1e30))
            return scan_refuse(scan, number, "expected a positive number, found %s",
                               scan_excerpt(number).text);
        out->coefficient *= value;
    }
    do {
        if (out->count == 2) return scan_expected(scan, "expected at most two factors");
        if (!statement_read_factor(&out->factor[out->count++], scope, scan)) return false;
    } while (has_factor(scan));
    if (scope->transposed && out->count == 2) {
        const struct tcplan_factor first = out->factor[0];
        out->factor[0] = out->factor[1];
        out->factor[1] = first;
    }
    return true;
}

/* sum = [ "-" ] product { ( "+" | "-" ) product } */
static bool read_sum(struct statement *out, const struct scope *scope, struct scan *scan) {
    double sign = scan_accept(scan, "-") ? -1 : 1;
    for (;;) {
        if (out->product_count == STATEMENT_PRODUCTS)
            return scan_expected(scan, "expected at most three products");
        if (!read_product(&out->product[out->product_count++], sign, scope, scan)) return false;
        if (scan_accept(scan, "+")) {
            sign = 1;
        } else if (scan_accept(scan, "-")) {
            sign = -1;
        } else {
            return true;
        }
    }
}

/* named = name "=" ( integer | letter | range ) */
static bool read_named(struct argument *out, const struct scope *scope, struct scan *scan) {
    out->name = scan_run(scan, scan_is_name);
    if (!scan_accept(scan, "=")) return scan_expected(scan, "'='");
    scan_peek(scan);
    const char *begin = scan->at;
    const bool is_negative = scan_accept(scan, "-");
    out->value = scan_run(scan, scan_is_name);
    if (out->value.length == 0 || out->value.length > 9)
        return scan_expected(scan, "a number, a letter or a size");
    const bool is_range = !is_negative && out->value.length > 1 && scan_is_letter(*begin);
    if (!is_range) {
        out->value = (struct word){begin, (size_t)(scan->at - begin)};
        return true;
    }
    scan->at = begin;
    out->range = scope_read_range(scope, scan);
    return out->range >= 0;
}

/** Returns whether `name =` follows. */
static bool has_name(struct scan *scan) {
    const struct word word = next_word(scan);
    const char *behind = word.text + word.length;
    while (*behind == ' ' || *behind == '\t') behind++;
    return word.length > 0 && *behind == '=';
}

/* function = name "(" argument { "," argument } ")" */
static bool read_function(struct statement *out, const struct scope *scope, struct scan *scan) {
    out->function = scan_run(scan, scan_is_name);
    scan_accept(scan, "(");
    do {
        if (out->argument_count == STATEMENT_ARGUMENTS)
            return scan_expected(scan, "no more arguments");
        struct argument *argument = &out->argument[out->argument_count++];
        *argument = (struct argument){.range = -1};
        if (!(has_name(scan) ? read_named(argument, scope, scan)
                             : scope_read_block(&argument->block, scope, scan)))
            return false;
    } while (scan_accept(scan, ","));
    return scan_accept(scan, ")") || scan_expected(scan, "',' or ')'");
}

static bool has_function(struct scan *scan) {
    const struct word word = next_word(scan);
    return word.length > 0 && word.text[word.length] == '(';
}

bool statement_read(struct statement *out, const struct scope *scope, struct scan *scan) {
    *out = (struct statement){.text = {(scan_peek(scan), scan->at), 0}, .needs = -1};
    if (!scope_read_block(&out->result, scope, scan)) return false;
    if (!scan_accept(scan, ":=")) return scan_expected(scan, "':='");
    if (!(has_function(scan) ? read_function(out, scope, scan) : read_sum(out, scope, scan)))
        return false;
    if (word_equal(next_word(scan), word_of("where"))) {
        scan_accept(scan, "where");
        out->needs = scope_read_range(scope, scan);
        if (out->needs < 0) return false;
    }
    out->text = scan_since(scan, out->text);
    return true;
}
