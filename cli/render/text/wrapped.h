/**
 * Wraps text to the width of the terminal.
 */
#ifndef CLI_RENDER_TEXT_WRAPPED_H
#define CLI_RENDER_TEXT_WRAPPED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

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
