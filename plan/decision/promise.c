#include "plan/decision/promise.h"

#include <math.h>

#include "plan/belief.h"

/**
 * Logarithms of an arm's samples, as if next to one reference, that of the round that goes
 * on included; disturbed ones only where so many brought no others that the arm is judged by them.
 */
static struct running_mean logs_of(const struct select *select, size_t arm) {
    const struct select_arm *own = &select->arm[arm];
    struct running_mean logs = {0};
    for (int quiet = 1; quiet >= 0 && logs.count == 0 && own->taken > 0; quiet--) {
        if (!quiet && !select_gave_up(select, own->taken)) break;
        for (int r = 0; r <= select->all_rounds && r < SELECT_MAX_ROUNDS; r++) {
            const struct drift_sample *sample = &own->sample[r];
            if (sample->seconds <= 0 || (quiet && sample->disturbed)) continue;
            const double drift = sample->reference_seconds > 0
                                     ? select->elasticity * log(sample->reference_seconds)
                                     : 0;
            running_mean_add(&logs, log(sample->seconds) - drift);
        }
    }
    return logs;
}

/** Of a single sample, by all arms: what is usual is worth as many samples as it has degrees of
 * freedom. */
static double variance_of_sample(const struct select *select) {
    const struct expected_spread expected = select->rules.expected;
    double squares = expected.freedom * expected.share * expected.share;
    int freedom = expected.freedom;
    for (size_t a = 0; a < select->count; a++) {
        const struct running_mean *logs = &select->arm[a].logs;
        squares += logs->squares;
        if (logs->count > 1) freedom += (int)logs->count - 1;
    }
    return squares / freedom;
}

/** What looks are off by together, weighted by how much each arm has to say of it. */
static double common_error(const struct select *select, double variance) {
    const double look = select->rules.look_spread * select->rules.look_spread;
    double sum = 0;
    double weights = 0;
    for (size_t a = 0; a < select->count; a++) {
        const struct running_mean *logs = &select->arm[a].logs;
        if (logs->count == 0) continue;
        const double weight = 1 / (look + variance / (double)logs->count);
        sum += weight * (logs->mean - log(select->arm[a].seconds));
        weights += weight;
    }
    return weights > 0 ? sum / weights : 0;
}

static struct belief believe(const struct select *select, size_t arm) {
    const struct select_arm *own = &select->arm[arm];
    const struct belief look = {log(own->seconds) + select->belief.common,
                                select->rules.look_spread * select->rules.look_spread};
    return own->logs.count == 0 ? look
                                : belief_observe(look, own->logs.mean,
                                                 select->belief.variance / (double)own->logs.count);
}

void promise_believe(struct select *select) {
    struct select_belief *all = &select->belief;
    for (size_t a = 0; a < select->count; a++) select->arm[a].logs = logs_of(select, a);
    *all = (struct select_belief){.variance = variance_of_sample(select)};
    all->common = common_error(select, all->variance);
    for (size_t a = 0; a < select->count; a++) {
        if (select->arm[a].taken == 0 || select->arm[a].withdrawn) continue;
        const struct belief own = believe(select, a);
        if (all->is_known && own.mean >= all->best_time.mean) continue;
        all->is_known = true;
        all->best = a;
        all->best_time = own;
    }
}

double promise_of(const struct select *select, size_t arm) {
    const struct select_belief *all = &select->belief;
    if (!all->is_known) return INFINITY;
    struct belief other = believe(select, arm == all->best ? select->leader : arm);
    other.variance *= other.variance / (other.variance + all->variance);
    return belief_improvement(all->best_time, other);
}
