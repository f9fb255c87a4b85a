#include "plan/learn/errors.h"

#include <assert.h>
#include <math.h>

#include "store/experience.h"

/*
 * The prior standard deviation, and its weight in evaluations. Two thirds of the errors were below
 * 7 % for runs of 5 ms and more, and below 10 % for shorter ones (48 random contractions on a Zen
 * 3, six rounds of ten each).
 */
#define PRIOR_SPREAD 0.1
#define PRIOR_COUNT 20.0

/* The prior for estimates, whose kernel was timed alone and whose other parts are modelled. */
#define ESTIMATE_SPREAD 0.5

double errors_spread(const struct tcplan_experience *experience, enum tcplan_basis basis) {
    double squares = PRIOR_COUNT * PRIOR_SPREAD * PRIOR_SPREAD;
    double count = PRIOR_COUNT;
    if (basis == TCPLAN_BASIS_ESTIMATE) return ESTIMATE_SPREAD;
    for (int e = 0; experience && e < experience->error_count; e++) {
        const struct evaluation_error *error = &experience->error[e];
        if (error->basis != (int)basis) continue;
        squares += error->squares;
        count += error->count;
    }
    return sqrt(squares / count);
}

void errors_learn(const struct ranker *ranker, const struct select *select) {
    struct evaluation_error error[TCPLAN_BASIS_OTHER] = {{0}};
    double sampled = 0;
    for (size_t a = 0; a < select->count; a++) {
        const struct tcplan_entry *entry = &ranker->ranking->entry[a];
        if (select->arm[a].count == 0 || entry->basis >= TCPLAN_BASIS_OTHER || entry->at_ceiling)
            continue;
        error[entry->basis].squares += select->arm[a].square;
        error[entry->basis].count++;
        sampled++;
    }
    for (int basis = 0; ranker->options.experience && basis < TCPLAN_BASIS_OTHER; basis++) {
        error[basis].basis = basis;
        assert(error[basis].count == 0 || sampled >= 1);
        error[basis].count *= 1 - 1 / sampled; /* the common error takes one degree of freedom */
        if (error[basis].count > 0)
            experience_add(ranker->options.experience, &store_kind_errors, &error[basis], 1);
    }
}
