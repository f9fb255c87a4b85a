/**
 * Commands of several actions: the first argument says which.
 */
#ifndef CLI_COMMANDS_ACTIONS_H
#define CLI_COMMANDS_ACTIONS_H

#include "cli/options/options.h"

/** A table of them ends with one without a name. */
struct action {
    const char *name;
    enum exit_status (*run)(const struct options *options); /**< its arguments are those behind the action's name, from arguments[1] on */
};

/** Runs the action that the first argument of `command` names, the first of the table where there is none; EXIT_USAGE where it names none. */
enum exit_status actions_run(const struct action actions[], const char *command, const struct options *options);

#endif
