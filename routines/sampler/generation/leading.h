/**
 * The leading dimension and the large increment with which models are measured.
 *
 * Models depend on sizes, not on leading dimensions, so all samples have the same one. The choice
 * matters: columns that map to few sets of a cache evict each other, and columns that do not begin
 * with a cache line cost more (dissertation, section 3.1.3). So the value follows from the
 * machine's caches; for those of the dissertation it is 5000, as chosen there. Pure functions.
 */
#ifndef SAMPLER_GENERATION_LEADING_H
#define SAMPLER_GENERATION_LEADING_H

#include "tcplan/machine.h"

/** The smallest leading dimension, as in the dissertation. All models with sizes up to this number
 * therefore have the same leading dimension. */
enum { LEADING_LEAST = 5000 };

/**
 * Returns the smallest suitable leading dimension of at least LEADING_LEAST and the largest size.
 * It is
 * - a whole number of cache lines (a multiple of 8 for doubles and lines of 64 bytes);
 * - a number of lines without a common divisor with the number of sets of any cache, or with the
 * number of lines of a page, so that adjacent columns begin in all sets in turn (so it is no
 * multiple of 16);
 * - such that the beginnings of eight adjacent columns, as many as kernels process at once, are at
 * least a sixteenth of a page apart within their pages.
 *
 * Caches with an unknown number of sets are ignored. It is also the large increment of vectors.
 *
 * @param element_bytes  4, 8 or 16
 * @param largest        the smallest allowed value, at least 1
 * @return 0 if there is none, which happens for sizes near the largest integer
 */
int64_t leading_dimension(const struct tcplan_machine *machine, int64_t element_bytes,
                          int64_t largest);

#endif
