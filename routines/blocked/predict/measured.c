#include "routines/blocked/predict/measured.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "microbench/timing/statistics.h"

static double mean_of(const double seconds[], int count) {
    double sum = 0;
    for (int i = 0; i < count; i++) sum += seconds[i];
    return sum / count;
}

void measured_statistics(double out[TCPLAN_MODEL_STATISTICS], const double seconds[], int count) {
    const double mean = mean_of(seconds, count);
    double squares = 0, most = seconds[0];
    for (int i = 0; i < count; i++) {
        squares += (seconds[i] - mean) * (seconds[i] - mean);
        most = fmax(most, seconds[i]);
    }
    out[TCPLAN_MODEL_MINIMUM] = statistics_smallest(seconds, count);
    out[TCPLAN_MODEL_MEDIAN] = statistics_median(seconds, count);
    out[TCPLAN_MODEL_MAXIMUM] = most;
    out[TCPLAN_MODEL_MEAN] = mean;
    out[TCPLAN_MODEL_DEVIATION] = sqrt(squares / count);
}

double measured_spread(const double seconds[], int count) {
    double half[2][TCPLAN_BLOCKED_MOST_REPETITIONS];
    int members[2] = {0, 0};
    for (int i = 0; i < count && i < TCPLAN_BLOCKED_MOST_REPETITIONS; i++)
        half[i % 2][members[i % 2]++] = seconds[i];
    if (members[1] == 0) return 0;
    const double a = statistics_median(half[0], members[0]),
                 b = statistics_median(half[1], members[1]);
    return a + b > 0 ? fabs(a - b) / (0.5 * (a + b)) : 0;
}

void measured_report(struct tcplan_blocked_measured *of, const struct measured_runs *runs,
                     double good_seconds, double elasticity, double model_seconds) {
    const struct timed_point point = {.count = runs->count, .sample = runs->sample};
    double seconds[TCPLAN_BLOCKED_MOST_REPETITIONS] = {
        0}; /* initialised only for the static analyser: every element that is read has been set */
    of->count = runs->count;
    if (runs->count == 0) return;
    for (int s = 0; s < runs->count; s++) seconds[s] = runs->sample[s].seconds;
    measured_statistics(of->raw_seconds, seconds, runs->count);
    of->raw_spread = measured_spread(seconds, runs->count);
    const double factor = drift_factor(elasticity, good_seconds, model_seconds);
    const int count = good_state_times(seconds, good_seconds, &point, elasticity);
    for (int s = 0; s < count; s++) seconds[s] *= factor;
    measured_statistics(of->seconds, seconds, count);
    of->spread = measured_spread(seconds, count);
}

void tcplan_blocked_errors(double out[TCPLAN_MODEL_STATISTICS],
                           const double predicted[TCPLAN_MODEL_STATISTICS],
                           const double measured[TCPLAN_MODEL_STATISTICS]) {
    for (int s = 0; s < TCPLAN_MODEL_STATISTICS; s++)
        out[s] = measured[s] > 0 ? (predicted[s] - measured[s]) / measured[s] : 0;
}

struct tcplan_blocked_pick tcplan_blocked_pick(const double predicted[], const double measured[],
                                               int count) {
    struct tcplan_blocked_pick pick = {.picked = -1, .fastest = -1};
    for (int i = 0; i < count; i++) {
        if (!(measured[i] > 0)) continue;
        if (pick.picked < 0 || predicted[i] < predicted[pick.picked]) pick.picked = i;
        if (pick.fastest < 0 || measured[i] < measured[pick.fastest]) pick.fastest = i;
    }
    if (pick.picked >= 0) pick.yield = measured[pick.fastest] / measured[pick.picked];
    return pick;
}
