/** Sorting and order statistics. */
#ifndef BASE_SORTED_H
#define BASE_SORTED_H

#include <stddef.h>

/** Sorts in ascending order; no value may be NaN. */
void sort_numbers(double value[], size_t count);

/** Returns the median of at least one sorted number. */
double sorted_median(const double value[], size_t count);

/** Returns the quantile (`share` from 0 to 1) of at least one sorted number, interpolated
 * linearly (type 7 of Hyndman and Fan 1996). */
double sorted_quantile(const double value[], size_t count, double share);

#endif
