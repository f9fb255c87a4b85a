#include "support/made_world.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* The sum of twelve uniform values. */
double world_normal(struct world *world) {
    double sum = 0;
    for (int i = 0; i < 12; i++) sum += random_unit(&world->random);
    return sum - 6;
}

static double weather_factor(struct world *world, size_t arm) {
    switch (world->weather) {
    case STEADY: return 1;
    case OUTLIERS: return random_unit(&world->random) < 0.1 ? 4 : 1;
    case SWINGS:
        if (random_unit(&world->random) < 0.15) world->slow = !world->slow;
        return world->slow ? pow(1.6, world->felt) : 1;
    case DRIFT: return 1 + 0.02 * world->samples;
    case LANDSLIDE: return pow(1.05, world->samples);
    case COLD_AT_FIRST: return arm == 0 && world->taken[arm] == 0 ? 3 : 1;
    }
    return 1;
}

/** The reference next to a sample: the state, or a swing of which the samples know
 * nothing. */
static double reference(struct world *world) {
    const bool slow =
        world->references == TRUE_REFERENCES ? world->slow : random_unit(&world->random) < 0.5;
    return world->references == NO_REFERENCES
               ? 0
               : 20e-6 * (slow ? 1.6 : 1) * (1 + 0.02 * world_normal(world));
}

static enum tcplan_status sample(void *context, size_t arm, struct drift_sample *out,
                                 struct tcplan_error *error) {
    struct world *world = context;
    (void)error;
    if (world->failure && world->samples == world->fails_at) return world->failure;
    if (world->fails[arm]) return TCPLAN_NOT_APPLICABLE;
    out->seconds = world->truth[arm] * weather_factor(world, arm) *
                   fmax(0.5, 1 + world->noise * world_normal(world));
    out->disturbed = world->all_disturbed || (world->disturbs[arm] && world->taken[arm] % 2 == 0);
    if (world->disturbs[arm] && out->disturbed) out->seconds *= 2;
    out->reference_seconds = reference(world);
    world->now += out->seconds;
    world->longest = fmax(world->longest, out->seconds);
    world->samples++;
    world->taken[arm]++;
    return TCPLAN_OK;
}

/** The known properties: too little where the machine swings or drifts. */
static double cost(void *context, size_t arm) {
    const struct world *world = context;
    return world->truth[arm];
}

static double left(void *context) {
    const struct world *world = context;
    return world->limit > 0 ? world->limit - world->now : INFINITY;
}

static int prefer(void *context, size_t a, size_t b) {
    const struct world *world = context;
    return world->easiness[a] - world->easiness[b];
}

struct select_means world_means(struct world *world) {
    return (struct select_means){
        .context = world, .sample = sample, .cost = cost, .left = left, .prefer = prefer};
}

struct select_rules usual_rules(void) {
    return (struct select_rules){
        .least_rounds = 3,
        .most_rounds = SELECT_MAX_ROUNDS,
        .final_rounds = 3,
        .margin = 0.02,
        .price = 1e-3,
        .expected = {.share = 0.03, .freedom = 3, .disturbed_factor = 1.5}};
}

void arms_of(struct select_arm *arm, struct world *world, size_t count) {
    memset(arm, 0, count * sizeof *arm);
    for (size_t a = 0; a < count; a++) {
        arm[a].seconds = world->truth[a] * (0.7 + 0.7 * random_unit(&world->random));
        arm[a].spread = 0.3;
    }
}

void arms_evaluated(struct select_arm arm[4], const double seconds[4]) {
    memset(arm, 0, 4 * sizeof *arm);
    for (int a = 0; a < 4; a++) arm[a] = (struct select_arm){.seconds = seconds[a], .spread = 0.3};
}

struct select decide(struct world *world, const struct select_rules *rules, struct select_arm *arm,
                     size_t count) {
    const struct select_means means = world_means(world);
    struct select select;
    assert_int_equal(select_run(&select, rules, arm, count, &means, NULL), TCPLAN_OK);
    assert_in_range(select.pick, 0, count - 1);
    return select;
}

struct world world_of(enum weather weather, uint64_t seed, double noise) {
    struct world world = {
        .weather = weather, .felt = 1, .random = {seed * 0xd1342543de82ef95U + 1}, .noise = noise};
    for (int i = 0; i < 4; i++) random_next(&world.random);
    return world;
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
