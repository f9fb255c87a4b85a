/**
 * The file of plans: entries (store/entry.h) of the kind `plans`, of any machines, one after the
 * other. In a store's folder it is `plans.tcplan`.
 *
 *     tcplan store 1
 *     entry kind=plans version=1 key=...
 *     of CPU=...
 *     plan product=...
 *     checksum 1a2b3c4d
 *     tcplan store 1
 *     ...
 *
 * The caller holds the mutex of the plans, except in functions of texts only.
 */
#ifndef STORE_PLANS_FILE_H
#define STORE_PLANS_FILE_H

#include <pthread.h>
#include <sys/stat.h>

#include "store/plan.h"
#include "tcplan/stored_plans.h"

enum { PLANS_MOST_BYTES = 64 << 20, PLANS_KNOWN_SLOTS = 8192 };

/** The in-memory key of a plan. */
struct known_key {
    uint64_t hash;
    size_t length; /**< length of the key; 0: plans with this key are not stored */
    unsigned char bytes[PLAN_KEY_BYTES]; /**< the key's bytes, as plan_key_bytes() writes them */
};

/** A plan that this process has used. */
struct known_plan {
    struct known_key key;
    struct tcplan_found_plan found;
};

struct tcplan_stored_plans {
    struct tcplan_store store;
    char *folder;         /**< folder of the file, created if needed; NULL: it exists */
    char *file;           /**< path of the file; NULL: plans have no file */
    pthread_mutex_t lock; /**< lock for all following members */
    bool adopted;         /**< whether the folder was searched for plans of version 0.1.0 */
    char *text;           /**< the text of the file when it was last read; NULL: not read yet */
    size_t length;
    struct stat stamp; /**< state of the file when `text` was read */
    size_t known_count;
    struct known_plan *known[PLANS_KNOWN_SLOTS]; /**< an open-addressing hash table, at most half
                                                    full */
};

/** Checks by its beginning that a text is a file of plans: TCPLAN_OK, also for an empty text;
 * TCPLAN_INVALID. */
enum tcplan_status plans_text_check(const char *text, size_t length, struct tcplan_error *error);

/** A piece of a text: an entry, or the remains of one. */
struct plans_piece {
    const char *text;
    size_t length;
};

/**
 * Finds the next piece of the text from a position on. Without a word, all pieces together are the
 * whole text.
 * @param at receives the end of the piece
 * @param word finds only entries with this word in their second line; NULL: any piece
 * @return false if there is none
 */
bool plans_next_piece(struct plans_piece *out, const char **at, const char *end, const char *word);

/** Returns the number of the line at a position, from 1. */
size_t plans_line(const char *text, const char *at);

/** An entry of the file. */
struct filed_plan {
    struct tcplan_plan_item item; /**< description of the plan; without a name if no machine can use
                                     the plan */
    struct tcplan_fingerprint fingerprint;
    struct plans_piece piece;
    bool superseded; /**< whether a later entry replaces it */
    int64_t used; /**< last use, in seconds since 1970; 0: recorded in the future, because the clock
                     was set back later */
    bool goes;    /**< whether the entry is to be removed */
};

/** The entries of a file of plans. Zero-initialise before use. */
struct filed_plans {
    size_t count;
    struct filed_plan *plan; /**< entries in the order of the file */
};

void filed_plans_free(struct filed_plans *filed);

/** Reads a piece of a text and checks it. Faults are stored in the item: its status and reason. */
void plans_read(struct filed_plan *out, const struct tcplan_store *store,
                const struct plans_piece *piece, const char *text);

/** Reads the file again if it has changed. TCPLAN_NOT_APPLICABLE: there is none; otherwise as
 * tcplan_stored_plans_check(). */
enum tcplan_status plans_refresh(struct tcplan_stored_plans *plans, struct tcplan_error *error);

/**
 * Reads all entries of the file.
 * @param alike reads only entries whose keys begin with this text; NULL: all
 * @return a status of tcplan_stored_plans_list()
 */
enum tcplan_status plans_list(struct filed_plans *out, struct tcplan_stored_plans *plans,
                              const char *alike, struct tcplan_error *error);

/**
 * Finds the plan of a key for a machine: the last of its complete entries.
 * @return TCPLAN_OK; TCPLAN_NOT_APPLICABLE if there is none; otherwise as
 *   tcplan_stored_plans_find()
 */
enum tcplan_status plans_find(struct tcplan_stored_plan *out, struct tcplan_stored_plans *plans,
                              const char *key, const struct tcplan_fingerprint *machine,
                              struct tcplan_error *error);

/** The condition under which a plan replaces an equal one. */
enum plans_rule {
    PLANS_BETTER,  /**< the new plan was found with more effort */
    PLANS_AS_GOOD, /**< the new plan was not found with less effort */
    PLANS_SAME     /**< the new plan is the old one: made at the same time */
};

/**
 * Appends a plan for a machine, unless the rule forbids it. The rule is evaluated while the file is
 * locked, so no other process can add a plan between decision and writing.
 * @param put receives whether the plan was appended
 * @return a status of tcplan_stored_plans_keep(); the file is unchanged unless it is TCPLAN_OK
 */
enum tcplan_status plans_put(bool *put, struct tcplan_stored_plans *plans,
                             const struct tcplan_stored_plan *plan,
                             const struct tcplan_fingerprint *machine, enum plans_rule rule,
                             struct tcplan_error *error);

/** Removes plans. Returns a status of tcplan_stored_plans_forget(). */
enum tcplan_status plans_remove(size_t *count, struct tcplan_stored_plans *plans,
                                const struct tcplan_plan_choice *choice,
                                struct tcplan_error *error);

#endif
