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

/* Executes a command: opens everything that its entry in the table lists, calls its function, and
 * closes everything. */

struct view;

/** Bits for things that a command opens, in addition to enum request_need. */
enum task_need {
    TASK_CONTRACTION =
        256, /**< the contraction and all other input; without this bit, only the machine is read */
    TASK_IF_GIVEN = 512, /**< like TASK_CONTRACTION, but only if the command line has an argument */
    TASK_OUTPUT = 2048,  /**< the output file, or stdout */
    TASK_LOCK = 4096     /**< the lock of this machine */
};

/** The things that are open while a command runs. */
struct task {
    const struct options *options;
    struct request request;
    struct output_file out;
    struct tcplan_node_lock *lock; /**< lock of this machine; NULL if the command does not need it
                                      or --no-lock is given */
};

typedef enum exit_status task_fn(struct task *task);

/** Opens the things whose bits are in `needs`, calls `work`, and closes them. Returns EXIT_DONE, or
 * another status after a message. */
enum exit_status task_do(const struct options *options, unsigned needs, task_fn *work);

/** Prints a result to the open output, and completes the output. */
enum exit_status task_print(struct task *task, const struct view *view, const void *record);

/* The table. */

/** Appends the words that shell completion offers as arguments, separated by blanks. */
typedef void offer_fn(struct strbuf *out);

/** An action of a command with several actions; the first argument names it. */
struct action {
    const char *name;
    uint64_t bit;
    const char *arguments; /**< arguments after the action in the usage line; NULL: no arguments */
    const char *summary;   /**< one-line description for the help */
    const char *needs;  /**< name of the arguments that the action requires; NULL: none are required
                         */
    int most_arguments; /**< maximum number of arguments after the action's name */
    enum file_role arguments_role; /**< how the action uses files among its arguments */
    offer_fn *offer; /**< appends the words that completion offers as arguments; NULL: offers none
                      */
    enum exit_status (*run)(const struct options *options);
    const void *of; /**< parameter for a function that several actions share; NULL: no parameter */
};

struct command {
    const char *name;
    uint64_t bit;          /**< bit of the command; if it has actions, the bits of all of them */
    const char *arguments; /**< arguments after the command in the usage line */
    const char *summary;   /**< one-line description for the help */
    const char *examples;  /**< lines of examples for the help */
    enum file_role arguments_role; /**< how the command uses files among its arguments, if it has no
                                      actions */
    offer_fn *offer;   /**< appends the words that completion offers as arguments; NULL: offers none
                        */
    bool no_argument;  /**< whether the command accepts no argument */
    const char *needs; /**< name of the arguments that the command requires; NULL: none are required
                        */
    unsigned opens;    /**< things that the command opens, as bits of enum task_need */
    unsigned (*opens_more)(const struct options *options); /**< returns further bits that depend on
                                                              the options; NULL: no further bits */
    task_fn *run; /**< function of the command; NULL: the command has `actions` */
    enum exit_status (*run_several)(const struct options *options); /**< function for an expression
                                                                       of several tensors; NULL: use
                                                                       `run` */
    const struct action *actions; /**< actions, ended by an entry without a name; the first one is
                                     the default; NULL: the command has no actions */
    const char *manual; /**< further text for the man page, with backticks around code; NULL: no
                           further text */
};

/** A command without actions, or an action; it accepts options. */
struct taker {
    const struct command *command;
    const struct action *action; /**< the action; NULL: the command has no actions */
    uint64_t bit;
    enum file_role role; /**< how files among the arguments are used */
    offer_fn *offer;     /**< appends the words that completion offers as arguments; NULL: offers no
                            words */
    size_t place;        /**< position of the command in the table of commands */
};

/** Advances to the next command or action; a zeroed struct advances to the first. Returns false
 * after the last one. */
bool taker_next(struct taker *taker);

/** Maximum number of arguments for commands that accept any number. */
enum { ANY_ARGUMENTS = INT32_MAX };

/** The only argument of a process that `tune` starts to measure the start of a process. */
extern const char tune_serving[];

/** All commands, ended by NULL. If the command line begins with a contraction, the first command is
 * used. */
extern const struct command *const commands[];

/** A group of consecutive commands in the help, with a heading. */
struct command_group {
    const char *first; /**< name of the group's first command */
    const char *heading;
};

/** The groups in the order of the commands, ended by a group without a heading. */
extern const struct command_group command_groups[];

/** Executes the command line; `count` and `arguments` are those of main(). Returns the exit
 * status. */
enum exit_status command_line_run(int count, char *const arguments[]);

#endif
