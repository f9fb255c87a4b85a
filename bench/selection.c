/**
 * What the rules of the comparison are worth: picks of a made-up machine, whose samples cost
 * nothing.
 *
 *   bench_selection [WORLDS [KNOWN]]
 *       default: 2000 0.12
 *
 * In each world 20 algorithms lie within 1.5 of the fastest, are known before with an error of
 * KNOWN, 12 % or 25 % as scouts are, and have samples that spread by 3 %, on a core that is steady,
 * or swings between two speeds that references tell with an error of 2 %. A row: the rules, the
 * time of the picks over that of the fastest algorithm, on average and at worst, the samples taken,
 * and how many algorithms that may be as fast were not compared. *worth*: the share of the pick's
 * time that a sample promises at least, 0: whoever may be as fast is sampled. *agreeing*: rounds
 * that suffice to drop whom a look had slower as well. *closer*: so many of the fastest, as they
 * are known, are looked at once more before, with an error of 12 %, as full windows have it.
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
#define CLOSER_ERROR 0.12
#define SLOW 1.6
#define ELASTICITY                                                                                 \
    0.5 /* what a comparison expects of samples that wait for memory half of the time; these       \
           follow altogether */
#define SWITCH_SHARE 0.15

enum { ARMS = 20 };

struct world {
    struct random random;
    bool swings;
    bool slow;
    double truth[ARMS];
    int samples;
    int most_samples;
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

static bool is_spent(void *context) {
    const struct world *world = context;
    return world->samples >= world->most_samples;
}

static int prefer(void *context, size_t a, size_t b) {
    (void)context;
    (void)a;
    (void)b;
    return 0;
}

struct row {
    int seats;
    int least_rounds;
    int most_samples;
    int agreeing_rounds; /**< 0: as the least */
    int closer;
    double worth;
};

/** Looks once more at the fastest, as they are known by then, each of them once. */
static void look_closer(struct world *world, struct select_arm arm[ARMS], int closer) {
    bool is_done[ARMS] = {false};
    for (int c = 0; c < closer; c++) {
        int best = -1;
        for (int a = 0; a < ARMS; a++) {
            if (!is_done[a] && (best < 0 || arm[a].seconds < arm[best].seconds)) best = a;
        }
        arm[best].seconds = world->truth[best] * exp(CLOSER_ERROR * normal(&world->random));
        arm[best].low = 0.7 * arm[best].seconds;
        is_done[best] = true;
    }
}

static void print_row(const struct row *row, bool swings, int worlds, double known_spread) {
    const struct select_means means = {
        .sample = sample, .cost = cost, .left = left, .is_spent = is_spent, .prefer = prefer};
    const struct select_rules rules = {
        .seats = row->seats,
        .least_rounds = row->least_rounds,
        .agreeing_rounds = row->agreeing_rounds,
        .most_rounds = 12,
        .final_rounds = row->agreeing_rounds > 0 ? 1 : row->least_rounds,
        .precise_share = 0.02,
        .margin = 0.02,
        .price = row->worth,
        .look_spread = known_spread,
        .elasticity = ELASTICITY,
        .expected = {.share = 0.03, .freedom = 3, .disturbed_factor = 1.5}};
    double mean = 0;
    double worst = 1;
    double samples = 0;
    double uncompared = 0;
    for (int w = 0; w < worlds; w++) {
        static struct select_arm arm[ARMS];
        struct select select;
        struct world world = {.random = {(uint64_t)w * 0xd1342543de82ef95U + 1},
                              .swings = swings,
                              .most_samples = row->most_samples};
        struct select_means here = means;
        double fastest = INFINITY;
        here.context = &world;
        memset(arm, 0, sizeof arm);
        for (int a = 0; a < ARMS; a++) {
            world.truth[a] = 1 + WITHIN * random_unit(&world.random);
            fastest = fmin(fastest, world.truth[a]);
            arm[a].seconds = world.truth[a] * exp(known_spread * normal(&world.random));
            arm[a].low = 0.7 * arm[a].seconds;
        }
        look_closer(&world, arm, row->closer);
        if (select_run(&select, &rules, arm, ARMS, &here, NULL) != TCPLAN_OK) exit(EXIT_FAILURE);
        const double loss = world.truth[select.pick] / fastest;
        mean += loss / worlds;
        worst = fmax(worst, loss);
        samples += (double)world.samples / worlds;
        uncompared += (double)select.uncompared / worlds;
    }
    printf("%-8s %5d %6d  %8d  %6d  %5g  %12d %7.4f %7.3f %8.1f %11.1f\n",
           swings ? "swinging" : "steady", row->seats, row->least_rounds,
           row->agreeing_rounds > 0 ? row->agreeing_rounds : row->least_rounds, row->closer,
           row->worth, row->most_samples, mean, worst, samples, uncompared);
}

int main(int count, char *arguments[]) {
    static const struct row rows[] = {
        {3, 2, 3, 1, 0, 0},      {3, 2, 3, 1, 3, 0},     {3, 2, 6, 0, 0, 0},
        {3, 2, 8, 0, 0, 0},      {4, 2, 4, 1, 0, 0},     {4, 2, 4, 1, 3, 0},
        {4, 2, 8, 0, 0, 0},      {5, 2, 5, 1, 0, 0},     {5, 2, 5, 1, 3, 0},
        {5, 2, 10, 0, 0, 0},     {6, 2, 12, 0, 0, 0},    {6, 2, 18, 0, 0, 0},
        {6, 2, 20, 0, 0, 0},     {6, 2, 30, 0, 0, 0},    {6, 3, 30, 0, 0, 0},
        {8, 2, 12, 1, 0, 0},     {8, 2, 24, 0, 0, 0},    {8, 2, 30, 0, 0, 0},
        {8, 3, 30, 0, 0, 0},     {8, 2, 60, 0, 0, 0},    {8, 6, 120, 0, 0, 0},
        {8, 3, 1000, 0, 0, 0},   {3, 2, 3, 1, 0, 0.05},  {4, 2, 4, 1, 0, 0.015},
        {8, 2, 12, 1, 0, 0.005}, {8, 2, 12, 1, 0, 0.01}, {8, 2, 12, 1, 0, 0.015}};
    const int worlds = count > 1 ? atoi(arguments[1]) : 2000;
    const double known_spread = count > 2 ? atof(arguments[2]) : 0.12;
    printf(
        "core     seats rounds  agreeing  closer  worth  most samples    mean   worst  samples  uncompared\n");
    for (int swings = 0; swings < 2; swings++) {
        for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
            print_row(&rows[r], swings, worlds, known_spread);
    }
    return EXIT_SUCCESS;
}
