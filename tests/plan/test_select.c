/*
 * The decision with scripted times: no clock is read, no algorithm runs. The test keeps its own book of who was sampled in which round.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "plan/select.h"

enum { MOST_ARMS = 24, SEEDS = 200 };

/** What the samples of a world are like besides the arms' own times. */
enum weather { STEADY, OUTLIERS, SWINGS, DRIFT, LANDSLIDE, COLD_AT_FIRST };

/** What references beside the samples tell of SWINGS. */
enum references { NO_REFERENCES, TRUE_REFERENCES, IDLE_REFERENCES };

/** A machine that is made up. */
struct world {
    enum weather weather;
    struct random random;
    double noise; /**< standard deviation of a sample, as a share */
    double truth[MOST_ARMS];
    int easiness[MOST_ARMS];  /**< the lower the better to live with */
    bool fails[MOST_ARMS];    /**< cannot be sampled */
    bool disturbs[MOST_ARMS]; /**< every other sample meets other load and takes twice the time */
    bool all_disturbed;
    bool slow; /**< SWINGS: the state */
    enum references references;
    double felt;                /**< SWINGS: how much of the state samples feel, as a power */
    double now;                 /**< seconds that samples took so far */
    double limit;               /**< 0: none */
    double budget;              /**< for rounds beyond the least; 0: without end */
    double longest;             /**< sample */
    enum tcplan_status failure; /**< of the sample number `fails_at` */
    int fails_at;
    int samples;
    int taken[MOST_ARMS];
};

static double normal(struct random *random) {
    double sum = 0;
    for (int i = 0; i < 12; i++) sum += random_unit(random);
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

/** What is read off a core beside a sample: the state, or a swing of which the samples know nothing. */
static double reference(struct world *world) {
    const bool slow = world->references == TRUE_REFERENCES ? world->slow : random_unit(&world->random) < 0.5;
    return world->references == NO_REFERENCES ? 0 : 20e-6 * (slow ? 1.6 : 1) * (1 + 0.02 * normal(&world->random));
}

static enum tcplan_status sample(void *context, size_t arm, struct states_sample *out, struct tcplan_error *error) {
    struct world *world = context;
    (void)error;
    if (world->failure && world->samples == world->fails_at) return world->failure;
    if (world->fails[arm]) return TCPLAN_NOT_APPLICABLE;
    out->seconds = world->truth[arm] * weather_factor(world, arm) * fmax(0.5, 1 + world->noise * normal(&world->random));
    out->disturbed = world->all_disturbed || (world->disturbs[arm] && world->taken[arm] % 2 == 0);
    if (world->disturbs[arm] && out->disturbed) out->seconds *= 2;
    out->reference_seconds = reference(world);
    world->now += out->seconds;
    world->longest = fmax(world->longest, out->seconds);
    world->samples++;
    world->taken[arm]++;
    return TCPLAN_OK;
}

/** What is known of it: too little where the machine swings or drifts. */
static double cost(void *context, size_t arm) {
    const struct world *world = context;
    return world->truth[arm];
}

static double left(void *context) {
    const struct world *world = context;
    return world->limit > 0 ? world->limit - world->now : INFINITY;
}

static bool is_spent(void *context) {
    const struct world *world = context;
    return world->budget > 0 && world->now > world->budget;
}

static int prefer(void *context, size_t a, size_t b) {
    const struct world *world = context;
    return world->easiness[a] - world->easiness[b];
}

static struct select_rules usual_rules(void) {
    return (struct select_rules){.seats = 4,
                                 .least_rounds = 3,
                                 .most_rounds = 12,
                                 .final_rounds = 3,
                                 .precise_share = 0.01,
                                 .margin = 0.02,
                                 .expected = {.share = 0.03, .freedom = 3, .disturbed_factor = 1.5}};
}

/** Arms of a world; what is known before is off by half at most, and says so. */
static void arms_of(struct select_arm *arm, struct world *world, size_t count) {
    memset(arm, 0, count * sizeof *arm);
    for (size_t a = 0; a < count; a++) {
        arm[a].seconds = world->truth[a] * (0.7 + 0.7 * random_unit(&world->random));
        arm[a].low = arm[a].seconds / 1.5;
    }
}

static struct select decide(struct world *world, const struct select_rules *rules, struct select_arm *arm, size_t count) {
    const struct select_means means = {
        .context = world, .sample = sample, .cost = cost, .left = left, .is_spent = is_spent, .prefer = prefer};
    struct select select;
    assert_int_equal(select_run(&select, rules, arm, count, &means, NULL), TCPLAN_OK);
    assert_in_range(select.pick, 0, count - 1);
    return select;
}

static struct world world_of(enum weather weather, uint64_t seed, double noise) {
    struct world world = {.weather = weather, .felt = 1, .random = {seed * 0xd1342543de82ef95U + 1}, .noise = noise};
    for (int i = 0; i < 4; i++) random_next(&world.random);
    return world;
}

/** Rounds in which both have a sample, counted here. */
static int shared_rounds(const struct select_arm *arm, size_t a, size_t b) {
    int rounds = 0;
    for (int r = 0; r < SELECT_MAX_ROUNDS; r++) rounds += arm[a].sample[r].seconds > 0 && arm[b].sample[r].seconds > 0;
    return rounds;
}

static double smallest_time(const struct select_arm *arm) {
    double smallest = INFINITY;
    for (int r = 0; r < SELECT_MAX_ROUNDS; r++) {
        if (arm->sample[r].seconds > 0) smallest = fmin(smallest, arm->sample[r].seconds);
    }
    return smallest;
}

/**
 * The invariant: who was never sampled is excluded by what was known before, against the slowest time that the leader was ever seen with; who was
 * sampled met the one that it lost to, or the leader, in at least so many rounds.
 */
static void assert_compared(const struct select *select, const struct select_arm *arm, size_t count) {
    assert_true(select->compared);
    assert_int_equal(select->uncompared, 0);
    double slowest = 0;
    for (int r = 0; r < SELECT_MAX_ROUNDS; r++) slowest = fmax(slowest, arm[select->leader].sample[r].seconds);
    for (size_t a = 0; a < count; a++) {
        int most = 0;
        for (size_t b = 0; b < count; b++) most = b != a && shared_rounds(arm, a, b) > most ? shared_rounds(arm, a, b) : most;
        if (arm[a].taken == 0) assert_true(arm[a].low > smallest_time(&arm[select->leader]) && slowest > 0);
        if (arm[a].taken > 0 && a != select->leader) assert_true(most >= select->rules.least_rounds);
    }
    assert_true(select->pick == select->leader || shared_rounds(arm, select->pick, select->leader) >= select->rules.least_rounds);
}

struct bad_picks {
    int picks;
    double samples; /**< that all picks took */
};

/** Random worlds like one; how many picks are more than `allowed` slower than the fastest. */
static struct bad_picks bad_picks_like(const struct world *like, double allowed) {
    const struct select_rules rules = usual_rules();
    struct bad_picks bad = {0};
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct world world = world_of(like->weather, seed, like->noise);
        world.references = like->references;
        world.felt = like->felt;
        struct select_arm arm[MOST_ARMS];
        const size_t count = 2 + random_next(&world.random) % (MOST_ARMS - 2);
        double fastest = INFINITY;
        for (size_t a = 0; a < count; a++) fastest = fmin(fastest, world.truth[a] = 1 + random_unit(&world.random));
        arms_of(arm, &world, count);
        const struct select select = decide(&world, &rules, arm, count);
        assert_compared(&select, arm, count);
        bad.picks += world.truth[select.pick] > (1 + allowed) * fastest;
        bad.samples += world.samples;
    }
    return bad;
}

