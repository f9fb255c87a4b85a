#include <math.h>

#include "ast/contraction/notation.h"
#include "base/decimal.h"

/** Returns all following characters that look like part of a number, so that a malformed number is
 * rejected as a whole. */
static struct word number_word(struct scan *scan) {
    scan_peek(scan);
    struct word word = {scan->at, 0};
    for (;;) {
        char c = *scan->at;
        bool exponent_sign = (c == '+' || c == '-') && scan->at > word.text &&
                             (scan->at[-1] == 'e' || scan->at[-1] == 'E');
        if (!scan_is_name(c) && c != '.' && !exponent_sign) return scan_since(scan, word);
        scan->at++;
    }
}

/* number = digits [ "." [ digits ] ] [ exponent ] | "." digits [ exponent ] */
static bool read_number(double *out, struct scan *scan) {
    char first = scan_peek(scan);
    if (!scan_is_digit(first) && first != '.') return scan_expected(scan, "a decimal number");
    struct word word = number_word(scan);
    if (word.length > DECIMAL_MAX_LENGTH) {
        return scan_refuse(scan, word,
                           "expected a decimal number of at most %d characters, found %zu",
                           DECIMAL_MAX_LENGTH, word.length);
    }
    if (!decimal_read(out, word.text, word.length)) {
        return scan_refuse(
            scan, word, "expected a decimal number such as 2, 0.5 or 1e-3 and then '*', found %s",
            scan_excerpt(word).text);
    }
    return isfinite(*out) ||
           scan_refuse(scan, word, "%s is beyond the largest double", scan_excerpt(word).text);
}

/* part = [ "+" | "-" ] number */
static bool read_part(double *out, struct scan *scan) {
    bool negative = scan_accept(scan, "-");
    if (!negative) scan_accept(scan, "+");
    if (!read_number(out, scan)) return false;
    if (negative) *out = -*out;
    return true;
}

/* complex = "(" part "," part ")" ; the "(" has been read */
static bool read_complex(struct tcplan_scalar *out, struct scan *scan) {
    if (!read_part(&out->re, scan)) return false;
    if (!scan_accept(scan, ",")) return scan_expected(scan, "',' and the imaginary part");
    if (!read_part(&out->im, scan)) return false;
    return scan_accept(scan, ")") || scan_expected(scan, "')'");
}

/** Multiplies factors; adding 0 turns -0 into 0, which prints without a sign. */
static struct tcplan_scalar product(struct tcplan_scalar a, struct tcplan_scalar b) {
    return (struct tcplan_scalar){.re = a.re * b.re - a.im * b.im + 0.0,
                                  .im = a.re * b.im + a.im * b.re + 0.0};
}

/* divisor = "/" number */
static bool read_divisor(struct tcplan_scalar *value, struct scan *scan) {
    double divisor;
    scan_peek(scan);
    struct word start = {scan->at, 0};
    if (!read_number(&divisor, scan)) return false;
    if (divisor == 0) return scan_refuse(scan, scan_since(scan, start), "a scalar is divided by 0");
    value->re /= divisor;
    value->im /= divisor;
    return true;
}

/* scalar = ( number | complex ) [ divisor ] */
static bool read_scalar(struct tcplan_scalar *factor, struct scan *scan) {
    struct word start = {scan->at, 0};
    struct tcplan_scalar value = {0};
    bool read = scan_accept(scan, "(") ? read_complex(&value, scan) : read_number(&value.re, scan);
    if (!read || (scan_accept(scan, "/") && !read_divisor(&value, scan))) return false;
    *factor = product(*factor, value);
    if (isfinite(factor->re) && isfinite(factor->im)) return true;
    return scan_refuse(scan, scan_since(scan, start),
                       "the product of the scalar factors is beyond the largest double");
}

bool notation_is_scalar_start(char c) {
    return scan_is_digit(c) || c == '.' || c == '(';
}

/* factors = { scalar "*" } */
bool notation_read_factors(struct tcplan_scalar *factor, struct scan *scan) {
    while (notation_is_scalar_start(scan_peek(scan))) {
        if (!read_scalar(factor, scan)) return false;
        if (!scan_accept(scan, "*")) return scan_expected(scan, "'*' after a scalar factor");
    }
    return true;
}
