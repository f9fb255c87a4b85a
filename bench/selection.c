/**
 * Simulates the rules of the comparison on an artificial machine, whose samples cost nothing.
 *
 *   bench_selection [WORLDS [KNOWN [BELIEVED]]]
 *       default: 2000 0.12 KNOWN
 *
 * Each of the WORLDS artificial machines has 20 algorithms, which take at most 1.5 times as long
 * as the fastest. Their times are first known with an error of KNOWN (probes have 12 % to 25 %);
 * samples have a spread of 3 %. The core is steady, or changes between two speeds, which
 * references measure with an error of 2 %. A row has the rules, the time of the choices over that
 * of the fastest algorithm (mean and maximum), the number of samples, and the number of algorithms
 * that may be as fast but were not compared. *worth*: the smallest expected improvement, as a
 * share of the choice's time, for which a sample is taken. *rounds*: the minimum number of samples
 * of a choice. BELIEVED is the error that the rules assume at first.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "plan/decision/select.h"

#define WITHIN 0.5
#define SAMPLE_SPREAD 0.03
#define REFERENCE_SPREAD 0.02
#define SLOW 1.6
#define ELASTICITY                                                                                 \
    0.5 /* expected elasticity, as for samples that wait for memory half of the time; the actual   \
           elasticity is 1 */
#define SWITCH_SHARE 0.15

enum { ARMS = 20 };

struct world {
    struct random random;
    bool swings;
    bool slow;
    double truth[ARMS];
    int samples;
};

static double normal(struct random *random) {
    double sum = 0;
    for (int i = 0; i < 12; i++) sum += random_unit(random);
    return sum - 6;
}

static enum tcplan_status sample(void *context, size_t arm, struct drift_sample *out,
                                 struct tcplan_error *error) {
    struct world *world = context;
    (void)error;
    if (world->swings && random_unit(&world->random) < SWITCH_SHARE) world->slow = !world->slow;
    const double state = world->slow ? SLOW : 1;
    out->seconds = world->truth[arm] * state * (1 + SAMPLE_SPREAD * normal(&world->random));
    out->reference_seconds = state * (1 + REFERENCE_SPREAD * normal(&world->random));
    world->samples++;
    return TCPLAN_OK;
}

static double cost(void *context, size_t arm) {
    (void)context;
    (void)arm;
    return 1;
}

static double left(void *context) {
    (void)context;
    return INFINITY;
}

static int prefer(void *context, size_t a, size_t b) {
    (void)context;
    (void)a;
    (void)b;
    return 0;
}

struct row {
    double worth;
    int least_rounds;
};

static void print_row(const struct row *row, bool swings, int worlds, double known_spread,
                      double believed_spread) {
    const struct select_means means = {
        .sample = sample, .cost = cost, .left = left, .prefer = prefer};
    const struct select_rules rules = {
        .least_rounds = row->least_rounds,
        .most_rounds = row->least_rounds > 2 ? 24 : 6,
        .final_rounds = row->least_rounds > 2 ? row->least_rounds : 1,
        .margin = 0.02,
        .price = row->worth,
        .elasticity = ELASTICITY,
        .expected = {.share = 0.03, .freedom = 3, .disturbed_factor = 1.5}};
    double mean = 0;
    double worst = 1;
    double samples = 0;
    double uncompared = 0;
    for (int w = 0; w < worlds; w++) {
        static struct select_arm arm[ARMS];
        struct select select;
        struct world world = {.random = {(uint64_t)w * 0xd1342543de82ef95U + 1}, .swings = swings};
        struct select_means here = means;
        double fastest = INFINITY;
        here.context = &world;
        memset(arm, 0, sizeof arm);
        for (int a = 0; a < ARMS; a++) {
            world.truth[a] = 1 + WITHIN * random_unit(&world.random);
            fastest = fmin(fastest, world.truth[a]);
            arm[a].seconds = world.truth[a] * exp(known_spread * normal(&world.random));
            arm[a].spread = believed_spread;
        }
        if (select_run(&select, &rules, arm, ARMS, &here, NULL) != TCPLAN_OK) exit(EXIT_FAILURE);
        const double loss = world.truth[select.pick] / fastest;
        mean += loss / worlds;
        worst = fmax(worst, loss);
        samples += (double)world.samples / worlds;
        uncompared += (double)select.uncompared / worlds;
    }
    printf("%-8s %6g %6d %7.4f %7.3f %8.1f %11.1f\n", swings ? "swinging" : "steady", row->worth,
           row->least_rounds, mean, worst, samples, uncompared);
}

int main(int count, char *arguments[]) {
    static const struct row rows[] = {{0.1, 2},   {0.05, 2},  {0.015, 2},  {0.015, 3},
                                      {0.005, 2}, {0.001, 2}, {0.0005, 6}, {0.0001, 6}};
    const int worlds = count > 1 ? atoi(arguments[1]) : 2000;
    const double known_spread = count > 2 ? atof(arguments[2]) : 0.12;
    const double believed_spread = count > 3 ? atof(arguments[3]) : known_spread;
    puts("core      worth rounds    mean   worst  samples  uncompared");
    for (int swings = 0; swings < 2; swings++) {
        for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
            print_row(&rows[r], swings, worlds, known_spread, believed_spread);
    }
    return EXIT_SUCCESS;
}
