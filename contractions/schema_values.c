#include "contractions/schema_values.h"

#include <string.h>

/** Returns the position after 1 to `max` characters of a set; NULL if there are none or more than
 * `max`. */
const char *schema_take(const char *at, const char *set, size_t max) {
    const size_t length = strspn(at, set);
    return length > 0 && length <= max ? at + length : NULL;
}

/** Returns the position after a whole number of at least 1 with at most `max` digits; NULL if there
 * is none. */
const char *schema_take_count(const char *at, size_t max) {
    return *at == '0' ? NULL : schema_take(at, SCHEMA_DIGITS, max);
}

bool schema_ends(const char *at) {
    return at && *at == '\0';
}

bool schema_is_count(const char *value) {
    return schema_ends(schema_take_count(value, 18));
}

bool schema_is_whole(const char *value) {
    return strcmp(value, "0") == 0 || schema_is_count(value);
}

static bool is_hexadecimal(const char *value, size_t digits) {
    return strlen(value) == digits &&
           schema_ends(schema_take(value, SCHEMA_DIGITS "abcdef", digits));
}

bool schema_is_id(const char *value) {
    return is_hexadecimal(value, 16);
}

bool schema_is_checksum(const char *value) {
    return is_hexadecimal(value, 8);
}

/* number = digits [ "." digits ] [ "e" [ "+" | "-" ] digits ] */
bool schema_is_number(const char *value) {
    const char *at = schema_take(value, SCHEMA_DIGITS, 25);
    if (at && *at == '.') at = schema_take(at + 1, SCHEMA_DIGITS, 25);
    if (at && *at == 'e')
        at = schema_take(at + 1 + (at[1] == '+' || at[1] == '-'), SCHEMA_DIGITS, 3);
    return schema_ends(at);
}

bool schema_is_one(const char *value) {
    return strcmp(value, "1") == 0;
}

bool schema_is_flag(const char *value) {
    return strcmp(value, "true") == 0 || strcmp(value, "false") == 0;
}

/* name = ( letter | digit | "_" ) { letter | digit | "_" | "." | "+" | "-" } ; up to 64 characters
 */
bool schema_is_name(const char *value) {
    return *value && !strchr(".+-", *value) &&
           schema_ends(schema_take(
               value, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz" SCHEMA_DIGITS "_.+-",
               64));
}

/* shard = count "/" count */
bool schema_is_shard(const char *value) {
    const char *at = schema_take_count(value, 7);
    return at && *at == '/' && schema_ends(schema_take_count(at + 1, 7));
}
