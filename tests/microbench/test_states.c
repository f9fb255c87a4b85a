/*
 * What references tell of the core's states, how far samples follow them, and what a run in the
 * next minutes takes: on a machine that is made up.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "microbench/predict/measure.h"
#include "microbench/timing/states.h"
#include "support/rng.h"

enum { SAMPLES = 10 };

#define GOOD 20e-6
#define BAD 32e-6

static void assert_about(double found, double expected) {
    if (fabs(found / expected - 1) > 1e-9) fail_msg("found %.17g, expected %.17g", found, expected);
}

/** Series of samples that all take `power` of what their references do, each series with a constant
 * of its own. */
static double follows_of(double power, bool in_slow_core) {
    struct states_regression regression = {0};
    for (int series = 0; series < 4; series++) {
        states_begin_series(&regression);
        for (int s = 0; s < SAMPLES; s++) {
            const double reference = in_slow_core && s % 3 == 0 ? BAD : GOOD;
            states_add(&regression, pow(10, series) * pow(reference / GOOD, power), reference);
        }
    }
    return states_follows(&regression);
}

static void samples_follow_as_far_as_they_do(void **state) {
    (void)state;
    assert_true(fabs(follows_of(1, true) - 1) < 0.01);
    assert_true(fabs(follows_of(0.5, true) - 0.5) < 0.01);
    assert_true(follows_of(0, true) == 0);
    assert_true(follows_of(-1, true) == 0);
    assert_true(follows_of(1, false) == 0); /* nothing changed: nothing is known */
    assert_true(follows_of(5, true) < 1.5);
}

static void arithmetic_is_expected_to_follow(void **state) {
    (void)state;
    const struct states met = {.good = GOOD, .ratio = 1};
    assert_about(states_follows_expected(&met, 1e6, 1e6 * GOOD), 1);
    assert_about(states_follows_expected(&met, 1e6, 2e6 * GOOD), 0.75);
    assert_about(states_follows_expected(&met, 0, 1), 0.5);
    struct states_regression regression = {0};
    assert_about(states_follows_drawn(&regression, 0.75), 0.75);
    for (int s = 0; s < 1000; s++) states_add(&regression, 1, s % 2 ? GOOD : BAD);
    assert_true(states_follows_drawn(&regression, 0.75) < 0.01);
}

/** What a run does on its way says as much as many runs. */
static void pieces_tell_how_far_a_run_follows(void **state) {
    (void)state;
    struct states_regression pieces = {0}, regression = {0};
    const struct states met = {.good = GOOD, .ratio = BAD / GOOD, .share = 0.5};
    for (int s = 0; s < 40; s++)
        states_add(&pieces, s % 4 < 2 ? sqrt(GOOD) : sqrt(BAD), s % 4 < 2 ? GOOD : BAD);
    const struct states_sample sample = {.seconds = 1,
                                         .reference_seconds = GOOD,
                                         .squares = pieces.squares,
                                         .products = pieces.products};
    states_add_felt(&regression, &met, &sample);
    assert_true(fabs(states_follows_drawn(&regression, 1) - 0.5) < 0.02);
}

static void chance_is_not_followed(void **state) {
    (void)state;
    struct states_regression regression = {0};
    uint64_t bits = 3;
    for (int s = 0; s < 1000; s++)
        states_add(&regression, 1 + 0.3 * rng_real(&bits), GOOD * (1 + 0.02 * rng_real(&bits)));
    assert_in_range(100 * states_follows(&regression), 0, 100);
    const struct states_regression before = regression;
    states_add(&regression, 1, 0);
    states_add(&regression, 0, GOOD);
    assert_memory_equal(&regression, &before, sizeof before); /* what is not known tells nothing */
}

/* A machine that is made up. */

/** Two speeds, each for a while that forgets how long it lasted already. */
struct machine {
    struct random random;
    double dwell_seconds; /**< see struct states: changes come at 1 / dwell times the share of the
                             other state */
    double share;         /**< of the slow state */
    double now;
    double until; /**< of the state */
    bool slow;
};