static int bad_picks(enum weather weather, double noise, double allowed) {
    return bad_picks_like(&(struct world){.weather = weather, .noise = noise, .felt = 1}, allowed).picks;
}

/* The pick is compared, and is the fastest. */

static void the_pick_was_compared_and_is_fast_in_steady_weather(void **state) {
    (void)state;
    assert_in_range(bad_picks(STEADY, 0.01, 0.03), 0, SEEDS / 100);
    assert_in_range(bad_picks(STEADY, 0.05, 0.1), 0, SEEDS / 50);
}

static void outliers_do_not_decide(void **state) {
    (void)state;
    assert_in_range(bad_picks(OUTLIERS, 0.02, 0.1), 0, SEEDS / 50);
}

static void swings_between_two_speeds_do_not_decide(void **state) {
    (void)state;
    assert_in_range(bad_picks(SWINGS, 0.01, 0.1), 0, SEEDS / 20);
}

/** Whoever swings as the core does is compared in one state, also if it feels but a part of that (memory is as fast as before): sooner, and better. */
static void what_references_tell_is_taken_off(void **state) {
    (void)state;
    for (int half = 0; half < 2; half++) {
        struct world like = {.weather = SWINGS, .noise = 0.01, .felt = half ? 0.5 : 1, .references = TRUE_REFERENCES};
        const struct bad_picks told = bad_picks_like(&like, 0.03);
        like.references = NO_REFERENCES;
        const struct bad_picks untold = bad_picks_like(&like, 0.03);
        assert_in_range(told.picks, 0, half ? untold.picks : untold.picks / 2);
        assert_true(told.samples < 0.8 * untold.samples);
    }
}

static void references_that_samples_do_not_follow_do_no_harm(void **state) {
    (void)state;
    const struct world like = {.weather = STEADY, .noise = 0.01, .felt = 1, .references = IDLE_REFERENCES};
    assert_in_range(bad_picks_like(&like, 0.03).picks, 0, SEEDS / 50);
}

/** Samples follow what they felt as far as they do, and as if the core alone decided where nothing tells. */
static void how_far_samples_follow_is_told(void **state) {
    (void)state;
    const struct states met = {.good = 20e-6, .ratio = 1.6, .share = 0.5};
    for (int half = 0; half < 2; half++) {
        double mean = 0;
        for (uint64_t seed = 0; seed < SEEDS; seed++) {
            struct world world = world_of(SWINGS, seed, 0.01);
            struct select_arm arm[4];
            const struct select_rules rules = usual_rules();
            world.references = TRUE_REFERENCES;
            world.felt = half ? 0.5 : 1;
            for (int a = 0; a < 4; a++) world.truth[a] = 1;
            arms_of(arm, &world, 4);
            const struct select select = decide(&world, &rules, arm, 4);
            mean += select_follows(&select, &met, 1) / SEEDS;
        }
        assert_true(fabs(mean - (half ? 0.5 : 1)) < 0.1);
    }
    struct world world = world_of(SWINGS, 1, 0.01);
    struct select_arm arm[4];
    const struct select_rules rules = usual_rules();
    for (int a = 0; a < 4; a++) world.truth[a] = 1;
    arms_of(arm, &world, 4);
    const struct select select = decide(&world, &rules, arm, 4);
    assert_true(fabs(select_follows(&select, &met, 0.75) - 0.75) < 1e-9);
}

