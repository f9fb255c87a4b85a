/**
 * Prints untrusted text on a terminal: control characters and malformed UTF-8 are escaped, as
 * `\x1b`; a tab becomes a space.
 */
#ifndef CLI_RENDER_TEXT_VISIBLE_H
#define CLI_RENDER_TEXT_VISIBLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/** Number of bytes of the longest escape, including the terminator. */
enum { VISIBLE_PIECE = 5 };

/** The visible form of the first character of a text. */
struct visible_piece {
    char text[VISIBLE_PIECE];
    size_t bytes; /**< number of bytes of the text that the visible form replaces, at least 1 */
};

/** Converts the first character of a text, which must not be empty. */
struct visible_piece visible_piece(const char *text);

/** Returns the visible form of a whole text, which the caller frees; NULL if memory runs out. */
char *visible_text(const char *text);

/** Prints the visible form of a text. */
void visible_print(FILE *file, const char *text);

/** Returns the width of a visible text in columns: its number of characters. */
size_t visible_width(const char *text);

/** Returns how many bytes the first `columns` columns of a visible text have. */
size_t visible_cut(const char *text, size_t columns);

/** Width and colours of a terminal. All members are 0 for a stream that is not a terminal. */
struct terminal {
    size_t columns; /**< 0: unlimited */
    bool coloured;  /**< whether to use colours; false if $NO_COLOR is set, or $TERM is `dumb` or
                       unset */
};

struct terminal terminal_of(FILE *file);

/** Sets the file descriptor for a stream that has none, such as that of a struct output_file. Works
 * for one stream at a time. */
void terminal_announce(FILE *file, int descriptor);

/** Declares that text written to the stream `from` appears on the terminal of the stream `to`. */
void terminal_pass_on(FILE *from, FILE *to);

/** Styles of text. */
enum terminal_style { STYLE_PLAIN, STYLE_HEADING, STYLE_BEST, STYLE_GOOD, STYLE_BAD };

/** Begins a style, or ends it with STYLE_PLAIN; prints nothing if the terminal has no colours. */
void terminal_style(FILE *file, const struct terminal *terminal, enum terminal_style style);

/**
 * Prints a paragraph and a newline. Lines have at most 80 columns, or the width of a narrower
 * terminal. The first line continues at `column`, counted from 0; further lines begin at column
 * `indent`.
 */
void wrapped_print(FILE *file, const char *text, size_t column, size_t indent);

/**
 * Returns a stream that wraps long lines to the width of `file`'s terminal. Continuation lines are
 * indented like the text after a label, or like the line. Returns `file` itself if it is not a
 * terminal; NULL if memory runs out.
 */
FILE *wrapped_begin(FILE *file);

/** Ends a stream that wrapped_begin() returned; false if memory ran out, so that the output is
 * incomplete. */
bool wrapped_end(FILE *wrapped, FILE *file);

#endif
