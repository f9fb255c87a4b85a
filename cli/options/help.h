/**
 * What is said about commands.
 */
#ifndef CLI_OPTIONS_HELP_H
#define CLI_OPTIONS_HELP_H

#include "cli/commands/commands.h"

/** The command of this name, or NULL. */
const struct command *help_find(const char *name);

/** Prints that there is no such command, and which is nearest; EXIT_USAGE. */
enum exit_status help_unknown(const char *name);

/** Prints usage, options and examples of a command on stdout, or options of one of its actions;
 * NULL: what tcplan is and its commands. */
enum exit_status help_print(const struct command *command, const struct action *action);

/** Prints what to try first: where there are no arguments. */
void help_first(FILE *file);

/** Prints what tcplan is and its commands. */
void help_overview(FILE *file);

/** Prints the versions of tcplan and of what it stands on, one a line, on stdout. */
enum exit_status help_versions(void);

/** The command `help`. */
enum exit_status cmd_help(const struct options *options);

#endif
