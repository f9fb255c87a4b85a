/**
 * A hash table of the entries of a ranking by algorithm and number of threads: the search looks up
 * every neighbour that it proposes, among thousands of entries.
 */
#ifndef PLAN_CANDIDATE_INDEX_H
#define PLAN_CANDIDATE_INDEX_H

#include "tcplan/rank.h"

/** A place of the table. */
struct candidate_slot {
    uint64_t hash;
    size_t entry; /**< number of the entry plus one; 0: none */
};

/** Zero-initialise before use. */
struct candidate_index {
    struct candidate_slot *slot; /**< open addressing; NULL: no entries */
    size_t capacity;             /**< number of places: a power of two */
    size_t count; /**< number of entries in the table, the first ones of the ranking */
};

/** Returns a hash that equal algorithms share; those that differ only in padding may share it too.
 */
uint64_t candidate_hash(const struct tcplan_algorithm *algorithm);

/** Returns the entry of an algorithm with this number of threads, or NULL. Entries may be added
 * between calls; free the table when they are sorted or removed. Searches all entries if out of
 * memory. */
struct tcplan_entry *candidate_index_find(struct candidate_index *index,
                                          const struct tcplan_ranking *ranking,
                                          const struct tcplan_algorithm *algorithm, int threads);

/** Frees the table; the next search makes it again. */
void candidate_index_free(struct candidate_index *index);

#endif
