/**
 * What the parsers of contractions and of sizes share: a place in a text, words, and refusals that
 * mark their text.
 */
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

/** A parser's place in its text, and what came of it. */
struct scan {
    const char *text; /* all of it, NUL-terminated */
    const char *at;
    struct tcplan_error *error; /* may be NULL */
    enum tcplan_status status;  /* of the first refusal */
};

/** A word short enough for a message, in quotes; the end of the text by name. */
struct excerpt {
    char text[48];
};

/** Starts at the beginning of `text`; refuses it where it holds anything but printable ASCII,
 * spaces and tabs. */
bool scan_init(struct scan *scan, const char *text, struct tcplan_error *error);

/** Fills the error with TCPLAN_INVALID, `where` and the message; always false, so that a parser can
 * return it. */
bool scan_refuse(struct scan *scan, struct word where, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/** Refuses the next word: "expected <what>, found '<word>'". Always false. */
bool scan_expected(struct scan *scan, const char *what);

/** The next character after spaces and tabs, which are skipped; '\0' at the end. */
char scan_peek(struct scan *scan);

/** Whether the text goes on with `token` (spaces in front are skipped), which is then behind us. */
bool scan_accept(struct scan *scan, const char *token);

/** The longest run of characters that `belongs` accepts, which is then behind us; may be empty.
 * Spaces in front are skipped. */
struct word scan_run(struct scan *scan, bool (*belongs)(char));

/** From the beginning of `first` up to where the scan is. */
struct word scan_since(const struct scan *scan, struct word first);

/** Where a word begins in the text, from 1, in bytes; 0: it is not of the text. */
size_t scan_column(const struct scan *scan, struct word word);

/** Character classes of ASCII: unlike those of ctype.h they do not depend on the locale. */
bool scan_is_letter(char c);
bool scan_is_digit(char c);
bool scan_is_name(char c); /* letter, digit or underscore */

struct excerpt scan_excerpt(struct word word);
bool word_equal(struct word a, struct word b);
struct word word_of(const char *text);

#endif
