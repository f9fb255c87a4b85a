/**
 * What options there are, of which commands, and how each value is read.
 */
#ifndef CLI_OPTIONS_TABLE_H
#define CLI_OPTIONS_TABLE_H

#include "cli/options.h"

enum {
    SEVERAL = COMMAND_BATCH | COMMAND_MERGE,               /**< commands that write the results of batches */
    FILES = SEVERAL | COMMAND_PORTABILITY | COMMAND_REPORT /**< commands whose arguments are files, any number of them */
};

/** One option. `set` stores its value (NULL where it takes none) and returns false where that is malformed. */
struct option {
    const char *name;
    char letter; /**< 0: it has none */
    unsigned commands;
    const char *value;   /**< its name in the help; NULL: the option takes no value */
    const char *expects; /**< what the value has to be, for messages */
    const char *help;
    bool (*set)(struct options *options, const char *value);
};

/** In the order of the help. One name may be there more than once, each time for other commands. */
extern const struct option options_table[];
extern const size_t options_table_count;

#endif
