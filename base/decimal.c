#include "base/decimal.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

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

/** An integer times a power of ten: it has no decimal point that strtod() could read differently in another locale. */
struct plain {
    char text[DECIMAL_MAX_LENGTH + 16];
};

static bool read_plain(struct plain *out, const char *text, size_t length) {
    if (length > DECIMAL_MAX_LENGTH) return false;
    struct parts parts = {.count = 0};
    const char *end = text + length;
    const char *at = take_mantissa(&parts, text, end);
    if (parts.count == 0) return false;
    if (take_exponent(&parts, at, end) != end) return false;
    snprintf(out->text, sizeof out->text, "%se%d", parts.digits, parts.exponent);
    return true;
}

bool decimal_read(double *out, const char *text, size_t length) {
    struct plain plain;
    if (!read_plain(&plain, text, length)) return false;
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
    struct plain plain;
    char printed[40], text[40];
    for (int digits = FLOAT_DIGITS_MIN; digits <= FLOAT_DIGITS_MAX; digits++) {
        snprintf(printed, sizeof printed, "%.*g", digits, (double)fabsf(value));
        if (read_plain(&plain, text, copy_with_point(text, printed)) && strtof(plain.text, NULL) == fabsf(value)) break;
    }
    strbuf_add(out, "%s%s", signbit(value) ? "-" : "", text);
}
