/**
 * Untrusted text on a terminal: escapes control characters and malformed UTF-8, as `\x1b`; a tab
 * becomes a space.
 */
#ifndef CLI_RENDER_TEXT_VISIBLE_H
#define CLI_RENDER_TEXT_VISIBLE_H

#include <stddef.h>
#include <stdio.h>

/** The longest escape and its terminator. */
enum { VISIBLE_PIECE = 5 };

/** The visible form of the first character of a text. */
struct visible_piece {
    char text[VISIBLE_PIECE];
    size_t bytes; /**< of the text, at least 1 */
};

/** Converts the first character of a text that is not empty. */
struct visible_piece visible_piece(const char *text);

/** Converts a whole text; the caller frees it; NULL: out of memory. */
char *visible_text(const char *text);

/** Prints the visible form of a text. */
void visible_print(FILE *file, const char *text);

/** Returns the columns of a visible text: its characters. */
size_t visible_width(const char *text);

/** Returns the bytes of the first `columns` columns of a visible text. */
size_t visible_cut(const char *text, size_t columns);

#endif