static void drift_hits_all_alike(void **state) {
    (void)state;
    assert_in_range(bad_picks(DRIFT, 0.005, 0.03), 0, SEEDS / 50);
}

/** Each sample takes 5 % longer than the one before it, one algorithm 2 % longer than the other. */
static void who_is_sampled_later_is_not_slower_for_that(void **state) {
    (void)state;
    for (size_t slower = 0; slower < 2; slower++) {
        struct world world = world_of(LANDSLIDE, 1, 0);
        struct select_arm arm[2] = {{.seconds = 1, .low = 0.5}, {.seconds = 1.1, .low = 0.5}};
        struct select_rules rules = usual_rules();
        rules.margin = 0;
        world.truth[slower] = 1.02;
        world.truth[1 - slower] = 1;
        assert_int_equal(decide(&world, &rules, arm, 2).pick, 1 - slower);
    }
}

static void the_best_arm_may_look_bad_at_first(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct world world = world_of(COLD_AT_FIRST, seed, 0.01);
        struct select_arm arm[3];
        struct select_rules rules = usual_rules();
        for (size_t a = 0; a < 3; a++) world.truth[a] = 1 + 0.2 * (double)a;
        arms_of(arm, &world, 3);
        arm[0].seconds = 2;
        arm[0].low = 0.9;
        const struct select select = decide(&world, &rules, arm, 3);
        assert_int_equal(select.pick, 0);
    }
}

/** Known before: 1 s, others 2 s and no less than 1.5. It takes 3. */
static void a_leader_slower_than_it_was_thought_calls_in_those_it_excluded(void **state) {
    (void)state;
    struct world world = world_of(STEADY, 1, 0.01);
    struct select_arm arm[MOST_ARMS] = {{.seconds = 1, .low = 0.9}};
    const struct select_rules rules = usual_rules();
    world.truth[0] = 3;
    for (size_t a = 1; a < MOST_ARMS; a++) {
        arm[a] = (struct select_arm){.seconds = 2 + 0.01 * (double)a, .low = 1.5};
        world.truth[a] = a == MOST_ARMS - 1 ? 1.9 : 2.5;
    }
    const struct select select = decide(&world, &rules, arm, MOST_ARMS);
    assert_compared(&select, arm, MOST_ARMS);
    assert_int_equal(select.pick, MOST_ARMS - 1);
}

static void what_is_excluded_for_certain_costs_nothing(void **state) {
    (void)state;
    struct world world = world_of(STEADY, 1, 0.01);
    struct select_arm arm[3] = {{.seconds = 1, .low = 0.9}, {.seconds = 4, .low = 3}, {.seconds = 5, .low = 4}};
    const struct select_rules rules = usual_rules();
    for (int a = 0; a < 3; a++) world.truth[a] = arm[a].seconds;
    const struct select select = decide(&world, &rules, arm, 3);
    assert_int_equal(select.pick, 0);
    assert_true(select.compared);
    assert_int_equal(world.samples, 1 + rules.final_rounds); /* together as many as the least */
}

/* Who is dropped early. */

/** Four arms, as looks had them; the leader by them is the first one. */
static void arms_looked_at(struct select_arm arm[4], const double seconds[4]) {
    memset(arm, 0, 4 * sizeof *arm);
    for (int a = 0; a < 4; a++) arm[a] = (struct select_arm){.seconds = seconds[a], .low = 0.5};
}

/** A look and a round that both say for certain that an arm is slower are two witnesses: it is not sampled again, and nobody takes its seat then. */
static void who_was_slower_in_a_look_and_in_a_round_is_dropped(void **state) {
    (void)state;
    struct world world = world_of(STEADY, 1, 0.005);
    struct select_arm arm[5] = {{0}};
    struct select_rules rules = usual_rules();
    rules.agreeing_rounds = 1;
    const double truth[5] = {1, 1.02, 2, 2.5, 3};
    for (int a = 0; a < 5; a++) {
        world.truth[a] = truth[a];
        arm[a] = (struct select_arm){.seconds = truth[a], .low = 0.5};
    }
    world.budget = 1e-9; /* the least rounds only */
    const struct select select = decide(&world, &rules, arm, 5);
    assert_true(select.compared && select.pick < 2);
    assert_in_range(arm[1].taken, rules.least_rounds, SELECT_MAX_ROUNDS);
    for (int a = 2; a < 4; a++) assert_true(arm[a].taken == 1 && arm[a].beaten);
    assert_int_equal(arm[4].taken, 0);
    assert_int_equal(select.uncompared, 1);
}