static void change(struct machine *machine, bool slow) {
    machine->slow = slow;
    const double rate = (slow ? 1 - machine->share : machine->share) / machine->dwell_seconds;
    machine->until = machine->now - log(1 - random_unit(&machine->random)) / rate;
}

static struct machine machine_of(uint64_t seed, double dwell_seconds, double share) {
    struct machine machine = {
        .random = {seed * 0xd1342543de82ef95U + 1}, .dwell_seconds = dwell_seconds, .share = share};
    for (int i = 0; i < 4; i++) random_next(&machine.random);
    change(&machine, random_unit(&machine.random) < share);
    return machine;
}

/** Time that a piece of work takes, of so many seconds in the good state, which feels the states by
 * a power. */
static double work(struct machine *machine, double seconds, double power) {
    const double began = machine->now;
    while (seconds > 0) {
        const double factor = machine->slow ? pow(BAD / GOOD, power) : 1;
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

static double look(struct machine *machine, struct states_look *out) {
    out->seconds = (machine->slow ? BAD : GOOD) * (1 + 0.02 * chance(&machine->random));
    out->at_seconds = machine->now;
    return out->seconds;
}

/** Watches for a while, every millisecond. */
static struct states watch(struct machine *machine, double seconds, const struct states *known) {
    static struct states_look looks[STATES_LOOKS];
    int count = 0;
    for (const double end = machine->now + seconds; machine->now < end && count < STATES_LOOKS;
         count++) {
        look(machine, &looks[count]);
        work(machine, 1e-3, 0);
    }
    return states_of(looks, count, known);
}

/* What was met. */

static const struct states nothing;

static void two_speeds_are_found(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 20; seed++) {
        for (double dwell = 2e-3; dwell < 0.1; dwell *= 4) {
            struct machine machine = machine_of(seed, dwell, 0.4);
            const struct states met = watch(&machine, 2, &nothing);
            assert_true(fabs(met.good / GOOD - 1) < 0.01 &&
                        fabs(met.ratio / (BAD / GOOD) - 1) < 0.02);
            assert_true(fabs(met.share - 0.4) < 5 * sqrt(0.24 * 2 * dwell / 2));
            assert_true(met.dwell_seconds > dwell / 5 && met.dwell_seconds < 5 * dwell);
            assert_true(fabs(met.watched_seconds - 2) < 0.1);
        }
    }
}

static void one_speed_is_one(void **state) {
    (void)state;
    struct machine machine = machine_of(1, 1e9, 1e-12);
    const struct states met = watch(&machine, 1, &nothing);
    assert_true(met.ratio == 1 && met.share == 0 && met.dwell_seconds == 0);
    const struct states none = states_of(NULL, 0, &nothing);
    assert_memory_equal(&none, &nothing, sizeof none);
}

/** A second speed that was never left is told from the first one by what is known before. */
static void what_was_met_before_tells_which_state_it_is(void **state) {
    (void)state;
    const struct states known = {.good = GOOD, .ratio = BAD / GOOD};
    for (int slow = 0; slow < 2; slow++) {
        struct machine machine = machine_of(1, 1e9, slow ? 1 - 1e-12 : 1e-12);
        const struct states met = watch(&machine, 0.1, &known);
        assert_true(fabs(met.good / GOOD - 1) < 0.01);
        assert_true(slow ? met.share == 1 && met.ratio == known.ratio
                         : met.share == 0 && met.ratio == 1);
    }
}

/** References that took three times as long belong to somebody else. */
static void disturbed_references_are_no_state(void **state) {
    (void)state;
    struct states_look looks[200];
    for (int l = 0; l < 200; l++)
        looks[l] =
            (struct states_look){.at_seconds = 1e-3 * l, .seconds = l % 10 == 3 ? 10 * GOOD : GOOD};
    assert_true(states_of(looks, 200, &nothing).ratio == 1);
}

/* Intervals. */

/** How samples are taken, and what the run is that they predict. */
struct setting {
    double dwell_seconds;
    double run_seconds;
    double power;
    double watched_seconds;
    int kept; /**< earlier processes */
};

enum { WORLDS = 150, SAMPLES_OF_A_COMPARISON = 5, STEADY = 30 };

/** A run with a reference before and behind each piece of 2 ms, as cutoff_sample() makes it. */
static struct states_sample sample_of(struct machine *machine, const struct setting *setting,
                                      struct states_look *log, int *count) {
    const int pieces = setting->run_seconds > 4e-3 ? (int)(setting->run_seconds / 2e-3) : 1;
    struct states_sample sample = {0};
    double units = 0;
    double before = look(machine, &log[(*count)++]);
    for (int p = 0; p < pieces; p++) {
        const double seconds = work(machine, setting->run_seconds / pieces, setting->power) *
                               (1 + 0.01 * chance(&machine->random));
        const double after = look(machine, &log[(*count)++]);
        sample.seconds += seconds;
        units += seconds / sqrt(before * after);
        before = after;
    }
    sample.reference_seconds = sample.seconds / units;
    sample.apart_seconds = sample.seconds / pieces;
    return sample;
}

/** Minutes apart the share drifts. */
static double drifted_share(struct random *random) {
    return 0.2 + 0.6 * random_unit(random);
}

/** The share of runs in the next minutes that an interval holds, and how wide the intervals are, as
 * mean logarithms. */
static double coverage(const struct setting *setting, double *width) {
    double held = 0;
    *width = 0;
    for (uint64_t seed = 0; seed < WORLDS; seed++) {
        static struct states_look log[STATES_LOOKS];
        struct states_kept kept[8];
        struct states_sample sample[SAMPLES_OF_A_COMPARISON];
        struct machine machine = machine_of(seed, setting->dwell_seconds, 0.5);
        int count = 0;
        for (int k = 0; k < setting->kept; k++) {
            machine.share = drifted_share(&machine.random);
            change(&machine, machine.slow);
            kept[k] =
                (struct states_kept){.made = 100 * k, .states = watch(&machine, 0.3, &nothing)};
        }
        machine.share = drifted_share(&machine.random);
        change(&machine, machine.slow);
        for (const double end = machine.now + setting->watched_seconds;
             machine.now < end && count < STATES_LOOKS / 2; count++) {
            look(&machine, &log[count]);
            work(&machine, 2e-3, 0);
        }
        for (int s = 0; s < SAMPLES_OF_A_COMPARISON; s++)
            sample[s] = sample_of(&machine, setting, log, &count);
        const int64_t now = 100 * setting->kept;
        const struct states known = states_known(kept, setting->kept, now);
        const struct states met = states_of(log, count, &known);
        struct states_outlook outlook = states_outlook(&met, kept, setting->kept, now);
        outlook.unwatched = 0; /* here it waits for nothing that changes by itself */
        const struct states_fit fit = states_fit(
            &met, sample, SAMPLES_OF_A_COMPARISON, 1,
            (struct expected_spread){.share = 0.03, .freedom = 3, .disturbed_factor = 4});
        const struct tcplan_estimate estimate = states_predict(&outlook, &fit, 0);
        assert_true(estimate.low <= estimate.seconds && estimate.seconds <= estimate.high);
        *width += log1p(estimate.high / estimate.low - 1) / WORLDS;
        machine.share = drifted_share(&machine.random);
        change(&machine, random_unit(&machine.random) < machine.share);
        const double seconds = work(&machine, setting->run_seconds, setting->power) *
                               (1 + 0.01 * chance(&machine.random));
        held += seconds >= estimate.low && seconds <= estimate.high;
    }
    return held / WORLDS;
}

/** Three standard deviations below 95 %. */
static const double least_coverage = 0.896;

static void assert_held(const struct setting *setting) {
    double width;
    const double held = coverage(setting, &width);
    if (held < least_coverage || width > log(2.0 * BAD / GOOD))
        fail_msg("%.3f held, width %.2f: dwell %g, run %g, power %g, kept %d", held, exp(width),
                 setting->dwell_seconds, setting->run_seconds, setting->power, setting->kept);
}

static void the_interval_holds_the_next_run(void **state) {
    (void)state;
    static const double runs[] = {1e-3, 20e-3, 300e-3};
    for (int kept = 0; kept <= 3; kept += 3) {
        for (size_t r = 0; r < sizeof runs / sizeof *runs; r++) {
            for (double dwell = 2e-3; dwell < 0.1; dwell *= 25) {
                for (double power = 0.5; power <= 1; power += 0.5) {
                    assert_held(&(struct setting){.dwell_seconds = dwell,
                                                  .run_seconds = runs[r],
                                                  .power = power,
                                                  .watched_seconds = 0.5,
                                                  .kept = kept});
                }
            }
        }
    }
}

/** A comparison that is over before the core changes its speed knows of the other one from earlier
 * processes alone. */
static void what_was_kept_holds_where_the_comparison_met_one_state(void **state) {
    (void)state;
    struct setting setting = {
        .dwell_seconds = 0.2, .run_seconds = 1e-3, .power = 1, .watched_seconds = 5e-3, .kept = 6};
    double width;
    assert_held(&setting);
    setting.kept = 0;
    assert_true(coverage(&setting, &width) < least_coverage); /* the test can fail */
}

static void on_a_steady_core_intervals_are_narrow(void **state) {
    (void)state;
    const struct setting setting = {
        .dwell_seconds = 1e9, .run_seconds = 1e-3, .power = 1, .watched_seconds = 0.2};
    struct machine machine = machine_of(1, 1e9, 1e-12);
    const struct states met = watch(&machine, 0.2, &nothing);
    struct states_kept kept[STEADY];
    for (int k = 0; k < STEADY; k++) kept[k] = (struct states_kept){.made = 100 * k, .states = met};
    const struct states_outlook outlook = states_outlook(&met, kept, STEADY, 100 * STEADY);
    struct states_look log[100];
    struct states_sample sample[SAMPLES_OF_A_COMPARISON];
    int count = 0;
    for (int s = 0; s < SAMPLES_OF_A_COMPARISON; s++)
        sample[s] = sample_of(&machine, &setting, log, &count);
    const struct states_fit fit =
        states_fit(&met, sample, SAMPLES_OF_A_COMPARISON, 1,
                   (struct expected_spread){.share = 0.01, .freedom = 3, .disturbed_factor = 4});
    const struct tcplan_estimate estimate = states_predict(&outlook, &fit, 0);
    assert_true(fabs(estimate.seconds / 1e-3 - 1) < 0.02);
    assert_true(estimate.high / estimate.low < 1.2);
    const struct states_outlook fresh = states_outlook(&met, NULL, 0, 0);
    const struct tcplan_estimate unknown = states_predict(&fresh, &fit, 0);
    assert_true(unknown.high / unknown.low > 1.5); /* that it stays as it was is known by none yet
                                                    */
}

/* Over minutes. */

/** Processes so many seconds apart, each with references that take so many times what those before
 * do, by turns. */
static double change_after(int processes, int64_t seconds_apart, double factor) {
    struct states_kept kept[STEADY];
    struct states met = {.good = GOOD, .ratio = 1, .watched_seconds = 1};
    for (int k = 0; k < processes; k++) {
        kept[k] = (struct states_kept){.made = seconds_apart * k, .states = met};
        met.good = k % 2 ? GOOD : factor * GOOD;
    }
    return states_outlook(&met, kept, processes, seconds_apart * processes).pace_change;
}

static void what_changes_over_minutes_is_learnt(void **state) {
    (void)state;
    assert_about(change_after(0, 100, 1), STATES_USUAL_CHANGE);
    assert_true(change_after(STEADY, 100, 1) < 0.2 * STATES_USUAL_CHANGE);
    assert_true(fabs(change_after(STEADY, 100, 1.5) / log(1.5) - 1) < 0.05);
    assert_true(change_after(1, 100, 1.5) > 1.5 * STATES_USUAL_CHANGE);
    assert_about(change_after(STEADY, 0, 1), STATES_USUAL_CHANGE); /* one minute is one */
    assert_about(change_after(STEADY, 0, 2), STATES_USUAL_CHANGE);
    assert_true(change_after(STEADY, 100, 1e-4) <= log(3)); /* somebody else's doing, or a clock's
                                                             */
    /* what the share of the slow state explains is no change beside it */
    const struct states both = {
        .good = GOOD, .ratio = 2, .share = 0.5, .dwell_seconds = 0.01, .watched_seconds = 1};
    assert_true(states_outlook(&both, NULL, 0, 0).pace_change < 0.5 * STATES_USUAL_CHANGE);
    assert_about(states_mean_reference(&both), GOOD * sqrt(2));
    const struct states_outlook narrow = {.ratio = 1, .pace_change = 0, .unwatched = 0.2};
    const struct states_fit follows = {
        .good_seconds = 1, .follows = 1, .deviation = 0.01, .freedom = 200};
    struct states_fit waits = follows;
    waits.follows = 0.5;
    assert_true(states_predict(&narrow, &follows, 0).high < 1.03);
    assert_true(fabs(log(states_predict(&narrow, &waits, 0).high) / (0.1 * 1.96) - 1) < 0.02);
    /* few samples widen what they say, not what is known beside them */
    struct states_fit few = waits;
    few.freedom = 3;
    assert_true(fabs(log(states_predict(&narrow, &few, 0).high) / (0.1 * 1.96) - 1) < 0.02);
    few.follows = 1;
    assert_true(fabs(log(states_predict(&narrow, &few, 0).high) / (0.01 * 3.18) - 1) < 0.02);
    assert_true(states_mean_reference(&nothing) == 0);
}

/**
 * The share of runs that are held on a core with one speed in each minute, which others of its
 * threads set: between half and all of it. The processes that were kept met other minutes.
 */
static double coverage_over_minutes(double least_speed, int processes, double *width) {
    double held = 0;
    *width = 0;
    for (uint64_t seed = 0; seed < WORLDS; seed++) {
        struct states_kept kept[STEADY];
        struct random random = {seed * 0xd1342543de82ef95U + 1};
        struct states_sample sample[SAMPLES_OF_A_COMPARISON];
        for (int i = 0; i < 4; i++) random_next(&random);
        double slower = 1;
        for (int k = 0; k <= processes; k++) { /* the last one is the ranking's */
            slower = 1 + random_unit(&random) * (1 / least_speed - 1);
            const struct states met = {.good = GOOD * slower, .ratio = 1, .watched_seconds = 0.3};
            if (k < processes) kept[k] = (struct states_kept){.made = 100 * k, .states = met};
        }
        const struct states met = {.good = GOOD * slower, .ratio = 1, .watched_seconds = 0.3};
        for (int s = 0; s < SAMPLES_OF_A_COMPARISON; s++) {
            sample[s] =
                (struct states_sample){.seconds = 1e-3 * slower * (1 + 0.01 * chance(&random)),
                                       .reference_seconds = GOOD * slower,
                                       .apart_seconds = 1e-3};
        }
        const struct states_outlook outlook =
            states_outlook(&met, kept, processes, 100 * processes);
        const struct states_fit fit = states_fit(
            &met, sample, SAMPLES_OF_A_COMPARISON, 1,
            (struct expected_spread){.share = 0.03, .freedom = 3, .disturbed_factor = 4});
        const struct tcplan_estimate estimate = states_predict(&outlook, &fit, 0);
        const double seconds = 1e-3 * (1 + random_unit(&random) * (1 / least_speed - 1)) *
                               (1 + 0.01 * chance(&random));
        held += seconds >= estimate.low && seconds <= estimate.high;
        *width += log(estimate.high / estimate.low) / WORLDS;
    }
    return held / WORLDS;
}

/** One ranking alone does not see how much minutes differ: the interval holds those that follow all
 * the same, and learns. */
static void the_interval_holds_runs_of_other_minutes(void **state) {
    (void)state;
    double fresh, steady, changing;
    assert_true(coverage_over_minutes(0.75, 0, &fresh) > least_coverage);
    assert_true(coverage_over_minutes(0.99, STEADY, &steady) > least_coverage);
    assert_true(coverage_over_minutes(0.5, STEADY, &changing) > least_coverage);
    assert_true(steady < 0.4 * fresh && changing > fresh);
}

static void memory_bound_work_is_affected_less(void **state) {
    (void)state;
    double width[2];
    for (int p = 0; p < 2; p++) {
        coverage(
            &(struct setting){
                .dwell_seconds = 1e-3, .run_seconds = 1e-3, .power = p, .watched_seconds = 0.5},
            &width[p]);
    }
    assert_true(width[0] < 0.6 * width[1]);
}

/** What is shorter than a state meets one, what is longer their mean. */
static void long_runs_have_narrower_intervals(void **state) {
    (void)state;
    const struct states_fit fit = {
        .good_seconds = 1e-3, .follows = 1, .deviation = 0.01, .freedom = 10};
    const struct states_outlook outlook = {
        .ratio = BAD / GOOD, .dwell_seconds = 50e-3, .share = 0.5, .spread = 0.1};
    struct states_fit long_fit = fit;
    long_fit.good_seconds = 1;
    const struct tcplan_estimate run = states_predict(&outlook, &fit, 0);
    const struct tcplan_estimate long_run = states_predict(&outlook, &long_fit, 0);
    assert_true(run.low < 1.001e-3 && run.high > 0.999e-3 * BAD / GOOD);
    assert_true(long_run.high / long_run.low < 0.9 * run.high / run.low);
    const struct states_outlook steady = {.ratio = 1};
    assert_about(states_speed_share(&outlook), 0.5 + 0.5 * GOOD / BAD);
    assert_true(states_speed_share(&steady) == 1);
    const struct tcplan_estimate alone = states_predict(&steady, &fit, 0);
    assert_true(alone.seconds == fit.good_seconds &&
                fabs(alone.high / fit.good_seconds - 1 - 0.0225) < 0.001);
}

static void a_time_in_some_state_is_widened(void **state) {
    (void)state;
    const struct states met = {.good = GOOD,
                               .ratio = BAD / GOOD,
                               .share = 0.5,
                               .dwell_seconds = 0.05,
                               .watched_seconds = 1};
    const struct states_outlook outlook = states_outlook(&met, NULL, 0, 0);
    struct tcplan_estimate estimate = {.seconds = 1e-3, .low = 0.9e-3, .high = 1.1e-3};
    assert_true(states_widen(&nothing, &outlook, 1, 0, &estimate) == 0 && estimate.high == 1.1e-3);
    assert_about(states_widen(&met, &outlook, 1, 0, &estimate), 1e-3 / 1.3);
    assert_true(estimate.low < 0.8e-3 && estimate.high > 1.3e-3);
    struct tcplan_estimate doubtful = {.seconds = 1e-3, .low = 0.9e-3, .high = 1.1e-3};
    states_widen(&met, &outlook, 1, 0.5, &doubtful);
    assert_true(doubtful.high > 1.3 * estimate.high && doubtful.low < estimate.low / 1.3);
}

/* Kept. */

static void what_is_old_says_less(void **state) {
    (void)state;
    const struct states met = {.good = GOOD,
                               .ratio = BAD / GOOD,
                               .share = 0.2,
                               .dwell_seconds = 0.01,
                               .watched_seconds = 1};
    struct states_kept kept[4];
    for (int k = 0; k < 4; k++) kept[k] = (struct states_kept){.made = 1000000, .states = met};
    for (int k = 0; k < 4; k++) kept[k].states.share = 0.8;
    const double young = states_outlook(&met, kept, 4, 1000060).share;
    const double old = states_outlook(&met, kept, 4, 1000000 + 86400).share;
    const double alone = states_outlook(&met, NULL, 0, 0).share;
    assert_true(young > 0.55 && old < 0.4 && fabs(old - alone) < 0.15);
    assert_true(states_outlook(&met, kept, 4, 1000060).spread >
                states_outlook(&met, kept, 0, 0).spread / 2);
    assert_about(states_known(kept, 4, 1000000 + 864000).ratio,
                 BAD / GOOD); /* what was possible still is */
}

/* Measured times. */

/** A program that takes 1 s on the fast core, and as much longer as the core is slower; `slow` of
 * the samples meet the slow one. */
static struct measurement measured(int slow, double power) {
    struct measurement measurement = {.sample_count = SAMPLES};
    for (int s = 0; s < SAMPLES; s++) {
        measurement.sample[s].reference_seconds = s < slow ? BAD : GOOD;
        measurement.sample[s].seconds =
            (1 + 0.001 * (s % 3)) * (s < slow ? pow(BAD / GOOD, power) : 1);
        measurement.sample[s].apart_seconds = 1e-3;
        measurement.sample_ns[s] = 1e9 * measurement.sample[s].seconds;
    }
    return measurement;
}

static struct states states_met(int slow) {
    return (struct states){.good = GOOD,
                           .ratio = BAD / GOOD,
                           .share = (double)slow / SAMPLES,
                           .dwell_seconds = 0.05,
                           .watched_seconds = 10};
}

static struct tcplan_estimate estimate_of(const struct measurement *measurement,
                                          const struct states *met, double *good_seconds) {
    const struct states_outlook outlook = states_outlook(met, NULL, 0, 0);
    const double follows = measurement_follows(&measurement, 1, met, 1);
    return measurement_estimate(measurement, met, &outlook, follows, good_seconds);
}

static void a_measured_time_says_what_the_states_do_to_it(void **state) {
    (void)state;
    double good_seconds;
    for (int slow = 3; slow <= 7; slow += 4) {
        const struct measurement measurement = measured(slow, 1);
        const struct states met = states_met(slow);
        const struct tcplan_estimate estimate = estimate_of(&measurement, &met, &good_seconds);
        assert_true(fabs(good_seconds - 1) < 0.01 && estimate.low < 1.15 &&
                    estimate.high > 1 + 0.6 * slow / SAMPLES);
        assert_true(estimate.sample_count == SAMPLES &&
                    fabs(estimate.sample[0] - BAD / GOOD) < 0.01); /* samples stay what they were */
    }
}

static void what_does_not_follow_the_core_is_left_alone(void **state) {
    (void)state;
    double good_seconds;
    const struct measurement memory_bound = measured(5, 0);
    const struct states met = states_met(5);
    const struct tcplan_estimate estimate = estimate_of(&memory_bound, &met, &good_seconds);
    assert_true(fabs(good_seconds - estimate.seconds) < 0.02 && estimate.high < 1.6 &&
                estimate.low > 0.6);
    assert_true(estimate.high > 1.2 && estimate.low < 0.85); /* whatever it waits for changes by
                                                                itself, and nobody watched that */
    struct measurement untold = measured(5, 1);
    for (int s = 0; s < SAMPLES; s++) untold.sample[s].reference_seconds = 0;
    const struct tcplan_estimate plain = estimate_of(&untold, &nothing, &good_seconds);
    assert_true(good_seconds == 0 && plain.low < 1 && plain.high > 1.5);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_follow_as_far_as_they_do),
        cmocka_unit_test(arithmetic_is_expected_to_follow),
        cmocka_unit_test(pieces_tell_how_far_a_run_follows),
        cmocka_unit_test(chance_is_not_followed),
        cmocka_unit_test(two_speeds_are_found),
        cmocka_unit_test(one_speed_is_one),
        cmocka_unit_test(what_was_met_before_tells_which_state_it_is),
        cmocka_unit_test(disturbed_references_are_no_state),
        cmocka_unit_test(the_interval_holds_the_next_run),
        cmocka_unit_test(what_was_kept_holds_where_the_comparison_met_one_state),
        cmocka_unit_test(on_a_steady_core_intervals_are_narrow),
        cmocka_unit_test(what_changes_over_minutes_is_learnt),
        cmocka_unit_test(the_interval_holds_runs_of_other_minutes),
        cmocka_unit_test(memory_bound_work_is_affected_less),
        cmocka_unit_test(long_runs_have_narrower_intervals),
        cmocka_unit_test(a_time_in_some_state_is_widened),
        cmocka_unit_test(what_is_old_says_less),
        cmocka_unit_test(a_measured_time_says_what_the_states_do_to_it),
        cmocka_unit_test(what_does_not_follow_the_core_is_left_alone),
    };
    return cmocka_run_group_tests_name("states", tests, NULL, NULL);
}
