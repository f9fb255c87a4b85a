/*
 * Tests how the variation of times between processes is learned from the winners of scripted
 * rankings. Also counts the runs inside the predicted 95 % intervals, on a simulated machine with
 * drift, heavy tails and two clock regimes.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "microbench/timing/drift.h"
#include "plan/learn/between.h"
#include "plan/predictor.h"
#include "store/experience.h"

enum { PROCESSES = 60 };

/** Observations of one algorithm by several processes. */
struct fixture {
    struct tcplan_contraction *contraction;
    struct tcplan_experience *experience;
    struct tcplan_ranking ranking;
    struct tcplan_entry entry;
    struct ranker ranker;
};

static void set_up(struct fixture *out) {
    int64_t extents[TCPLAN_MAX_INDICES];
    for (int i = 0; i < TCPLAN_MAX_INDICES; i++) extents[i] = 30;
    *out = (struct fixture){.experience = tcplan_experience_new()};
    assert_non_null(out->experience);
    assert_int_equal(
        tcplan_contraction_parse(&out->contraction, "C_abc=A_ai*B_ibc", TCPLAN_COLUMN_MAJOR, NULL),
        TCPLAN_OK);
    assert_int_equal(
        tcplan_problem_init(&out->ranking.problem, out->contraction, extents, TCPLAN_DOUBLE, NULL),
        TCPLAN_OK);
    out->ranking.entry = &out->entry;
    out->ranking.entry_count = 1;
    out->ranker = (struct ranker){.ranking = &out->ranking,
                                  .options = {.threads = 1, .experience = out->experience}};
    assert_int_equal(tcplan_algorithm_parse(&out->entry.algorithm, out->contraction, TCPLAN_DOUBLE,
                                            "c-dgemm", NULL),
                     TCPLAN_OK);
}

static void tear_down(struct fixture *fixture) {
    tcplan_experience_free(fixture->experience);
    tcplan_contraction_free(fixture->contraction);
}

/** Records a time of the winner as measured by another process; some minutes pass afterwards. */
static void say(struct fixture *fixture, double seconds, double error) {
    fixture->entry.prediction.seconds = seconds;
    between_learn(&fixture->ranker, &fixture->entry, error);
    for (int w = 0; w < fixture->experience->winner_count; w++)
        fixture->experience->winner[w].made -= 600;
}

static double half_width(const struct fixture *fixture) {
    return between_half_width(fixture->experience);
}

static const double prior = 1.96 * BETWEEN_PRIOR;

static void without_observations_the_half_width_is_that_of_the_prior(void **state) {
    (void)state;
    struct fixture fixture;
    set_up(&fixture);
    assert_true(fabs(half_width(&fixture) / prior - 1) < 1e-3);
    assert_true(between_half_width(NULL) == half_width(&fixture));
    say(&fixture, 1e-3, 0);
    assert_true(fabs(half_width(&fixture) / prior - 1) < 1e-3); /* the prior applies: a single time
                                                                   has no difference */
    fixture.ranker.options.experience = NULL;
    say(&fixture, 1e-3, 0); /* without earlier data, nothing is learned */
    tear_down(&fixture);
}

/** The interval of a time becomes wider if later processes measure times that differ by a fifth,
 * and narrower if they agree. */
static void later_processes_replace_the_prior(void **state) {
    (void)state;
    struct fixture differ, agree;
    set_up(&differ);
    set_up(&agree);
    for (int p = 0; p < PROCESSES; p++) {
        say(&differ, p % 2 ? 1.2e-3 : 1e-3, 0);
        say(&agree, p % 2 ? 1.01e-3 : 1e-3, 0);
    }
    assert_true(fabs(half_width(&differ) / (1.96 * log(1.2)) - 1) < 0.05);
    assert_true(half_width(&agree) < 0.3 * prior);
    assert_int_equal(differ.experience->winner_count, 1);
    tear_down(&differ);
    tear_down(&agree);
}

/** Differences that the spread of the samples explains are not learned: intervals of predictions
 * already include that spread. */
