/**
 * The table of options: the commands that accept them, and the types of their values. The parser,
 * `--help`, the man page and completion use it. Each option is one line.
 */
#ifndef CLI_OPTIONS_OPTIONS_TABLE_H
#define CLI_OPTIONS_OPTIONS_TABLE_H

#include "base/strbuf.h"
#include "cli/options/options.h"

/** Commands that write the results of batches. */
#define SEVERAL (COMMAND(BATCH) | COMMAND(MERGE))
/** Commands with any number of files as arguments. */
#define FILES (SEVERAL | COMMAND(PORTABILITY) | COMMAND(REPORT) | COMMAND(CHECK))
/** Commands whose only argument is a contraction. */
#define CONTRACTIONS                                                                               \
    (COMMAND(RANK) | COMMAND(LIST) | COMMAND(MEASURE) | COMMAND(EMIT) | COMMAND(TRACE) |           \
     COMMAND(EXPLAIN) | COMMAND(ROOFLINE))

/** How the value of an option is parsed, and the type of the member of struct options that stores
 * the value. */
enum option_kind {
    OPTION_SET, /**< no value, or one of `words`: stores `min`, or the number of the word, in an int
                 */
    OPTION_FLAG,  /**< no value: sets a bool */
    OPTION_WORD,  /**< one of `words`, whose number is stored in an int */
    OPTION_TEXT,  /**< any text, which must not be empty if `min` is 1 or the text names a file: a
                     const char */
    OPTION_TEXTS, /**< any text, given up to `max` times: a struct text_list */
    OPTION_IDENTIFIER, /**< a C identifier: a const char */
    OPTION_NUMBER,     /**< a number from `min` to `max`: an int or an int64_t */
    OPTION_SEED,       /**< a number of 64 bits: a uint64_t */
    OPTION_SIZE,       /**< bytes, such as 512M: an int64_t */
    OPTION_SECONDS,    /**< a number of seconds: a double */
    OPTION_PERCENT,    /**< a percentage between 0 and 100: stores the share in a double */
    OPTION_SHARD       /**< K/N: a struct shard */
};

/** Group of an option in `--help all` and in the man pages. */
enum option_group { GROUP_EXPERT, GROUP_INPUT, GROUP_SEARCH, GROUP_STORED, GROUP_OUTPUT };

/** Headings of the groups, in the order of the help. */
extern const struct tcplan_word option_groups[];

/** `--help` shows all options if there are at most this many; otherwise only the common ones. */
enum { COMMON_OPTIONS = 12 };

struct option {
    const char *name;
    char letter;          /**< letter of the short form; 0: there is none */
    uint64_t accepted_by; /**< bits of the commands and actions that accept the option */
    enum option_kind kind;
    size_t offset; /**< offset of the option's member in struct options */
    size_t bytes;  /**< size of that member */
    enum option_group group;
    uint64_t common; /**< bits of the commands and actions whose short `--help` lists the option */
    int64_t min;
    int64_t max;
    const struct tcplan_word *words;
    const char *value;    /**< name of the value in the help; NULL: the option has no value */
    enum file_role role;  /**< how a command uses the file that the value names */
    const char *requires; /**< options that this option requires, see rules_check(); NULL: none are
                             required */
    const char *excludes; /**< options that may not be given with this one, in the form of
                             `requires` */
    const char *instead;  /**< what to do for an expression of several tensors, if the option
                             excludes it; NULL: nothing replaces the option */
    const char *expects;  /**< description of the expected value for messages; NULL: a file name, or
                             as the kind defines */
    const char *help;   /**< help text, in which %s is replaced by all words with the default marked
                         */
    const char *manual; /**< further text for the man page, with backticks around code; NULL: no
                           further text */
};

/** All options, in the order of the help. A name may occur several times, each time for different
 * commands or actions. */
extern const struct option options_table[];
extern const size_t options_table_count;

/** Returns the first option with this name that some of `actions` accept; NULL if there is none. */
const struct option *option_find(uint64_t actions, const char *name, size_t length);

/** Appends the names of commands and actions, such as "rank, list and blocked predict"; a command
 * with all its actions appears as "blocked". */
void actions_add_names(struct strbuf *out, uint64_t actions);

/** Returns the number of options that some of `actions` accept. */
int options_count(uint64_t actions);

/** Returns whether the short `--help` of some of `actions` lists an option. */
bool option_is_common(const struct option *option, uint64_t actions);

/** Returns whether an option that needs a value can use the next argument as its value. */
bool option_takes(const struct option *option, const char *argument);

/** Stores the value of an option, or NULL for an option without one; false if the value is
 * malformed. */
bool option_store(const struct option *option, struct options *options, const char *value);

/** Appends a description of the valid values, such as "a number from 1 to 4096" or "warm or cold".
 */
void option_add_expected(struct strbuf *out, const struct option *option);

/** Appends the help of an option. If `command` is not NULL and only some of its actions accept the
 * option, also names these actions. */
void option_add_help(struct strbuf *out, const struct option *option,
                     const struct command *command);

/*
 * Rules of options that need or exclude each other, in the columns `requires` and `excludes` of the
 * option table.
 *
 *   requires = clause { "," clause } ; clause = word { " " word }     one word of each clause holds
 *   excludes = word { " " word }                                      no word holds
 *   word     = option | option "=" value | "contraction" | "several" | command
 *
 * `contraction` is the argument, `several` an expression of several tensors. A word holds if the
 * option is given with a value other than the default, if the option has the value, or if the
 * command has the name. A clause always holds if the command or action accepts none of its options.
 */

/** Checks the rules of all given options. Prints an error about the first violated rule and returns
 * false. */
bool rules_check(const struct options *options, const struct command *command);

/** Appends which options an option requires and excludes, such as " Needs `--run` or `--kernel`.";
 * names only options that some of the actions accept. */
void rules_add_text(struct strbuf *out, const struct option *option, uint64_t actions);

/** Appends the options that an option excludes, such as "--top --all", if some of `actions` accept
 * them. */
void rules_add_excluded(struct strbuf *out, const struct option *option, uint64_t actions);

#endif
