/**
 * What options there are, of which commands, and of what kind their values are: what the parser,
 * `--help`, the man page and completion read. An option is one line.
 */
#ifndef CLI_OPTIONS_OPTIONS_TABLE_H
#define CLI_OPTIONS_OPTIONS_TABLE_H

#include "base/strbuf.h"
#include "cli/options/options.h"

/** Commands that write the results of batches. */
#define SEVERAL (COMMAND(BATCH) | COMMAND(MERGE))
/** Commands whose arguments are files, any number of them. */
#define FILES (SEVERAL | COMMAND(PORTABILITY) | COMMAND(REPORT) | COMMAND(CHECK))
/** Commands whose only argument is a contraction. */
#define CONTRACTIONS                                                                               \
    (COMMAND(RANK) | COMMAND(LIST) | COMMAND(MEASURE) | COMMAND(EMIT) | COMMAND(TRACE) |           \
     COMMAND(EXPLAIN) | COMMAND(ROOFLINE))

/** How a value is read, and what struct options has at the offset. */
enum option_kind {
    OPTION_SET,        /**< none, or one of `words`: the int becomes `min`, or the word's */
    OPTION_FLAG,       /**< none: the bool becomes true */
    OPTION_WORD,       /**< one of `words`: an int */
    OPTION_TEXT,       /**< not empty where `min` is 1, or a file is named: a const char * */
    OPTION_TEXTS,      /**< likewise, given `max` times at most: a struct text_list */
    OPTION_IDENTIFIER, /**< of C: a const char * */
    OPTION_NUMBER,     /**< from `min` to `max`: an int or int64_t */
    OPTION_SEED,       /**< 64 bits: a uint64_t */
    OPTION_SIZE,       /**< bytes, as 512M: an int64_t */
    OPTION_SECONDS,    /**< a double */
    OPTION_PERCENT,    /**< between 0 and 100: a double, the share */
    OPTION_SHARD       /**< K/N: a struct shard */
};

/** What an option is about: how `--help all` and the man pages divide them. */
enum option_group { GROUP_EXPERT, GROUP_INPUT, GROUP_SEARCH, GROUP_STORED, GROUP_OUTPUT };

/** The headings of the groups, in the order of the help. */
extern const struct tcplan_word option_groups[];

/** `--help` shows all options where there are no more than these, else the common ones. */
enum { COMMON_OPTIONS = 12 };

struct option {
    const char *name;
    char letter;          /**< 0: it has none */
    uint64_t accepted_by; /**< the commands and actions that accept it */
    enum option_kind kind;
    size_t offset; /**< in struct options */
    size_t bytes;  /**< of what is there */
    enum option_group group;
    uint64_t common; /**< the commands and actions whose `--help` shows it */
    int64_t min;
    int64_t max;
    const struct tcplan_word *words;
    const char *value;    /**< its name in the help; NULL: the option takes no value */
    enum file_role role;  /**< of the file that the value names */
    const char *requires; /**< see rules.h; NULL: nothing, as in `excludes` */
    const char *excludes;
    const char *expects; /**< what a text has to be, for messages; NULL: the name of a file, or the
                            kind says so */
    const char *help;    /**< where it has a %s, all words stand there, with the default marked */
    const char *manual;  /**< what the man page says besides, with `...` around what is typed; NULL:
                            nothing */
};

/** In the order of the help. One name may be there more than once, each time for other commands or
 * actions. */
extern const struct option options_table[];
extern const size_t options_table_count;

/** The first option of that name that some of `actions` accept; NULL: there is none. */
const struct option *option_find(uint64_t actions, const char *name, size_t length);

/** Appends the names of commands and actions: "rank, list and blocked predict", or "blocked" for
 * all its actions. */
void actions_add_names(struct strbuf *out, uint64_t actions);

/** How many options some of `actions` accept. */
int options_count(uint64_t actions);

/** Whether `--help` shows an option of these actions. */
bool option_is_common(const struct option *option, uint64_t actions);

/** Whether an option that takes a value takes this argument behind its name. */
bool option_takes(const struct option *option, const char *argument);

/** Stores a value (NULL where the kind takes none); false where it is malformed. */
bool option_store(const struct option *option, struct options *options, const char *value);

/** Appends what a value has to be: "a number from 1 to 4096", "warm or cold". */
void option_add_expected(struct strbuf *out, const struct option *option);

/** Appends the help. `command` adds the names of its actions that accept the option, unless all do;
 * NULL: no names. */
void option_add_help(struct strbuf *out, const struct option *option,
                     const struct command *command);

#endif
