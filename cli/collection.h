/**
 * Common actions of `store`, `plans` and `model`: list, show, forget, export and import. A command
 * describes its collection; the actions are shared.
 */
#ifndef CLI_COLLECTION_H
#define CLI_COLLECTION_H

#include "base/strbuf.h"
#include "cli/commands/commands.h"
#include "cli/output/printed.h"

/** A collection, as the shared actions need it. Functions of actions that a command lacks are NULL.
 * `things` is the result of open(). */
struct collection {
    const char *command;
    const char *one, *many; /**< "plan", "plans" */

    /** Opens the collection and reads the data for `list` and `show`. The caller closes `*things`
     * unless it is NULL, even after an error. */
    enum exit_status (*open)(void **things, const struct options *options);
    void (*close)(void *things);

    /** Returns whether the words after the action select anything; otherwise prints a message. */
    bool (*has_chosen)(const void *things, const struct options *options);

    enum exit_status (*print)(const struct options *options,
                              const void *things); /**< prints the selected things for `list`; also
                                                      for `show` if `show` is NULL */

    /** Appends the full description of the selected things. */
    enum tcplan_status (*show)(struct strbuf *out, const void *things,
                               const struct options *options);

    const char *forget_needs; /**< names and options that `forget` requires, for an error message */
    size_t least_name;        /**< minimum length of an abbreviated name for `forget` */
    enum tcplan_status (*forget)(size_t *count, void *things, const struct options *options);

    enum tcplan_status (*write)(FILE *file, size_t *count, const void *things);

    /** Adds the contents of a file to the collection, and prints how many things were added. */
    enum exit_status (*import)(void *things, const struct options *options, const char *path);
};

/** Returns the first word after the action; NULL if there is none. */
const char *collection_word(const struct options *options);

/** Executes the action of the command line. The action's member `of` is the collection. A word that
 * selects nothing is an error. */
enum exit_status collection_run(const struct options *options);

#endif
