#include "plan/promise.h"

#include <math.h>

#define INVERSE_SQRT_2PI 0.3989422804014327

/** A mean and its variance. */
struct belief {
    double mean;
    double variance;
};

/**
 * Samples of an arm, as if the core had been in one state, those of the round that goes on included; disturbed ones only where so many brought no others
 * that the arm is judged by them.
 */
static struct running_mean samples_of(const struct select *select, size_t arm) {
    const struct select_arm *own = &select->arm[arm];
    struct running_mean samples = {0};
    for (int quiet = 1; quiet >= 0 && samples.count == 0 && own->taken > 0; quiet--) {
        if (!quiet && !select_gave_up(select, own->taken)) break;
        for (int r = 0; r <= select->all_rounds && r < SELECT_MAX_ROUNDS; r++) {
            const struct states_sample *sample = &own->sample[r];
            if (sample->seconds <= 0 || (quiet && sample->disturbed)) continue;
            const double state = sample->reference_seconds > 0 ? select->follows * log(sample->reference_seconds) : 0;
            running_mean_add(&samples, log(sample->seconds) - state);
        }
    }
    return samples;
}

/** Of a single sample, by all arms: what is usual is worth as many samples as it has degrees of freedom. */
static double variance_of_sample(const struct select *select) {
    const struct expected_spread expected = select->rules.expected;
    double squares = expected.freedom * expected.share * expected.share;
    int freedom = expected.freedom;
    for (size_t a = 0; a < select->count; a++) {
        const struct running_mean samples = samples_of(select, a);
        squares += samples.squares;
        if (samples.count > 1) freedom += (int)samples.count - 1;
    }
    return squares / freedom;
}

/** What looks are off by together, weighted by how much each arm has to say of it. */
static double common_error(const struct select *select, double variance) {
    const double look = select->rules.look_spread * select->rules.look_spread;
    double sum = 0;
    double weights = 0;
    for (size_t a = 0; a < select->count; a++) {
        const struct running_mean samples = samples_of(select, a);
        if (samples.count == 0) continue;
        const double weight = 1 / (look + variance / (double)samples.count);
        sum += weight * (samples.mean - log(select->arm[a].seconds));
        weights += weight;
    }
    return weights > 0 ? sum / weights : 0;
}

static struct belief believe(const struct select *select, const struct select_belief *all, size_t arm) {
    const struct running_mean samples = samples_of(select, arm);
    const double look_weight = 1 / (select->rules.look_spread * select->rules.look_spread);
    const double weight = look_weight + (double)samples.count / all->variance;
    const double look = log(select->arm[arm].seconds) + all->common;
    return (struct belief){.mean = (look_weight * look + (double)samples.count / all->variance * samples.mean) / weight,
                           .variance = 1 / weight};
}

struct select_belief promise_believe(const struct select *select) {
    struct select_belief all = {.variance = variance_of_sample(select)};
    all.common = common_error(select, all.variance);
    for (size_t a = 0; a < select->count; a++) {
        if (select->arm[a].taken == 0 || select->arm[a].withdrawn) continue;
        const struct belief own = believe(select, &all, a);
        if (all.is_known && own.mean >= all.best_mean) continue;
        all.is_known = true;
        all.best = a;
        all.best_mean = own.mean;
        all.best_variance = own.variance;
    }
    return all;
}

/** The mean of what is above 0 of a normal quantity with this mean and deviation. */
static double mean_above(double mean, double deviation) {
    const double z = mean / deviation;
    return deviation * INVERSE_SQRT_2PI * exp(-z * z / 2) + mean * erfc(-z / sqrt(2)) / 2;
}

double promise_of(const struct select *select, size_t arm) {
    const struct select_belief *all = &select->belief;
    if (!all->is_known) return INFINITY;
    const struct belief own = believe(select, all, arm == all->best ? select->leader : arm);
    return mean_above(all->best_mean - own.mean, sqrt(own.variance + all->best_variance));
}
