#include "ast/scan.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"

bool scan_is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool scan_is_digit(char c) {
    return c >= '0' && c <= '9';
}

bool scan_is_name(char c) {
    return scan_is_letter(c) || scan_is_digit(c) || c == '_';
}

bool scan_init(struct scan *scan, const char *text, struct tcplan_error *error) {
    *scan = (struct scan){.text = text, .at = text, .error = error};
    for (const char *at = text; *at; at++) {
        if ((*at >= ' ' && *at <= '~') || *at == '\t') continue;
        return scan_refuse(scan, (struct word){at, 1},
                           "byte 0x%02x at position %zu is not printable ASCII", (unsigned char)*at,
                           (size_t)(at - text) + 1);
    }
    return true;
}

bool scan_refuse(struct scan *scan, struct word where, const char *format, ...) {
    char message[TCPLAN_MESSAGE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    scan->status = error_at(scan->error, TCPLAN_INVALID, (size_t)(where.text - scan->text),
                            where.length, "%s", message);
    return false;
}

/** Returns the part of the text that a message should mark: a whole name or number, else one
 * character. */
static struct word next_word(struct scan *scan) {
    struct word word = {scan->at, 0};
    while (scan_is_name(word.text[word.length])) word.length++;
    if (word.length == 0 && *word.text != '\0') word.length = 1;
    return word;
}

bool scan_expected(struct scan *scan, const char *what) {
    scan_peek(scan);
    struct word found = next_word(scan);
    return scan_refuse(scan, found, "expected %s, found %s", what, scan_excerpt(found).text);
}

char scan_peek(struct scan *scan) {
    while (*scan->at == ' ' || *scan->at == '\t') scan->at++;
    return *scan->at;
}

bool scan_accept(struct scan *scan, const char *token) {
    scan_peek(scan);
    size_t length = strlen(token);
    if (strncmp(scan->at, token, length) != 0) return false;
    scan->at += length;
    return true;
}

struct word scan_run(struct scan *scan, bool (*belongs)(char)) {
    scan_peek(scan);
    struct word word = {scan->at, 0};
    while (belongs(*scan->at)) scan->at++;
    return scan_since(scan, word);
}

struct word scan_since(const struct scan *scan, struct word first) {
    return (struct word){first.text, (size_t)(scan->at - first.text)};
}

size_t scan_column(const struct scan *scan, struct word word) {
    const uintptr_t offset =
        (uintptr_t)word.text -
        (uintptr_t)scan->text; /* yields a huge number if the word precedes the text */
    return offset < strlen(scan->text) ? (size_t)offset + 1 : 0;
}

struct excerpt scan_excerpt(struct word word) {
    enum { SHOWN = 36 };
    struct excerpt excerpt = {.text = "the end"};
    if (word.length == 0) return excerpt;
    bool cut = word.length > SHOWN;
    snprintf(excerpt.text, sizeof excerpt.text, "'%.*s%s'", cut ? SHOWN : (int)word.length,
             word.text, cut ? "..." : "");
    return excerpt;
}

bool word_equal(struct word a, struct word b) {
    return a.length == b.length && memcmp(a.text, b.text, a.length) == 0;
}

struct word word_of(const char *text) {
    return (struct word){text, strlen(text)};
}
