/**
 * Prints help on commands and topics.
 */
#ifndef CLI_OPTIONS_HELP_H
#define CLI_OPTIONS_HELP_H

#include <stdbool.h>
#include <stdio.h>

#include "cli/commands/commands.h"

/** Returns the command of this name, or NULL. */
const struct command *help_find(const char *name);

/** Prints an error about an unknown command or topic, with the most similar name, and returns
 * EXIT_USAGE. */
enum exit_status help_unknown(const char *name, bool may_be_topic);

/** Prints the help of a command, or of one of its actions; `options` determine how much of it. If
 * `command` is NULL, prints the overview. */
enum exit_status help_print(const struct command *command, const struct options *options);

/* A topic of `tcplan help`: a section of the man page, printed as plain text, or an option. */

struct topic {
    const char *name;
    const char *section; /**< heading of the section in the man page */
    const char *aliases; /**< other names, separated by blanks; NULL: none */
    const char *option;  /**< print only the text about this option; NULL: the whole section */
};

/** Topics other than options, ended by a topic without a name. */
extern const struct topic topics[];

/** Returns the topic with a name or alias, or the topic of an option that the man page explains. If
 * there is none, returns a topic without a name. */
struct topic topic_find(const char *name);

/** Prints the short help of a command, or a topic; the overview if both are NULL. */
enum exit_status help_print_about(const struct command *command, const struct topic *topic);

/** Prints a few examples, for a command line without arguments. */
void help_first(FILE *file);

/** Prints the overview: what tcplan does, its commands and topics. */
void help_overview(FILE *file);

/** Prints the versions of tcplan and its libraries on stdout, one per line. */
enum exit_status help_versions(void);

/** Appends the names of commands and topics, for completion. */
void help_offer(struct strbuf *out);

/** The man page docs/tcplan.1.in, with lines such as `@COMMANDS@` and `@OPTIONS@` in place of
 * tables. */
extern const char manual_template[];

struct command;

/** Prints the man page of a command (NULL: of tcplan) in the format of man(1); false if memory runs
 * out. */
bool manual_print(FILE *file, const struct command *command);

#endif
