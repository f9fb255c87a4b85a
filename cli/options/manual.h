/**
 * The man page: hand-written text in docs/tcplan.1.in, completed from the tables of commands and
 * options.
 */
#ifndef CLI_OPTIONS_MANUAL_H
#define CLI_OPTIONS_MANUAL_H

#include <stdbool.h>
#include <stdio.h>

/** docs/tcplan.1.in; lines such as `@COMMANDS@` and `@OPTIONS@` are replaced by tables. */
extern const char manual_template[];

struct command;

/** Prints the page of a command, or (NULL) of tcplan, in the format of man(1); false: out of
 * memory.
 */
bool manual_print(FILE *file, const struct command *command);

#endif
