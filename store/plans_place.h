/**
 * The file of plans, and what stands in it. In a folder it is `plans.tcplan`.
 */
#ifndef STORE_PLANS_PLACE_H
#define STORE_PLANS_PLACE_H

#include <pthread.h>
#include <sys/types.h>
#include <time.h>

#include "store/entry.h"
#include "store/plans_file.h"
#include "tcplan/stored_plans.h"

/** A file as it was when it was read. */
struct plans_stamp {
    ino_t inode;
    off_t size;
    struct timespec changed;
};

/** A plan that this process has met. */
struct known_plan {
    uint64_t hash;
    size_t length;
    struct tcplan_found_plan found;
    unsigned char bytes[]; /**< plan_key_bytes() */
};

struct tcplan_stored_plans {
    struct tcplan_store store;
    char *folder; /**< that the file is in, to be made; NULL: whatever that is, it is there */
    char *file;   /**< NULL: there is no place for plans */
    pthread_mutex_t lock; /**< of all below */
    bool adopted;         /**< what version 0.1.0 kept in the folder was looked for */
    char *text;           /**< of the file, as it was read last; NULL: it was not */
    size_t length;
    struct plans_stamp stamp;
    size_t count, capacity; /**< plans in memory, in a table by their hash; a power of two, or 0 */
    struct known_plan **known;
};

/** What was read of an entry. */
struct read_plan {
    struct entry entry;
    struct tcplan_stored_plan plan; /**< where the status is TCPLAN_OK; `made` and `used` are set */
};

/**
 * Reads an entry of a plan; whose machine it is is not looked at.
 *
 * @return TCPLAN_OK; TCPLAN_INVALID where it is damaged or of another kind; TCPLAN_MISMATCH where
 *         it is of another version
 */
enum tcplan_status place_read(struct read_plan *out, const char *text, size_t length,
                              struct tcplan_error *error);

/** Reads the file of plans, where it has changed. Status as
 * tcplan_stored_plans_check(). */
enum tcplan_status place_check(struct tcplan_stored_plans *plans, struct tcplan_error *error);

/**
 * Finds the plan of a key for this machine.
 *
 * @return TCPLAN_OK; TCPLAN_NOT_APPLICABLE where there is none; otherwise as
 *         tcplan_stored_plans_find()
 */
enum tcplan_status place_find(struct read_plan *out, struct tcplan_stored_plans *plans,
                              const char *key, struct tcplan_error *error);

/**
 * Puts a plan in its place, as it is, for a machine.
 *
 * @param put        receives whether it stands there now
 * @param condition  of what stands there: no other process puts a plan there between it and this
 *                   one
 * @return as tcplan_stored_plans_keep()
 */
enum tcplan_status place_put(bool *put, struct tcplan_stored_plans *plans,
                             const struct tcplan_stored_plan *plan,
                             const struct tcplan_fingerprint *fingerprint,
                             const struct plans_condition *condition, struct tcplan_error *error);

/** Notes the day on which the plan of a key was used, where that can be noted. */
void place_use(struct tcplan_stored_plans *plans, const char *key, const struct read_plan *read);

/** What stands in a place. */
struct placed_plan {
    struct tcplan_plan_item item;
    struct tcplan_fingerprint fingerprint;
    uint64_t machine; /**< of the fingerprint */
    struct plans_piece piece;
    bool superseded; /**< a later one took its place */
    bool is_ahead;   /**< it was used in the future, by a clock that was set back since */
    bool goes;       /**< it is removed */
};

/** Zero-initialise before use. */
struct placed_plans {
    size_t count, capacity;
    struct placed_plan *plan; /**< in the order of the file */
};

/**
 * Looks at all that stands in a place.
 *
 * @param alike  only those that have this in front of their keys; NULL: all
 * @return as tcplan_stored_plans_list()
 */
enum tcplan_status place_list(struct placed_plans *out, struct tcplan_stored_plans *plans,
                              const char *alike, struct tcplan_error *error);

void placed_plans_free(struct placed_plans *placed);

/** Removes plans. Status as tcplan_stored_plans_forget(); `count` may be NULL. */
enum tcplan_status place_remove(size_t *count, struct tcplan_stored_plans *plans,
                                const struct tcplan_plan_choice *choice,
                                struct tcplan_error *error);

#endif
