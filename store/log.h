/**
 * The log of observations of one machine and its libraries: a file in the store's folder with one
 * line for each observation. Each kind of observations is listed, shown and forgotten like an
 * entry.
 */
#ifndef STORE_LOG_H
#define STORE_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"
#include "store/entry.h"
#include "store/fields.h"
#include "tcplan/store.h"

/** The maximum size of a log in bytes. Beyond it a reader compacts the log; a writer does so beyond
 * twice this size. */
enum { LOG_BYTES = 3 << 18 };

/** The number of kinds in a log, and the age in days of the latest observation at which a log is
 * removed. */
enum { LOG_KINDS = 4, LOG_DAYS = 90 };

/** Returns whether a file name in the folder, without its ending, is that of a log. */
bool log_is_named(const char *name);

/** Prints the name of a kind in a log, such as `evaluations-1a2b3c4d`. */
void log_part_name(char out[TCPLAN_STORE_NAME], const char *name, const struct store_kind *kind);

/** Appends a line with its checksum. */
void log_write(struct strbuf *out, const char *word, const struct field fields[],
               const void *object);

/**
 * Folds the lines of a text into an experience. Skips damaged and unknown lines, and observations
 * that are too old at `now`.
 *
 * @return TCPLAN_OK or TCPLAN_NO_MEMORY
 */
enum tcplan_status log_fold(struct tcplan_experience *experience, const char *text, size_t length,
                            int64_t now);

/** Appends the lines of all summaries; TCPLAN_OK or TCPLAN_NO_MEMORY. */
enum tcplan_status log_write_all(struct strbuf *out, const struct tcplan_experience *experience);

/**
 * Opens a kind in a log as an entry.
 *
 * @param text  receives the text that the entry points into, to be freed with base_free()
 * @param name  name of the log's part, from log_part_name()
 * @return TCPLAN_OK; TCPLAN_NOT_APPLICABLE if there is no observation; TCPLAN_INVALID;
 *   TCPLAN_ENVIRONMENT; TCPLAN_NO_MEMORY
 */
enum tcplan_status log_open(struct entry *out, char **text, const struct tcplan_store *store,
                            const struct store_kind *kind, const char *name,
                            struct tcplan_error *error);

/**
 * Forgets observations of some kinds that have at least a given age. The caller holds the folder's
 * lock.
 *
 * @param count  the number of kinds that forgot something is added to it
 * @param kind   `kinds` kinds
 * @return a status of tcplan_store_forget()
 */
enum tcplan_status log_forget(size_t *count, const struct tcplan_store *store, const char *name,
                              const struct store_kind *const kind[], size_t kinds,
                              double least_days, struct tcplan_error *error);

/** Reads content of a kind, lines without checksums, into a struct tcplan_experience. */
enum tcplan_status log_read_content(void *value, const char *content, size_t length,
                                    struct tcplan_error *error);

#endif
