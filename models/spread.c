#include "models/spread.h"

#include <math.h>
#include <string.h>

#include "base/sorted.h"

/** Returns the median of values, which it sorts. */
static double median_of(double value[], size_t count) {
    sort_numbers(value, count);
    return sorted_median(value, count);
}

static double statistic_of(double ns[], size_t count, enum tcplan_model_statistic reference) {
    const double median = median_of(ns, count);
    return reference == TCPLAN_MODEL_MEDIAN ? median : ns[0];
}

double spread_of(double ns[], int count, enum tcplan_model_statistic reference) {
    const size_t all = count > 0 ? (size_t)count : 0, half = all / 2;
    if (half == 0) return 0;
    const double first = statistic_of(ns, half, reference),
                 second = statistic_of(ns + half, all - half, reference);
    return fabs(first - second) / (first + second);
}

void spread_weights(double out[], const double spread[], size_t count, double bound) {
    if (count == 0) return;
    memcpy(out, spread, count * sizeof *out);
    const double scale = fmax(bound, 2 * median_of(out, count));
    for (size_t i = 0; i < count; i++)
        out[i] = 1 / sqrt(1 + spread[i] / scale * (spread[i] / scale));
}

bool spread_explains(const double error[], const double spread[], const double weight[],
                     size_t count) {
    double errors = 0, spreads = 0;
    for (size_t i = 0; i < count; i++) {
        errors += weight[i] * error[i];
        spreads += weight[i] * spread[i];
    }
    return spreads > 0 && errors <= spreads;
}
