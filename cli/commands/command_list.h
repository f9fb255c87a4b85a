/**
 * The commands, in the order of the help. Bits of commands, the table of commands, and the lists
 * of source files and man pages are generated from this list. A new command is a line here and a
 * file commands/cmd_NAME.c.
 */
#ifndef CLI_COMMANDS_COMMAND_LIST_H
#define CLI_COMMANDS_COMMAND_LIST_H

/** ENTRY(NUMBER, name, output). `output` is TABLES (all formats), DOCUMENTS (all formats but CSV)
 * or OTHER. Commands with TABLES or DOCUMENTS accept --format, --json and --output. */
#define COMMAND_LIST(ENTRY)                                                                        \
    ENTRY(RANK, rank, TABLES)                                                                      \
    ENTRY(EMIT, emit, OTHER)                                                                       \
    ENTRY(MEASURE, measure, TABLES)                                                                \
    ENTRY(COMPARE, compare, DOCUMENTS)                                                             \
    ENTRY(EXPLAIN, explain, DOCUMENTS)                                                             \
    ENTRY(ADVISE, advise, OTHER)                                                                   \
    ENTRY(LIST, list, TABLES)                                                                      \
    ENTRY(TRACE, trace, DOCUMENTS)                                                                 \
    ENTRY(BATCH, batch, OTHER)                                                                     \
    ENTRY(MERGE, merge, OTHER)                                                                     \
    ENTRY(REPORT, report, OTHER)                                                                   \
    ENTRY(PORTABILITY, portability, TABLES)                                                        \
    ENTRY(MACHINE, machine, DOCUMENTS)                                                             \
    ENTRY(ROOFLINE, roofline, TABLES)                                                              \
    ENTRY(TUNE, tune, TABLES)                                                                      \
    ENTRY(SELFTEST, selftest, TABLES)                                                              \
    ENTRY(CHECK, check, TABLES)                                                                    \
    ENTRY(SAMPLE, sample, OTHER)                                                                   \
    ENTRY(EXPERIMENT, experiment, OTHER)                                                           \
    ENTRY(MODEL, model, OTHER)                                                                     \
    ENTRY(BLOCKED, blocked, OTHER)                                                                 \
    ENTRY(STORE, store, OTHER)                                                                     \
    ENTRY(PLANS, plans, OTHER)                                                                     \
    ENTRY(HELP, help, OTHER)                                                                       \
    ENTRY(COMPLETION, completion, OTHER)

#endif
