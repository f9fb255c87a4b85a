/**
 * Which options need or exclude each other: the columns `requires` and `excludes` of the option
 * table.
 *
 *   requires = clause { "," clause } ; clause = word { " " word }     one word of each clause holds
 *   excludes = word { " " word }                                      no word holds
 *   word     = option | option "=" value | "contraction" | "several" | command
 *
 * `contraction` is the argument, `several` an expression of several tensors. A word holds if the
 * option is given with a value other than the default, if the option has the value, or if the
 * command has the name. A clause always holds if the command or action accepts none of its options.
 */
#ifndef CLI_OPTIONS_RULES_H
#define CLI_OPTIONS_RULES_H

#include "cli/options/options_table.h"

/** Checks all given options; reports the rule that one breaks. */
bool rules_check(const struct options *options, const struct command *command);

/** Appends the options that an option needs and excludes, as " Needs `--run` or `--kernel`."; only
 * those that some of the actions accept. */
void rules_add_text(struct strbuf *out, const struct option *option, uint64_t actions);

/** Appends the options of these actions that an option excludes: "--top --all". */
void rules_add_excluded(struct strbuf *out, const struct option *option, uint64_t actions);

#endif