static void spread_of_samples_is_no_difference(void **state) {
    (void)state;
    struct fixture fixture;
    set_up(&fixture);
    const double error = 0.05;
    for (int p = 0; p < PROCESSES; p++)
        say(&fixture, p % 2 ? 1e-3 * exp(sqrt(2) * error) : 1e-3, error);
    assert_true(half_width(&fixture) < 0.25 * prior);
    tear_down(&fixture);
}

static void times_of_the_same_minute_are_not_compared(void **state) {
    (void)state;
    struct fixture fixture;
    set_up(&fixture);
    for (int p = 0; p < 3; p++) {
        fixture.entry.prediction.seconds = 1e-3 * (1 + p);
        between_learn(&fixture.ranker, &fixture.entry, 0);
    }
    assert_int_equal(fixture.experience->winner_count, 1);
    assert_true(fixture.experience->winner[0].seconds == 1e-3 &&
                fixture.experience->winner[0].count == 0);
    tear_down(&fixture);
}

/** Times of another algorithm, or with another number of threads, are not compared. */
static void times_of_different_conditions_are_not_compared(void **state) {
    (void)state;
    struct fixture fixture;
    set_up(&fixture);
    say(&fixture, 1e-3, 0);
    fixture.ranker.options.threads = 2;
    say(&fixture, 2e-3, 0);
    assert_int_equal(tcplan_algorithm_parse(&fixture.entry.algorithm, fixture.contraction,
                                            TCPLAN_DOUBLE, "cb-dgemv", NULL),
                     TCPLAN_OK);
    say(&fixture, 4e-3, 0);
    assert_int_equal(fixture.experience->winner_count, 3);
    assert_true(fabs(half_width(&fixture) / prior - 1) < 1e-3);
    tear_down(&fixture);
}

/** A single time that is wrong by a factor of twenty must not make all intervals useless. If such
 * times repeat, intervals must become wide. */
static void a_single_deviation_is_only_partly_believed(void **state) {
    (void)state;
    struct fixture fixture;
    set_up(&fixture);
    say(&fixture, 1e-3, 0);
    say(&fixture, 20e-3, 0);
    assert_true(half_width(&fixture) > prior && half_width(&fixture) < 1.96 * log(1.5));
    for (int p = 0; p < PROCESSES; p++) say(&fixture, p % 2 ? 20e-3 : 1e-3, 0);
    assert_true(half_width(&fixture) > 1.96 * log(2.5));
    tear_down(&fixture);
}

/** Older differences have less weight: intervals narrow when a machine becomes steady. */
static void old_observations_count_less(void **state) {
    (void)state;
    struct fixture fixture;
    set_up(&fixture);
    for (int p = 0; p < PROCESSES; p++) say(&fixture, p % 2 ? 1.2e-3 : 1e-3, 0);
    const double before = half_width(&fixture);
    for (int p = 0; p < PROCESSES; p++) say(&fixture, 1e-3, 0);
    assert_true(half_width(&fixture) < 0.7 * before);
    tear_down(&fixture);
}

/* An artificial machine. */

#define GOOD 20e-6
#define BAD 32e-6

enum { SAMPLES = 5, WORLDS = 400, TIMINGS = 600 };

/** Properties of a simulated machine and its runs. */
struct setting {
    double dwell_seconds; /**< mean seconds at each of two clock speeds, whose ratio is 1.6; 0: one
                             speed */
    double least_speed;   /**< the speed drifts between this share and 1, over minutes */
    double run_seconds;
    double elasticity;
    bool has_tails; /**< whether one run in ten is longer, by 15 % on average */
    int earlier;    /**< number of earlier processes to learn from */
};

/** A simulated machine with two clock speeds, which change after exponentially distributed times.
 */
struct machine {
    const struct setting *setting;
    struct random random;
    double share; /**< share of time at the slow speed, which drifts over minutes */
    double slower;
    double now;
    double until; /**< time at which the clock speed changes */
    bool slow;
};

static void change(struct machine *machine, bool slow) {
    const double rate =
        (slow ? 1 - machine->share : machine->share) / machine->setting->dwell_seconds;
    machine->slow = slow;
    machine->until = machine->setting->dwell_seconds > 0
                         ? machine->now - log(1 - random_unit(&machine->random)) / rate
                         : INFINITY;
}

