#include "roofline/timing/summary.h"

#include <assert.h>

#include "base/sorted.h"

struct summary summary_make(double *value, int count) {
    assert(count > 0);
    sort_numbers(value, (size_t)count);
    const size_t all = (size_t)count;
    return (struct summary){.median = sorted_quantile(value, all, 0.5),
                            .q1 = sorted_quantile(value, all, 0.25),
                            .q3 = sorted_quantile(value, all, 0.75)};
}
