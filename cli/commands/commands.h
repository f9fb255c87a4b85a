/**
 * The commands: a line of command_list.h and a file each, which defines `command_NAME`.
 */
#ifndef CLI_COMMANDS_COMMANDS_H
#define CLI_COMMANDS_COMMANDS_H

#include "base/output_file.h"
#include "base/strbuf.h"
#include "cli/diagnostics.h"
#include "cli/options/options.h"
#include "cli/request.h"

/* The frame of a command: opens the needs in its table before its work, and always closes them
 * after it. */

struct view;

/** The needs of a task, in addition to enum request_need for its request. */
enum task_need {
    TASK_CONTRACTION = 256, /**< the whole request; without it, only the machine if needed */
    TASK_IF_GIVEN = 512,    /**< as TASK_CONTRACTION if there is an argument */
    TASK_OUTPUT = 2048,     /**< the output file or stdout */
    TASK_LOCK = 4096        /**< the lock of this machine */
};

/** The open resources of a command. */
struct task {
    const struct options *options;
    struct request request;
    struct output_file out;
    struct tcplan_node_lock *lock; /**< NULL: not needed, or --no-lock */
};

typedef enum exit_status task_fn(struct task *task);

/** Opens the needs, does the work, and closes them; returns EXIT_DONE, or another status after a
 * message. */
enum exit_status task_do(const struct options *options, unsigned needs, task_fn *work);

/** Prints a result to the open output, and completes it. */
enum exit_status task_print(struct task *task, const struct view *view, const void *record);

/* The table. */

/** Appends words that completion offers as arguments, with blanks between them. */
typedef void offer_fn(struct strbuf *out);

/** One of several actions of a command; the first argument names it. */
struct action {
    const char *name;
    uint64_t bit;
    const char *arguments;         /**< after the name, in the usage line; NULL: none */
    const char *summary;           /**< one line */
    const char *needs;             /**< the required arguments after the name; NULL: none */
    int most_arguments;            /**< after the name */
    enum file_role arguments_role; /**< of the arguments after the name */
    offer_fn *offer;               /**< likewise; NULL: none */
    enum exit_status (*run)(const struct options *options);
    const void *of; /**< passed to a function that several actions share; NULL: nothing */
};

struct command {
    const char *name;
    uint64_t bit;                  /**< of a command with actions: the bits of all of them */
    const char *arguments;         /**< after the name, in the usage line */
    const char *summary;           /**< one line */
    const char *examples;          /**< one or more lines for the help */
    enum file_role arguments_role; /**< of the arguments, if there are no actions */
    offer_fn *offer;               /**< likewise; NULL: none */
    bool no_argument;              /**< it takes no argument */
    const char *needs;             /**< the required arguments; NULL: none */
    unsigned opens;                /**< what its task opens: bits of enum task_need */
    unsigned (*opens_more)(const struct options *options); /**< likewise, by options; or NULL */
    task_fn *run;                                          /**< NULL: it has `actions` */
    enum exit_status (*run_several)(const struct options *options); /**< for an expression of
                                                                       several tensors; NULL: as
                                                                       `run` */
    const struct action *actions; /**< ends with one without a name; the first is the default; NULL:
                                     none */
    const char *manual; /**< further text of the man page, with `...` around code; NULL: none */
};

/** What accepts options: an action, or a command without actions. */
struct taker {
    const struct command *command;
    const struct action *action; /**< NULL: the command has none */
    uint64_t bit;
    enum file_role role; /**< of its arguments */
    offer_fn *offer;     /**< words for its arguments; NULL: none */
    size_t place;        /**< of the command */
};

/** Advances to the next taker, from a zeroed one to the first; returns false after the last. */
bool taker_next(struct taker *taker);

/** Any number of arguments. */
enum { ANY_ARGUMENTS = INT32_MAX };

/** The only argument of a process that `tune` starts for an invocation. */
extern const char tune_serving[];

/** All commands, ended by NULL. A bare contraction means the first. */
extern const struct command *const commands[];

/** Consecutive commands of the table under one heading. */
struct command_group {
    const char *first; /**< the name of the group's first command */
    const char *heading;
};

/** All groups in the order of the commands, ended by one without a heading. */
extern const struct command_group command_groups[];

/* Finds and runs the command of a command line. */

/** Runs the command line; `count` and `arguments` are main's. */
enum exit_status command_line_run(int count, char *const arguments[]);

#endif
