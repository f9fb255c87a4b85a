/**
 * What is said about commands.
 */
#ifndef CLI_OPTIONS_HELP_H
#define CLI_OPTIONS_HELP_H

#include "cli/commands/commands.h"

/** The command of this name, or NULL. */
const struct command *help_find(const char *name);

/** Prints that there is no such command, or topic, and which is nearest; EXIT_USAGE. */
enum exit_status help_unknown(const char *name, bool may_be_topic);

/** Prints the help of a command, or of one of its actions, on stdout, as far as options ask; NULL:
 * what tcplan is and its commands. */
enum exit_status help_print(const struct command *command, const struct options *options);

struct topic;

/** Prints the common help of a command, or a topic, or of neither of tcplan. */
enum exit_status help_print_about(const struct command *command, const struct topic *topic);

/** Prints what to try first: where there are no arguments. */
void help_first(FILE *file);

/** Prints what tcplan is and its commands. */
void help_overview(FILE *file);

/** Prints the versions of tcplan and of what it stands on, one a line, on stdout. */
enum exit_status help_versions(void);

/** Commands and topics, for completion. */
void help_offer(struct strbuf *out);

#endif
