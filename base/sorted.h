/**
 * Numbers in order, and what is read off them.
 */
#ifndef BASE_SORTED_H
#define BASE_SORTED_H

#include <stddef.h>

/** Sorts, the smallest first. None may be NaN. */
void sort_numbers(double value[], size_t count);

/** The one in the middle of numbers that are sorted, or the mean of the two there. There is one at
 * least. */
double sorted_median(const double value[], size_t count);

/** What a share (0 to 1) of sorted numbers lie below: between two of them in proportion (type 7 of
 * Hyndman and Fan). There is one at least. */
double sorted_quantile(const double value[], size_t count, double share);

#endif