static void pass_minutes(struct machine *machine) {
    const struct setting *setting = machine->setting;
    machine->now += 600;
    machine->share = setting->dwell_seconds > 0 ? 0.2 + 0.6 * random_unit(&machine->random) : 0;
    machine->slower = 1 + random_unit(&machine->random) * (1 / setting->least_speed - 1);
    change(machine, random_unit(&machine->random) < machine->share);
}

/** Advances the simulation by work that takes `seconds` at the best speed. Returns how long it
 * takes. */
static double work(struct machine *machine, double seconds, double elasticity) {
    const double began = machine->now;
    while (seconds > 0) {
        const double factor = pow((machine->slow ? BAD / GOOD : 1) * machine->slower, elasticity);
        const double end = machine->now + seconds * factor;
        if (end <= machine->until) {
            machine->now = end;
            break;
        }
        seconds -= (machine->until - machine->now) / factor;
        machine->now = machine->until;
        change(machine, !machine->slow);
    }
    return machine->now - began;
}

static double chance(struct random *random) {
    double sum = 0;
    for (int i = 0; i < 12; i++) sum += random_unit(random);
    return sum - 6;
}

/** Returns a random factor by which a run is slower than its references show. */
static double own_factor(struct machine *machine) {
    const double tail = machine->setting->has_tails && random_unit(&machine->random) < 0.1
                            ? -0.15 * log(1 - random_unit(&machine->random))
                            : 0;
    return 1 + tail + 0.01 * chance(&machine->random);
}

static double time_reference(struct machine *machine, struct drift_timing timings[TIMINGS],
                             int *count) {
    timings[*count] =
        (struct drift_timing){.at_seconds = machine->now,
                              .seconds = (machine->slow ? BAD : GOOD) * machine->slower *
                                         (1 + 0.02 * chance(&machine->random))};
    return timings[(*count)++].seconds;
}

/** Makes a sample of a run, with a reference timing every 2 ms, as cutoff_sample() does. */
static struct drift_sample sample_of(struct machine *machine, struct drift_timing timings[TIMINGS],
                                     int *count) {
    const struct setting *setting = machine->setting;
    const int pieces = setting->run_seconds > 4e-3 ? (int)(setting->run_seconds / 2e-3) : 1;
    struct drift_sample sample = {0};
    double units = 0, before = time_reference(machine, timings, count);
    for (int p = 0; p < pieces; p++) {
        const double seconds = work(machine, setting->run_seconds / pieces, setting->elasticity);
        const double after = time_reference(machine, timings, count);
        sample.seconds += seconds;
        units += seconds / sqrt(before * after);
        before = after;
    }
    sample.reference_seconds = sample.seconds / units;
    sample.seconds *= own_factor(machine);
    return sample;
}

/** Simulates a ranking: returns its prediction for the run, and records it. */
static struct tcplan_estimate rank(struct fixture *fixture, struct machine *machine) {
    struct drift_timing timings[TIMINGS];
    struct drift_sample sample[SAMPLES];
    struct drift_regression regression = {0};
    int count = 0;
    double error;
    while (count < TIMINGS / 2) { /* the ranking observes the core for half a second */
        time_reference(machine, timings, &count);
        work(machine, 2e-3, 0);
    }
    for (int s = 0; s < SAMPLES; s++) {
        sample[s] = sample_of(machine, timings, &count);
        drift_add(&regression, sample[s].seconds, sample[s].reference_seconds);
    }
    const double elasticity = drift_elasticity(&regression, 1);
    struct tcplan_estimate estimate =
        drift_estimate(sample, SAMPLES, elasticity, drift_of(timings, count).mean_seconds,
                       predictor_expected(TCPLAN_BASIS_RUNS), &error);
    const struct drift_range within = drift_within(timings, count, estimate.seconds);
    const double between = half_width(fixture);
    drift_widen(&estimate,
                (struct drift_range){.below = hypot(elasticity * within.below, between),
                                     .above = hypot(elasticity * within.above, between)});
    say(fixture, estimate.seconds, error);
    return estimate;
}

/** Returns the share of later runs inside the intervals; `ratio` receives the mean ratio of upper
 * to lower ends. */
