#include "microbench/timing/states.h"

#include <math.h>
#include <stdlib.h>

/* The core's state counts where references tell clearly: so much of their variance, from so many samples, is taken for chance. */
#define REFERENCE_SPREAD 0.03
enum { REFERENCE_SAMPLES = 3 };
#define MOST_FOLLOWED 1.2

/* Shares of the samples that met a better state of the core. */
#define GOOD_STATE 0.1
#define USUAL_STATE 0.5
#define BAD_STATE 0.9

void states_begin_series(struct states_regression *regression) {
    regression->count = 0;
    regression->mean = regression->mean_reference = 0;
}

void states_add(struct states_regression *regression, double seconds, double reference_seconds) {
    if (!(seconds > 0) || !(reference_seconds > 0)) return;
    const double reference = log(reference_seconds);
    const double difference = reference - regression->mean_reference;
    regression->count++;
    regression->mean_reference += difference / regression->count;
    regression->squares += difference * (reference - regression->mean_reference);
    regression->mean += (log(seconds) - regression->mean) / regression->count;
    regression->products += difference * (log(seconds) - regression->mean);
}

double states_follows(const struct states_regression *regression) {
    const double slope = regression->products / (regression->squares + REFERENCE_SAMPLES * REFERENCE_SPREAD * REFERENCE_SPREAD);
    return fmin(fmax(slope, 0), MOST_FOLLOWED);
}

static int compare(const void *a, const void *b) {
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return (x > y) - (x < y);
}

struct states states_of(double follows, double *reference_seconds, int count) {
    if (count == 0) return (struct states){0};
    qsort(reference_seconds, (size_t)count, sizeof *reference_seconds, compare);
    return (struct states){.follows = follows,
                           .good = reference_seconds[(int)(GOOD_STATE * (count - 1))],
                           .usual = reference_seconds[(int)(USUAL_STATE * (count - 1))],
                           .bad = reference_seconds[(int)(BAD_STATE * (count - 1))]};
}

double states_factor(double follows, double reference_seconds, double state_seconds) {
    return reference_seconds > 0 && state_seconds > 0 ? pow(state_seconds / reference_seconds, follows) : 1;
}

double states_widen(const struct states *states, struct tcplan_estimate *estimate) {
    const double good = states_factor(states->follows, states->usual, states->good);
    estimate->low *= good;
    estimate->high *= states_factor(states->follows, states->usual, states->bad);
    return states->good > 0 ? estimate->seconds * good : 0;
}

double states_speed_share(const struct states *states) {
    return states->usual > 0 ? states->good / states->usual : 0;
}