/** A seventh slower is not certain after one round, but where a look said so as well it need not be as certain as without. */
static void two_witnesses_need_not_be_as_certain_as_one(void **state) {
    (void)state;
    for (int agrees = 0; agrees < 2; agrees++) {
        struct world world = world_of(STEADY, 1, 0.001);
        struct select_arm arm[2] = {{.seconds = 1, .low = 0.5}, {.seconds = agrees ? 1.05 : 1, .low = 0.5}};
        struct select_rules rules = usual_rules();
        rules.agreeing_rounds = 1;
        world.truth[0] = 1;
        world.truth[1] = 1.15;
        const struct select select = decide(&world, &rules, arm, 2);
        assert_true(select.compared && select.pick == 0);
        assert_true(agrees ? arm[1].taken == 1 : arm[1].taken >= rules.least_rounds);
    }
}

/** What a look had in front, or as the equal of the leader, is believed after as many rounds as others only. */
static void one_round_alone_drops_nobody_whom_a_look_had_in_front(void **state) {
    (void)state;
    struct world world = world_of(COLD_AT_FIRST, 1, 0.005);
    struct select_arm arm[4];
    struct select_rules rules = usual_rules();
    rules.agreeing_rounds = 1;
    arms_looked_at(arm, (const double[4]){1, 1.1, 1.2, 1.3});
    for (int a = 0; a < 4; a++) world.truth[a] = 1 + 0.2 * a;
    const struct select select = decide(&world, &rules, arm, 4);
    assert_int_equal(select.pick, 0); /* cold at first, it took 3 */
}

static void who_is_alone_as_all_others_were_dropped_was_compared(void **state) {
    (void)state;
    struct world world = world_of(STEADY, 1, 0.005);
    struct select_arm arm[4];
    struct select_rules rules = usual_rules();
    rules.agreeing_rounds = 1;
    arms_looked_at(arm, (const double[4]){1, 2, 3, 4});
    for (int a = 0; a < 4; a++) world.truth[a] = 1 + a;
    const struct select select = decide(&world, &rules, arm, 4);
    assert_true(select.compared && select.pick == 0 && select.uncompared == 0);
    for (int a = 1; a < 4; a++) assert_int_equal(arm[a].taken, 1);
}

/** A round that met the other state drops nobody for that where samples are expected to follow their references: one round alone shows no slope. */
static void the_first_round_counts_in_the_same_state_of_the_core(void **state) {
    (void)state;
    int bad[2] = {0};
    for (int expects = 0; expects < 2; expects++) {
        struct select_rules rules = usual_rules();
        rules.least_rounds = 2;
        rules.agreeing_rounds = 1;
        rules.follows = expects;
        for (uint64_t seed = 0; seed < SEEDS; seed++) {
            struct world world = world_of(SWINGS, seed, 0.01);
            struct select_arm arm[4];
            world.references = TRUE_REFERENCES;
            for (int a = 0; a < 4; a++) world.truth[a] = 1 + 0.15 * a;
            arms_looked_at(arm, (const double[4]){1.1, 1, 1.2, 1.3}); /* the fastest is not what a look had in front */
            world.budget = 1e-9;
            const struct select select = decide(&world, &rules, arm, 4);
            bad[expects] += select.pick != 0;
        }
    }
    assert_true(4 * bad[1] < bad[0]);
}

/** Random worlds whose looks are true but for some per cent: dropping early costs no pick, and saves samples. */
static void dropping_early_saves_samples_and_no_pick_is_worse(void **state) {
    (void)state;
    int samples[2] = {0}, bad[2] = {0};
    for (int early = 0; early < 2; early++) {
        struct select_rules rules = usual_rules();
        rules.least_rounds = 2;
        rules.agreeing_rounds = early;
        for (uint64_t seed = 0; seed < SEEDS; seed++) {
            struct world world = world_of(STEADY, seed, 0.03);
            struct select_arm arm[4];
            double fastest = INFINITY;
            for (int a = 0; a < 4; a++) fastest = fmin(fastest, world.truth[a] = 1 + random_unit(&world.random));
            arms_of(arm, &world, 4);
            for (int a = 0; a < 4; a++) arm[a].low = 0.5;
            world.budget = 1e-9;
            const struct select select = decide(&world, &rules, arm, 4);
            assert_true(select.compared);
            bad[early] += world.truth[select.pick] > 1.1 * fastest;
            samples[early] += world.samples;
        }
    }
    assert_in_range(bad[1], 0, bad[0] + SEEDS / 100);
    assert_true(samples[1] < 0.9 * samples[0]);
}

/* What samples promise. */

static struct select_rules rules_with_price(double price) {
    struct select_rules rules = usual_rules();
    rules.seats = 8;
    rules.least_rounds = 2;
    rules.final_rounds = 1;
    rules.price = price;
    rules.look_spread = 0.1;
    return rules;
}

/** Arms that looks are off of by a tenth. */
static void arms_seen(struct select_arm *arm, struct world *world, size_t count) {
    memset(arm, 0, count * sizeof *arm);
    for (size_t a = 0; a < count; a++) {
        arm[a].seconds = world->truth[a] * exp(0.1 * normal(&world->random));
        arm[a].low = arm[a].seconds / 1.5;
    }
}

