/**
 * Help on commands and topics.
 */
#ifndef CLI_OPTIONS_HELP_H
#define CLI_OPTIONS_HELP_H

#include <stdbool.h>
#include <stdio.h>

#include "cli/commands/commands.h"

/** Returns the command of this name, or NULL. */
const struct command *help_find(const char *name);

/** Reports an unknown command or topic with the nearest one; returns EXIT_USAGE. */
enum exit_status help_unknown(const char *name, bool may_be_topic);

/** Prints the help of a command, or of one of its actions, to the extent that `options` select;
 * NULL: the overview. */
enum exit_status help_print(const struct command *command, const struct options *options);

/* Topics of `tcplan help`: sections of the man page as plain text, and options. */

struct topic {
    const char *name;
    const char *section; /**< of the man page */
    const char *aliases; /**< other names, with blanks between them; NULL: none */
    const char *option;  /**< only the items of this option; NULL: the whole section */
};

/** All topics but options, ended by one without a name. */
extern const struct topic topics[];

/** Returns the topic of a name, an alias, or an option that the man page explains; one without a
 * name if there is none. */
struct topic topic_find(const char *name);

/** Prints the common help of a command, or a topic; with neither, the overview. */
enum exit_status help_print_about(const struct command *command, const struct topic *topic);

/** Prints first examples, for a command line without arguments. */
void help_first(FILE *file);

/** Prints the overview: purpose, commands, topics. */
void help_overview(FILE *file);

/** Prints the versions of tcplan and its libraries on stdout, one per line. */
enum exit_status help_versions(void);

/** Appends commands and topics, for completion. */
void help_offer(struct strbuf *out);

/* The man page: hand-written text in docs/tcplan.1.in, completed from the tables of commands and
 * options. */

/** docs/tcplan.1.in; lines such as `@COMMANDS@` and `@OPTIONS@` are replaced by tables. */
extern const char manual_template[];

struct command;

/** Prints the page of a command, or (NULL) of tcplan, in the format of man(1); false: out of
 * memory.
 */
bool manual_print(FILE *file, const struct command *command);

#endif
