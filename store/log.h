/**
 * The log of observations of one machine and its libraries: a file of the store's folder, a line
 * for each observation. Its kinds (struct observation_type) are listed, shown and forgotten like
 * entries.
 */
#ifndef STORE_LOG_H
#define STORE_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"
#include "store/fields.h"
#include "tcplan/store.h"

/** A log that is larger is replaced by its summaries when it is read; while it is appended to, one
 * of twice the size. */
enum { LOG_BYTES = 3 << 18 };

/** The most kinds that a log lists; after so many days without an observation it goes. */
enum { LOG_KINDS = 4, LOG_DAYS = 90 };

/** Whether the name of a file in the folder, without its ending, is that of a log. */
bool log_is_named(const char *name);

/** Appends a line with its checksum. */
void log_write(struct strbuf *out, const char *word, const struct field fields[],
               const void *object);

/**
 * Folds the lines of a text into an experience. Lines that are damaged, cut off or not known are
 * skipped; so are observations that are too old at `now`.
 *
 * @return TCPLAN_OK or TCPLAN_NO_MEMORY
 */
enum tcplan_status log_fold(struct tcplan_experience *experience, const char *text, size_t length,
                            int64_t now);

/** Appends the lines of all summaries; TCPLAN_OK or TCPLAN_NO_MEMORY. */
enum tcplan_status log_write_all(struct strbuf *out, const struct tcplan_experience *experience);

/** Describes the kinds in a log; returns how many. Of a file that is no log, the file. */
size_t log_list(struct tcplan_store_item item[LOG_KINDS], const struct tcplan_store *store,
                const char *name);

/**
 * Describes a kind for people.
 *
 * @param name  of an item of log_list()
 * @return TCPLAN_OK; TCPLAN_NOT_APPLICABLE where there is none; TCPLAN_INVALID;
 *         TCPLAN_ENVIRONMENT; TCPLAN_NO_MEMORY
 */
enum tcplan_status log_show(struct strbuf *out, const struct tcplan_store *store, const char *name,
                            struct tcplan_error *error);

/**
 * Forgets observations of a log: those of the chosen kinds that are old enough. To be called with
 * the folder's lock.
 *
 * @param count  the number of kinds that forgot something is added to it
 * @return as tcplan_store_forget()
 */
enum tcplan_status log_forget(size_t *count, const struct tcplan_store *store, const char *name,
                              const struct tcplan_store_choice *choice, struct tcplan_error *error);

#endif
