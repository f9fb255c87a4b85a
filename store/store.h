/** Stores and finds values of any kind. */
#ifndef STORE_STORE_H
#define STORE_STORE_H

#include "store/entry.h"
#include "store/kinds.h"
#include "tcplan/store.h"

/**
 * Reads a stored value.
 * @param found receives whether a value was found and used; with TCPLAN_MISMATCH, a value of a
 *     similar machine was used
 * @param key short, without blanks and slashes
 * @return a status of tcplan_store_ceilings()
 */
enum tcplan_status store_find(bool *found, void *value, const struct tcplan_store *store,
                              const struct store_kind *kind, const char *key,
                              struct tcplan_error *error);

/**
 * Reads all entries of a kind for this machine into one value. Skips damaged and expired entries
 * and those of another version, and reports the first of them.
 * @return TCPLAN_OK; TCPLAN_MISMATCH or TCPLAN_INVALID if an entry was skipped, with all other
 *     entries read; TCPLAN_ENVIRONMENT; TCPLAN_NO_MEMORY
 */
enum tcplan_status store_find_every(void *value, const struct tcplan_store *store,
                                    const struct store_kind *kind, struct tcplan_error *error);

/** Prints the name of an entry, without the ending of its file. */
void store_name(char out[TCPLAN_STORE_NAME], const struct tcplan_store *store,
                const struct store_kind *kind, const char *key);

/** Prints the name that an entry had in version 0.1.0. */
void store_former_name(char out[TCPLAN_STORE_NAME], const struct tcplan_store *store,
                       const struct store_kind *kind, const char *key);

/** Returns a hash of the first `parts` parts of the fingerprint. */
uint32_t store_machine_id(const struct tcplan_store *store, int parts);

/** Checks that an entry is from this machine and has not expired: TCPLAN_OK, or TCPLAN_MISMATCH
 * with the reason. */
enum tcplan_status store_check_use(const struct tcplan_store *store, const struct entry *entry,
                                   struct tcplan_error *error);

/** Returns the seconds since 1970. */
int64_t store_now(const struct tcplan_store *store);

/** Returns whether a time is more than a day in the future, because the clock was set back
 * later. Such entries are used, but are removed before others. */
bool store_is_ahead(const struct tcplan_store *store, int64_t time);

/** Stores a value; does nothing without a folder. Returns a status of tcplan_store_keep_ceilings().
 */
enum tcplan_status store_keep(const struct tcplan_store *store, const struct store_kind *kind,
                              const char *key, const void *value, struct tcplan_error *error);

/** Like store_keep(), for a caller that holds the folder's lock. */
enum tcplan_status store_replace(const struct tcplan_store *store, const struct store_kind *kind,
                                 const char *key, const void *value, struct tcplan_error *error);

/**
 * Removes expired entries. Beyond the limit, also removes the oldest entries of kinds that are
 * neither expensive nor have a limit of their own. Ages come from the file system; no entry is
 * read. Call once after all writes, with the folder's lock; entries that cannot be removed stay.
 */
void store_trim(const struct tcplan_store *store);

/** Returns the text of an entry made now, to be released with free(); NULL if out of memory. */
char *store_text(const struct tcplan_store *store, const struct store_kind *kind, const char *key,
                 const void *value);

/** Prefixes an error's message with the name of an entry or file, and the line number; returns
 * its status. */
enum tcplan_status store_blame(const char *name, struct tcplan_error *error);

#endif
