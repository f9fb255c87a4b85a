#include "base/sorted.h"

#include <assert.h>
#include <stdlib.h>

static int compare(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void sort_numbers(double value[], size_t count) {
    if (count > 1) qsort(value, count, sizeof *value, compare);
}

double sorted_median(const double value[], size_t count) {
    assert(count > 0);
    return count % 2 ? value[count / 2] : (value[count / 2 - 1] + value[count / 2]) / 2;
}

double sorted_quantile(const double value[], size_t count, double share) {
    assert(count > 0 && share >= 0 && share <= 1);
    const double place = share * (double)(count - 1);
    const size_t below = (size_t)place;
    const size_t above = below + 1 < count ? below + 1 : below;
    return value[below] + (place - (double)below) * (value[above] - value[below]);
}
