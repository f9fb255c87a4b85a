/*
 * The table contains the hashes and the positions of entries. Entries that were added since the
 * last call are inserted first.
 */
#include "plan/candidate_index.h"

#include <assert.h>

#include "ast/algorithm/algorithm.h"
#include "base/alloc.h"
#include "base/hash.h"
#include "plan/candidates.h"

enum { FIRST_CAPACITY = 1024 };

uint64_t candidate_hash(const struct tcplan_algorithm *algorithm) {
    uint64_t hash = HASH_OF_NOTHING;
    for (int role = 0; role < TCPLAN_ROLES; role++)
        hash = hash_add_number(hash, algorithm->group[role]);
    for (int l = 0; l < algorithm->loop_count; l++)
        hash = hash_add_number(hash, algorithm->loop[l]);
    for (int s = 0; s < algorithm->split_count; s++)
        hash = hash_add_number(hash, (uint64_t)algorithm->split[s].step);
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        const struct tcplan_operand_copy copy = algorithm->copy[t];
        hash = hash_add_number(
            hash, (uint8_t)(8 * copy.depth + 4 * copy.transposed + 2 * copy.read + copy.streamed));
    }
    const uint32_t tile = algorithm_tile_number(algorithm->tile);
    if (tile != 0) hash = hash_add_number(hash, tile);
    return hash_add_number(hash, 2 * (uint64_t)algorithm->provider + algorithm->starts);
}

/** Hashes everything that tcplan_algorithm_equal() compares. */
static uint64_t key_of(const struct tcplan_algorithm *algorithm, int threads) {
    uint64_t hash = hash_add_number(candidate_hash(algorithm), (uint64_t)threads);
    hash = hash_add_number(hash, algorithm->kernel);
    hash = hash_add_number(hash, (uint64_t)(16 * algorithm->parallel + algorithm->collapsed));
    for (int s = 0; s < algorithm->split_count; s++)
        hash = hash_add_number(hash, (uint64_t)algorithm->split[s].index);
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        const struct tcplan_operand_copy copy = algorithm->copy[t];
        hash = hash_add_number(hash, (uint64_t)(2 * copy.padding + copy.panels));
    }
    return hash_spread(hash);
}

static void insert(struct candidate_index *index, uint64_t hash, size_t entry) {
    size_t place = hash & (index->capacity - 1);
    while (index->slot[place].entry > 0) place = (place + 1) & (index->capacity - 1);
    index->slot[place] = (struct candidate_slot){hash, entry + 1};
}

/** Makes an empty table with room for twice the entries; false if out of memory. */
static bool restart(struct candidate_index *index, size_t entries) {
    size_t capacity = FIRST_CAPACITY;
    while (capacity < 4 * entries) capacity *= 2;
    candidate_index_free(index);
    index->slot = base_alloc_zero(capacity, sizeof *index->slot);
    index->capacity = index->slot ? capacity : 0;
    return index->slot != NULL;
}

/** Inserts the entries that the table lacks; false if out of memory. */
static bool extend(struct candidate_index *index, const struct tcplan_ranking *ranking) {
    const size_t entries = ranking->entry_count;
    assert(index->count <= entries);
    const bool fits = index->slot && 2 * entries <= index->capacity;
    if (!fits && !restart(index, entries)) return false;
    for (; index->count < entries; index->count++) {
        const struct tcplan_entry *entry = &ranking->entry[index->count];
        insert(index, key_of(&entry->algorithm, entry->threads), index->count);
    }
    return true;
}

struct tcplan_entry *candidate_index_find(struct candidate_index *index,
                                          const struct tcplan_ranking *ranking,
                                          const struct tcplan_algorithm *algorithm, int threads) {
    const uint64_t hash = key_of(algorithm, threads);
    if (!extend(index, ranking)) return candidate_find(ranking, algorithm, threads);
    for (size_t place = hash & (index->capacity - 1); index->slot[place].entry > 0;
         place = (place + 1) & (index->capacity - 1)) {
        if (index->slot[place].hash != hash) continue;
        struct tcplan_entry *entry = &ranking->entry[index->slot[place].entry - 1];
        if (entry->threads == threads && tcplan_algorithm_equal(&entry->algorithm, algorithm))
            return entry;
    }
    return NULL;
}

void candidate_index_free(struct candidate_index *index) {
    base_free(index->slot);
    *index = (struct candidate_index){0};
}
