/**
 * What a stream is shown on: how wide, and whether in colour.
 */
#ifndef CLI_RENDER_TEXT_TERMINAL_H
#define CLI_RENDER_TEXT_TERMINAL_H

#include <stdbool.h>
#include <stdio.h>

/** Of what is no terminal all is 0. */
struct terminal {
    size_t columns; /**< 0: as wide as need be */
    bool coloured;  /**< unless $NO_COLOR is set, or $TERM is `dumb` or not set */
};

struct terminal terminal_of(FILE *file);

/** Says what the descriptor of a stream is that has none of its own, as that of a struct
 * output_file: a terminal is remembered, one at a time. */
void terminal_announce(FILE *file, int descriptor);

/** Says that what is printed to one stream is shown where another's is. */
void terminal_pass_on(FILE *from, FILE *to);

/** How a text stands out. */
enum terminal_style { STYLE_PLAIN, STYLE_HEADING, STYLE_BEST, STYLE_GOOD, STYLE_BAD };

/** Prints what begins a style, or with STYLE_PLAIN ends it; nothing where there is no colour. */
void terminal_style(FILE *file, const struct terminal *terminal, enum terminal_style style);

#endif
