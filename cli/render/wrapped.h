/**
 * Text of help in lines of 80 columns.
 */
#ifndef CLI_RENDER_WRAPPED_H
#define CLI_RENDER_WRAPPED_H

#include <stddef.h>
#include <stdio.h>

/** Prints words, and the end of the last line. The first line goes on in `column`, from 0; further ones begin in column `indent`. */
void wrapped_print(FILE *file, const char *text, size_t column, size_t indent);

#endif
