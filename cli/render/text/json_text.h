/**
 * Values in JSON.
 */
#ifndef CLI_RENDER_TEXT_JSON_TEXT_H
#define CLI_RENDER_TEXT_JSON_TEXT_H

#include <stdbool.h>
#include <stdio.h>

/** Prints a text in quotes; in malformed UTF-8, replaces each byte outside ASCII by `?`. */
void json_print_text(FILE *file, const char *text);

/** Prints the shortest number that reads back exactly as this finite one; false: out of memory. */
bool json_print_number(FILE *file, double value);

#endif
