/**
 * The man page: what is written by hand, in docs/tcplan.1.in, with what the tables of commands and
 * options say.
 */
#ifndef CLI_OPTIONS_MANUAL_H
#define CLI_OPTIONS_MANUAL_H

#include <stdbool.h>
#include <stdio.h>

/** docs/tcplan.1.in, in which lines `@SYNOPSIS@`, `@COMMANDS@` and `@OPTIONS@` stand for the
 * tables. */
extern const char manual_template[];

struct command;

/** Prints the page of a command, or (NULL) of tcplan, as man(1) reads it; false when memory is out.
 */
bool manual_print(FILE *file, const struct command *command);

#endif
