/**
 * The leading dimension and the large increment that models are measured with.
 *
 * Sizes are what a model depends on; leading dimensions are not, so all its samples have one. Which
 * one matters: columns whose beginnings fall into few sets of a cache evict each other, and columns
 * that do not begin with a cache line cost more (dissertation, section 3.1.3). So the value follows
 * from the machine's caches; on those of the dissertation it is the one chosen there, 5000. Pure
 * functions.
 */
#ifndef SAMPLER_GENERATION_LEADING_H
#define SAMPLER_GENERATION_LEADING_H

#include "tcplan/machine.h"

/** No smaller leading dimension is taken, so that all models of sizes up to this have the same. The
 * dissertation's. */
enum { LEADING_LEAST = 5000 };

/**
 * The smallest leading dimension from LEADING_LEAST and the largest size on
 *
 * - that is a whole number of cache lines (of doubles and lines of 64 bytes a multiple of 8),
 * - whose lines have no divisor in common with the number of sets of any cache, nor with that of
 *   the lines of a page: columns beside each other begin in all sets in turn (so it is no multiple
 *   of 16, still less of 256),
 * - with which the beginnings of eight columns beside each other, as many as kernels work on, are
 *   at least a sixteenth of a page apart within pages.
 *
 * Caches whose number of sets is unknown are left out. It is the large increment of vectors as
 * well.
 *
 * @param element_bytes  4, 8 or 16
 * @param largest        size that it must hold, at least 1
 * @return 0 if there is none: sizes near the largest number
 */
int64_t leading_dimension(const struct tcplan_machine *machine, int64_t element_bytes,
                          int64_t largest);

#endif
