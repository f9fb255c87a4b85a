/**
 * Findings of a batch by problem, so that equal problems are planned once. Their number is
 * bounded, because a batch may be endless.
 */
#ifndef STUDY_FINDING_CACHE_H
#define STUDY_FINDING_CACHE_H

#include "study/finding.h"

enum { FINDING_CACHE_SETS = 1024, FINDING_CACHE_WAYS = 4 };

struct known_finding {
    char *key; /* key of the problem; NULL: the slot is free */
    char id[TCPLAN_RESULT_ID_SIZE];
    struct finding *finding;
};

/** Zero-initialise before use. */
struct finding_cache {
    struct known_finding *slot; /**< private */
    unsigned next[FINDING_CACHE_SETS];
};

/** Returns the finding of a problem with this key (tcplan_problem_canonical() and other conditions)
 * and the id of its result; NULL if there is none. */
const struct known_finding *finding_cache_find(const struct finding_cache *cache, const char *key);

/** Stores a finding, which the cache then owns. It replaces the oldest one if its set is full. If
 * memory runs out, the finding is freed. */
void finding_cache_keep(struct finding_cache *cache, const char *key, const char *id,
                        struct finding *finding);

void finding_cache_free(struct finding_cache *cache);

#endif
