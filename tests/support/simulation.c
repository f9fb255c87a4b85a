#include "support/simulation.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* A sum of twelve uniform numbers is nearly normal. */
double simulation_normal(struct simulation *simulation) {
    double sum = 0;
    for (int i = 0; i < 12; i++) sum += random_unit(&simulation->random);
    return sum - 6;
}

static double weather_factor(struct simulation *simulation, size_t arm) {
    switch (simulation->weather) {
    case STEADY: return 1;
    case OUTLIERS: return random_unit(&simulation->random) < 0.1 ? 4 : 1;
    case SWINGS:
        if (random_unit(&simulation->random) < 0.15) simulation->slow = !simulation->slow;
        return simulation->slow ? pow(1.6, simulation->effective) : 1;
    case DRIFT: return 1 + 0.02 * simulation->samples;
    case LANDSLIDE: return pow(1.05, simulation->samples);
    case COLD_AT_FIRST: return arm == 0 && simulation->taken[arm] == 0 ? 3 : 1;
    }
    return 1;
}

/** Returns the reference time of a sample: of the current clock regime, or of a change that does
 * not affect samples. */
static double reference(struct simulation *simulation) {
    const bool slow = simulation->references == TRUE_REFERENCES
                          ? simulation->slow
                          : random_unit(&simulation->random) < 0.5;
    return simulation->references == NO_REFERENCES
               ? 0
               : 20e-6 * (slow ? 1.6 : 1) * (1 + 0.02 * simulation_normal(simulation));
}

static enum tcplan_status sample(void *context, size_t arm, struct drift_sample *out,
                                 struct tcplan_error *error) {
    struct simulation *simulation = context;
    (void)error;
    if (simulation->failure && simulation->samples == simulation->fails_at)
        return simulation->failure;
    if (simulation->fails[arm]) return TCPLAN_NOT_APPLICABLE;
    out->seconds = simulation->truth[arm] * weather_factor(simulation, arm) *
                   fmax(0.5, 1 + simulation->noise * simulation_normal(simulation));
    out->disturbed =
        simulation->all_disturbed || (simulation->disturbs[arm] && simulation->taken[arm] % 2 == 0);
    if (simulation->disturbs[arm] && out->disturbed) out->seconds *= 2;
    out->reference_seconds = reference(simulation);
    simulation->now += out->seconds;
    simulation->longest = fmax(simulation->longest, out->seconds);
    simulation->samples++;
    simulation->taken[arm]++;
    return TCPLAN_OK;
}

/** Returns the expected cost of a sample; too low if the machine changes its speed or drifts. */
static double cost(void *context, size_t arm) {
    const struct simulation *simulation = context;
    return simulation->truth[arm];
}

static double left(void *context) {
    const struct simulation *simulation = context;
    return simulation->limit > 0 ? simulation->limit - simulation->now : INFINITY;
}

static int prefer(void *context, size_t a, size_t b) {
    const struct simulation *simulation = context;
    return simulation->preference[a] - simulation->preference[b];
}

struct select_means simulation_means(struct simulation *simulation) {
    return (struct select_means){
        .context = simulation, .sample = sample, .cost = cost, .left = left, .prefer = prefer};
}

struct select_rules default_rules(void) {
    return (struct select_rules){
        .least_rounds = 3,
        .most_rounds = SELECT_MAX_ROUNDS,
        .final_rounds = 3,
        .margin = 0.02,
        .price = 1e-3,
        .expected = {.share = 0.03, .freedom = 3, .disturbed_factor = 1.5}};
}

void arms_of(struct select_arm *arm, struct simulation *simulation, size_t count) {
    memset(arm, 0, count * sizeof *arm);
    for (size_t a = 0; a < count; a++) {
        arm[a].seconds = simulation->truth[a] * (0.7 + 0.7 * random_unit(&simulation->random));
        arm[a].spread = 0.3;
    }
}

void arms_evaluated(struct select_arm arm[4], const double seconds[4]) {
    memset(arm, 0, 4 * sizeof *arm);
    for (int a = 0; a < 4; a++) arm[a] = (struct select_arm){.seconds = seconds[a], .spread = 0.3};
}

struct select decide(struct simulation *simulation, const struct select_rules *rules,
                     struct select_arm *arm, size_t count) {
    const struct select_means means = simulation_means(simulation);
    struct select select;
    assert_int_equal(select_run(&select, rules, arm, count, &means, NULL), TCPLAN_OK);
    assert_in_range(select.pick, 0, count - 1);
    return select;
}

struct simulation simulation_of(enum weather weather, uint64_t seed, double noise) {
    struct simulation simulation = {.weather = weather,
                                    .effective = 1,
                                    .random = {seed * 0xd1342543de82ef95U + 1},
                                    .noise = noise};
    for (int i = 0; i < 4; i++) random_next(&simulation.random);
    return simulation;
}

double smallest_time(const struct select_arm *arm) {
    double smallest = INFINITY;
    for (int r = 0; r < SELECT_MAX_ROUNDS; r++) {
        if (arm->sample[r].seconds > 0) smallest = fmin(smallest, arm->sample[r].seconds);
    }
    return smallest;
}

void assert_compared(const struct select *select, const struct select_arm *arm) {
    assert_true(select->compared);
    assert_in_range(arm[select->pick].taken, select->rules.least_rounds, SELECT_MAX_ROUNDS);
}
