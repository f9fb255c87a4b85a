#include "plan/learn/errors.h"

#include <assert.h>
#include <math.h>

#include "store/experience.h"

/* Weight of the prior, in evaluations. */
#define PRIOR_COUNT 20.0

/*
 * Prior standard deviations, by basis. Two thirds of the errors were below 0.16 for 300 probes, and
 * below 0.09 for 145 runs, of 154 random contractions and contractions of the literature (Xeon
 * guest, AVX-512). The errors of windows are between these. For estimates, the kernel was timed
 * alone and the other parts are modelled.
 */
static const double prior_spread[] = {
    [TCPLAN_BASIS_PROBE] = 0.17, [TCPLAN_BASIS_WINDOWS] = 0.1, [TCPLAN_BASIS_LONG] = 0.1,
    [TCPLAN_BASIS_RUNS] = 0.08,  [TCPLAN_BASIS_OTHER] = 0.1,   [TCPLAN_BASIS_ESTIMATE] = 0.5};

double errors_spread(const struct tcplan_experience *experience, enum tcplan_basis basis) {
    assert(basis <= TCPLAN_BASIS_ESTIMATE);
    double squares = PRIOR_COUNT * prior_spread[basis] * prior_spread[basis];
    double count = PRIOR_COUNT;
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
        error[basis].count *=
            1 - 1 / sampled; /* estimating the common error uses one degree of freedom */
        if (error[basis].count > 0)
            experience_add(ranker->options.experience, &store_kind_errors, &error[basis], 1);
    }
}
