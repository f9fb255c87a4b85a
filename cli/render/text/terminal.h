/**
 * Width and colours of the terminal of a stream.
 */
#ifndef CLI_RENDER_TEXT_TERMINAL_H
#define CLI_RENDER_TEXT_TERMINAL_H

#include <stdbool.h>
#include <stdio.h>

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

#endif
