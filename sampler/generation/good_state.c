#include "sampler/generation/good_state.h"

#include <math.h>
#include <stdlib.h>

/* Of a correction: how far a call follows the reference is known to about so much. */
#define DOUBTED 0.25

/** Fills looks with those around every `stride`-th sample. */
static int take_looks(struct states_look look[], const struct timed_point point[], int count,
                      int64_t stride) {
    int looks = 0;
    int64_t number = 0;
    for (int p = 0; p < count; p++) {
        for (int s = 0; s < point[p].count; s++, number++) {
            const struct timed_sample *sample = &point[p].sample[s];
            if (number % stride != 0 || looks + 2 > STATES_LOOKS || !(sample->before > 0) ||
                !(sample->after > 0))
                continue;
            look[looks++] =
                (struct states_look){.at_seconds = sample->at_seconds, .seconds = sample->before};
            look[looks++] = (struct states_look){
                .at_seconds = sample->at_seconds + sample->apart_seconds, .seconds = sample->after};
        }
    }
    return looks;
}

static int compare_times(const void *a, const void *b) {
    const double x = ((const struct states_look *)a)->at_seconds;
    const double y = ((const struct states_look *)b)->at_seconds;
    return (x > y) - (x < y);
}

struct states good_state_met(const struct timed_point point[], int count,
                             const struct states *known) {
    struct states_look look[STATES_LOOKS];
    int64_t samples = 0;
    for (int p = 0; p < count; p++) samples += point[p].count;
    const int64_t most = STATES_LOOKS / 2;
    const int looks = take_looks(look, point, count,
                                 (samples + most - 1) / most > 0 ? (samples + most - 1) / most : 1);
    qsort(look, (size_t)looks, sizeof *look,
          compare_times); /* points are not in the order of their times */
    return states_of(look, looks, known);
}

/** What a reference says: it is that of one of the two states. */
static double state_of(const struct states *met, double reference) {
    if (!(reference > 0) || !(met->good > 0)) return 0;
    return reference > met->good * sqrt(met->ratio) ? met->good * met->ratio : met->good;
}

static struct states_sample felt_of(const struct states *met, const struct timed_sample *sample) {
    return (struct states_sample){
        .seconds = sample->seconds,
        .reference_seconds = sqrt(state_of(met, sample->before) * state_of(met, sample->after)),
        .apart_seconds = sample->apart_seconds};
}

static void add_point(struct states_regression *regression, const struct states *met,
                      const struct timed_point *point) {
    states_begin_series(regression);
    for (int s = 0; s < point->count; s++) {
        const struct states_sample sample = felt_of(met, &point->sample[s]);
        states_add_felt(regression, met, &sample);
    }
}

static double shortest(const struct timed_point *point) {
    double out = INFINITY;
    for (int s = 0; s < point->count; s++) out = fmin(out, point->sample[s].seconds);
    return out;
}

double good_state_follows(const struct states *met, const struct timed_point point[], int count) {
    struct states_regression regression = {0};
    double expected = 0;
    int points = 0;
    for (int p = 0; p < count; p++) {
        if (point[p].count == 0) continue;
        add_point(&regression, met, &point[p]);
        expected += states_follows_expected(met, point[p].flops / STATES_REFERENCE_FLOPS,
                                            shortest(&point[p]));
        points++;
    }
    return points > 0 ? states_follows_drawn(&regression, expected / points) : 0;
}

/** Whether what a sample felt is the good state, or nearly. */
static bool is_good(const struct states *met, double felt) {
    return felt < met->good * sqrt(sqrt(met->ratio));
}

int good_state_count(const struct states *met, const struct timed_point *point) {
    int good = 0;
    if (!(met->ratio > 1)) return point->count;
    for (int s = 0; s < point->count; s++) {
        const struct states_sample sample = felt_of(met, &point->sample[s]);
        const double felt = states_felt(met, &sample);
        good += felt > 0 && is_good(met, felt);
    }
    return good;
}

int good_state_times(double out[], const struct states *met, const struct timed_point *point,
                     double follows) {
    struct states_regression regression = {0};
    int count = 0;
    add_point(&regression, met, point);
    const double own = states_follows_drawn(&regression, follows);
    const bool are_enough = met->ratio > 1 && good_state_count(met, point) >= GOOD_STATE_ENOUGH;
    for (int s = 0; s < point->count; s++) {
        const struct states_sample sample = felt_of(met, &point->sample[s]);
        const double felt = states_felt(met, &sample);
        if (!are_enough) {
            out[count++] = sample.seconds * states_factor(own, felt, met->good);
        } else if (is_good(met, felt)) {
            out[count++] = sample.seconds;
        }
    }
    return count;
}

double good_state_doubt(const struct states *met, const struct timed_point *point, double follows) {
    struct states_regression regression = {0};
    double corrected = 0;
    if (point->count == 0 || !(met->ratio > 1) || good_state_count(met, point) >= GOOD_STATE_ENOUGH)
        return 0;
    add_point(&regression, met, point);
    const double own = states_follows_drawn(&regression, follows);
    for (int s = 0; s < point->count; s++) {
        const struct states_sample sample = felt_of(met, &point->sample[s]);
        corrected +=
            fabs(1 - states_factor(own, states_felt(met, &sample), met->good)) / point->count;
    }
    return DOUBTED * corrected;
}
