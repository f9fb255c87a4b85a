#include "roofline/timing/summary.h"

#include <math.h>
#include <stdlib.h>

static int compare(const void *a, const void *b) {
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return (x > y) - (x < y);
}

static double quantile(const double *sorted, int count, double share) {
    const double place = share * (count - 1);
    const int below = (int)floor(place);
    const int above = below + 1 < count ? below + 1 : below;
    return sorted[below] + (place - below) * (sorted[above] - sorted[below]);
}

struct summary summary_make(double *value, int count) {
    qsort(value, (size_t)count, sizeof *value, compare);
    return (struct summary){.median = quantile(value, count, 0.5), .q1 = quantile(value, count, 0.25), .q3 = quantile(value, count, 0.75)};
}
