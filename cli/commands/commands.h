/**
 * The table of commands. Each command is a line of command_list.h and a file, which defines
 * `command_NAME`.
 */
#ifndef CLI_COMMANDS_COMMANDS_H
#define CLI_COMMANDS_COMMANDS_H

#include "base/output_file.h"
#include "base/strbuf.h"
#include "cli/diagnostics.h"
#include "cli/options/options.h"
#include "cli/request.h"

/* Executes a command: opens what its table says that it needs, calls its function, and closes
 * everything. */

struct view;

/** What a command opens, in addition to enum request_need. */
enum task_need {
    TASK_CONTRACTION =
        256, /**< the contraction with all input; without this bit, only the machine if needed */
    TASK_IF_GIVEN = 512, /**< like TASK_CONTRACTION, if there is an argument */
    TASK_OUTPUT = 2048,  /**< the output file, or stdout */
    TASK_LOCK = 4096     /**< the lock of this machine */
};

/** What is open while a command runs. */
struct task {
    const struct options *options;
    struct request request;
    struct output_file out;
    struct tcplan_node_lock *lock; /**< lock of this machine; NULL: not needed, or --no-lock */
};

typedef enum exit_status task_fn(struct task *task);

/** Opens what `needs` says, calls `run`, and closes everything. Returns EXIT_DONE, or another
 * status after a message. */
enum exit_status task_do(const struct options *options, unsigned needs, task_fn *work);

/** Prints a result to the open output, and completes it. */
enum exit_status task_print(struct task *task, const struct view *view, const void *record);

/* The table. */

/** Appends the words that completion offers as arguments, separated by blanks. */
typedef void offer_fn(struct strbuf *out);

/** One of several actions of a command; the first argument names it. */
struct action {
    const char *name;
    uint64_t bit;
    const char *arguments; /**< arguments after the action in the usage line; NULL: none */
    const char *summary;   /**< one line */
    const char *needs;     /**< name of the arguments that the action requires; NULL: none */
    int most_arguments;    /**< after the name */
    enum file_role arguments_role; /**< how the action uses files among its arguments */
    offer_fn *offer;               /**< likewise; NULL: none */
    enum exit_status (*run)(const struct options *options);
    const void *of; /**< parameter for a function that several actions share; NULL: none */
};

struct command {
    const char *name;
    uint64_t bit;          /**< bit of the command; if it has actions, the bits of all of them */
    const char *arguments; /**< arguments after the command in the usage line */
    const char *summary;   /**< one line */
    const char *examples;  /**< lines of examples for the help */
    enum file_role arguments_role; /**< how the command uses files among its arguments, if it has no
                                      actions */
    offer_fn *offer;               /**< likewise; NULL: none */
    bool no_argument;              /**< whether the command accepts no argument */
    const char *needs; /**< name of the arguments that the command requires; NULL: none */
    unsigned opens;    /**< bits of enum task_need: what the command opens */
    unsigned (*opens_more)(const struct options *options); /**< returns further bits that depend on
                                                              options; or NULL */
    task_fn *run; /**< function of the command; NULL: it has `actions` */
    enum exit_status (*run_several)(const struct options *options); /**< function for an expression
                                                                       of several tensors; NULL:
                                                                       `run` */
    const struct action *actions; /**< actions, ended by one without a name; the first is the
                                     default; NULL: none */
    const char *manual; /**< further text for the man page, with `...` around code; NULL: none */
};

/** What accepts options: an action, or a command without actions. */
struct taker {
    const struct command *command;
    const struct action *action; /**< action; NULL: the command has none */
    uint64_t bit;
    enum file_role role; /**< of its arguments */
    offer_fn *offer;     /**< appends words for arguments; NULL: none */
    size_t place;        /**< of the command */
};

/** Advances to the next command or action; a zeroed struct advances to the first. Returns false
 * after the last one. */
bool taker_next(struct taker *taker);

/** Limit on arguments for commands that accept any number. */
enum { ANY_ARGUMENTS = INT32_MAX };

/** Argument of a process that `tune` starts for an invocation; it is the only one. */
extern const char tune_serving[];

/** All commands, ended by NULL. A contraction without a command is an argument of the first
 * command. */
extern const struct command *const commands[];

/** A group of consecutive commands in the help, with a heading. */
struct command_group {
    const char *first; /**< name of the first command in the group */
    const char *heading;
};

/** Groups in the order of the commands, ended by one without a heading. */
extern const struct command_group command_groups[];

/** Executes the command line with main's `count` and `arguments`; returns the exit status. */
enum exit_status command_line_run(int count, char *const arguments[]);

#endif
