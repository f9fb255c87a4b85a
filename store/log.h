/**
 * The log of observations of one machine and its libraries: a file of the store's folder, a line
 * for each observation. What it holds of a kind is listed, shown and forgotten like an entry.
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

/** A log that is larger is replaced by its summaries when it is read; while it is appended to, one
 * of twice the size. */
enum { LOG_BYTES = 3 << 18 };

/** The kinds in a log; after so many days without an observation it goes. */
enum { LOG_KINDS = 4, LOG_DAYS = 90 };

/** Whether the name of a file in the folder, without its ending, is that of a log. */
bool log_is_named(const char *name);

/** The name of what a log holds of a kind. */
void log_part_name(char out[TCPLAN_STORE_NAME], const char *name, const struct store_kind *kind);

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

/**
 * Makes an entry of what a log holds of a kind.
 *
 * @param text  receives what the entry points into, to be freed with base_free()
 * @param name  as log_part_name() has it
 * @return TCPLAN_OK; TCPLAN_NOT_APPLICABLE where there is nothing; TCPLAN_INVALID;
 *         TCPLAN_ENVIRONMENT; TCPLAN_NO_MEMORY
 */
enum tcplan_status log_open(struct entry *out, char **text, const struct tcplan_store *store,
                            const struct store_kind *kind, const char *name,
                            struct tcplan_error *error);

/**
 * Forgets observations of some kinds that are so old. To be called with the folder's lock.
 *
 * @param count  the number of kinds that forgot something is added to it
 * @param kind   `kinds` kinds
 * @return as tcplan_store_forget()
 */
enum tcplan_status log_forget(size_t *count, const struct tcplan_store *store, const char *name,
                              const struct store_kind *const kind[], size_t kinds,
                              double least_days, struct tcplan_error *error);

/* What the kinds in a log have in common (store/kinds.h). Their content is lines without
 * checksums. */

/** `read`, into a struct tcplan_experience. */
enum tcplan_status log_read_content(void *value, const char *content, size_t length,
                                    struct tcplan_error *error);

/** `show`, by a function that says what an experience holds of the kind. */
enum tcplan_status log_show_content(struct strbuf *out, const char *content, size_t length,
                                    void (*show)(struct strbuf *, const struct tcplan_experience *),
                                    struct tcplan_error *error);

#endif
