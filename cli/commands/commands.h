/**
 * The commands: one table, a line and a file each.
 */
#ifndef CLI_COMMANDS_COMMANDS_H
#define CLI_COMMANDS_COMMANDS_H

#include "cli/options/options.h"

struct command {
    const char *name;
    enum command_bit bit;
    const char *arguments;                                  /**< behind the name, in the usage line */
    const char *summary;                                    /**< one line */
    const char *examples;                                   /**< one or more lines for the help */
    enum exit_status (*run)(const struct options *options); /**< NULL: help and completion, which are about the commands */
    const char *manual; /**< what the man page says besides, with `...` around what is typed; NULL: nothing */
};

enum exit_status cmd_rank(const struct options *options);
enum exit_status cmd_list(const struct options *options);
enum exit_status cmd_emit(const struct options *options);
enum exit_status cmd_measure(const struct options *options);
enum exit_status cmd_trace(const struct options *options);
enum exit_status cmd_compare(const struct options *options);
enum exit_status cmd_advise(const struct options *options);
enum exit_status cmd_explain(const struct options *options);
enum exit_status cmd_blocked(const struct options *options);
enum exit_status cmd_batch(const struct options *options);
enum exit_status cmd_merge(const struct options *options);
enum exit_status cmd_portability(const struct options *options);
enum exit_status cmd_roofline(const struct options *options);
enum exit_status cmd_machine(const struct options *options);
enum exit_status cmd_selftest(const struct options *options);
enum exit_status cmd_model(const struct options *options);
enum exit_status cmd_plans(const struct options *options);
enum exit_status cmd_store(const struct options *options);
enum exit_status cmd_experiment(const struct options *options);
enum exit_status cmd_tune(const struct options *options);
enum exit_status cmd_sample(const struct options *options);
enum exit_status cmd_report(const struct options *options);

/** The one argument of a process that `tune` starts for an invocation. */
extern const char tune_serving[];

/** All commands, ended by one without a name; the first is what a bare contraction means. */
extern const struct command commands[];

#endif
