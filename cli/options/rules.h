/**
 * Which options need or exclude each other: the columns `requires` and `excludes` of the option
 * table.
 *
 *   requires = clause { "," clause } ; clause = word { " " word }     one word of each clause holds
 *   excludes = word { " " word }                                      no word holds
 *   word     = option | option "=" value | "contraction" | "several" | command
 *
 * `contraction` is the argument, `several` one of several tensors. A word holds for an option that
 * is given with another value than the default, for the value that an option has, and for the name
 * of the command. A clause whose options no action at hand accepts always holds.
 */
#ifndef CLI_OPTIONS_RULES_H
#define CLI_OPTIONS_RULES_H

#include "cli/options/options_table.h"

/** Checks all given options; says which rule one breaks. */
bool rules_check(const struct options *options, const struct command *command);

/** Appends what an option needs and excludes, as " Needs `--run` or `--kernel`.", of all that some
 * actions know. */
void rules_add_text(struct strbuf *out, const struct option *option, uint64_t actions);

/** Appends the options of these actions that an option excludes: "--top --all". */
void rules_add_excluded(struct strbuf *out, const struct option *option, uint64_t actions);

#endif
