/**
 * The file of plans: entries (store/entry.h) of the kind `plans`, one behind the other, of any
 * machines. In a store's folder it is `plans.tcplan`.
 *
 *   tcplan store 1
 *   entry kind=plans version=1 key=...
 *   of CPU=...
 *   plan product=...
 *   checksum 1a2b3c4d
 *   tcplan store 1
 *   ...
 *
 * All functions but the first few expect that the caller holds the mutex of the plans.
 */
#ifndef STORE_PLANS_FILE_H
#define STORE_PLANS_FILE_H

#include <pthread.h>
#include <sys/stat.h>

#include "store/plan.h"
#include "tcplan/stored_plans.h"

enum { PLANS_MOST_BYTES = 64 << 20, PLANS_KNOWN_SLOTS = 8192 };

/** What a plan is found by in memory. */
struct known_key {
    uint64_t hash;
    size_t length;                       /**< 0: such plans are not stored */
    unsigned char bytes[PLAN_KEY_BYTES]; /**< plan_key_bytes() */
};

/** A plan that this process has met. */
struct known_plan {
    struct known_key key;
    struct tcplan_found_plan found;
};

struct tcplan_stored_plans {
    struct tcplan_store store;
    char *folder; /**< that the file is in, to be made; NULL: whatever that is, it is there */
    char *file;   /**< NULL: there is no place for plans */
    pthread_mutex_t lock; /**< of all below */
    bool adopted;         /**< plans that version 0.1.0 kept in the folder were looked for */
    char *text;           /**< of the file, as it was read last; NULL: it was not */
    size_t length;
    struct stat stamp; /**< of the file, when it was read */
    size_t known_count;
    struct known_plan *known[PLANS_KNOWN_SLOTS]; /**< an open hash table, half full at most */
};

/** Whether bytes are a file of plans by how they begin: TCPLAN_OK, also where there are none;
 * TCPLAN_INVALID. */
enum tcplan_status plans_text_check(const char *text, size_t length, struct tcplan_error *error);

/** A stretch of a text: an entry, or what is left of one. */
struct plans_piece {
    const char *text;
    size_t length;
};

/**
 * Finds the next piece from a place on. Without a word all pieces together are the text.
 *
 * @param at    receives where the piece ends
 * @param word  only entries that have it in their second line; NULL: any
 * @return false where there is none
 */
bool plans_next_piece(struct plans_piece *out, const char **at, const char *end, const char *word);

/** The number of the line that a place is in, from 1. */
size_t plans_line(const char *text, const char *at);

/** An entry of the file. */
struct filed_plan {
    struct tcplan_plan_item item; /**< without a name: it cannot be used anywhere */
    struct tcplan_fingerprint fingerprint;
    struct plans_piece piece;
    bool superseded; /**< a later one took its place */
    int64_t used;    /**< 0: in the future, by a clock that was set back since */
    bool goes;       /**< it is removed */
};

/** Zero-initialise before use. */
struct filed_plans {
    size_t count;
    struct filed_plan *plan; /**< in the order of the file */
};

void filed_plans_free(struct filed_plans *filed);

/** Reads a piece of a text and checks it. What is wrong is in the item: its status and reason. */
void plans_read(struct filed_plan *out, const struct tcplan_store *store,
                const struct plans_piece *piece, const char *text);

/** Reads the file where it has changed. TCPLAN_NOT_APPLICABLE: there is none; otherwise as
 * tcplan_stored_plans_check(). */
enum tcplan_status plans_refresh(struct tcplan_stored_plans *plans, struct tcplan_error *error);

/**
 * Reads all entries of the file.
 *
 * @param alike  only those whose keys begin so; NULL: all
 * @return as tcplan_stored_plans_list()
 */
enum tcplan_status plans_list(struct filed_plans *out, struct tcplan_stored_plans *plans,
                              const char *alike, struct tcplan_error *error);

/**
 * Finds the plan of a key for a machine: the last of its entries that is whole.
 *
 * @return TCPLAN_OK; TCPLAN_NOT_APPLICABLE where there is none; otherwise as
 *         tcplan_stored_plans_find()
 */
enum tcplan_status plans_find(struct tcplan_stored_plan *out, struct tcplan_stored_plans *plans,
                              const char *key, const struct tcplan_fingerprint *machine,
                              struct tcplan_error *error);

/** When a plan takes the place of an equal one. */
enum plans_rule {
    PLANS_BETTER,  /**< it was found with more effort */
    PLANS_AS_GOOD, /**< it was not found with less */
    PLANS_SAME     /**< it is the one that stands there */
};

/**
 * Appends a plan for a machine, unless the rule forbids it. It asks with the file locked: no other
 * process puts a plan there between the answer and the writing.
 *
 * @param put  receives whether it was appended
 * @return as tcplan_stored_plans_keep(); the file is as it was where it is not TCPLAN_OK
 */
enum tcplan_status plans_put(bool *put, struct tcplan_stored_plans *plans,
                             const struct tcplan_stored_plan *plan,
                             const struct tcplan_fingerprint *machine, enum plans_rule rule,
                             struct tcplan_error *error);

/** Removes plans. Status as tcplan_stored_plans_forget(). */
enum tcplan_status plans_remove(size_t *count, struct tcplan_stored_plans *plans,
                                const struct tcplan_plan_choice *choice,
                                struct tcplan_error *error);

#endif
