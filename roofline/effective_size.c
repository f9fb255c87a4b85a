#include "roofline/effective_size.h"

#include <math.h>

/** Rates of one level differ by a few per cent from series to series; half the way between two that differ by less than this would be noise. */
#define LEAST_RATIO 1.25

int64_t effective_size(const struct size_rate sweep[], int count, int64_t least, double inner, double outer) {
    const double border = sqrt(inner * outer);
    int64_t held = least;
    for (int s = 0; s < count && sweep[s].rate > border; s++) held = sweep[s].bytes;
    return held;
}

bool effective_size_is_found(double inner, double outer) {
    return outer > 0 && inner > LEAST_RATIO * outer;
}

int64_t effective_size_next(int64_t bytes, int64_t unit) {
    return (bytes + bytes / 4 + unit) / unit * unit;
}
