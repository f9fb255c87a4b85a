/**
 * Untrusted text on a terminal: escapes control characters and malformed UTF-8, as `\x1b`; a tab
 * becomes a space.
 */
#ifndef CLI_RENDER_TEXT_VISIBLE_H
#define CLI_RENDER_TEXT_VISIBLE_H

#include <stdbool.h>
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

/* Width and colours of the terminal of a stream. */

/** All 0 if it is not a terminal. */
struct terminal {
    size_t columns; /**< 0: unlimited */
    bool coloured;  /**< unless $NO_COLOR is set, or $TERM is `dumb` or unset */
};

struct terminal terminal_of(FILE *file);

/** Sets the descriptor of a stream without one, such as that of a struct output_file. Remembers one
 * terminal at a time. */
void terminal_announce(FILE *file, int descriptor);

/** Declares that one stream is shown where another is. */
void terminal_pass_on(FILE *from, FILE *to);

/** Styles of text. */
enum terminal_style { STYLE_PLAIN, STYLE_HEADING, STYLE_BEST, STYLE_GOOD, STYLE_BAD };

/** Begins a style, or ends it with STYLE_PLAIN; prints nothing without colours. */
void terminal_style(FILE *file, const struct terminal *terminal, enum terminal_style style);

/* Wraps text to the width of the terminal. */

/**
 * Prints a paragraph wrapped to 80 columns, or to a narrower terminal, and ends the last line. The
 * first line continues at `column`, from 0; further ones begin at column `indent`.
 */
void wrapped_print(FILE *file, const char *text, size_t column, size_t indent);

/**
 * Returns a stream that wraps lines to the terminal of `file`. Continuation lines are indented as
 * the text after a label, or as the line itself. Without a terminal, returns `file`. NULL: out of
 * memory.
 */
FILE *wrapped_begin(FILE *file);

/** Ends such a stream; false: out of memory, and output is incomplete. */
bool wrapped_end(FILE *wrapped, FILE *file);

#endif
