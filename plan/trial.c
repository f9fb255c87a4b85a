#include "plan/trial.h"

#include <math.h>

#include "base/units.h"
#include "microbench/timing/load.h"
#include "plan/candidate_index.h"

/* REST_SECONDS: how long idle BLAS threads wait actively, with a margin. REST_SHARE: share of
 * the remaining time that may be spent waiting for them. MOST_UNRESTED: number of futile waits
 * after which no wait is tried. */
#define REST_SECONDS 100e-3
#define REST_SHARE 0.02

/* Length of a probe, and of its warm-up, as a share of the estimated time of the algorithm. */
#define PROBED_SHARE 0.005

enum { MOST_UNRESTED = 3 };

typedef enum tcplan_status prepare_fn(struct window *out, const struct tcplan_nest *nest,
                                      const struct tcplan_problem *problem, struct buffers *buffers,
                                      const struct window_settings *settings, uint64_t seed,
                                      struct tcplan_error *error);

/** Returns an upper bound of a call's time, from an earlier evaluation; 0: none. */
static double known_call_ns(const struct tcplan_entry *entry) {
    const bool was_seen =
        entry->predicted && entry->basis != TCPLAN_BASIS_ESTIMATE && entry->calls > 0;
    return was_seen ? NS_PER_SECOND * entry->prediction.seconds / (double)entry->calls : 0;
}

struct window_settings trial_settings(const struct ranker *ranker, const struct tcplan_entry *entry,
                                      enum window_grade grade) {
    struct window_settings settings = ranker->settings[grade];
    settings.known_call_ns = known_call_ns(entry);
    settings.threads = entry->threads;
    if (grade == WINDOW_PROBE && isfinite(entry->estimate_seconds))
        window_settings_lengthen(&settings, PROBED_SHARE * NS_PER_SECOND * entry->estimate_seconds);
    return settings;
}

static enum tcplan_status start(struct trial *out, struct ranker *ranker,
                                struct tcplan_entry *entry, enum window_grade grade,
                                prepare_fn *prepare, struct tcplan_error *error) {
    const struct tcplan_problem *problem = &ranker->ranking->problem;
    *out = (struct trial){0};
    enum tcplan_status status =
        tcplan_nest_build(&out->nest, problem->contraction, &entry->algorithm, error);
    if (status != TCPLAN_OK) return status;
    const uint64_t seed = (ranker->options.seed << 8 | (uint64_t)grade) * 0x9e3779b97f4a7c15U ^
                          candidate_hash(&entry->algorithm);
    const struct window_settings settings = trial_settings(ranker, entry, grade);
    status =
        prepare(&out->window, out->nest, problem, ranker->ranking->buffers, &settings, seed, error);
    if (status == TCPLAN_NOT_APPLICABLE) ranking_exclude(ranker->ranking, entry, error);
    if (status == TCPLAN_OK) {
        entry->calls = out->window.total_calls;
    } else {
        trial_end(out, ranker);
    }
    return status;
}

void trial_rest(struct ranker *ranker, const struct tcplan_entry *entry) {
    const bool is_shared =
        ranker->options.threads > 1 && (entry->algorithm.parallel >= 0 || entry->threads == 1);
    const double most_seconds =
        fmin(REST_SECONDS, REST_SHARE * deadline_left_seconds(ranker->deadline));
    if (!is_shared || ranker->unrested == MOST_UNRESTED) return;
    ranker->unrested = load_await_rest((uint64_t)(NS_PER_SECOND * fmax(most_seconds, 0)))
                           ? 0
                           : ranker->unrested + 1;
}

enum tcplan_status trial_start(struct trial *out, struct ranker *ranker, struct tcplan_entry *entry,
                               enum window_grade grade, struct tcplan_error *error) {
    return start(out, ranker, entry, grade, window_init, error);
}

enum tcplan_status trial_bind(struct trial *out, struct ranker *ranker, struct tcplan_entry *entry,
                              struct tcplan_error *error) {
    return start(out, ranker, entry, WINDOW_PROBE, window_bind, error);
}

void trial_end(struct trial *trial, struct ranker *ranker) {
    ranker->ranking->load.windows += trial->window.taken;
    ranker->ranking->load.disturbed += trial->window.disturbed;
    window_free(&trial->window);
    tcplan_nest_free(trial->nest);
    *trial = (struct trial){0};
}