/** The pick met the leader in the least rounds, who counts as compared met it in one at least, and all others that nothing excludes are counted. */
static void assert_others_are_counted(const struct select *select, const struct select_arm *arm, size_t count) {
    size_t open = 0;
    assert_true(select->compared);
    assert_in_range(shared_rounds(arm, select->pick, select->leader), select->rules.least_rounds, SELECT_MAX_ROUNDS);
    for (size_t a = 0; a < count; a++) {
        const bool met = shared_rounds(arm, a, select->leader) > 0;
        if (select_is_compared(select, a)) assert_true(met);
        open += a != select->pick && !met && !select_is_excluded(select, a);
    }
    assert_in_range(select->uncompared, open, count);
}

/** A sample has to promise half a per cent of the fastest's time: a third of them does not, and picks are hardly slower. */
static void what_promises_less_than_it_costs_is_not_sampled(void **state) {
    (void)state;
    for (enum weather weather = STEADY; weather <= OUTLIERS; weather++) {
        double samples[2] = {0};
        double loss[2] = {0};
        for (int priced = 0; priced < 2; priced++) {
            const struct select_rules rules = rules_with_price(priced ? 0.005 : 0);
            for (uint64_t seed = 0; seed < SEEDS; seed++) {
                struct world world = world_of(weather, seed, 0.03);
                struct select_arm arm[12];
                double fastest = INFINITY;
                for (int a = 0; a < 12; a++) fastest = fmin(fastest, world.truth[a] = 1 + 0.5 * random_unit(&world.random));
                arms_seen(arm, &world, 12);
                world.budget = 12;
                const struct select select = decide(&world, &rules, arm, 12);
                if (priced) assert_others_are_counted(&select, arm, 12);
                samples[priced] += world.samples;
                loss[priced] += (world.truth[select.pick] / fastest - 1) / SEEDS;
            }
        }
        assert_true(samples[1] < 0.7 * samples[0]);
        assert_true(loss[1] < loss[0] + 0.02);
    }
}

/** The leader looks much faster than all others, and each sample costs more than anything could bring: one other is sampled all the same, once. */
static void the_pick_is_compared_with_somebody_whatever_that_costs(void **state) {
    (void)state;
    struct world world = world_of(STEADY, 1, 0.005);
    struct select_arm arm[4];
    const struct select_rules rules = rules_with_price(10);
    arms_looked_at(arm, (const double[4]){1, 1.5, 1.6, 1.7});
    for (int a = 0; a < 4; a++) world.truth[a] = arm[a].seconds;
    const struct select select = decide(&world, &rules, arm, 4);
    assert_true(select.pick == 0 && select.compared);
    assert_true(arm[1].taken == 1 && arm[2].taken == 0 && arm[3].taken == 0);
    assert_int_equal(select.uncompared, 2);
}

/** A round that was disturbed has met nobody: the leader meets another in one that was not, or in as many as are given up after, and who is first as well. */
static void disturbed_rounds_leave_no_pick_alone(void **state) {
    (void)state;
    const struct select_rules rules = rules_with_price(10);
    for (int disturbed = 0; disturbed < 8; disturbed++) {
        struct world world = world_of(STEADY, 1, 0.005);
        struct select_arm arm[3];
        memset(arm, 0, sizeof arm);
        for (int a = 0; a < 3; a++) {
            world.truth[a] = 1 + 0.4 * a;
            arm[a] = (struct select_arm){.seconds = world.truth[a], .low = 0.5};
            world.disturbs[a] = disturbed >> a & 1;
        }
        arm[2].is_first = disturbed % 2;
        world.all_disturbed = disturbed == 7;
        const struct select select = decide(&world, &rules, arm, 3);
        assert_true(select.pick == 0 && select.compared);
        assert_true(select_compare(&select, arm[2].is_first ? 2 : 1, 0).pairs > 0);
    }
}

/** One round has another than the leader in front: it is not picked for that, but for as many as are the least. */
static void one_round_does_not_make_a_pick(void **state) {
    (void)state;
    struct world world = world_of(STEADY, 1, 0.001);
    struct select_arm arm[2] = {{.seconds = 1, .low = 0.5}, {.seconds = 1.01, .low = 0.5}};
    const struct select_rules rules = rules_with_price(10);
    world.truth[0] = 1.1;
    world.truth[1] = 1;
    const struct select select = decide(&world, &rules, arm, 2);
    assert_true(select.pick == 1 && select.compared);
    assert_in_range(shared_rounds(arm, 0, 1), rules.least_rounds, SELECT_MAX_ROUNDS);
}

/** All looks are twice too fast, together: that makes nobody who was not sampled faster than who was. */
static void what_looks_have_in_common_promises_nothing(void **state) {
    (void)state;
    int taken[2];
    for (int off = 0; off < 2; off++) {
        const struct select_rules rules = rules_with_price(off ? 0.005 : 0.01); /* samples cost what they take */
        struct world world = world_of(STEADY, 1, 0.001);
        struct select_arm arm[MOST_ARMS];
        memset(arm, 0, sizeof arm);
        for (int a = 0; a < MOST_ARMS; a++) {
            arm[a] = (struct select_arm){.seconds = 1 + 0.02 * a, .low = 0.1};
            world.truth[a] = arm[a].seconds * (off ? 2 : 1);
        }
        decide(&world, &rules, arm, MOST_ARMS);
        taken[off] = world.samples;
    }
    assert_int_equal(taken[0], taken[1]);
}

/* Who is first. */

