/**
 * Common actions of `store`, `plans` and `model`: list, show, forget, export and import. A command
 * describes its collection; the actions are shared.
 */
#ifndef CLI_COLLECTION_H
#define CLI_COLLECTION_H

#include "base/strbuf.h"
#include "cli/commands/commands.h"
#include "cli/output/printed.h"

/** What the shared actions need to know about a collection. Functions of actions that a command
 * lacks are NULL. `things` is the result of open(). */
struct collection {
    const char *command;
    const char *one, *many; /**< "plan", "plans" */

    /** Opens the collection and reads the data for list and show. Close `*things` even after an
     * error, unless it is NULL. */
    enum exit_status (*open)(void **things, const struct options *options);
    void (*close)(void *things);

    /** Whether the words after the action select anything; otherwise prints a message. */
    bool (*has_chosen)(const void *things, const struct options *options);

    enum exit_status (*print)(const struct options *options,
                              const void *things); /**< prints the selected things for `list`; also
                                                      for `show` if `show` is NULL */

    /** Appends text about the selected things. */
    enum tcplan_status (*show)(struct strbuf *out, const void *things,
                               const struct options *options);

    const char *forget_needs; /**< what `forget` requires, for a message: names and options */
    size_t least_name;        /**< minimum length of an abbreviated name for `forget` */
    enum tcplan_status (*forget)(size_t *count, void *things, const struct options *options);

    enum tcplan_status (*write)(FILE *file, size_t *count, const void *things);

    /** Adds the contents of a file to the collection, and prints how many things were added. */
    enum exit_status (*import)(void *things, const struct options *options, const char *path);
};

/** Returns the first word after the action; NULL: none. */
const char *collection_word(const struct options *options);

/** Implements the actions; their `of` is the collection. A word that selects nothing is an error.
 */
enum exit_status collection_run(const struct options *options);

#endif
