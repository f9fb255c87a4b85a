#include "base/decimal.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    DIGITS_MIN = 15,      /* any decimal of 15 digits survives conversion to double and back */
    DIGITS_MAX = 17,      /* any double survives conversion to 17 digits and back */
    FLOAT_DIGITS_MIN = 6, /* any decimal of 6 digits survives conversion to float and back */
    FLOAT_DIGITS_MAX = 9,
    WIDE_DIGITS = 19,       /* maximum number of digits of a number that is always below 2^64 */
    EXPONENT_LIMIT = 100000 /* limit of parsed exponents: above any double's exponent, and sums of
                               two fit an int */
};

/** A parsed number: all its digits without the decimal point, and a power of ten. */
struct parts {
    char digits[DECIMAL_MAX_LENGTH + 1];
    int count;
    int exponent;
};

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/* digits = digit { digit } */
static const char *take_digits(struct parts *parts, const char *at, const char *end) {
    while (at < end && is_digit(*at)) parts->digits[parts->count++] = *at++;
    return at;
}

/* mantissa = digits [ "." [ digits ] ] | "." digits */
static const char *take_mantissa(struct parts *parts, const char *at, const char *end) {
    at = take_digits(parts, at, end);
    if (at == end || *at != '.') return at;
    int whole = parts->count;
    at = take_digits(parts, at + 1, end);
    parts->exponent = whole - parts->count;
    return at;
}

/* exponent = ( "e" | "E" ) [ "+" | "-" ] digits ; NULL if the digits are missing */
static const char *take_exponent(struct parts *parts, const char *at, const char *end) {
    if (at == end || (*at != 'e' && *at != 'E')) return at;
    at++;
    bool negative = at < end && *at == '-';
    if (at < end && (*at == '+' || *at == '-')) at++;
    if (at == end) return NULL;
    int value = 0;
    for (; at < end && is_digit(*at); at++)
        value = value < EXPONENT_LIMIT ? 10 * value + (*at - '0') : value;
    parts->exponent += negative ? -value : value;
    return at;
}

static bool read_parts(struct parts *out, const char *text, size_t length) {
    if (length > DECIMAL_MAX_LENGTH) return false;
    out->count = out->exponent = 0;
    const char *end = text + length;
    const char *at = take_mantissa(out, text, end);
    return out->count > 0 && take_exponent(out, at, end) == end;
}

/** An integer times a power of ten. It has no decimal point, so strtod() reads it alike in every
 * locale. */
struct plain {
    char text[DECIMAL_MAX_LENGTH + 16];
};

static void print_plain(struct plain *out, const struct parts *parts) {
    char *at = out->text + parts->count, backwards[16];
    int magnitude = abs(parts->exponent), length = 0;
    memcpy(out->text, parts->digits, (size_t)parts->count);
    *at++ = 'e';
    if (parts->exponent < 0) *at++ = '-';
    do backwards[length++] = (char)('0' + magnitude % 10);
    while ((magnitude /= 10) > 0);
    while (length > 0) *at++ = backwards[--length];
    *at = '\0';
}

/**
 * Converts by one multiplication or division of two exact numbers in a wider type, whose result is
 * within one unit in the last place. If both ends of that interval round to the same double, that
 * is the result. Returns false otherwise, or if no wider type exists.
 */
static bool read_wide(double *out, const struct parts *parts) {
#if LDBL_MANT_DIG >= 64
    static const long double power[] = {1e0L,  1e1L,  1e2L,  1e3L,  1e4L,  1e5L,  1e6L,
                                        1e7L,  1e8L,  1e9L,  1e10L, 1e11L, 1e12L, 1e13L,
                                        1e14L, 1e15L, 1e16L, 1e17L, 1e18L, 1e19L, 1e20L,
                                        1e21L, 1e22L, 1e23L, 1e24L, 1e25L, 1e26L, 1e27L};
    const int last = sizeof power / sizeof *power - 1; /* 10^27 is exact: 5^27 has 63 bits */
    uint64_t whole = 0;
    int d = 0;
    while (d < parts->count && parts->digits[d] == '0') d++;
    if (parts->count - d > WIDE_DIGITS || abs(parts->exponent) > last) return false;
    for (; d < parts->count; d++) whole = 10 * whole + (uint64_t)(parts->digits[d] - '0');
    const long double value = parts->exponent < 0 ? (long double)whole / power[-parts->exponent]
                                                  : (long double)whole * power[parts->exponent];
    const long double place = value * LDBL_EPSILON;
    *out = (double)value;
    return (double)(value - place) == (double)(value + place);
#else
    (void)out;
    (void)parts;
    return false;
#endif
}

bool decimal_read(double *out, const char *text, size_t length) {
    struct parts parts;
    struct plain plain;
    if (!read_parts(&parts, text, length)) return false;
    if (read_wide(out, &parts)) return true;
    print_plain(&plain, &parts);
    *out = strtod(plain.text, NULL);
    return true;
}

/** Copies a number printed by printf(), whose decimal point may be several bytes; returns the
 * copy's length. */
static size_t copy_with_point(char *out, const char *printed) {
    size_t length = 0;
    for (; *printed; printed++) {
        bool ordinary = is_digit(*printed) || *printed == 'e' || *printed == '-' || *printed == '+';
        if (ordinary) out[length++] = *printed;
        if (!ordinary && (length == 0 || out[length - 1] != '.')) out[length++] = '.';
    }
    out[length] = '\0';
    return length;
}

void decimal_print(struct strbuf *out, double value) {
    assert(isfinite(value));
    double magnitude = fabs(value), read = 0;
    char printed[40], text[40];
    for (int digits = DIGITS_MIN; digits <= DIGITS_MAX; digits++) {
        snprintf(printed, sizeof printed, "%.*g", digits, magnitude);
        if (decimal_read(&read, text, copy_with_point(text, printed)) && read == magnitude) break;
    }
    strbuf_add(out, "%s%s", signbit(value) ? "-" : "", text);
}

void decimal_print_float(struct strbuf *out, float value) {
    assert(isfinite(value));
    struct parts parts;
    struct plain plain = {{0}};
    char printed[40], text[40];
    for (int digits = FLOAT_DIGITS_MIN; digits <= FLOAT_DIGITS_MAX; digits++) {
        snprintf(printed, sizeof printed, "%.*g", digits, (double)fabsf(value));
        if (!read_parts(&parts, text, copy_with_point(text, printed))) continue;
        print_plain(&plain, &parts);
        if (strtof(plain.text, NULL) == fabsf(value)) break;
    }
    strbuf_add(out, "%s%s", signbit(value) ? "-" : "", text);
}