static void the_first_arm_is_sampled_before_all_others(void **state) {
    (void)state;
    struct world world = world_of(STEADY, 1, 0);
    struct select_arm arm[MOST_ARMS] = {{0}};
    struct select_rules rules = usual_rules();
    for (int a = 0; a < MOST_ARMS; a++) {
        world.truth[a] = 1 + 0.001 * a;
        arm[a] = (struct select_arm){.seconds = 1 + 0.001 * a, .low = 0.5, .is_first = a == MOST_ARMS - 1};
    }
    world.budget = 1e-9; /* the first rounds only */
    rules.seats = 2;
    const struct select select = decide(&world, &rules, arm, MOST_ARMS);
    assert_true(select.compared);
    assert_int_equal(arm[MOST_ARMS - 1].taken, rules.least_rounds);
    assert_int_equal(arm[1].taken, 0);
    assert_int_equal(select.uncompared, MOST_ARMS - 2);
}

/* Ties. */

/** Nothing excludes it, but it takes longer than all others together: it is sampled where time is left, and it is said where it was not. */
static void who_is_first_but_hopeless_waits_for_the_others(void **state) {
    (void)state;
    for (int hopeless = 0; hopeless < 2; hopeless++) {
        struct world world = world_of(STEADY, 1, 0.01);
        struct select_arm arm[8] = {{0}};
        struct select_rules rules = usual_rules();
        rules.first_factor = 3;
        world.budget = 1e-3; /* spent by the first round */
        for (int a = 0; a < 8; a++) {
            world.truth[a] = a < 7 ? 1 + 0.01 * a : hopeless ? 7 : 2;
            arm[a] = (struct select_arm){.seconds = world.truth[a], .low = 0.5, .is_first = a == 7};
        }
        const struct select select = decide(&world, &rules, arm, 8);
        assert_true((world.taken[7] == 0) == (hopeless != 0));
        assert_int_equal(select_is_compared(&select, 7), !hopeless);
        assert_true(select.compared && select.uncompared >= (size_t)hopeless);
        assert_false(select_is_excluded(&select, 7) && hopeless);
    }
}

static void among_equals_the_easiest_is_picked(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct world world = world_of(STEADY, seed, 0.004);
        struct select_arm arm[4];
        struct select_rules rules = usual_rules();
        for (int a = 0; a < 4; a++) {
            world.truth[a] = a == 3 ? 1.06 : 1 + 0.003 * a;
            world.easiness[a] = 3 - a; /* the slowest, which is not equal, is the easiest */
        }
        arms_of(arm, &world, 4);
        const struct select select = decide(&world, &rules, arm, 4);
        assert_int_equal(select.pick, 2);
        assert_true(select_is_equal(&select, select.pick) && select_is_equal(&select, select.leader) && !select_is_equal(&select, 3));
    }
}

static void without_a_margin_the_fastest_is_picked(void **state) {
    (void)state;
    struct world world = world_of(STEADY, 1, 0.001);
    struct select_arm arm[2];
    struct select_rules rules = usual_rules();
    rules.margin = 0;
    world.truth[0] = 1;
    world.truth[1] = 1.01;
    world.easiness[0] = 1;
    arms_of(arm, &world, 2);
    assert_int_equal(decide(&world, &rules, arm, 2).pick, 0);
}

static void the_same_arms_get_the_same_answer_nine_times_of_ten(void **state) {
    (void)state;
    int picked[8] = {0};
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct world world = world_of(SWINGS, seed, 0.01);
        struct select_arm arm[8];
        const struct select_rules rules = usual_rules();
        for (int a = 0; a < 8; a++) {
            world.truth[a] = a < 4 ? 1 + 0.002 * a : 1.15;
            world.easiness[a] = a;
        }
        arms_of(arm, &world, 8);
        picked[decide(&world, &rules, arm, 8).pick]++;
    }
    assert_true(picked[0] >= 9 * SEEDS / 10);
}

/* The time of the pick. */

/** Of many equal arms the luckiest leads: the samples that made it the leader promise too much. */
static void the_time_of_the_pick_comes_from_samples_that_did_not_choose_it(void **state) {
    (void)state;
    double own = 0;
    double chosen = 0;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct world world = world_of(STEADY, seed, 0.1);
        struct select_arm arm[MOST_ARMS];
        struct select_rules rules = usual_rules();
        struct states_sample taken[TCPLAN_MAX_SAMPLES];
        rules.margin = 0;
        rules.expected.share = 0.1;
        for (int a = 0; a < MOST_ARMS; a++) world.truth[a] = 1;
        arms_of(arm, &world, MOST_ARMS);
        const struct select select = decide(&world, &rules, arm, MOST_ARMS);
        const int count = select_samples(&select, select.pick, taken);
        assert_int_equal(count, rules.final_rounds);
        for (int i = 0; i < count; i++) own += taken[i].seconds / count / SEEDS;
        double sum = 0;
        for (int r = 0; r < select.rounds; r++) sum += arm[select.pick].sample[r].seconds;
        chosen += sum / (arm[select.pick].taken - count) / SEEDS;
    }
    assert_true(fabs(own - 1) < 0.015);
    assert_true(chosen < 0.97); /* what would be said otherwise */
}

/* Disturbed samples. */