static double coverage(const struct setting *setting, double *ratio) {
    double held = 0, width = 0;
    for (uint64_t seed = 0; seed < WORLDS; seed++) {
        struct fixture fixture;
        struct machine machine = {.setting = setting, .random = {seed * 0xd1342543de82ef95U + 1}};
        struct tcplan_estimate estimate = {0};
        set_up(&fixture);
        for (int i = 0; i < 4; i++) random_next(&machine.random);
        for (int p = 0; p <= setting->earlier; p++) {
            pass_minutes(&machine);
            estimate = rank(&fixture, &machine);
        }
        assert_true(estimate.low <= estimate.seconds && estimate.seconds <= estimate.high);
        pass_minutes(&machine);
        const double seconds =
            work(&machine, setting->run_seconds, setting->elasticity) * own_factor(&machine);
        held += seconds >= estimate.low && seconds <= estimate.high;
        width += log(estimate.high / estimate.low) / WORLDS;
        tear_down(&fixture);
    }
    *ratio = exp(width);
    return held / WORLDS;
}

static double assert_holds(const struct setting *setting, double least, double most_ratio) {
    double ratio;
    const double held = coverage(setting, &ratio);
    if (held < least || ratio > most_ratio)
        fail_msg("%.3f held, ratio %.2f: dwell %g, speed %g, run %g, elasticity %g, earlier %d%s",
                 held, ratio, setting->dwell_seconds, setting->least_speed, setting->run_seconds,
                 setting->elasticity, setting->earlier, setting->has_tails ? ", tails" : "");
    return held;
}

/** An interval contains both clock speeds, whose ratio is 1.6, so more than 95 of 100 short runs
 * are inside. */
static void runs_of_two_clock_regimes_are_held(void **state) {
    (void)state;
    struct setting setting = {.least_speed = 1, .elasticity = 1};
    for (setting.earlier = 0; setting.earlier <= 10; setting.earlier += 10) {
        for (setting.dwell_seconds = 2e-3; setting.dwell_seconds < 0.1;
             setting.dwell_seconds *= 25) {
            for (setting.run_seconds = 1e-3; setting.run_seconds < 0.1; setting.run_seconds *= 20)
                assert_holds(&setting, 0.93, 2.5);
        }
    }
    setting = (struct setting){
        .least_speed = 1, .dwell_seconds = 2e-3, .run_seconds = 1e-3, .elasticity = 0.5};
    assert_holds(&setting, 0.93,
                 2.2); /* if times depend less on the clock speed, intervals are narrower */
}

/** A single ranking cannot observe drift over minutes: the prior covers a drift of a fourth. With
 * learned differences, intervals contain 93 to 97 of 100 runs; for any drift and tails at least
 * 91, which is three standard errors below 95. */
static void runs_of_other_minutes_are_held(void **state) {
    (void)state;
    struct setting setting = {.least_speed = 0.75, .run_seconds = 1e-3, .elasticity = 1};
    double mean = 0;
    assert_holds(&setting, 0.93, 2);
    setting.earlier = 30;
    for (int tails = 0; tails < 2; tails++) {
        setting.has_tails = tails;
        for (setting.least_speed = 0.5; setting.least_speed < 1; setting.least_speed += 0.2)
            mean += assert_holds(&setting, 0.91, 1.4 / setting.least_speed + 0.3) / 6;
    }
    assert_true(mean >= 0.93 && mean <= 0.97);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_observations_the_half_width_is_that_of_the_prior),
        cmocka_unit_test(later_processes_replace_the_prior),
        cmocka_unit_test(spread_of_samples_is_no_difference),
        cmocka_unit_test(times_of_the_same_minute_are_not_compared),
        cmocka_unit_test(times_of_different_conditions_are_not_compared),
        cmocka_unit_test(a_single_deviation_is_only_partly_believed),
        cmocka_unit_test(old_observations_count_less),
        cmocka_unit_test(runs_of_two_clock_regimes_are_held),
        cmocka_unit_test(runs_of_other_minutes_are_held),
    };
    return cmocka_run_group_tests_name("between", tests, NULL, NULL);
}
