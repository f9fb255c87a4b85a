/**
 * How much a cache really holds: what the system says of it may be of a machine below that others share.
 */
#ifndef ROOFLINE_EFFECTIVE_SIZE_H
#define ROOFLINE_EFFECTIVE_SIZE_H

#include <stdbool.h>
#include <stdint.h>

/** The rate of loads from a working set. */
struct size_rate {
    int64_t bytes;
    double rate;
};

/**
 * The largest working set that is still served by a level: all sets up to it, the smallest first, are loaded at more than the geometric mean of
 * the level's rate and that of the next level outwards. That is where half of the way from one to the other is gone, on the scale of a
 * roofline.
 *
 * @param sweep    larger sets than the one that the level's rate is of, growing
 * @param least    the set that the level's rate is of, which is held
 * @param inner    the level's rate
 * @param outer    the next one's
 */
int64_t effective_size(const struct size_rate sweep[], int count, int64_t least, double inner, double outer);

/** Whether a level's rate is so much higher than the next one's that the border between them can be found. */
bool effective_size_is_found(double inner, double outer);

/** The next larger set of a sweep: by a fourth, a multiple of `unit`. */
int64_t effective_size_next(int64_t bytes, int64_t unit);

#endif