static void disturbed_samples_do_not_decide(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct world world = world_of(STEADY, seed, 0.01);
        struct select_arm arm[3];
        const struct select_rules rules = usual_rules();
        struct states_sample taken[TCPLAN_MAX_SAMPLES];
        for (int a = 0; a < 3; a++) world.truth[a] = 1 + 0.1 * a;
        world.disturbs[0] = true;
        arms_of(arm, &world, 3);
        arm[0].low = 0.5;
        const struct select select = decide(&world, &rules, arm, 3);
        assert_int_equal(select.pick, 0);
        const int count = select_samples(&select, 0, taken);
        for (int i = 0; i < count; i++) assert_true(taken[i].seconds < 1.5);
    }
}

static void where_all_is_disturbed_that_decides(void **state) {
    (void)state;
    struct world world = world_of(STEADY, 1, 0.01);
    struct select_arm arm[3];
    const struct select_rules rules = usual_rules();
    world.all_disturbed = true;
    for (int a = 0; a < 3; a++) world.truth[a] = 1.2 - 0.1 * a;
    arms_of(arm, &world, 3);
    const struct select select = decide(&world, &rules, arm, 3);
    assert_compared(&select, arm, 3);
    assert_int_equal(select.pick, 2);
}

/* Limits. */

static void without_time_nothing_is_sampled_and_the_pick_is_not_compared(void **state) {
    (void)state;
    struct world world = world_of(STEADY, 1, 0.01);
    struct select_arm arm[2] = {{.seconds = 2, .low = 1}, {.seconds = 1, .low = 0.5}};
    const struct select_rules rules = usual_rules();
    world.truth[0] = world.truth[1] = 1;
    world.limit = 1e-9;
    const struct select select = decide(&world, &rules, arm, 2);
    assert_int_equal(world.samples, 0);
    assert_int_equal(select.pick, 1);
    assert_false(select.compared);
    assert_int_equal(select.uncompared, 1);
}

static void a_limit_holds_but_for_a_sample(void **state) {
    (void)state;
    const struct select_rules rules = usual_rules();
    for (int tenths = 1; tenths < 300; tenths++) {
        struct world world = world_of(SWINGS, (uint64_t)tenths, 0.05);
        struct select_arm arm[6];
        for (int a = 0; a < 6; a++) world.truth[a] = 1 + 0.05 * a;
        world.limit = tenths * 0.1;
        arms_of(arm, &world, 6);
        const struct select select = decide(&world, &rules, arm, 6);
        assert_true(world.now <= world.limit + world.longest);
        /* What the pick was not compared with is counted. */
        size_t missing = 0;
        for (size_t a = 0; a < 6; a++) {
            missing +=
                a != select.pick && arm[a].taken < rules.least_rounds && !arm[a].beaten && arm[a].low < smallest_time(&arm[select.leader]);
        }
        assert_true(select.uncompared >= (select.compared ? missing : 0));
        if (arm[select.pick].taken < rules.least_rounds) assert_false(select.compared);
    }
}

static void when_time_is_spent_what_was_begun_is_ended(void **state) {
    (void)state;
    struct world world = world_of(STEADY, 1, 0.01);
    struct select_arm arm[MOST_ARMS];
    const struct select_rules rules = usual_rules();
    for (int a = 0; a < MOST_ARMS; a++) world.truth[a] = 1;
    arms_of(arm, &world, MOST_ARMS);
    for (int a = 0; a < MOST_ARMS; a++) arm[a].low = 0.1;
    world.budget = 1e-9;
    const struct select select = decide(&world, &rules, arm, MOST_ARMS);
    size_t sampled = 0;
    for (int a = 0; a < MOST_ARMS; a++) {
        sampled += arm[a].taken > 0;
        if (arm[a].taken > 0) assert_true(arm[a].taken >= rules.least_rounds);
    }
    assert_int_equal(sampled, rules.seats);
    assert_true(select.compared);
    assert_int_equal(select.uncompared, MOST_ARMS - sampled);
}

static void arms_that_never_end_apart_are_left_at_what_is_known(void **state) {
    (void)state;
    struct world world = world_of(STEADY, 1, 0.3);
    struct select_arm arm[2];
    const struct select_rules rules = usual_rules();
    world.truth[0] = world.truth[1] = 1;
    arms_of(arm, &world, 2);
    arm[0].low = arm[1].low = 0;
    const struct select select = decide(&world, &rules, arm, 2);
    assert_true(select.compared && select.rounds <= SELECT_MAX_ROUNDS);
}

/* What cannot be sampled. */

static void what_cannot_be_sampled_is_not_picked(void **state) {
    (void)state;
    struct world world = world_of(STEADY, 1, 0.01);
    struct select_arm arm[3];
    const struct select_rules rules = usual_rules();
    for (int a = 0; a < 3; a++) world.truth[a] = 1 + a;
    world.fails[0] = true;
    arms_of(arm, &world, 3);
    const struct select select = decide(&world, &rules, arm, 3);
    assert_int_equal(select.pick, 1);
    assert_true(select.compared);
    world.fails[1] = world.fails[2] = true;
    arms_of(arm, &world, 3);
    assert_false(decide(&world, &rules, arm, 3).compared);
}

