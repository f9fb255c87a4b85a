/**
 * What `store`, `plans` and `model` have in common: actions that list, show, forget, export and
 * import what is kept. A command describes what it keeps; the actions are the same.
 */
#ifndef CLI_COLLECTION_H
#define CLI_COLLECTION_H

#include "base/strbuf.h"
#include "cli/commands/commands.h"
#include "cli/output/printed.h"

/** Functions of actions that the command lacks are NULL. `things` is what open() returns. */
struct collection {
    const char *command;
    const char *one, *many; /**< "plan", "plans" */

    /** Opens what is kept, and reads what list and show need. `*things` must be closed also after
     * an error, unless it is NULL. */
    enum exit_status (*open)(void **things, const struct options *options);
    void (*close)(void *things);

    /** Whether any is there that the words behind the action choose; else says that none is. */
    bool (*has_chosen)(const void *things, const struct options *options);

    enum exit_status (*print)(const struct options *options,
                              const void *things); /**< all that is chosen, by list and, without
                                                      `show`, by show */

    /** Appends text about all that is chosen. */
    enum tcplan_status (*show)(struct strbuf *out, const void *things,
                               const struct options *options, struct tcplan_error *error);

    const char *forget_needs; /**< the choices of forget, for a message */
    size_t least_name;        /**< characters of a name that forget takes */
    enum tcplan_status (*forget)(size_t *count, void *things, const struct options *options,
                                 struct tcplan_error *error);

    enum tcplan_status (*write)(FILE *file, size_t *count, const void *things,
                                struct tcplan_error *error);

    /** Adds what a file has, and says so. */
    enum exit_status (*import)(void *things, const struct options *options, const char *path);
};

/** The first word behind the action; NULL: there is none. */
const char *collection_word(const struct options *options);

/* The actions, whose `of` is the collection. Words that choose nothing are refused. */
enum exit_status collection_list(const struct options *options);
enum exit_status collection_show(const struct options *options);
enum exit_status collection_forget(const struct options *options);
enum exit_status collection_export(const struct options *options);
enum exit_status collection_import(const struct options *options);

#endif
