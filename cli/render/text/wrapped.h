/**
 * Text in lines that a terminal has room for, broken between words.
 */
#ifndef CLI_RENDER_TEXT_WRAPPED_H
#define CLI_RENDER_TEXT_WRAPPED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/**
 * Prints words of a help in lines of 80 columns, or of the terminal's where it has fewer, and the
 * end of the last line. The first line goes on in `column`, from 0; further ones begin in column
 * `indent`.
 */
void wrapped_print(FILE *file, const char *text, size_t column, size_t indent);

/**
 * A stream whose lines go to `file`, those that are wider than its terminal in several: what goes
 * on is indented as the text behind a label is, or the line itself. What is no terminal gets `file`
 * itself. NULL when memory is out.
 */
FILE *wrapped_begin(FILE *file);

/** Ends such a stream; false where not all was printed, as memory is out. */
bool wrapped_end(FILE *wrapped, FILE *file);

#endif
