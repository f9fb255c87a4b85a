#include "study/finding_cache.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"

static size_t set_of(const char *key) {
    return (size_t)(hash_text(key) % FINDING_CACHE_SETS);
}

const struct known_finding *finding_cache_find(const struct finding_cache *cache, const char *key) {
    if (!cache->slot) return NULL;
    const struct known_finding *set = &cache->slot[set_of(key) * FINDING_CACHE_WAYS];
    for (int way = 0; way < FINDING_CACHE_WAYS; way++) {
        if (set[way].key && strcmp(set[way].key, key) == 0) return &set[way];
    }
    return NULL;
}

static bool allocate(struct finding_cache *cache) {
    const size_t bytes = FINDING_CACHE_SETS * FINDING_CACHE_WAYS * sizeof *cache->slot;
    if (cache->slot) return true;
    cache->slot = base_alloc(bytes);
    if (cache->slot) memset(cache->slot, 0, bytes);
    return cache->slot != NULL;
}

void finding_cache_keep(struct finding_cache *cache, const char *key, const char *id,
                        struct finding *finding) {
    char *copy = allocate(cache) ? base_strdup(key) : NULL;
    if (!copy) {
        free(finding);
        return;
    }
    const size_t set = set_of(key);
    struct known_finding *known =
        &cache->slot[set * FINDING_CACHE_WAYS + cache->next[set]++ % FINDING_CACHE_WAYS];
    free(known->key);
    free(known->finding);
    known->key = copy;
    known->finding = finding;
    snprintf(known->id, sizeof known->id, "%s", id);
}

void finding_cache_free(struct finding_cache *cache) {
    for (size_t s = 0; cache->slot && s < (size_t)FINDING_CACHE_SETS * FINDING_CACHE_WAYS; s++) {
        free(cache->slot[s].key);
        free(cache->slot[s].finding);
    }
    base_free(cache->slot);
    cache->slot = NULL;
}
