/**
 * Values as JSON writes them, where no memory is needed beyond that of a number.
 */
#ifndef CLI_RENDER_TEXT_JSON_TEXT_H
#define CLI_RENDER_TEXT_JSON_TEXT_H

#include <stdbool.h>
#include <stdio.h>

/** Prints a text in quotes; one that is no UTF-8 has a `?` for each byte that is none of ASCII. */
void json_print_text(FILE *file, const char *text);

/** Prints the shortest number that reads back as this one, which is finite; false where memory is
 * out. */
bool json_print_number(FILE *file, double value);

#endif
