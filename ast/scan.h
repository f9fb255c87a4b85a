/** Common parts of the parsers: a position in a text, words, and errors that mark their text. */
#ifndef AST_SCAN_H
#define AST_SCAN_H

#include <stdbool.h>
#include <stddef.h>

#include "tcplan/status.h"

/** A piece of the parsed text, not terminated. */
struct word {
    const char *text;
    size_t length;
};

/** A parser's position in its text, and its first error. */
struct scan {
    const char *text; /* the whole text, terminated */
    const char *at;
    struct tcplan_error *error; /* receives the first error; may be NULL */
    enum tcplan_status status;  /* status of the first error */
};

/** A word for a message: quoted, and shortened if long. An empty word becomes `the end`. */
struct excerpt {
    char text[48];
};

/** Starts at the beginning of `text`; rejects anything but printable ASCII, spaces and tabs. */
bool scan_init(struct scan *scan, const char *text, struct tcplan_error *error);

/** Records TCPLAN_INVALID with `where` and the message; always returns false, so that a parser
 * can return it. */
bool scan_refuse(struct scan *scan, struct word where, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/** Rejects the next word: "expected <what>, found '<word>'". Always returns false. */
bool scan_expected(struct scan *scan, const char *what);

/** Skips spaces and tabs and returns the next character; '\0' at the end. */
char scan_peek(struct scan *scan);

/** Skips spaces, then consumes `token` if the text continues with it; returns whether it did. */
bool scan_accept(struct scan *scan, const char *token);

/** Skips spaces and consumes the longest, possibly empty, run of characters that `belongs`
 * accepts. */
struct word scan_run(struct scan *scan, bool (*belongs)(char));

/** Returns the text from the beginning of `first` up to the current position. */
struct word scan_since(const struct scan *scan, struct word first);

/** Returns the position of a word in the text, in bytes, from 1; 0 if the word is not in the text.
 */
size_t scan_column(const struct scan *scan, struct word word);

/** Character classes of ASCII: independent of the locale, unlike ctype.h. */
bool scan_is_letter(char c);
bool scan_is_digit(char c);
bool scan_is_name(char c); /* letter, digit or underscore */

struct excerpt scan_excerpt(struct word word);
bool word_equal(struct word a, struct word b);
struct word word_of(const char *text);

#endif