/** Something in front that cannot be sampled, as nobody has looked at it, does not keep the others from being compared. */
static void what_is_known_not_to_be_sampled_leaves_the_others_compared(void **state) {
    (void)state;
    struct world world = world_of(STEADY, 1, 0.01);
    struct select_arm arm[3];
    const struct select_rules rules = usual_rules();
    for (int a = 0; a < 3; a++) world.truth[a] = 1 + a;
    arms_of(arm, &world, 3);
    arm[0].withdrawn = true;
    const struct select select = decide(&world, &rules, arm, 3);
    assert_int_equal(select.pick, 1);
    assert_true(select.compared && select_is_compared(&select, 2));
    assert_int_equal(arm[0].taken, 0);
    assert_false(select_is_compared(&select, 0));
    arms_of(arm, &world, 3);
    arm[0].withdrawn = arm[1].withdrawn = arm[2].withdrawn = true;
    assert_false(decide(&world, &rules, arm, 3).compared);
    assert_int_equal(arm[0].taken + arm[1].taken + arm[2].taken, 0);
}

static void one_arm_alone_is_sampled_and_picked(void **state) {
    (void)state;
    struct world world = world_of(STEADY, 1, 0.01);
    struct select_arm arm[1];
    const struct select_rules rules = usual_rules();
    world.truth[0] = 1;
    arms_of(arm, &world, 1);
    const struct select select = decide(&world, &rules, arm, 1);
    assert_true(select.compared && select.uncompared == 0 && arm[0].taken == 1 + rules.final_rounds);
}

static void a_failure_ends_the_comparison(void **state) {
    (void)state;
    const struct select_rules rules = usual_rules();
    for (int at = 0; at < 9; at++) {
        struct world world = world_of(STEADY, 1, 0.01);
        struct select_arm arm[2];
        struct select select;
        const struct select_means means = {
            .context = &world, .sample = sample, .cost = cost, .left = left, .is_spent = is_spent, .prefer = prefer};
        world.truth[0] = world.truth[1] = 1;
        world.failure = TCPLAN_NO_MEMORY;
        world.fails_at = at;
        arms_of(arm, &world, 2);
        assert_int_equal(select_run(&select, &rules, arm, 2, &means, NULL), TCPLAN_NO_MEMORY);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_pick_was_compared_and_is_fast_in_steady_weather),
        cmocka_unit_test(outliers_do_not_decide),
        cmocka_unit_test(swings_between_two_speeds_do_not_decide),
        cmocka_unit_test(what_references_tell_is_taken_off),
        cmocka_unit_test(references_that_samples_do_not_follow_do_no_harm),
        cmocka_unit_test(how_far_samples_follow_is_told),
        cmocka_unit_test(drift_hits_all_alike),
        cmocka_unit_test(who_is_sampled_later_is_not_slower_for_that),
        cmocka_unit_test(the_best_arm_may_look_bad_at_first),
        cmocka_unit_test(a_leader_slower_than_it_was_thought_calls_in_those_it_excluded),
        cmocka_unit_test(what_is_excluded_for_certain_costs_nothing),
        cmocka_unit_test(who_was_slower_in_a_look_and_in_a_round_is_dropped),
        cmocka_unit_test(two_witnesses_need_not_be_as_certain_as_one),
        cmocka_unit_test(one_round_alone_drops_nobody_whom_a_look_had_in_front),
        cmocka_unit_test(who_is_alone_as_all_others_were_dropped_was_compared),
        cmocka_unit_test(the_first_round_counts_in_the_same_state_of_the_core),
        cmocka_unit_test(dropping_early_saves_samples_and_no_pick_is_worse),
        cmocka_unit_test(what_promises_less_than_it_costs_is_not_sampled),
        cmocka_unit_test(the_pick_is_compared_with_somebody_whatever_that_costs),
        cmocka_unit_test(one_round_does_not_make_a_pick),
        cmocka_unit_test(disturbed_rounds_leave_no_pick_alone),
        cmocka_unit_test(what_looks_have_in_common_promises_nothing),
        cmocka_unit_test(the_first_arm_is_sampled_before_all_others),
        cmocka_unit_test(who_is_first_but_hopeless_waits_for_the_others),
        cmocka_unit_test(among_equals_the_easiest_is_picked),
        cmocka_unit_test(without_a_margin_the_fastest_is_picked),
        cmocka_unit_test(the_same_arms_get_the_same_answer_nine_times_of_ten),
        cmocka_unit_test(the_time_of_the_pick_comes_from_samples_that_did_not_choose_it),
        cmocka_unit_test(disturbed_samples_do_not_decide),
        cmocka_unit_test(where_all_is_disturbed_that_decides),
        cmocka_unit_test(without_time_nothing_is_sampled_and_the_pick_is_not_compared),
        cmocka_unit_test(a_limit_holds_but_for_a_sample),
        cmocka_unit_test(when_time_is_spent_what_was_begun_is_ended),
        cmocka_unit_test(arms_that_never_end_apart_are_left_at_what_is_known),
        cmocka_unit_test(what_cannot_be_sampled_is_not_picked),
        cmocka_unit_test(what_is_known_not_to_be_sampled_leaves_the_others_compared),
        cmocka_unit_test(one_arm_alone_is_sampled_and_picked),
        cmocka_unit_test(a_failure_ends_the_comparison),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
