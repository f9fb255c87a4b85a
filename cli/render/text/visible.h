/**
 * Text of others on a terminal: what the terminal would obey, or what is no UTF-8, is shown
 * escaped, as `\x1b`; a tab as a space.
 */
#ifndef CLI_RENDER_TEXT_VISIBLE_H
#define CLI_RENDER_TEXT_VISIBLE_H

#include <stddef.h>
#include <stdio.h>

/** The longest escape, and its end. */
enum { VISIBLE_PIECE = 5 };

/** How the beginning of a text is shown. */
struct visible_piece {
    char text[VISIBLE_PIECE];
    size_t bytes; /**< of the text that it stands for, at least 1 */
};

/** The first character of a text, which is not empty. */
struct visible_piece visible_piece(const char *text);

/** The whole text as it is shown, to be freed; NULL when memory is out. */
char *visible_text(const char *text);

/** Prints the text as it is shown. */
void visible_print(FILE *file, const char *text);

/** The columns that a text takes that is shown as it is: its characters. */
size_t visible_width(const char *text);

/** The length in bytes of the first `columns` columns of such a text. */
size_t visible_cut(const char *text, size_t columns);

#endif
