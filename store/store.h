/**
 * Finding and keeping values of any kind.
 */
#ifndef STORE_STORE_H
#define STORE_STORE_H

#include "store/entry.h"
#include "store/kinds.h"
#include "tcplan/store.h"

/**
 * Reads what is kept into a value.
 *
 * @param found  receives whether anything is kept and used; with TCPLAN_MISMATCH, what is alike
 * @param key    without blanks and slashes, short
 * @return as tcplan_store_ceilings()
 */
enum tcplan_status store_find(bool *found, void *value, const struct tcplan_store *store,
                              const struct store_kind *kind, const char *key,
                              struct tcplan_error *error);

/**
 * Reads all entries of a kind for this machine into one value. What is damaged, of another version
 * or too old is left out: the first such entry is told.
 *
 * @return TCPLAN_OK; TCPLAN_MISMATCH or TCPLAN_INVALID where an entry is not used, all others are
 *         read nonetheless; TCPLAN_ENVIRONMENT; TCPLAN_NO_MEMORY
 */
enum tcplan_status store_find_every(void *value, const struct tcplan_store *store,
                                    const struct store_kind *kind, struct tcplan_error *error);

/** The name of an entry, without the ending of its file. */
void store_name(char out[TCPLAN_STORE_NAME], const struct tcplan_store *store,
                const struct store_kind *kind, const char *key);

/** A number of the first parts of the fingerprint. */
uint32_t store_machine_id(const struct tcplan_store *store, int parts);

/** Whether an entry that was read is of this machine and not too old: TCPLAN_OK, or TCPLAN_MISMATCH
 * with the reason. */
enum tcplan_status store_check_use(const struct tcplan_store *store, const struct entry *entry,
                                   struct tcplan_error *error);

/** Seconds since 1970. */
int64_t store_now(const struct tcplan_store *store);

/** Whether a time is more than a day ahead, as clocks that were set back since leave it. Such
 * entries are used, but go before others. */
bool store_is_ahead(const struct tcplan_store *store, int64_t time);

/** Keeps a value; nothing is kept without a folder. Status as tcplan_store_keep_ceilings(). */
enum tcplan_status store_keep(const struct tcplan_store *store, const struct store_kind *kind,
                              const char *key, const void *value, struct tcplan_error *error);

/** The same while the caller has the folder's lock. */
enum tcplan_status store_replace(const struct tcplan_store *store, const struct store_kind *kind,
                                 const char *key, const void *value, struct tcplan_error *error);

/**
 * Removes what is too old by itself, and the oldest entries beyond the bound that are not dear, nor
 * many. How old a file is says the file system: none is read. To be called with the folder's lock,
 * once after all that was to be written; what cannot be removed stays.
 */
void store_trim(const struct tcplan_store *store);

/** The text of an entry made now, to be freed with free(); NULL when memory is out. */
char *store_text(const struct tcplan_store *store, const struct store_kind *kind, const char *key,
                 const void *value);

/** Puts the name of an entry or file, and the line, in front of an error's message; returns its
 * status. */
enum tcplan_status store_blame(const char *name, struct tcplan_error *error);

#endif
