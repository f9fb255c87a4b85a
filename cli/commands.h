/**
 * The commands: one table, one file each.
 */
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

#include "cli/options.h"

struct command {
    const char *name;
    enum command_bit bit;
    const char *arguments; /**< behind the name, in the usage line */
    const char *summary;   /**< one line */
    const char *examples;  /**< one or more lines for the help */
    enum exit_status (*run)(const struct options *options);
};

enum exit_status cmd_rank(const struct options *options);
enum exit_status cmd_list(const struct options *options);
enum exit_status cmd_emit(const struct options *options);
enum exit_status cmd_measure(const struct options *options);
enum exit_status cmd_trace(const struct options *options);
enum exit_status cmd_explain(const struct options *options);
enum exit_status cmd_batch(const struct options *options);
enum exit_status cmd_merge(const struct options *options);
enum exit_status cmd_portability(const struct options *options);
enum exit_status cmd_roofline(const struct options *options);
enum exit_status cmd_machine(const struct options *options);
enum exit_status cmd_selftest(const struct options *options);
enum exit_status cmd_report(const struct options *options);
enum exit_status cmd_help(const struct options *options);

/** All commands, ended by one without a name; the first is what a bare contraction means. */
extern const struct command commands[];

/** The command of this name, or NULL. */
const struct command *command_find(const char *name);

/** Prints that there is no such command, and which is nearest; EXIT_USAGE. */
enum exit_status command_unknown(const char *name);

/** Prints usage, options and examples of a command on stdout. */
enum exit_status help_command(const struct command *command);

/** Prints what tcplan is and its commands. */
void help_overview(FILE *file);

/** Prints the versions of tcplan and of what it stands on, one a line, on stdout. */
enum exit_status help_versions(void);

/** Runs the command line; `count` and `arguments` are main's. */
enum exit_status command_line_run(int count, char *const arguments[]);

#endif
