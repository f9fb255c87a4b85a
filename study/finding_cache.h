/**
 * Findings of a batch by problem, so that equal problems are planned once. Holds a bounded number:
 * a batch may continue for ever.
 */
#ifndef STUDY_FINDING_CACHE_H
#define STUDY_FINDING_CACHE_H

#include "study/finding.h"

enum { FINDING_CACHE_SETS = 1024, FINDING_CACHE_WAYS = 4 };

struct known_finding {
    char *key; /* NULL: free */
    char id[TCPLAN_RESULT_ID_SIZE];
    struct finding *finding;
};

/** Zero-initialise before use. */
struct finding_cache {
    struct known_finding *slot; /**< private */
    unsigned next[FINDING_CACHE_SETS];
};

/** The finding of a problem with this key (tcplan_problem_canonical() and what else matters) and
 * the id of its result; NULL if none is known. */
const struct known_finding *finding_cache_find(const struct finding_cache *cache, const char *key);

/** Takes a finding over, and forgets another where the cache is full. When memory runs out it is
 * just not remembered. */
void finding_cache_keep(struct finding_cache *cache, const char *key, const char *id,
                        struct finding *finding);

void finding_cache_free(struct finding_cache *cache);

#endif
