#include "base/decimal.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    DIGITS_MIN = 15,      /* every decimal of 15 digits survives the way through a double */
    DIGITS_MAX = 17,      /* every double survives the way through 17 digits */
    FLOAT_DIGITS_MIN = 6, /* the same of floats */
    FLOAT_DIGITS_MAX = 9,
    EXPONENT_LIMIT = 100000 /* far beyond any double, far below overflow */
};

/** A number taken apart: all digits without their point, and the power of ten they are multiplied with. */
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

/* exponent = ( "e" | "E" ) [ "+" | "-" ] digits; NULL where the digits are missing */
static const char *take_exponent(struct parts *parts, const char *at, const char *end) {
    if (at == end || (*at != 'e' && *at != 'E')) return at;
    at++;
    bool negative = at < end && *at == '-';
    if (at < end && (*at == '+' || *at == '-')) at++;
    if (at == end) return NULL;
    int value = 0;
    for (; at < end && is_digit(*at); at++) value = value < EXPONENT_LIMIT ? 10 * value + (*at - '0') : value;
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

/** An integer times a power of ten: it has no decimal point that strtod() could read differently in another locale. */
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
 * Where both the digits, as a whole number, and the power of ten are doubles, one multiplication or division rounds as strtod() does; false
 * elsewhere.
 */
static bool read_exactly(double *out, const struct parts *parts) {
    static const double power[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                   1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    const int last = sizeof power / sizeof *power - 1;
    int64_t whole = 0;
    if (FLT_EVAL_METHOD != 0 || parts->count > DIGITS_MIN || abs(parts->exponent) > last) return false;
    for (int d = 0; d < parts->count; d++) whole = 10 * whole + (parts->digits[d] - '0');
    *out = parts->exponent < 0 ? (double)whole / power[-parts->exponent] : (double)whole * power[parts->exponent];
    return true;
}

bool decimal_read(double *out, const char *text, size_t length) {
    struct parts parts;
    struct plain plain;
    if (!read_parts(&parts, text, length)) return false;
    if (read_exactly(out, &parts)) return true;
    print_plain(&plain, &parts);
    *out = strtod(plain.text, NULL);
    return true;
}

/** Copies a number printed by printf(), whose decimal point may be any byte sequence; returns the copy's length. */
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
